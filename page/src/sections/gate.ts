// A gate: two versions of a program compared by counted cost, function by function.
import { barFigure } from "../bars";
import { card, fact, facts, section, type Section } from "../card";
import { percent, time } from "../format";
import { briefName } from "../names";
import type { Gate } from "../records";

export function gateSection(list: Gate[]): Section | null {
  if (!list.length) return null;
  const cards = list.flatMap((gate) => {
    const changed = gate.functions.filter((f) => f.seconds !== f.base_seconds).sort((a, b) => Math.abs(b.seconds - b.base_seconds) - Math.abs(a.seconds - a.base_seconds));
    return [
      card(
        `${gate.base} → ${gate.candidate}, ${gate.model} on ${gate.machine}`,
        facts(
          fact("change", percent(gate.change, true), `limit ${percent(gate.limit)}`, gate.passed ? "good" : "bad"),
          fact("before", time(gate.base_seconds)),
          fact("after", time(gate.seconds)),
          fact("verdict", gate.passed ? "passes" : "over the limit", undefined, gate.passed ? "good" : "bad"),
        ),
      ),
      changed.length
        ? card(
            null,
            barFigure({
              title: "Change by function",
              bars: () => changed.slice(0, 20).map((f) => ({ name: f.name, value: f.seconds - f.base_seconds, detail: [["before", time(f.base_seconds)], ["after", time(f.seconds)], ["change", percent(f.change, true)]] as [string, string][] })),
              text: (v) => (v > 0 ? "+" : "") + time(v, 3),
              colour: (bar, c) => (bar.value > 0 ? c.bad : c.good),
              table: () => ({ head: ["function", "before", "after", "change", "status"], rows: gate.functions.map((f) => [briefName(f.name, 60), time(f.base_seconds), time(f.seconds), percent(f.change, true), f.status]) }),
            }).element,
          )
        : null,
    ];
  });
  return section("gate", "Gate", "Two versions compared by what they execute, not by the clock.", ...cards);
}

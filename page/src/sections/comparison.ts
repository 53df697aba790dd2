// Machines compared: how far apart, what programs gain and why, two characterizations of one machine.
import { barFigure } from "../bars";
import { card, section, type Section } from "../card";
import { el, longTable } from "../dom";
import { number, percent, time } from "../format";
import type { Comparison } from "../records";
import { sharesFigure } from "./shares";

export function comparisonSection(list: Comparison[]): Section | null {
  if (!list.length) return null;
  const cards = list.flatMap((comparison) => {
    const gains = (comparison.programs ?? []).flatMap((p) =>
      Object.entries(p.gain ?? {}).map(([machine, gain]) => ({ name: `${p.program} · ${machine}`, value: gain, why: p.mostly?.[machine], saved: p.mostly_seconds?.[machine] })),
    );
    const shares = (comparison.programs ?? []).flatMap((p) => comparison.machines.filter((m) => p.seconds[m] !== undefined).map((m) => ({ name: `${p.program} · ${m}`, seconds: p.seconds[m], shares: p.shares?.[m] ?? {} })));
    return [
      card(
        comparison.machines.join(", "),
        comparison.distances?.length
          ? longTable(
              { head: ["from", "to", "section", "numbers", "distance", "shape", "ratio"], numeric: [false, false, false, true, true, true, true], rows: comparison.distances.map((d) => [d.a, d.b, d.section, d.quantities, number(d.distance, 3), number(d.shape, 3), number(d.ratio, 3)]) },
              "Distances",
              16,
            )
          : el("p", { class: "note" }, "These machines have no numbers in common."),
      ),
      ...(comparison.repetitions ?? []).map((r) =>
        card(
          `${r.a} and ${r.b}: one machine, twice`,
          el("p", {}, `${r.agreeing} of ${r.compared} numbers agree within their intervals; ${percent(r.within_5)} differ by at most 5 %, ${percent(r.within_10)} by at most 10 %.`),
          r.beyond.length ? longTable({ head: ["beyond their intervals", "section", r.a, r.b, "intervals"], numeric: [false, false, true, true, true], rows: r.beyond.map((d) => [d.name, d.section, number(d.a), number(d.b), number(d.intervals, 3)]) }, "Beyond their intervals", 10) : null,
        ),
      ),
      gains.length
        ? card(
            null,
            barFigure({
              title: `What programs gain against ${comparison.reference}`,
              note: "Times faster, and the resource whose time changed most.",
              bars: () => gains.map((g) => ({ name: g.name, value: g.value, detail: [["gain", number(g.value, 3)], ...(g.why ? [[g.why, `${time(Math.abs(g.saved ?? 0))} ${(g.saved ?? 0) > 0 ? "less" : "more"}`]] : [])] as [string, string][] })),
              text: (v) => number(v, 3),
              table: () => ({ head: ["program", "gain", "mostly by"], numeric: [false, true, false], rows: gains.map((g) => [g.name, number(g.value, 3), g.why ?? "–"]) }),
            }).element,
          )
        : null,
      shares.length ? card(null, sharesFigure("Where the time goes", shares).element) : null,
    ];
  });
  return section("comparison", "Machines compared", "Distance is the root mean square of the logarithms of ratios; shape is what is left of it when one machine is simply faster.", ...cards);
}

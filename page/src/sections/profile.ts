// A profile: what ran, what was counted at which level, where the work is, and what is not known.
import { barFigure } from "../bars";
import { card, fact, facts, notes, section, type Section } from "../card";
import { el, longTable, table } from "../dom";
import { count, number, percent, time } from "../format";
import { briefName } from "../names";
import type { ProfileDigest } from "../records";

export function profileSection(profile: ProfileDigest, id: string): Section {
  const run = profile.run ?? {};
  const command = [profile.program, ...(run.arguments ?? [])].join(" ");
  const library = Object.entries(profile.library_calls ?? {}).sort((a, b) => b[1] - a[1]);
  const operations = profile.operations.slice(0, 16);
  return section(
    id,
    "Profile of " + profile.program,
    "What the program does, and exactly how often.",
    card(
      null,
      facts(
        fact("run", command, run.cflags),
        run.compiler ? fact("compiled by", run.compiler, [run.language, run.isa ?? run.target].filter(Boolean).join(", ")) : null,
        run.seconds ? fact("counted in", time(run.seconds, 3), `${count(run.page_faults)} page faults`) : null,
        ...Object.entries(run.parameters ?? {}).map(([name, value]) => fact("parameter " + name, number(value, 8))),
      ),
      run.ending ? el("p", { class: "note" }, "It " + run.ending + ".") : null,
      profile.levels.length
        ? table(
            {
              head: ["level", "functions executed", "of", "blocks executed", "of", "operations"],
              rows: profile.levels.map((l) => [l.level, count(l.executed_functions), count(l.functions), count(l.executed), count(l.blocks), number(l.work)]),
            },
            "Levels of the profile",
          )
        : null,
    ),
    profile.loops.length
      ? card(
          null,
          el("h4", {}, "Loops by their share of the work"),
          longTable(
            {
              head: ["loop", "place", "entries", "iterations", "share of IR operations"],
              numeric: [false, false, true, true, true],
              rows: profile.loops.map((l) => [briefName(l.function, 48), l.line ? `${l.file}:${l.line}` : "–", count(l.entries), count(l.iterations), percent(l.share)]),
            },
            "Loops",
          ),
        )
      : null,
    operations.length
      ? card(
          null,
          barFigure({
            title: "Source operations executed",
            bars: () => operations.map((o) => ({ name: o.name, value: o.count, detail: [["executed", count(o.count)], ["", o.meaning ?? ""]] as [string, string][] })),
            text: (v) => number(v, 3),
            table: () => ({ head: ["operation", "executed", "meaning"], numeric: [false, true, false], rows: profile.operations.map((o) => [o.name, count(o.count), o.meaning ?? ""]) }),
          }).element,
        )
      : null,
    library.length || profile.gaps?.length
      ? card(
          null,
          library.length ? el("h4", {}, "Library routines called") : null,
          library.length ? longTable({ head: ["routine", "calls"], rows: library.map(([name, n]) => [briefName(name, 80), count(n)]) }, "Library routines", 8) : null,
          notes("Not known", (profile.gaps ?? []).map((g) => (g.at?.line ? `${g.at.file}:${g.at.line}: ` : "") + g.what)),
        )
      : null,
  );
}

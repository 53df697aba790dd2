// Loops between what is possible and what is: the ladder of bounds M, MA, MAC, MACS (Lee and Davidson) as stacked gaps.
import { barsHeight } from "../bars";
import { card, fact, facts, notes, section, type Section } from "../card";
import { axis, figure, legend, lines, tooltip } from "../chart";
import { el, longTable } from "../dom";
import { count, number, percent, time } from "../format";
import { briefName } from "../names";
import type { Advice, Bounds, LoopBounds, ThreadsBound } from "../records";

const rungs: { key: keyof LoopBounds; name: string; gap: string; meaning: string }[] = [
  { key: "m", name: "M", gap: "machine", meaning: "peak of the machine" },
  { key: "ma", name: "MA", gap: "application (A)", meaning: "the operations the source needs" },
  { key: "mac", name: "MAC", gap: "compiler (C)", meaning: "the instructions the compiler made" },
  { key: "macs", name: "MACS", gap: "schedule (S)", meaning: "their order and dependences" },
  { key: "window", name: "window", gap: "window (W)", meaning: "the out-of-order window and its queues" },
  { key: "measured", name: "measured", gap: "rest (P)", meaning: "memory, branches, everything not modelled" },
];

const nameOf = (loop: LoopBounds): string => briefName(loop.function) + (loop.line ? `:${loop.line}` : "");

interface Step {
  gap: string;
  from: number;
  to: number;
}

// The rungs that are known, each from where the one before ended. A measured value below a bound shows as no gap.
function stepsOf(loop: LoopBounds): Step[] {
  let below = 0;
  return rungs.flatMap(({ key, gap }) => {
    const value = loop[key];
    if (typeof value !== "number") return [];
    const step = { gap, from: below, to: Math.max(below, value) };
    below = step.to;
    return [step];
  });
}

const adviceOf = (loop: LoopBounds): Advice[] => (loop.advice ?? []).map((item) => (typeof item === "string" ? { text: item } : item));

function ladder(bounds: Bounds): HTMLElement {
  const loops = bounds.loops.slice(0, 24);
  const present = rungs.filter(({ key }) => loops.some((loop) => typeof loop[key] === "number"));
  return figure({
    title: "Where the cycles go, rung by rung",
    note: "Cycles per iteration. Each colour is the gap between one bound and the next: what stands in the way.",
    label: "Ladder of bounds per loop: " + loops.slice(0, 4).map((l) => `${nameOf(l)} from ${number(l.m)} to ${number(l.measured ?? l.window)} cycles`).join("; "),
    height: barsHeight(loops.length) + 40,
    table: {
      head: ["loop", "iterations", ...present.map((r) => r.name)],
      rows: loops.map((loop) => [nameOf(loop), count(loop.iterations), ...present.map(({ key }) => number(loop[key] as number | undefined, 4))]),
    },
    option: (c) => {
      const colours = [c.series[8], c.series[0], c.series[3], c.series[2], c.series[9], c.series[4]];
      return {
        legend: legend(c),
        grid: { left: 8, right: 60, top: 44, bottom: 36, containLabel: true },
        tooltip: tooltip(c, {
          trigger: "axis",
          axisPointer: { type: "shadow" },
          formatter: (items: { dataIndex: number }[]) => {
            const loop = loops[items[0].dataIndex];
            return lines(nameOf(loop), rungs.flatMap(({ key, name, meaning }) => (typeof loop[key] === "number" ? [[`${name}: ${meaning}`, number(loop[key] as number)] as [string, string]] : [])));
          },
        }),
        xAxis: axis(c, { type: "value", name: "cycles per iteration", nameGap: 24 }),
        yAxis: axis(c, { type: "category", inverse: true, data: loops.map(nameOf), axisTick: { show: false }, splitLine: { show: false }, axisLabel: { color: c.ink, interval: 0 } }),
        series: present.map(({ gap }, i) => ({
          type: "bar",
          stack: "ladder",
          name: gap,
          barMaxWidth: 17,
          itemStyle: { color: colours[rungs.findIndex((r) => r.gap === gap)], borderColor: c.card, borderWidth: 0.5 },
          data: loops.map((loop) => {
            const step = stepsOf(loop).find((s) => s.gap === gap);
            return step ? step.to - step.from : 0;
          }),
          label: {
            show: i === present.length - 1,
            position: "right",
            color: c.muted,
            formatter: (p: { dataIndex: number }) => number(stepsOf(loops[p.dataIndex]).at(-1)?.to, 3),
          },
        })),
      };
    },
  }).element;
}

// What stands behind gap P where it could be predicted: levels of memory, branches, the system.
function beyond(bounds: Bounds): HTMLElement | null {
  const loops = bounds.loops.filter((l) => l.p_parts?.length).slice(0, 16);
  const names = [...new Set(loops.flatMap((l) => (l.p_parts ?? []).map((p) => p.name)))];
  if (!loops.length || !names.length) return null;
  return figure({
    title: "Beyond the window: what gap P is made of",
    note: "Cycles per iteration predicted for memory, branches and the system; the rest is what nobody explains, and may be below zero.",
    label: "Parts of gap P per loop",
    height: barsHeight(loops.length) + 40,
    table: { head: ["loop", ...names], rows: loops.map((l) => [nameOf(l), ...names.map((n) => number(l.p_parts?.find((p) => p.name === n)?.amount, 3))]) },
    option: (c) => ({
      legend: legend(c),
      grid: { left: 8, right: 40, top: 44, bottom: 36, containLabel: true },
      tooltip: tooltip(c, { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: (v: number) => number(v, 3) }),
      xAxis: axis(c, { type: "value", name: "cycles per iteration", nameGap: 24 }),
      yAxis: axis(c, { type: "category", inverse: true, data: loops.map(nameOf), splitLine: { show: false }, axisLabel: { color: c.ink, interval: 0 } }),
      series: names.map((n, i) => ({ type: "bar", stack: "p", name: n, barMaxWidth: 17, itemStyle: { color: c.series[(i + 1) % c.series.length] }, data: loops.map((l) => l.p_parts?.find((p) => p.name === n)?.amount ?? 0) })),
    }),
  }).element;
}

// Speedup and utilisation of the machine by the number of threads, of the program and its regions (figures 18 and 19).
function threads(bounds: Bounds): HTMLElement[] {
  const runs = (bounds.threads ?? []).filter((run) => typeof run.measured_seconds === "number");
  if (runs.length < 2) return [];
  const regionName = (r: { function: string; at?: { line?: number } }): string => (r.at?.line ? `${r.function}:${r.at.line}` : r.function);
  const names = [...new Set(runs.flatMap((run) => (run.regions ?? []).filter((r) => typeof r.speedup === "number").map(regionName)))].slice(0, 9);
  const valueOf = (run: ThreadsBound, name: string, key: "speedup" | "utilisation"): number | null =>
    (name === "program" ? run[key] : run.regions?.find((r) => regionName(r) === name)?.[key]) ?? null;
  const shown = ["program", ...names];
  const chosen = bounds.fastest_threads ? ` Fastest with ${bounds.fastest_threads}, the machine is used best with ${bounds.best_used_threads ?? 1}.` : "";
  const one = (key: "speedup" | "utilisation", title: string, note: string, text: (v: number) => string): HTMLElement =>
    figure({
      title,
      note: note + chosen,
      label: title + ": " + runs.map((run) => `${run.threads} threads ${text(run[key] ?? 0)}`).join("; "),
      height: 300,
      table: {
        head: ["", ...runs.map((run) => `${run.threads} threads`)],
        rows: shown.map((name) => [name, ...runs.map((run) => { const v = valueOf(run, name, key); return v === null ? "" : text(v); })]),
      },
      option: (c) => ({
        legend: legend(c),
        grid: { left: 8, right: 30, top: 44, bottom: 36, containLabel: true },
        tooltip: tooltip(c, { trigger: "axis", valueFormatter: (v: number) => text(v) }),
        xAxis: axis(c, { type: "category", name: "threads", nameGap: 24, data: runs.map((run) => String(run.threads)) }),
        yAxis: axis(c, { type: "value", axisLabel: { color: c.muted, formatter: (v: number) => text(v) } }),
        series: shown.map((name, i) => ({ type: "line", name, symbolSize: 7, lineStyle: { width: name === "program" ? 3 : 1.6 }, itemStyle: { color: c.series[i % c.series.length] }, data: runs.map((run) => valueOf(run, name, key)) })),
      }),
    }).element;
  return [
    card(null, one("speedup", "Speedup by the number of threads", "Measured, against one thread.", (v) => number(v, 3))),
    card(null, one("utilisation", "Machine utilisation factor by the number of threads", "The bound of all threads' work over the time they had.", (v) => percent(v))),
  ];
}

function runTime(bounds: Bounds): HTMLElement | null {
  const r = bounds.run_time;
  if (!r) return null;
  return facts(
    ...rungs.map(({ key, name, meaning }) => {
      const value = (r as unknown as Record<string, number | null | undefined>)[key as string];
      return typeof value === "number" ? fact(name, time(value, 3), meaning) : null;
    }),
  );
}

function loopTable(bounds: Bounds): HTMLElement {
  return longTable(
    {
      head: ["loop", "of the time", "iterations", "M", "MA", "MAC", "MACS", "window", "measured", "limited by"],
      numeric: [false, true, true, true, true, true, true, true, true, false],
      rows: bounds.loops.map((l) => [
        nameOf(l),
        percent(l.share),
        count(l.iterations),
        ...(["m", "ma", "mac", "macs", "window", "measured"] as const).map((k) => number(l[k], 3)),
        l.limited_by?.macs ?? l.limited_by?.mac ?? "",
      ]),
    },
    "Bounds of every loop, cycles per iteration",
  );
}

export function boundsSection(list: Bounds[]): Section | null {
  const shown = list.filter((b) => b.loops?.length);
  if (!shown.length) return null;
  const cards = shown.flatMap((bounds) => {
    const title = [bounds.program, bounds.machine && "on " + bounds.machine].filter(Boolean).join(" ");
    const advised = bounds.loops.filter((loop) => adviceOf(loop).length);
    const p = beyond(bounds);
    const remarks = [...(bounds.remarks ?? []), ...(bounds.broken_laws ?? []).map((b) => `${b.law} does not hold in ${b.function ?? "a loop"}, by ${percent(b.by)}`)];
    return [
      card(title || null, runTime(bounds), bounds.measured_how ? el("p", { class: "note" }, "Measured: " + bounds.measured_how) : null),
      card(null, ladder(bounds)),
      card(null, loopTable(bounds)),
      p && card(null, p),
      ...threads(bounds),
      advised.length
        ? card(
            "What to do about it",
            el(
              "ul",
              { class: "advice" },
              ...advised.slice(0, 12).map((loop) =>
                el("li", {}, el("strong", {}, nameOf(loop)), el("ul", { class: "notes" }, ...adviceOf(loop).map((a) => el("li", {}, a.text, a.seconds && a.seconds > 0 ? el("span", { class: "note" }, ` up to ${time(a.seconds, 2)}`) : null)))),
              ),
            ),
          )
        : null,
      remarks.length ? card(null, notes("Remarks", remarks)) : null,
    ];
  });
  return section("bounds", "Bounds of the hot loops", "How fast could it be, and which of application, compiler, schedule and memory is in the way?", ...cards);
}

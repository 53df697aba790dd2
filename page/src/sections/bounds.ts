// Loops between what is possible and what is: the ladder of bounds M, MA, MAC, MACS (Lee and Davidson) as stacked gaps.
import { barsHeight } from "../bars";
import { card, section, type Section } from "../card";
import { axis, figure, legend, lines, tooltip } from "../chart";
import { el, longTable } from "../dom";
import { count, number } from "../format";
import type { Bounds, LoopBounds } from "../records";

const rungs: { key: keyof LoopBounds; name: string; gap: string; meaning: string }[] = [
  { key: "m", name: "M", gap: "machine", meaning: "peak of the machine" },
  { key: "ma", name: "MA", gap: "application (A)", meaning: "the operations the source needs" },
  { key: "mac", name: "MAC", gap: "compiler (C)", meaning: "the instructions the compiler made" },
  { key: "macs", name: "MACS", gap: "schedule (S)", meaning: "their order and dependences" },
  { key: "window", name: "window", gap: "window (W)", meaning: "the out-of-order window and its queues" },
  { key: "measured", name: "measured", gap: "rest (P)", meaning: "memory, branches, everything not modelled" },
];

const nameOf = (loop: LoopBounds): string => (loop.line ? `${loop.function}:${loop.line}` : loop.function);

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

function adviceOf(loop: LoopBounds): string[] {
  return (loop.advice ?? []).map((item) => {
    if (typeof item === "string") return item;
    return String(item.text ?? item.what ?? item.advice ?? Object.values(item).join(": "));
  });
}

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

export function boundsSection(list: Bounds[]): Section | null {
  const shown = list.filter((b) => b.loops?.length);
  if (!shown.length) return null;
  const cards = shown.flatMap((bounds) => {
    const title = [bounds.program, bounds.machine && "on " + bounds.machine].filter(Boolean).join(" ");
    const advised = bounds.loops.filter((loop) => adviceOf(loop).length);
    return [
      card(title || null, ladder(bounds)),
      advised.length
        ? card(
            "What to do about it",
            longTable(
              {
                head: ["loop", "advice"],
                numeric: [false, false],
                rows: advised.map((loop) => [nameOf(loop), el("ul", { class: "notes" }, ...adviceOf(loop).map((text) => el("li", {}, text)))]),
              },
              "Advice per loop",
            ),
          )
        : null,
    ];
  });
  return section("bounds", "Bounds of the hot loops", "How fast could it be, and which of application, compiler, schedule and memory is in the way?", ...cards);
}

// Dilation (Lyon and Snelick): every computation stretched by D, so that what lies between, the passing of messages,
// looks D times faster. Divided by D the times say what a faster network would bring.
import { barFigure } from "../bars";
import { card, fact, facts, notes, section, type Section } from "../card";
import { axis, figure, legend, lines, tooltip } from "../chart";
import { el, table } from "../dom";
import { number, percent, time, words } from "../format";
import type { Dilation, DilationPoint } from "../records";

const sorted = (points: DilationPoint[]): DilationPoint[] => [...points].filter((p) => p.d > 0).sort((a, b) => a.d - b.d);
const meaning: Record<string, string> = {
  "compute-bound": "computation dominates: a faster network would buy little",
  "transport-bound": "the network is in the way: a faster one would help",
  "logic-bound": "processes wait for each other, not for the network: a faster one would not help",
  unclear: "the runs do not agree on an answer",
};

function curves(dilation: Dilation): HTMLElement {
  const points = sorted(dilation.points);
  return figure({
    title: "As if the network were D times faster",
    note: "Elapsed time divided by D. A flat line: the network does not matter. Hollow points were doubted and not used.",
    label: "Normalised elapsed time: " + points.map((p) => `D ${p.d}: ${time(p.normalized)}`).join(", "),
    height: 300,
    table: {
      head: ["D", "elapsed", "elapsed / D", "speed-up", "segments", "used"],
      rows: points.map((p) => [number(p.d), time(p.elapsed), time(p.normalized), number(p.speedup, 3), typeof p.segments === "number" ? number(p.segments) : "–", p.valid === false ? "no" : "yes"]),
    },
    option: (c) => ({
      legend: legend(c),
      grid: { left: 12, right: 20, top: 40, bottom: 38, containLabel: true },
      tooltip: tooltip(c, {
        trigger: "axis",
        formatter: (items: { data: { value: number[] } }[]) => {
          const p = points.find((q) => q.d === items[0].data.value[0]);
          return p ? lines(`D = ${number(p.d)}`, [["elapsed", time(p.elapsed)], ["elapsed / D", time(p.normalized)], ["speed-up", number(p.speedup, 3)]]) : "";
        },
      }),
      xAxis: axis(c, { type: "value", name: "dilation D", nameGap: 26, min: 0 }),
      yAxis: [
        axis(c, { type: "value", name: "elapsed / D", nameGap: 58, min: 0, axisLabel: { color: c.muted, formatter: (v: number) => time(v, 3) } }),
        axis(c, { type: "value", name: "speed-up", nameGap: 40, splitLine: { show: false }, min: 0 }),
      ],
      series: [
        { key: "normalized" as const, name: "elapsed / D", axis: 0, colour: c.series[0] },
        { key: "speedup" as const, name: "speed-up of the program", axis: 1, colour: c.series[1] },
      ].map(({ key, name, axis: yAxisIndex, colour }) => ({
        type: "line",
        name,
        yAxisIndex,
        symbolSize: 9,
        symbol: "circle",
        lineStyle: { width: 2.4 },
        itemStyle: { color: colour },
        data: points
          .filter((p) => typeof p[key] === "number")
          .map((p) => ({ value: [p.d, p[key]], itemStyle: p.valid === false ? { color: c.card, borderColor: colour, borderWidth: 2 } : { color: colour } })),
      })),
    }),
  }).element;
}

// Where the time of an average rank went, divided by D.
function parts(dilation: Dilation): HTMLElement | null {
  const points = sorted(dilation.points).filter((p) => p.normalized_times);
  const names = [...new Set(points.flatMap((p) => Object.keys(p.normalized_times ?? {})))].filter((n) => points.some((p) => (p.normalized_times?.[n] ?? 0) > 0));
  if (!points.length || !names.length) return null;
  return figure({
    title: "Where the time goes, divided by D",
    note: "The average process. Computation keeps its height; what the network costs shrinks as D grows.",
    label: "Parts of the normalised time by dilation",
    height: 300,
    table: { head: ["D", ...names.map(words)], rows: points.map((p) => [number(p.d), ...names.map((n) => time(p.normalized_times?.[n]))]) },
    option: (c) => ({
      legend: legend(c),
      grid: { left: 12, right: 20, top: 40, bottom: 38, containLabel: true },
      tooltip: tooltip(c, { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: (v: number) => time(v) }),
      xAxis: axis(c, { type: "category", name: "dilation D", nameGap: 26, data: points.map((p) => number(p.d)) }),
      yAxis: axis(c, { type: "value", axisLabel: { color: c.muted, formatter: (v: number) => time(v, 3) } }),
      series: names.map((n, i) => ({ type: "bar", stack: "parts", name: words(n), barMaxWidth: 46, itemStyle: { color: c.series[i % c.series.length], borderColor: c.card, borderWidth: 1 }, data: points.map((p) => Math.max(0, p.normalized_times?.[n] ?? 0)) })),
    }),
  }).element;
}

function regions(dilation: Dilation): HTMLElement | null {
  const list = dilation.regions ?? [];
  if (!list.length) return null;
  return barFigure({
    title: "What speeding up a region buys",
    note: "Speed-up of the whole program when this region alone is made faster.",
    bars: () => list.map((r) => ({ name: r.region, value: r.promised ?? 1, detail: [["speed-up", number(r.promised, 3)], ["share of the time", percent(r.share)]] as [string, string][] })),
    text: (v) => number(v, 3),
    table: () => ({ head: ["region", "share of the time", "speed-up"], rows: list.map((r) => [r.region, percent(r.share), number(r.promised, 3)]) }),
  }).element;
}

export function dilationSection(list: Dilation[]): Section | null {
  const shown = list.filter((d) => d.points?.length || d.regions?.length);
  if (!shown.length) return null;
  const cards = shown.flatMap((dilation) => {
    const divided = parts(dilation);
    const speedups = regions(dilation);
    const doubted = dilation.points.filter((p) => p.doubts?.length);
    return [
      card(
        dilation.program ?? null,
        dilation.verdict ? el("p", { class: "verdict" }, dilation.verdict, meaning[dilation.verdict] ? ": " + meaning[dilation.verdict] : "") : null,
        dilation.explanation ? el("p", { class: "note" }, dilation.explanation) : null,
        facts(
          dilation.ranks ? fact(dilation.kind === "threads" ? "threads" : "processes", String(dilation.ranks), dilation.cores ? `on ${dilation.cores} cores` : undefined) : null,
          dilation.compute_share ? fact("computation", percent(dilation.compute_share), "of the time as it is") : null,
          typeof dilation.transport_share === "number" ? fact("transport", percent(dilation.transport_share)) : null,
          typeof dilation.logic_share === "number" ? fact("logic", percent(dilation.logic_share)) : null,
          typeof dilation.ideal === "number" ? fact("at best", number(dilation.ideal, 3) + " ×", "if all the rest were transport") : null,
          typeof dilation.useful_until === "number" ? fact("useful up to", number(dilation.useful_until) + " ×", "a faster network than this gains nothing") : null,
        ),
      ),
      dilation.points.length ? card(null, curves(dilation)) : null,
      divided && card(null, divided),
      speedups && card(null, speedups),
      doubted.length || dilation.remarks?.length
        ? card(null, doubted.length ? table({ head: ["D", "doubts"], numeric: [true, false], rows: doubted.map((p) => [number(p.d), (p.doubts ?? []).join("; ")]) }, "Doubts") : null, notes("Remarks", dilation.remarks ?? []))
        : null,
    ];
  });
  return section("dilation", "Would a faster network help?", "Measured on the network there is, by stretching the computation.", ...cards);
}

// Dilation (Lyon and Snelick): communication made slower on purpose; how the run reacts says what a faster network
// would bring.
import { card, section, type Section } from "../card";
import { axis, figure, legend, lines, tooltip } from "../chart";
import { el, table } from "../dom";
import { number, time } from "../format";
import type { Dilation } from "../records";

function verdictOf(dilation: Dilation): string | null {
  const v = dilation.verdict;
  if (typeof v === "string") return v;
  if (v && typeof v === "object") return Object.entries(v).map(([key, value]) => `${key.replace(/_/g, " ")}: ${value}`).join("; ");
  return null;
}

// Segments of a run, where the record names them: {"compute": seconds, ...} or [{"name", "seconds"}].
function segmentsOf(value: unknown): [string, number][] {
  if (Array.isArray(value))
    return value.flatMap((s) => {
      if (!s || typeof s !== "object") return [];
      const o = s as Record<string, unknown>;
      const seconds = o.seconds ?? o.elapsed ?? o.value;
      return typeof seconds === "number" ? [[String(o.name ?? o.segment ?? ""), seconds] as [string, number]] : [];
    });
  if (value && typeof value === "object") return Object.entries(value).filter((e): e is [string, number] => typeof e[1] === "number");
  return [];
}

function curves(dilation: Dilation): HTMLElement {
  const points = [...dilation.points].sort((a, b) => a.d - b.d);
  const shownPoints = points.filter((p) => p.d > 0);
  const names = [...new Set(shownPoints.flatMap((p) => segmentsOf(p.segments).map(([name]) => name)))].slice(0, 8);
  const base = shownPoints.find((p) => p.d === 1)?.elapsed ?? shownPoints[0]?.elapsed ?? 1;
  return figure({
    title: "Elapsed time against dilation",
    note: "D = 1 is the run as it is. The dashed line is a run that is computation alone stretched D times: the nearer the curve, the less communication matters.",
    label: "Dilation curve: " + shownPoints.map((p) => `D ${p.d}: ${time(p.elapsed)}`).join(", "),
    height: 330,
    table: {
      head: ["D", "elapsed", "normalized", "speedup", "valid"],
      rows: points.map((p) => [number(p.d), time(p.elapsed), number(p.normalized), number(p.speedup), p.valid === false ? "no" : "yes"]),
    },
    option: (c) => ({
      legend: legend(c),
      grid: { left: 12, right: 56, top: 40, bottom: 36, containLabel: true },
      tooltip: tooltip(c, {
        trigger: "axis",
        formatter: (items: { data: number[] }[]) => {
          const p = shownPoints.find((q) => q.d === items[0].data[0]);
          return p ? lines(`D = ${number(p.d)}`, [["elapsed", time(p.elapsed)], ["normalized", number(p.normalized)], ["speedup", number(p.speedup)], ...segmentsOf(p.segments).map(([n, s]) => [n, number(s)] as [string, string])]) : "";
        },
      }),
      xAxis: axis(c, { type: "value", name: "dilation D", nameGap: 24, min: 0 }),
      yAxis: [
        axis(c, { type: "value", name: "elapsed", nameGap: 58, axisLabel: { color: c.muted, formatter: (v: number) => time(v, 3) } }),
        axis(c, { type: "value", name: "normalized", nameGap: 36, splitLine: { show: false } }),
      ],
      series: [
        { type: "line", name: "elapsed", symbolSize: 9, lineStyle: { width: 2.5 }, data: shownPoints.map((p) => [p.d, p.elapsed]), itemStyle: { color: c.series[0] } },
        { type: "line", name: "stretched computation", showSymbol: false, lineStyle: { type: "dashed", width: 1.2 }, itemStyle: { color: c.muted }, data: shownPoints.map((p) => [p.d, base * p.d]) },
        ...(shownPoints.some((p) => typeof p.normalized === "number")
          ? [{ type: "line", name: "normalized (elapsed / D)", yAxisIndex: 1, symbolSize: 8, itemStyle: { color: c.series[1] }, data: shownPoints.filter((p) => typeof p.normalized === "number").map((p) => [p.d, p.normalized]) }]
          : []),
        ...names.map((name, i) => ({ type: "line", name, symbolSize: 5, lineStyle: { width: 1.2 }, itemStyle: { color: c.series[(i + 2) % c.series.length] }, data: shownPoints.flatMap((p) => segmentsOf(p.segments).filter(([n]) => n === name).map(([, s]) => [p.d, s])) })),
      ],
    }),
  }).element;
}

export function dilationSection(list: Dilation[]): Section | null {
  const shown = list.filter((d) => d.points?.length);
  if (!shown.length) return null;
  const cards = shown.map((dilation) => {
    const verdict = verdictOf(dilation);
    return card(
      dilation.program ?? dilation.command ?? null,
      verdict ? el("p", { class: "verdict" }, verdict) : null,
      curves(dilation),
      dilation.points.some((p) => p.valid === false)
        ? table({ head: ["D", "why not used"], numeric: [true, false], rows: dilation.points.filter((p) => p.valid === false).map((p) => [number(p.d), String((p as Record<string, unknown>).why ?? "marked invalid")]) })
        : null,
    );
  });
  return section("dilation", "Would a faster network help?", "The program run with its computation dilated, on the network there is.", ...cards);
}

// A prediction: every machine and model with its interval and the measured time, then where the time goes.
import { barFigure, barsHeight, shortened } from "../bars";
import { card, notes, section, type Section } from "../card";
import { axis, exactLine, figure, legend, lines, tooltip, type Figure } from "../chart";
import { el, segmented, select, type TableData } from "../dom";
import { count, interval, percent, time } from "../format";
import { briefName } from "../names";
import type { ModelPrediction, PageData, Part, Prediction } from "../records";
import { flameCard } from "./flame";

export const modelWords: Record<string, string> = {
  dbc: "design sketch",
  poc: "flops over one rate",
  hllc: "source operations",
  intcc: "compiler IR",
  icc: "machine code in the window",
  ct: "timed",
};

const rowName = (p: ModelPrediction): string => `${p.machine} · ${p.model}`;
const errorOf = (p: ModelPrediction, all: Prediction): number | null =>
  all.measured && all.measured.seconds > 0 ? p.seconds / all.measured.seconds - 1 : null;

// A measured time speaks only of the machine it was taken on; the record does not name it, so all models of the first
// machine are compared and the others only where nothing else is known.
export const comparable = (p: ModelPrediction, all: Prediction): boolean =>
  all.measured !== undefined && p.machine === all.predictions[0]?.machine;

function overview(prediction: Prediction): Figure {
  const rows = prediction.predictions;
  const measured = prediction.measured;
  const ends = rows.flatMap((p) => [p.interval[0], p.interval[1], p.seconds]).concat(measured ? [measured.seconds] : []);
  const positive = ends.filter((x) => x > 0);
  const log = Math.max(...positive) / Math.min(...positive) > 30;
  const table: TableData = {
    head: ["machine", "model", "predicted", "interval", "confidence", ...(measured ? ["error"] : [])],
    numeric: [false, false, true, true, true, true],
    rows: rows.map((p) => [
      p.machine,
      p.model,
      time(p.seconds),
      interval(p.interval),
      percent(p.confidence ?? 0.9),
      ...(measured ? [comparable(p, prediction) ? percent(errorOf(p, prediction), true) : "–"] : []),
    ]),
  };
  return figure({
    title: "How long it will take",
    note:
      "Dots are predictions, bars their intervals" +
      (measured ? `; the line is what was measured: ${time(measured.seconds)}, ${measured.runs} runs.` : "."),
    label: `Predicted times of ${prediction.program}: ` + rows.map((p) => `${rowName(p)} ${time(p.seconds)}`).join(", "),
    height: barsHeight(rows.length) + 5 * rows.length + 18,
    table,
    option: (c) => ({
      grid: { left: 8, right: 84, top: measured ? 22 : 8, bottom: 36, containLabel: true },
      tooltip: tooltip(c, {
        trigger: "item",
        formatter: (item: { dataIndex: number; seriesName: string }) => {
          const p = rows[item.dataIndex];
          if (!p) return "";
          return lines(rowName(p), [
            ["model", modelWords[p.model] ?? p.model],
            ["predicted", time(p.seconds)],
            [`interval (${percent(p.confidence ?? 0.9)})`, interval(p.interval)],
            ...(measured && comparable(p, prediction)
              ? ([["error", percent(errorOf(p, prediction), true)]] as [string, string][])
              : []),
          ]);
        },
      }),
      xAxis: axis(c, {
        type: log ? "log" : "value",
        min: log ? undefined : 0,
        name: "time" + (log ? ", logarithmic" : ""),
        nameGap: 24,
        axisLabel: { color: c.muted, hideOverlap: true, formatter: (v: number) => time(v, 3) },
      }),
      yAxis: axis(c, {
        type: "category",
        inverse: true,
        data: rows.map(rowName),
        axisTick: { show: false },
        splitLine: { show: false },
        axisLabel: { color: c.ink, interval: 0, formatter: (name: string) => shortened(name, 40) },
      }),
      series: [
        {
          type: "custom",
          name: "interval",
          data: rows.map((p, i) => [Math.max(p.interval[0], log ? Math.min(...positive) : 0), i, p.interval[1]]),
          encode: { x: [0, 2], y: 1 },
          renderItem: (_: unknown, api: { value: (i: number) => number; coord: (p: number[]) => number[] }) => {
            const [low, y] = api.coord([api.value(0), api.value(1)]);
            const [high] = api.coord([api.value(2), api.value(1)]);
            const fill = c.series[0];
            return {
              type: "rect",
              shape: { x: low, y: y - 5, width: Math.max(1, high - low), height: 10, r: 5 },
              style: { fill, opacity: c.dark ? 0.35 : 0.22 },
            };
          },
        },
        {
          type: "scatter",
          name: "predicted",
          symbolSize: 11,
          data: rows.map((p, i) => [p.seconds, i]),
          itemStyle: { color: c.series[0], borderColor: c.card, borderWidth: 1.5 },
          markLine: measured && {
            ...exactLine,
            symbol: "none",
            silent: true,
            lineStyle: { color: c.bad, type: "solid", width: 1.5 },
            label: { formatter: `measured ${time(measured.seconds)}`, color: c.bad, position: "start", distance: 6 },
            data: [{ xAxis: measured.seconds }],
          },
        },
        {
          type: "scatter",
          silent: true,
          symbolSize: 1,
          itemStyle: { color: "transparent" },
          data: rows.map((p, i) => [Math.max(p.interval[1], p.seconds), i]),
          label: { show: true, position: "right", distance: 8, color: c.ink, fontSize: 11.5, formatter: (p: { dataIndex: number }) => time(rows[p.dataIndex].seconds) },
        },
      ],
    }),
  });
}

const viewWords: Record<string, string> = { parts: "resource", function: "function", line: "line", region: "region" };
// The source-level models spend their time on operations, the others on resources of the machine.
const partsWord = (p: ModelPrediction): string => (["hllc", "poc", "dbc"].includes(p.model) ? "operation" : "resource");

function breakdown(prediction: Prediction, data: PageData): HTMLElement {
  const answers = prediction.predictions.filter((p) => p.parts?.length && p.model !== "ct");
  if (!answers.length) return el("div", {});
  let chosen = answers.find((p) => p.model === "icc") ?? answers[0];
  let view = "parts";
  const limit = 16;
  const list = (): Part[] => (view === "parts" ? chosen.parts : (chosen.views?.[view] ?? []));
  const total = () => chosen.seconds || 1;
  const shown = (): Part[] => {
    const all = list().filter((p) => p.seconds > 1e-6 * total());
    if (all.length <= limit) return all;
    const rest = all.slice(limit - 1).reduce((sum, p) => sum + p.seconds, 0);
    return [...all.slice(0, limit - 1), { name: `${all.length - limit + 1} others`, seconds: rest }];
  };
  const controls = el("div", { class: "controls" });
  const chart = barFigure({
    title: "Where the time goes",
    bars: () =>
      shown().map((p) => ({
        name: p.name,
        value: p.seconds,
        detail: [
          ["time", time(p.seconds)],
          ["share", percent(p.seconds / total())],
          ...(p.count ? ([["executed", count(p.count)]] as [string, string][]) : []),
          ...(data.meanings?.[p.name] ? ([["", data.meanings[p.name]]] as [string, string][]) : []),
        ],
      })),
    text: (v) => time(v, 3),
    table: () => ({
      head: [view === "parts" ? partsWord(chosen) : viewWords[view], "time", "share", "executed", "meaning"],
      numeric: [false, true, true, true, false],
      rows: list().map((p) => [briefName(p.name, 80), time(p.seconds), percent(p.seconds / total()), count(p.count), data.meanings?.[p.name] ?? ""]),
    }),
    colour: (bar, c) =>
      view !== "parts" ? c.series[0] : bar.name.startsWith("memory") ? c.series[1] : /predict|branch/.test(bar.name) ? c.series[4] : c.series[0],
    clicked: (name) => {
      if (view === "line") document.getElementById("line-" + name)?.scrollIntoView({ block: "center" });
    },
  });
  const renew = () => {
    chart.redraw(barsHeight(shown().length));
    const views = ["parts", ...Object.keys(chosen.views ?? {})].filter((v) => v === "parts" || chosen.views?.[v]?.length);
    if (!views.includes(view)) (view = "parts"), chart.redraw(barsHeight(shown().length));
    controls.replaceChildren(
      ...(answers.length > 1
        ? [
            select(
              "Prediction",
              answers.map((p, i) => ({ value: String(i), label: rowName(p) })),
              String(answers.indexOf(chosen)),
              (value) => ((chosen = answers[Number(value)]), renew()),
            ),
          ]
        : []),
      segmented(
        "By",
        views.map((v) => ({ value: v, label: v === "parts" ? partsWord(chosen) : viewWords[v] ?? v })),
        view,
        (value) => ((view = value), chart.redraw(barsHeight(shown().length))),
      ),
    );
  };
  renew();
  chart.element.querySelector("figcaption")?.after(controls);
  return chart.element;
}

// The same model on several machines, resource by resource.
function sideBySide(prediction: Prediction): HTMLElement | null {
  const byModel = new Map<string, ModelPrediction[]>();
  for (const p of prediction.predictions)
    if (p.model !== "ct" && p.parts?.length) byModel.set(p.model, [...(byModel.get(p.model) ?? []), p]);
  const best = [...byModel.values()].filter((list) => list.length > 1).sort((a, b) => b.length - a.length)[0];
  if (!best) return null;
  const totals = new Map<string, number>();
  for (const p of best) for (const part of p.parts) totals.set(part.name, (totals.get(part.name) ?? 0) + part.seconds / (p.seconds || 1));
  const names = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const kept = names.slice(0, 9);
  const share = (p: ModelPrediction, name: string) => {
    const sum = name === "others" ? p.parts.filter((x) => !kept.includes(x.name)).reduce((s, x) => s + x.seconds, 0) : p.parts.filter((x) => x.name === name).reduce((s, x) => s + x.seconds, 0);
    return sum / (p.seconds || 1);
  };
  const series = names.length > kept.length ? [...kept, "others"] : kept;
  return figure({
    title: `Machines side by side, ${best[0].model}`,
    note: "How the time divides on each machine.",
    label: `Shares of the time by ${partsWord(best[0])} on ${best.map((p) => p.machine).join(", ")}`,
    height: barsHeight(best.length) + 62,
    table: {
      head: [partsWord(best[0]), ...best.map((p) => p.machine)],
      rows: names.map((name) => [name, ...best.map((p) => percent(share(p, name)))]),
    },
    option: (c) => ({
      legend: legend(c, { type: "plain" }),
      grid: { left: 8, right: 24, top: 56, bottom: 22, containLabel: true },
      tooltip: tooltip(c, { trigger: "item", formatter: (i: { seriesName: string; dataIndex: number; value: number }) => lines(best[i.dataIndex].machine, [[i.seriesName, percent(i.value)]]) }),
      xAxis: axis(c, { type: "value", max: 1, axisLabel: { color: c.muted, formatter: (v: number) => percent(v) } }),
      yAxis: axis(c, { type: "category", inverse: true, data: best.map((p) => `${p.machine} (${time(p.seconds, 3)})`), axisLabel: { color: c.ink }, splitLine: { show: false } }),
      series: series.map((name, i) => ({
        type: "bar",
        stack: "time",
        name,
        barMaxWidth: 22,
        itemStyle: { color: c.series[i % c.series.length], borderColor: c.card, borderWidth: 1 },
        data: best.map((p) => share(p, name)),
      })),
    }),
  }).element;
}

function doubts(prediction: Prediction): string[] {
  const about = new Map<string, string[]>(); // the same doubt about several predictions is said once
  for (const p of prediction.predictions) {
    const say = (what: string) => about.set(what, [...(about.get(what) ?? []), rowName(p)]);
    (p.remarks ?? []).forEach(say);
    if ((p.estimated_share ?? 0) >= 0.005) say(`${percent(p.estimated_share)} of the time rests on derived or assumed costs`);
    for (const gap of p.gaps ?? []) say(gap.what + (gap.at?.line ? ` (${gap.at.file}:${gap.at.line})` : ""));
  }
  return [...[...about].map(([what, who]) => `${who.join(", ")}: ${what}`), ...(prediction.refused ?? []).map((text) => "no answer from " + text)];
}

export function predictionSection(prediction: Prediction, data: PageData, id: string): Section {
  return section(
    id,
    prediction.program,
    "How long will it take there, and where does the time go?",
    card(null, overview(prediction).element),
    card(null, breakdown(prediction, data)),
    (() => {
      const chart = sideBySide(prediction);
      return chart && card(null, chart);
    })(),
    flameCard(data, prediction.program),
    (() => {
      const list = doubts(prediction);
      return list.length ? card(null, notes("What is doubtful", list)) : null;
    })(),
  );
}

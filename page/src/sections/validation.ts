// How wrong it is: predicted against measured on logarithmic axes (Saavedra figures 6.2 to 6.5), with bands, and how
// often the intervals held.
import { barFigure, barsHeight } from "../bars";
import { card, section, type Section } from "../card";
import { axis, figure, legend, lines, tooltip } from "../chart";
import { checkbox, longTable, segmented, table } from "../dom";
import { interval, percent, time } from "../format";
import type { Validation } from "../records";

const order = ["icc", "intcc", "hllc", "poc", "dbc", "ct"];
const bands = [0.1, 0.2];

const modelsOf = (v: Validation): string[] => {
  const names = Object.keys(v.models);
  return [...order.filter((m) => names.includes(m)), ...names.filter((m) => !order.includes(m))];
};

interface Point {
  name: string;
  measured: number;
  seconds: number;
  error: number;
  interval: [number, number];
  covered: boolean;
}

const pointsOf = (v: Validation, model: string): Point[] =>
  v.programs.flatMap((p) => {
    const m = p.models[model];
    return m && p.measured ? [{ name: p.name, measured: p.measured, ...m }] : [];
  });

interface CustomApi {
  value: (i: number) => number;
  coord: (p: number[]) => number[];
}

function scatter(v: Validation): HTMLElement {
  const models = modelsOf(v);
  let model = models[0];
  let whiskers = true;
  const limits = () => {
    const points = pointsOf(v, model);
    const all = points.flatMap((p) => [p.measured, p.seconds]).filter((x) => x > 0);
    return [Math.min(...all) / 1.6, Math.max(...all) * 1.6];
  };
  const chart = figure({
    title: "Predicted against measured",
    note: "On the diagonal the prediction is right; the bands are ±10 % and ±20 %. Hollow red dots: the measured time lies outside the interval.",
    label: `Scatter of predicted against measured times on ${v.machine}`,
    height: 460,
    controls: [
      models.length > 1 ? segmented("Model", models.map((m) => ({ value: m, label: m })), model, (m) => ((model = m), chart.redraw())) : null,
      checkbox("Intervals", true, (on) => ((whiskers = on), chart.redraw())),
    ],
    table: () => ({
      head: ["program", "measured", "predicted", "error", "interval", "held"],
      rows: pointsOf(v, model).map((p) => [p.name, time(p.measured), time(p.seconds), percent(p.error, true), interval(p.interval), p.covered ? "yes" : "no"]),
    }),
    option: (c) => {
      const points = pointsOf(v, model).filter((p) => p.seconds > 0 && p.measured > 0);
      const [low, high] = limits();
      const dot = (covered: boolean) => ({
        type: "scatter",
        name: covered ? "interval held" : "interval missed",
        symbolSize: 10,
        itemStyle: covered ? { color: c.series[0], opacity: 0.9 } : { color: c.card, borderColor: c.bad, borderWidth: 2 },
        data: points.filter((p) => p.covered === covered).map((p) => ({ value: [p.measured, p.seconds], name: p.name, point: p })),
        z: 4,
      });
      return {
        legend: legend(c, { data: ["interval held", "interval missed"] }),
        grid: { left: 14, right: 30, top: 36, bottom: 40, containLabel: true },
        tooltip: tooltip(c, {
          trigger: "item",
          formatter: (i: { data?: { point?: Point } }) => {
            const p = i.data?.point;
            return p ? lines(p.name, [["measured", time(p.measured)], ["predicted", time(p.seconds)], ["error", percent(p.error, true)], ["interval", interval(p.interval)]]) : "";
          },
        }),
        xAxis: axis(c, { type: "log", name: "measured", nameGap: 26, min: low, max: high, axisLabel: { color: c.muted, hideOverlap: true, formatter: (x: number) => time(x, 2) } }),
        yAxis: axis(c, { type: "log", name: "predicted", nameGap: 52, min: low, max: high, axisLabel: { color: c.muted, formatter: (x: number) => time(x, 2) } }),
        series: [
          ...[...bands].reverse().map((band) => ({
            type: "custom",
            silent: true,
            clip: true,
            data: [[low, high]],
            renderItem: (_: unknown, api: CustomApi) => ({
              type: "polygon",
              shape: { points: [[low, low * (1 - band)], [high, high * (1 - band)], [high, high * (1 + band)], [low, low * (1 + band)]].map((p) => api.coord(p)) },
              style: { fill: c.series[2], opacity: 0.14 },
            }),
            z: 1,
          })),
          { type: "line", silent: true, showSymbol: false, data: [[low, low], [high, high]], lineStyle: { color: c.muted, width: 1, type: "dashed" }, z: 2 },
          ...(whiskers
            ? [
                {
                  type: "custom",
                  silent: true,
                  clip: true,
                  data: points.map((p) => [p.measured, Math.max(p.interval[0], low / 10), p.interval[1], p.covered ? 1 : 0]),
                  encode: { x: 0, y: [1, 2] },
                  renderItem: (_: unknown, api: CustomApi) => {
                    const [x, bottom] = api.coord([api.value(0), api.value(1)]);
                    const [, top] = api.coord([api.value(0), api.value(2)]);
                    return { type: "line", shape: { x1: x, y1: bottom, x2: x, y2: top }, style: { stroke: api.value(3) ? c.series[0] : c.bad, opacity: 0.4, lineWidth: 1.6 } };
                  },
                  z: 3,
                },
              ]
            : []),
          dot(true),
          dot(false),
        ],
      };
    },
  });
  return chart.element;
}

function errors(v: Validation): HTMLElement {
  const models = modelsOf(v);
  let model = models[0];
  const rows = () => pointsOf(v, model).sort((a, b) => b.error - a.error);
  const chart = barFigure({
    title: "Error of every program",
    note: "Above zero: predicted too slow. Bars beyond 100 % are cut.",
    controls: [models.length > 1 ? segmented("Model", models.map((m) => ({ value: m, label: m })), model, (m) => ((model = m), chart.redraw(barsHeight(rows().length)))) : null],
    bars: () => rows().map((p) => ({ name: p.name, value: Math.max(-1, Math.min(1, p.error)), detail: [["error", percent(p.error, true)], ["predicted", time(p.seconds)], ["measured", time(p.measured)]] as [string, string][] })),
    text: (x) => percent(x, true),
    colour: (bar, c) => (Math.abs(bar.value) <= 0.1 ? c.good : Math.abs(bar.value) <= 0.2 ? c.series[9] : c.bad),
    table: () => ({ head: ["program", "error"], rows: rows().map((p) => [p.name, percent(p.error, true)]) }),
  });
  return chart.element;
}

export function validationSection(list: Validation[]): Section | null {
  const shown = list.filter((v) => v.programs?.length && Object.keys(v.models ?? {}).length);
  if (!shown.length) return null;
  const cards = shown.flatMap((v) => {
    const failed = v.programs.filter((p) => p.failed);
    return [
      card(
        `${v.machine}${v.suite ? ", " + v.suite : ""}`,
        table(
          {
            head: ["model", "programs", "mean error", "median", "bias", "within 5 %", "10 %", "15 %", "20 %", "rank order τ", "interval held"],
            rows: modelsOf(v).map((m) => {
              const s = v.models[m];
              return [m, String(s.programs ?? "–"), percent(s.mape), percent(s.median), percent(s.bias, true), ...["5", "10", "15", "20"].map((b) => percent(s.within?.[b])), s.tau?.toFixed(2) ?? "–", percent(s.coverage)];
            }),
          },
          "Accuracy of each model",
        ),
      ),
      card(null, scatter(v)),
      card(null, errors(v)),
      failed.length ? card("Could not be used", longTable({ head: ["program", "why"], numeric: [false, false], rows: failed.map((p) => [p.name, p.failed as string]) }, "Programs that failed")) : null,
    ];
  });
  return section("validation", "How wrong it is", "Programs predicted and measured on this machine; nothing was fitted to them.", ...cards);
}

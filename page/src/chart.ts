// Charts: ECharts, only the parts the page uses, drawn as SVG so that they print sharply. A figure has a title, a
// note, and its numbers as a table for those who would rather read or cannot see.
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, SunburstChart } from "echarts/charts";
import {
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapComponent,
} from "echarts/components";
import { init, use, type ECharts, type EChartsCoreOption } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

import { el, longTable, type TableData } from "./dom";
import { onThemeChange, palette, type Palette } from "./theme";

// Where a line across a chart stands, exactly: left alone, ECharts rounds it to two decimals.
export const exactLine = { precision: 20 };

use([
  BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, SunburstChart,
  GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent, SVGRenderer,
]);

export type Option = EChartsCoreOption;

export interface FigureOptions {
  title: string;
  note?: string;
  label: string; // what a screen reader says
  height: number;
  option: (colours: Palette) => Option;
  table?: TableData | (() => TableData);
  controls?: (HTMLElement | null)[];
  clicked?: (event: { name?: string; data?: unknown; dataIndex?: number }) => void;
}

export interface Figure {
  element: HTMLElement;
  redraw: (height?: number) => void;
}

const drawn: { chart: ECharts; draw: () => void }[] = [];
const waiting: (() => void)[] = [];

export const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

// What every chart shares.
function complete(option: Option, colours: Palette): Option {
  return {
    animationDuration: 250,
    animationDurationUpdate: 200,
    color: colours.series,
    backgroundColor: "transparent",
    textStyle: { fontFamily: font, color: colours.ink, fontSize: 12 },
    ...option,
  };
}

export function axis(colours: Palette, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    nameTextStyle: { color: colours.muted },
    axisLabel: { color: colours.muted, hideOverlap: true },
    axisLine: { lineStyle: { color: colours.line } },
    axisTick: { lineStyle: { color: colours.line } },
    splitLine: { lineStyle: { color: colours.line } },
    nameLocation: "middle",
    ...more,
  };
}

export function tooltip(colours: Palette, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    backgroundColor: colours.card,
    borderColor: colours.line,
    textStyle: { color: colours.ink, fontSize: 12.5, fontFamily: font },
    confine: true,
    ...more,
  };
}

export function legend(colours: Palette, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { textStyle: { color: colours.ink }, icon: "roundRect", itemWidth: 12, itemHeight: 12, top: 0, left: 0, ...more };
}

// The decades around positive numbers, for a logarithmic axis; tight: just around them.
export function logRange(values: number[], tight = false): { min: number; max: number; startValue: number } {
  const positive = values.filter((v) => v > 0 && Number.isFinite(v));
  if (!positive.length) return { min: 0.1, max: 10, startValue: 0.1 };
  const low = Math.min(...positive), high = Math.max(...positive);
  const min = tight ? low / 1.25 : Math.pow(10, Math.floor(Math.log10(low) - 1e-9));
  const max = tight ? high * 1.25 : Math.max(high * 1.05, min * 10);
  return { min, max, startValue: min };
}

export const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] as string);

// Lines of a tooltip: a heading, then name and value.
export function lines(heading: string, rows: [string, string][]): string {
  return (
    `<strong>${escape(heading)}</strong>` +
    rows.map(([name, value]) => `<br>${escape(name)} <span style="float:right;margin-left:1.5em">${escape(value)}</span>`).join("")
  );
}

export function figure(options: FigureOptions): Figure {
  const holder = el("div", { class: "chart", role: "img", "aria-label": options.label, style: `height:${options.height}px` });
  let chart: ECharts | null = null;
  const draw = (notMerge = true) => chart?.setOption(complete(options.option(palette()), palette()), { notMerge });
  waiting.push(() => {
    chart = init(holder, undefined, { renderer: "svg" });
    draw();
    if (options.clicked) chart.on("click", (event) => options.clicked?.(event as never));
    drawn.push({ chart, draw });
  });
  const numbers = el("div", {});
  const fill = () => {
    const data = typeof options.table === "function" ? options.table() : options.table;
    if (data) numbers.replaceChildren(longTable(data, options.title));
  };
  const controls = (options.controls ?? []).filter((c): c is HTMLElement => c !== null);
  const element = el(
    "figure",
    {},
    el("figcaption", {}, el("h4", {}, options.title), options.note ? el("p", { class: "note" }, options.note) : null),
    controls.length ? el("div", { class: "controls" }, ...controls) : null,
    holder,
    options.table ? el("details", { class: "numbers", ontoggle: fill }, el("summary", {}, "Numbers"), numbers) : null,
  );
  const redraw = (height?: number) => {
    if (height) holder.style.height = `${height}px`;
    if (height) chart?.resize();
    draw();
    if (numbers.firstChild) fill();
  };
  if (started) queueMicrotask(startCharts);
  return { element, redraw };
}

let started = false;
// Draws what waits; called when the elements stand in the document, and again for those made later.
export function startCharts(): void {
  for (const start of waiting.splice(0)) start();
  if (started) return;
  started = true;
  let frame = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => drawn.forEach(({ chart }) => chart.resize()));
  });
  onThemeChange(() => drawn.forEach(({ draw }) => draw()));
}

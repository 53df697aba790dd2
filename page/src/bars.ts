// Horizontal bars, the workhorse of the page: names to the left, values at the ends.
import { axis, figure, lines, tooltip, type Figure } from "./chart";
import type { TableData } from "./dom";
import { briefName } from "./names";
import type { Palette } from "./theme";

export interface Bar {
  name: string;
  value: number;
  detail?: [string, string][];
  colour?: string;
}

export interface BarsOptions {
  title: string;
  note?: string;
  bars: () => Bar[];
  text: (value: number) => string;
  axisName?: string;
  log?: boolean;
  controls?: (HTMLElement | null)[];
  table: () => TableData;
  colour?: (bar: Bar, colours: Palette) => string;
  clicked?: (name: string) => void;
}

export const rowHeight = 25;
export const barsHeight = (rows: number): number => Math.max(1, rows) * rowHeight + 46;

export function shortened(text: string, length = 34): string {
  const name = briefName(text, length);
  return name.length > length ? name.slice(0, length - 12) + "…" + name.slice(-11) : name;
}

export function barFigure(options: BarsOptions): Figure {
  return figure({
    title: options.title,
    note: options.note,
    label: `${options.title}: ${options.bars().slice(0, 5).map((b) => `${b.name} ${options.text(b.value)}`).join(", ")}`,
    height: barsHeight(options.bars().length),
    controls: options.controls,
    table: options.table,
    clicked: options.clicked && ((event) => event.name && options.clicked?.(event.name)),
    option: (c) => {
      const bars = options.bars();
      return {
        grid: { left: 8, right: 84, top: 8, bottom: options.axisName ? 36 : 22, containLabel: true },
        tooltip: tooltip(c, {
          trigger: "axis",
          axisPointer: { type: "shadow" },
          formatter: (items: { dataIndex: number }[]) => {
            const bar = bars[items[0].dataIndex];
            return lines(bar.name, bar.detail ?? [["", options.text(bar.value)]]);
          },
        }),
        xAxis: axis(c, {
          type: options.log ? "log" : "value",
          name: options.axisName,
          nameGap: 24,
          // Room for the numbers at the ends of bars to the left, beside the names.
          min: bars.some((b) => b.value < 0) ? 1.3 * Math.min(...bars.map((b) => b.value)) : undefined,
          axisLabel: { color: c.muted, hideOverlap: true, showMinLabel: bars.every((b) => b.value >= 0), formatter: options.text },
        }),
        yAxis: axis(c, {
          type: "category",
          inverse: true,
          data: bars.map((b) => b.name),
          splitLine: { show: false },
          axisTick: { show: false },
          axisLabel: { color: c.ink, formatter: (name: string) => shortened(name), interval: 0 },
        }),
        series: [
          {
            type: "bar",
            barMaxWidth: 15,
            data: bars.map((b) => ({
              value: b.value,
              name: b.name,
              label: { position: b.value < 0 ? "left" : "right" },
              itemStyle: { borderRadius: b.value < 0 ? [3, 0, 0, 3] : [0, 3, 3, 0], color: b.colour ?? options.colour?.(b, c) ?? c.series[0] },
            })),
            label: { show: true, color: c.muted, fontSize: 11.5, formatter: (p: { value: number }) => options.text(p.value) },
          },
        ],
      };
    },
  });
}

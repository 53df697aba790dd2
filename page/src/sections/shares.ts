// Stacked bars of shares: what each of several things spends its time on.
import { barsHeight, shortened } from "../bars";
import { axis, figure, legend, lines, tooltip, type Figure } from "../chart";
import { percent, time } from "../format";

export interface Shared {
  name: string;
  seconds: number;
  shares: Record<string, number>;
  note?: string;
}

const most = 8; // resources with a colour of their own; the rest is one

export function sharesFigure(title: string, rows: Shared[]): Figure {
  const weight = new Map<string, number>();
  for (const row of rows) for (const [resource, share] of Object.entries(row.shares)) weight.set(resource, (weight.get(resource) ?? 0) + share);
  const resources = [...weight].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const shown = resources.slice(0, most);
  const rest = (row: Shared): number => resources.slice(most).reduce((sum, r) => sum + (row.shares[r] ?? 0), 0);
  const series = resources.length > most ? [...shown, "the rest"] : shown;
  const value = (row: Shared, resource: string): number => (resource === "the rest" ? rest(row) : (row.shares[resource] ?? 0));
  return figure({
    title,
    label: `${title}: ` + rows.slice(0, 6).map((r) => `${r.name} mostly ${Object.entries(r.shares).sort((a, b) => b[1] - a[1])[0]?.[0] ?? "unknown"}`).join(", "),
    height: barsHeight(rows.length) + 40,
    table: () => ({ head: ["", "time", ...resources], rows: rows.map((r) => [r.name, time(r.seconds), ...resources.map((x) => percent(r.shares[x] ?? 0))]) }),
    option: (c) => ({
      grid: { left: 8, right: 84, top: 44, bottom: 22, containLabel: true },
      legend: legend(c, { type: "scroll", right: 8, data: series }),
      tooltip: tooltip(c, {
        trigger: "axis",
        axisPointer: { type: "shadow" },
        formatter: (items: { dataIndex: number }[]) => {
          const row = rows[items[0].dataIndex];
          return lines(row.name, [["time", time(row.seconds)], ...(row.note ? ([["", row.note]] as [string, string][]) : []), ...series.filter((s) => value(row, s) > 0.001).map((s): [string, string] => [s, percent(value(row, s))])]);
        },
      }),
      xAxis: axis(c, { type: "value", min: 0, max: 1, axisLabel: { color: c.muted, formatter: (v: number) => `${Math.round(100 * v)} %` } }),
      yAxis: axis(c, { type: "category", inverse: true, data: rows.map((r) => r.name), splitLine: { show: false }, axisTick: { show: false }, axisLabel: { color: c.ink, interval: 0, formatter: (name: string) => shortened(name, 40) } }),
      series: series.map((resource, i) => ({
        type: "bar",
        name: resource,
        stack: "time",
        barMaxWidth: 15,
        itemStyle: { color: resource === "the rest" ? c.muted : c.series[i % c.series.length] },
        data: rows.map((r) => value(r, resource)),
        label: i === series.length - 1 ? { show: true, position: "right", color: c.muted, fontSize: 11.5, formatter: (p: { dataIndex: number }) => time(rows[p.dataIndex].seconds, 3) } : undefined,
      })),
    }),
  });
}

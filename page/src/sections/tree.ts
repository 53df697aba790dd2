// Where the demand goes: the use-tree of Lyon and Snelick, as rings and as an outline, and what upgrades would buy.
import { barFigure } from "../bars";
import { card, notes, section, type Section } from "../card";
import { figure, lines, tooltip } from "../chart";
import { el, table } from "../dom";
import { interval, number, percent, time } from "../format";
import type { UseNode, UseTree } from "../records";

const ringDepth = 4;

function rings(tree: UseTree): HTMLElement {
  interface Ring {
    name: string;
    value: number;
    node: UseNode;
    children?: Ring[];
    itemStyle?: { color: string };
  }
  // A node's own part is what its children do not account for.
  const ring = (node: UseNode, depth: number, color: string): Ring => ({
    name: node.name,
    value: Math.max(node.share, 0),
    node,
    itemStyle: { color },
    children: depth < ringDepth ? (node.children ?? []).filter((n) => n.share > 0.002).map((n) => ring(n, depth + 1, color)) : undefined,
  });
  const rows: UseNode[] = [];
  const collect = (node: UseNode) => (rows.push(node), node.children?.forEach(collect));
  collect(tree.root);
  return figure({
    title: "Shares of the time",
    note: "The middle is the whole run; every ring divides the one inside it. Press a part to look into it, the middle to come back.",
    label: "Rings of the use-tree: " + (tree.root.children ?? []).map((n) => `${n.name} ${percent(n.share)}`).join(", "),
    height: 440,
    table: { head: ["part", "share", "time"], rows: rows.map((n) => [n.name, percent(n.share), time(n.seconds)]) },
    option: (c) => ({
      tooltip: tooltip(c, {
        formatter: (i: { data?: Ring; name: string }) => (i.data?.node ? lines(i.data.node.name, [["share", percent(i.data.node.share)], ["time", time(i.data.node.seconds)]]) : ""),
      }),
      series: [
        {
          type: "sunburst",
          radius: ["16%", "96%"],
          sort: null,
          nodeClick: "rootToNode",
          data: (tree.root.children ?? []).map((n, i) => ring(n, 1, c.series[i % c.series.length])),
          itemStyle: { borderColor: c.card, borderWidth: 1.5, borderRadius: 3 },
          label: { color: "#fff", fontSize: 11, minAngle: 12, overflow: "truncate", width: 74, textBorderColor: "rgba(0,0,0,.35)", textBorderWidth: 2 },
          emphasis: { focus: "ancestor" },
          levels: [{}, {}, { itemStyle: { opacity: 0.8 } }, { itemStyle: { opacity: 0.62 } }, { itemStyle: { opacity: 0.5 }, label: { show: false } }],
        },
      ],
    }),
  }).element;
}

function outline(node: UseNode, depth = 0): HTMLElement {
  const capacity = typeof node.capacity === "number" ? node.capacity : null;
  const rates = [capacity !== null && capacity < 0.9995 ? `rate ${percent(capacity)}` : "", typeof node.used === "number" && node.used < 0.9995 ? `${percent(node.used)} used` : ""];
  const line = el(
    "span",
    { class: "node" },
    el("span", { class: "name" }, node.name),
    el("span", { class: "track", "aria-hidden": "true" }, el("span", { class: "fill", style: `width:${100 * Math.min(1, Math.max(0, node.share))}%` })),
    el("span", { class: "figures" }, percent(node.share)),
    el("span", { class: "figures" }, node.seconds !== undefined ? time(node.seconds, 3) : ""),
    el("span", { class: "figures" }, rates.filter(Boolean).join(", ")),
  );
  if (!node.children?.length) return el("li", {}, line);
  return el("li", {}, el("details", { open: depth < 2 }, el("summary", {}, line), el("ul", {}, ...node.children.map((child) => outline(child, depth + 1)))));
}

function upgrades(tree: UseTree): HTMLElement | null {
  const asked = tree.upgrades ?? [];
  const list = [...asked, ...(tree.ranking ?? []).filter((r) => !asked.some((u) => u.change === r.change))].slice(0, 24);
  if (!list.length) return null;
  const now = tree.root.seconds ?? 0;
  return barFigure({
    title: "What an upgrade buys",
    note: `Predicted time after the change${now ? `; now ${time(now)}` : ""}.`,
    bars: () => [
      ...(now ? [{ name: "as it is", value: now }] : []),
      ...list.map((u) => ({
        name: u.change,
        value: u.seconds,
        detail: [["time", time(u.seconds)], ["interval", interval(u.interval)], ["change", now ? percent(u.seconds / now - 1, true) : "–"], ...(u.remark ? [["", u.remark]] : [])] as [string, string][],
      })),
    ],
    text: (v) => time(v, 3),
    colour: (bar, c) => (bar.name === "as it is" ? c.series[8] : asked.some((u) => u.change === bar.name) ? c.series[1] : c.series[2]),
    table: () => ({ head: ["change", "time", "interval", "against now"], rows: list.map((u) => [u.change, time(u.seconds), interval(u.interval), now ? percent(u.seconds / now - 1, true) : "–"]) }),
  }).element;
}

// Two upgrades at once, and processors of a faster kind: tables of the paper.
function tables(tree: UseTree): HTMLElement | null {
  const { crossed, processors, comparisons } = tree;
  const parts: HTMLElement[] = [];
  if (crossed?.changes.length)
    parts.push(el("h4", {}, "Two upgrades at once, speed-up"), table({ head: ["", ...crossed.changes], rows: crossed.changes.map((name, i) => [name, ...crossed.speedup[i].map((v) => number(v, 3))]) }, "Crossed upgrades"));
  if (processors?.fast.length)
    parts.push(
      el("h4", {}, "Faster processors, improvement"),
      table({ head: ["how many fast ones", ...processors.speed.map((s) => number(s) + " ×")], rows: processors.fast.map((n, i) => [String(n), ...processors.improvement[i].map((v, j) => `${number(v, 3)} ± ${percent(processors.tolerance[i]?.[j])}`)]) }, "Processors"),
    );
  if (comparisons?.length)
    parts.push(el("h4", {}, "Compared with"), table({ head: ["program", "machine", "distance", "finding"], numeric: [false, false, true, false], rows: comparisons.map((c) => [c.program, c.machine ?? "", number(c.distance, 3), c.finding ?? ""]) }, "Comparisons"));
  return parts.length ? card(null, ...parts) : null;
}

export function treeSection(list: UseTree[]): Section | null {
  const shown = list.filter((t) => t.root);
  if (!shown.length) return null;
  const cards = shown.flatMap((tree) => {
    const title = [tree.program, tree.machine && "on " + tree.machine].filter(Boolean).join(" ") || null;
    const bars = upgrades(tree);
    return [
      card(title, el("div", { class: "columns" }, tree.root.children?.length ? rings(tree) : null, el("div", {}, el("h4", {}, "Outline"), el("p", { class: "note" }, "Share and time; the rate is that of the fastest leaf, relative to the peak, and what of it is used."), el("ul", { class: "outline" }, outline(tree.root))))),
      bars && card(null, bars),
      tables(tree),
      tree.remarks?.length ? card(null, notes("Remarks", tree.remarks)) : null,
    ];
  });
  return section("tree", "Where the demand goes", "The program as a tree of uses, and what a faster part would buy.", ...cards);
}

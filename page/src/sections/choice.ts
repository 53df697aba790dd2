// Which machine to take: time against cost of every offer, the deadline, and why programs gain.
import { shortened } from "../bars";
import { card, fact, facts, notes, section, type Section } from "../card";
import { axis, exactLine, figure, lines, tooltip, type Figure } from "../chart";
import type { TableData } from "../dom";
import { interval, number, time } from "../format";
import type { Choice, MachineOffer } from "../records";
import { sharesFigure } from "./shares";

const money = (value: number | undefined): string => (value === undefined ? "–" : number(value, 3));

function offersTable(choice: Choice): TableData {
  return {
    head: ["machine", "all programs", "interval", "per hour", "cost", "value", "deadline"],
    numeric: [false, true, true, true, true, true, false],
    rows: choice.offers.map((o) => [
      o.machine,
      o.complete === false ? "no answer" : time(o.seconds),
      o.complete === false ? "–" : interval(o.interval),
      money(o.price_per_hour),
      o.complete === false ? "–" : money(o.cost),
      money(o.value),
      o.deadline && o.deadline !== "none" ? o.deadline : "–",
    ]),
  };
}

// Time to the right, cost upwards: what is near the corner is good at both.
function priceFigure(choice: Choice, offers: MachineOffer[]): Figure {
  const priced = offers.every((o) => o.cost !== undefined);
  const wide = (values: number[]) => Math.max(...values) / Math.min(...values) > 20;
  const logX = wide(offers.flatMap((o) => [o.interval[0], o.interval[1]]).filter((v) => v > 0));
  const logY = priced && wide(offers.map((o) => o.cost as number).filter((v) => v > 0));
  const y = (o: MachineOffer, i: number): number => (priced ? (o.cost as number) : i);
  return figure({
    title: priced ? "What it takes and what it costs" : "What it takes",
    note: "Bars are the intervals." + (priced ? " The nearer to the lower left corner, the better." : "") + (choice.deadline_seconds ? ` The line is the deadline, ${time(choice.deadline_seconds)}.` : ""),
    label: "Time and cost by machine: " + offers.map((o) => `${o.machine} ${time(o.seconds)}${priced ? ", " + money(o.cost) : ""}`).join("; "),
    height: priced ? 320 : 60 + 34 * offers.length,
    table: () => offersTable(choice),
    option: (c) => {
      const tone = (o: MachineOffer) => (o.deadline === "missed" || o.deadline === "unlikely" ? c.muted : [choice.fastest, choice.cheapest, choice.best_value].includes(o.machine) ? c.good : c.series[0]);
      return {
        grid: { left: priced ? 36 : 16, right: 96, top: 30, bottom: 40, containLabel: true },
        tooltip: tooltip(c, {
          trigger: "item",
          formatter: (item: { dataIndex: number }) => {
            const o = offers[item.dataIndex];
            return o ? lines(o.machine, [["time", time(o.seconds)], ["interval", interval(o.interval)], ["cost", money(o.cost)], ["value", money(o.value)]]) : "";
          },
        }),
        xAxis: axis(c, { type: logX ? "log" : "value", name: "time of all programs" + (logX ? ", logarithmic" : ""), nameGap: 26, axisLabel: { color: c.muted, hideOverlap: true, formatter: (v: number) => time(v, 3) } }),
        yAxis: priced
          ? axis(c, { type: logY ? "log" : "value", name: "cost" + (logY ? ", logarithmic" : ""), nameGap: 48, axisLabel: { color: c.muted, formatter: (v: number) => number(v, 3) } })
          : axis(c, { type: "category", inverse: true, data: offers.map((o) => shortened(o.machine)), splitLine: { show: false }, axisLabel: { color: c.ink, interval: 0 } }),
        series: [
          {
            type: "custom",
            silent: true,
            data: offers.map((o, i) => [o.interval[0], y(o, i), o.interval[1]]),
            encode: { x: [0, 2], y: 1 },
            renderItem: (_: unknown, api: { value: (i: number) => number; coord: (p: number[]) => number[] }) => {
              const [low, at] = api.coord([api.value(0), api.value(1)]);
              const [high] = api.coord([api.value(2), api.value(1)]);
              return { type: "rect", shape: { x: low, y: at - 4, width: Math.max(1, high - low), height: 8, r: 4 }, style: { fill: c.series[0], opacity: c.dark ? 0.35 : 0.22 } };
            },
          },
          {
            type: "scatter",
            symbolSize: 12,
            data: offers.map((o, i) => ({ value: [o.seconds, y(o, i)], itemStyle: { color: tone(o), borderColor: c.card, borderWidth: 1.5 } })),
            label: { show: priced, position: "top", distance: 6, color: c.ink, formatter: (p: { dataIndex: number }) => shortened(offers[p.dataIndex].machine, 24) },
            markLine: choice.deadline_seconds && {
              ...exactLine,
              symbol: "none",
              silent: true,
              lineStyle: { color: c.bad, type: "solid", width: 1.5 },
              label: { formatter: "deadline", color: c.bad, position: "end" },
              data: [{ xAxis: choice.deadline_seconds }],
            },
          },
        ],
      };
    },
  });
}

export function choiceSection(list: Choice[]): Section | null {
  if (!list.length) return null;
  const cards = list.flatMap((choice) => {
    const complete = choice.offers.filter((o) => o.complete !== false && o.seconds > 0);
    const by = (name: string | undefined) => complete.find((o) => o.machine === name);
    const answer = (label: string, name: string | undefined, detail: (o: MachineOffer) => string) => {
      const offer = by(name);
      return offer ? fact(label, offer.machine, detail(offer), "good") : null;
    };
    const programs = complete.flatMap((o) => o.programs.map((p) => ({ name: `${p.program} · ${o.machine}`, seconds: p.seconds, shares: p.shares ?? {}, note: `gain ${number(p.gain, 3)}, by ${p.model}` })));
    programs.sort((a, b) => (a.name < b.name ? -1 : 1));
    return [
      card(
        "Which machine",
        facts(
          answer("fastest", choice.fastest, (o) => `${time(o.seconds, 3)}, ${interval(o.interval)}`),
          answer("cheapest", choice.cheapest, (o) => `${money(o.cost)}${o.cost_interval ? `, ${money(o.cost_interval[0])} – ${money(o.cost_interval[1])}` : ""}`),
          answer("most for the money", choice.best_value, (o) => `${time(o.seconds, 3)} for ${money(o.cost)}`),
          choice.deadline_seconds && !choice.fastest ? fact("deadline", "no machine", `is likely to end within ${time(choice.deadline_seconds)}`, "bad") : null,
        ),
        complete.length ? priceFigure(choice, complete).element : null,
        notes("What is doubtful", [...(choice.remarks ?? []), ...choice.offers.flatMap((o) => (o.remarks ?? []).map((r) => `${o.machine}: ${r}`))]),
      ),
      programs.length ? card(null, sharesFigure("Where the time goes, program by program", programs).element) : null,
    ];
  });
  return section("choice", "Choosing a machine", "All programs one after the other; value is performance per cost, relative to the best offer.", ...cards);
}

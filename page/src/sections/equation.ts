// T(N, P) as an equation: sliders for its parameters, curves along one of them, a map over two. Everything is evaluated
// in the page from the expression in the record.
import { barFigure } from "../bars";
import { card, fact, facts, notes, section, type Section } from "../card";
import { axis, figure, legend, tooltip, type Figure } from "../chart";
import { el, replace, select, table, uniqueId } from "../dom";
import { compile, type Expression, type Values } from "../expression";
import { interval, number, percent, time } from "../format";
import type { Equation, ScalingView } from "../records";
import { surface } from "../surface";

interface Parameter {
  name: string;
  value: number;
  low: number;
  high: number;
  whole: boolean; // counts of things are whole numbers
}

const slidersSteps = 400;

// The range of a slider: what the record says, else a decade or two around the values that were asked for.
function parametersOf(equation: Equation, expression: Expression): Parameter[] {
  const seen = new Map<string, number[]>();
  for (const at of equation.at ?? [])
    for (const [name, value] of Object.entries(at.set ?? {})) seen.set(name, [...(seen.get(name) ?? []), value]);
  const names = [...equation.parameters, ...expression.names.filter((n) => !equation.parameters.includes(n))];
  return names
    .filter((name) => expression.names.includes(name))
    .map((name) => {
      const known = (seen.get(name) ?? []).filter((v) => v > 0);
      const processors = name === "P";
      const value = known[0] ?? equation.recorded?.[name] ?? (processors ? 1 : 1000);
      const low = processors ? 1 : Math.min(value, ...known, equation.recorded?.[name] ?? value) / 20;
      const high = Math.max(value, ...known, processors ? 64 : 0) * (processors ? 4 : 20);
      const whole = Number.isInteger(value) && value >= 1;
      return { name, value, low: whole ? Math.max(1, Math.round(low)) : low, high, whole };
    });
}

const fromStep = (p: Parameter, step: number): number => {
  const v = p.low * Math.pow(p.high / p.low, step / slidersSteps);
  return p.whole ? Math.round(v) : v;
};
const toStep = (p: Parameter, value: number): number =>
  Math.round((slidersSteps * Math.log(value / p.low)) / Math.log(p.high / p.low));

function sampled(p: Parameter, points: number): number[] {
  const list = Array.from({ length: points }, (_, i) => p.low * Math.pow(p.high / p.low, i / (points - 1)));
  return p.whole ? [...new Set(list.map((v) => Math.round(v)))] : list;
}

const termsShown = 12;

// The terms of the equation where the sliders stand, most time first.
function termsFigure(equation: Equation, values: () => Values): Figure | null {
  const terms = (equation.terms ?? []).flatMap((term) => {
    try {
      return [{ ...term, evaluate: compile(term.seconds).evaluate }];
    } catch {
      return []; // a term the page cannot evaluate is still part of the whole
    }
  });
  if (terms.length < 2) return null;
  const now = () =>
    terms
      .map((term) => ({ term, seconds: term.evaluate(values()) }))
      .filter((t) => Number.isFinite(t.seconds) && t.seconds > 0)
      .sort((a, b) => b.seconds - a.seconds);
  return barFigure({
    title: "Terms of the equation, with the sliders as they stand",
    bars: () => now().slice(0, termsShown).map(({ term, seconds }) => ({ name: term.name, value: seconds, detail: [["time", time(seconds)], ["kind", term.kind ?? ""], ["count", term.certainty ?? ""]] as [string, string][] })),
    text: (v) => time(v, 3),
    colour: (bar, c) => ({ communication: c.series[1], system: c.series[8] })[terms.find((t) => t.name === bar.name)?.kind ?? ""] ?? c.series[0],
    table: () => ({ head: ["term", "time", "kind", "count", "certainty"], numeric: [false, true, false, false, false], rows: now().map(({ term, seconds }) => [term.name, time(seconds), term.kind ?? "", term.count ?? "", term.certainty ?? ""]) }),
  });
}

function sensitivityFigure(equation: Equation): HTMLElement | null {
  const list = [...(equation.sensitivity ?? [])].sort((a, b) => Math.abs(b.elasticity) - Math.abs(a.elasticity)).slice(0, 16);
  if (!list.length) return null;
  return barFigure({
    title: "What it is sensitive to",
    note: "Percent by which the time changes when the parameter grows by one percent.",
    bars: () => list.map((s) => ({ name: s.parameter, value: s.elasticity, detail: [["elasticity", number(s.elasticity, 3)], ["now", number(s.value) + " " + (s.unit ?? "")], ["dT/dx", number(s.derivative, 3)]] as [string, string][] })),
    text: (v) => number(v, 3),
    colour: (bar, c) => (bar.value < 0 ? c.good : c.series[0]),
    table: () => ({ head: ["parameter", "value", "dT/dx", "elasticity"], rows: list.map((s) => [s.parameter, number(s.value), number(s.derivative, 3), number(s.elasticity, 3)]) }),
  }).element;
}

// Speedup, scaleup and scaled speedup: the metric as a line, the shares of the terms as columns behind it.
function viewFigure(view: ScalingView): HTMLElement {
  const label = (set: Record<string, number>) => Object.entries(set).map(([k, v]) => `${k} = ${number(v, 3)}`).join(", ");
  const shares = Object.entries(view.shares ?? {}).sort((a, b) => Math.max(...b[1]) - Math.max(...a[1])).slice(0, 8);
  return figure({
    title: view.name[0].toUpperCase() + view.name.slice(1),
    label: `${view.name}: ` + view.settings.map((s, i) => `${label(s)}: ${number(view.metric[i], 3)}`).join("; "),
    height: 320,
    table: { head: ["setting", "time", view.name, ...shares.map(([n]) => n)], rows: view.settings.map((s, i) => [label(s), time(view.seconds[i]), number(view.metric[i], 3), ...shares.map(([, v]) => percent(v[i]))]) },
    option: (c) => ({
      legend: legend(c, { type: "scroll", right: 0 }),
      grid: { left: 36, right: 44, top: 36, bottom: 30, containLabel: true },
      tooltip: tooltip(c, { trigger: "axis" }),
      xAxis: axis(c, { type: "category", data: view.settings.map(label) }),
      yAxis: [axis(c, { type: "value", name: view.name, nameGap: 36 }), axis(c, { type: "value", max: 1, name: "shares", nameGap: 44, splitLine: { show: false }, axisLabel: { color: c.muted, formatter: (v: number) => percent(v) } })],
      series: [
        ...shares.map(([name, data], i) => ({ type: "bar", stack: "shares", yAxisIndex: 1, name, data, itemStyle: { color: c.series[(i + 1) % c.series.length], opacity: 0.35 } })),
        { type: "line", name: view.name, data: view.metric, symbolSize: 9, lineStyle: { width: 3 }, itemStyle: { color: c.series[0] }, z: 5 },
      ],
    }),
  }).element;
}

function moreCards(equation: Equation): (HTMLElement | null)[] {
  const sensitivity = sensitivityFigure(equation);
  const best = equation.optimum;
  return [
    sensitivity && card(null, sensitivity),
    ...(equation.views ?? []).filter((v) => v.settings?.length).map((v) => card(null, viewFigure(v))),
    best?.at ? card("Best choice", el("p", {}, Object.entries(best.at).map(([k, v]) => `${k} = ${number(v)}`).join(", ") + `: ${number(best.value)}`), best.objective ? el("p", { class: "note" }, `of ${best.objective}, by ${best.how ?? "search"}`) : null) : null,
    equation.offers?.length
      ? card("Machines for the job", table({ head: ["machine", "processors", "time", "price"], rows: equation.offers.map((o) => [o.machine, number(o.processors), time(o.seconds), o.price === undefined ? "–" : number(o.price, 4)]) }, "Offers"))
      : null,
  ];
}

function equationCard(equation: Equation): HTMLElement {
  let expression: Expression;
  try {
    expression = compile(equation.seconds);
  } catch (error) {
    return card("Equation", el("p", { class: "note" }, `This equation cannot be evaluated in the page: ${(error as Error).message}`), el("pre", { class: "formula" }, equation.seconds));
  }
  const parameters = parametersOf(equation, expression);
  const title = [equation.program, equation.machine && "on " + equation.machine].filter(Boolean).join(" ") || "Equation";
  const formula = el("details", { class: "numbers" }, el("summary", {}, `The equation, ${equation.seconds.length} characters`), el("pre", { class: "formula", tabindex: 0 }, "T = " + equation.seconds));
  const answers = (equation.at ?? []).filter((a) => Number.isFinite(a.seconds));
  const warnings = [...new Set(answers.flatMap((a) => a.warnings ?? []))];
  const certainty = Object.entries(equation.blocks ?? {}).map(([kind, value]) => `${number(value)} ${kind}`).join(", ");
  if (!parameters.length)
    return card(title, facts(fact("T", time(expression.evaluate({})), "this equation has no parameter left")), formula);

  let along = parameters[0];
  let across = parameters.find((p) => p !== along) ?? null;
  const values = (more: Values = {}): Values => ({ ...Object.fromEntries(parameters.map((p) => [p.name, p.value])), ...more });
  const at = (more: Values = {}) => expression.evaluate(values(more));

  const result = el("output", { class: "value", id: uniqueId("result"), "aria-live": "polite" });
  const detail = el("div", { class: "detail" });
  const controls = el("div", { class: "controls" });

  // A family of curves: the second parameter at a few values, the first one running.
  const family = (): (number | null)[] =>
    across ? [...new Set([across.low, Math.sqrt(across.low * across.high), across.high, across.value].map((v) => (across as Parameter).whole ? Math.round(v) : v))].sort((a, b) => a - b) : [null];
  const curveName = (v: number | null) => (v === null || !across ? "T" : `${across.name} = ${number(v, 4)}`);
  const matches = (set: Values, other: number | null) =>
    parameters.every((p) => p === along || set[p.name] === undefined || set[p.name] === (p === across && other !== null ? other : p.value));
  const curves = figure({
    title: "Time as one parameter grows",
    note: "Both axes are logarithmic; the dot is where the sliders stand, diamonds are answers in the record with their intervals.",
    label: `Curves of the time of ${title}`,
    height: 340,
    controls: [controls],
    table: () => {
      const xs = sampled(along, 12);
      return { head: [along.name, ...family().map(curveName)], rows: xs.map((x) => [number(x), ...family().map((v) => time(at({ [along.name]: x, ...(across && v !== null ? { [across.name]: v } : {}) })))]) };
    },
    option: (c) => ({
      legend: legend(c, { type: "scroll", right: 0 }),
      grid: { left: 12, right: 30, top: 36, bottom: 36, containLabel: true },
      tooltip: tooltip(c, { trigger: "axis", valueFormatter: (v: number | number[]) => time(Array.isArray(v) ? v[1] : v) }),
      xAxis: axis(c, { type: "log", name: along.name, nameGap: 24, min: along.low, max: along.high, axisLabel: { color: c.muted, hideOverlap: true, formatter: (v: number) => number(v, 3) } }),
      yAxis: axis(c, { type: "log", name: "time", nameGap: 54, axisLabel: { color: c.muted, formatter: (v: number) => time(v, 3) } }),
      series: [
        ...family().map((v, i) => ({
          type: "line",
          name: curveName(v),
          showSymbol: false,
          smooth: false,
          lineStyle: { width: across && v === across.value ? 3 : 1.6 },
          itemStyle: { color: c.series[i % c.series.length] },
          data: sampled(along, 90)
            .map((x) => [x, at({ [along.name]: x, ...(across && v !== null ? { [across.name]: v } : {}) })])
            .filter(([, t]) => t > 0 && Number.isFinite(t)),
        })),
        {
          type: "scatter",
          name: "here",
          symbolSize: 13,
          itemStyle: { color: c.bad, borderColor: c.card, borderWidth: 2 },
          data: [[along.value, at()]],
        },
        {
          type: "scatter",
          name: "in the record",
          symbol: "diamond",
          symbolSize: 12,
          itemStyle: { color: c.ink },
          data: answers.filter((a) => a.set?.[along.name] !== undefined && matches(a.set, null)).map((a) => [a.set[along.name], a.seconds]),
        },
      ],
    }),
  });

  const map = across
    ? surface({
        title: "The whole surface",
        x: () => ({ name: along.name, values: sampled(along, 34) }),
        y: () => ({ name: (across as Parameter).name, values: sampled(across as Parameter, 34) }),
        z: (x, y) => at({ [along.name]: x, [(across as Parameter).name]: y }),
        here: () => [along.value, (across as Parameter).value],
      })
    : null;

  const parts = termsFigure(equation, () => values());
  const renew = () => {
    const now = at();
    result.textContent = time(now);
    const speedup = parameters.some((p) => p.name === "P") ? at({ P: 1 }) / now : null;
    replace(detail, speedup && Number.isFinite(speedup) ? `speedup over P = 1: ${number(speedup, 3)}` : parameters.map((p) => `${p.name} = ${number(p.value, 5)}`).join(", "));
    curves.redraw();
    map?.redraw();
    parts?.redraw();
  };
  const choose = () => {
    if (parameters.length < 2) return;
    const choices = parameters.map((p) => ({ value: p.name, label: p.name }));
    replace(
      controls,
      select("Along", choices, along.name, (v) => {
        along = parameters.find((p) => p.name === v) as Parameter;
        if (across === along) across = parameters.find((p) => p !== along) ?? null;
        choose(), renew();
      }),
      select("Curves for", choices.filter((p) => p.value !== along.name), across?.name ?? "", (v) => {
        across = parameters.find((p) => p.name === v) as Parameter;
        renew();
      }),
    );
  };
  const sliders = parameters.map((p) => {
    const id = uniqueId("slider");
    const shown = el("input", { type: "number", class: "exact", value: number(p.value, 6).replace(/\u202f/g, ""), step: "any", "aria-label": `${p.name}, exact value` });
    const range = el("input", { type: "range", id, min: 0, max: slidersSteps, value: toStep(p, p.value), "data-parameter": p.name, "aria-valuetext": `${p.name} = ${number(p.value)}` });
    range.addEventListener("input", () => {
      p.value = fromStep(p, Number(range.value));
      shown.value = String(Number(p.value.toPrecision(6)));
      range.setAttribute("aria-valuetext", `${p.name} = ${number(p.value)}`);
      renew();
    });
    shown.addEventListener("change", () => {
      const value = Number(shown.value);
      if (!(value > 0)) return;
      p.value = value;
      range.value = String(toStep(p, value));
      renew();
    });
    return el("div", { class: "slider" }, el("label", { for: id }, p.name), range, shown);
  });
  choose();
  renew();
  return card(
    title,
    el("div", { class: "equation" }, el("div", { class: "fact" }, el("label", { class: "label", for: result.id }, "T, with the sliders as they stand"), result, detail), el("div", { class: "sliders" }, ...sliders)),
    curves.element,
    map?.element ?? null,
    parts?.element ?? null,
    formula,
    certainty ? el("p", { class: "note" }, `Counts of blocks: ${certainty}.`) : null,
    answers.length
      ? el("p", { class: "note" }, "Answers in the record: " + answers.map((a) => `${Object.entries(a.set ?? {}).map(([k, v]) => `${k} = ${number(v)}`).join(", ")}: ${time(a.seconds)} (${interval(a.interval)})`).join("; "))
      : null,
    notes("Warnings", warnings),
    notes("Counts that depend on the data", equation.hidden ?? []),
    notes("Remarks", equation.remarks ?? []),
  );
}

export function equationSection(list: Equation[]): Section | null {
  const shown = list.filter((e) => typeof e.seconds === "string");
  if (!shown.length) return null;
  return section("equation", "How it scales", "The time as an equation in the program's and the machine's parameters. Move the sliders.", ...shown.flatMap((e) => [equationCard(e), ...moreCards(e)]));
}

// A machine: its card, its memory, the costs of its operations against another machine, and its instructions against
// the tables of LLVM.
import { barsHeight } from "../bars";
import { card, fact, facts, notes, section, type Section } from "../card";
import { axis, figure, legend, lines, logRange, tooltip } from "../chart";
import { el, longTable, segmented, select } from "../dom";
import { bytes, number, words } from "../format";
import type { AgainstLlvm, Machine, Measurement, PageData } from "../records";

const isMeasurement = (x: unknown): x is Measurement => !!x && typeof x === "object" && typeof (x as Measurement).value === "number";

function cardOf(machine: Machine): HTMLElement {
  const core = machine.core;
  const of = (m: Measurement | string | undefined, unit = "") => (isMeasurement(m) ? number(m.value) + unit : "–");
  const how = (m: unknown) => (isMeasurement(m) ? m.how : undefined);
  const levels = machine.memory?.levels ?? [];
  return card(
    null,
    el("h3", {}, machine.name),
    machine.description ? el("p", { class: "note" }, machine.description) : null,
    facts(
      machine.isa ? fact("instruction set", machine.isa) : null,
      core?.clock_ghz ? fact("clock", of(core.clock_ghz, " GHz"), how(core.clock_ghz)) : null,
      core?.front_end?.rename_width ? fact("rename width", of(core.front_end.rename_width), how(core.front_end.rename_width)) : null,
      core?.window?.reorder_buffer ? fact("reorder buffer", of(core.window.reorder_buffer), how(core.window.reorder_buffer)) : null,
      core?.ports?.length ? fact("ports", String(core.ports.length)) : null,
      isMeasurement(core?.branches?.misprediction) ? fact("misprediction", of(core?.branches?.misprediction, " cycles"), how(core?.branches?.misprediction)) : null,
      machine.mflops ? fact("flop rate", of(machine.mflops, " M/s"), how(machine.mflops)) : null,
      ...levels.map((l) => (l.latency_ns ? fact(l.name, of(l.latency_ns, " ns"), l.capacity_bytes ? "up to " + bytes(l.capacity_bytes.value) : "beyond the caches") : null)),
    ),
  );
}

// ---- operations of the source level ----

type Costs = Record<string, Measurement>;
function costsOf(machine: Machine, language: string): Costs {
  return machine.source?.find((s) => s.language === language)?.costs ?? {};
}

const sortings: Record<string, string> = { ratio: "ratio", cost: "cost", name: "name" };

function operations(machine: Machine, others: Machine[], meanings: Record<string, string>): HTMLElement | null {
  const languages = [...new Set((machine.source ?? []).map((s) => s.language))];
  if (!languages.length) return null;
  const comparedTo = (language: string) => others.filter((m) => Object.keys(costsOf(m, language)).length);
  let language = languages.find((l) => comparedTo(l).length) ?? languages[0];
  let other: Machine | null = comparedTo(language)[0] ?? null;
  let sorting = other ? "ratio" : "cost";
  let all = false;
  const most = 24;
  interface Row {
    name: string;
    here: number;
    there: number | null;
  }
  const rows = (): Row[] => {
    const here = costsOf(machine, language), there = other ? costsOf(other, language) : {};
    const list = Object.entries(here)
      .filter(([name, m]) => m.value > 0 && (!other || (there[name]?.value ?? 0) > 0))
      .map(([name, m]) => ({ name, here: m.value, there: other ? there[name].value : null }));
    if (sorting === "name") list.sort((a, b) => a.name.localeCompare(b.name));
    else if (sorting === "ratio" && other) list.sort((a, b) => b.here / (b.there as number) - a.here / (a.there as number));
    else list.sort((a, b) => b.here - a.here);
    return list;
  };
  const shown = () => (all ? rows() : rows().slice(0, most));
  const mean = () => {
    const list = rows().filter((r) => r.there);
    return list.length ? Math.exp(list.reduce((s, r) => s + Math.log(r.here / (r.there as number)), 0) / list.length) : null;
  };
  const controls = el("div", { class: "controls" });
  const summary = el("p", { class: "note" });
  const chart = figure({
    title: "Costs of source operations",
    label: `Costs of source operations of ${machine.name}`,
    height: 400,
    table: () => ({
      head: ["operation", machine.name + ", ns", ...(other ? [other.name + ", ns", "ratio"] : []), "meaning"],
      numeric: [false, true, ...(other ? [true, true] : []), false],
      rows: rows().map((r) => [r.name, number(r.here), ...(other ? [number(r.there), number(r.here / (r.there as number), 3)] : []), meanings[r.name] ?? ""]),
    }),
    option: (c) => {
      const list = shown();
      const bar = (name: string, colour: string, value: (r: Row) => number | null) => ({
        type: "bar",
        name,
        barMaxWidth: 9,
        barGap: "15%",
        itemStyle: { color: colour, borderRadius: [0, 2, 2, 0] },
        data: list.map(value),
      });
      return {
        legend: legend(c),
        grid: { left: 8, right: 30, top: 30, bottom: 38, containLabel: true },
        tooltip: tooltip(c, {
          trigger: "axis",
          axisPointer: { type: "shadow" },
          formatter: (items: { dataIndex: number }[]) => {
            const r = list[items[0].dataIndex];
            return lines(`${r.name} ${meanings[r.name] ?? ""}`, [
              [machine.name, number(r.here) + " ns"],
              ...(other ? ([[other.name, number(r.there) + " ns"], ["ratio", number(r.here / (r.there as number), 3)]] as [string, string][]) : []),
            ]);
          },
        }),
        xAxis: axis(c, { type: "log", ...logRange(list.flatMap((r) => [r.here, r.there ?? r.here])), name: "nanoseconds, logarithmic", nameGap: 24, axisLabel: { color: c.muted, hideOverlap: true, formatter: (v: number) => number(v, 2) } }),
        yAxis: axis(c, { type: "category", inverse: true, data: list.map((r) => r.name), axisTick: { show: false }, splitLine: { show: false }, axisLabel: { color: c.ink, interval: 0, fontSize: 11 } }),
        series: [bar(machine.name, c.series[0], (r) => r.here), ...(other ? [bar(other.name, c.series[1], (r) => r.there)] : [])],
      };
    },
  });
  const renew = () => {
    const ratio = mean();
    summary.textContent = ratio && other ? `Geometric mean over ${rows().length} operations: ${machine.name} takes ${number(ratio, 3)} times what ${other.name} takes.` : `${rows().length} operations.`;
    chart.redraw(barsHeight(shown().length) + 34);
    const choices = comparedTo(language);
    controls.replaceChildren(
      ...(languages.length > 1 ? [segmented("Language", languages.map((l) => ({ value: l, label: l })), language, (l) => ((language = l), (other = comparedTo(l)[0] ?? null), (sorting = other ? sorting : "cost"), renew()))] : []),
      ...(choices.length ? [select("Against", [...choices.map((m) => ({ value: m.name, label: m.name })), { value: "", label: "nothing" }], other?.name ?? "", (v) => ((other = choices.find((m) => m.name === v) ?? null), renew()))] : []),
      segmented("Sorted by", Object.entries(sortings).filter(([k]) => k !== "ratio" || other).map(([value, label]) => ({ value, label })), sorting, (s) => ((sorting = s), renew())),
      ...(rows().length > most ? [el("button", { type: "button", class: "quiet", onclick: () => ((all = !all), renew()) }, all ? `First ${most}` : `All ${rows().length}`)] : []),
    );
  };
  renew();
  chart.element.querySelector("figcaption")?.append(summary);
  chart.element.querySelector("figcaption")?.after(controls);
  return chart.element;
}

// ---- memory ----

function memory(machine: Machine, others: Machine[]): HTMLElement | null {
  const withLevels = [machine, ...others].filter((m) => m.memory?.levels?.some((l) => l.latency_ns));
  if (withLevels[0] !== machine) return null;
  const steps = (m: Machine): [number, number][] => {
    let from = 4096;
    const list: [number, number][] = [];
    for (const level of m.memory?.levels ?? []) {
      if (!level.latency_ns) continue;
      const to = level.capacity_bytes?.value ?? 1 << 30;
      list.push([from, level.latency_ns.value], [Math.max(from, to), level.latency_ns.value]);
      from = Math.max(from, to) * 1.0001;
    }
    return list;
  };
  return figure({
    title: "Latency of memory",
    note: "A dependent load, by the size of what is walked over; both axes logarithmic.",
    label: `Latency of the memory levels of ${machine.name}: ` + (machine.memory?.levels ?? []).map((l) => `${l.name} ${number(l.latency_ns?.value)} ns`).join(", "),
    height: 280,
    table: {
      head: ["machine", "level", "latency, ns", "up to"],
      numeric: [false, false, true, true],
      rows: withLevels.flatMap((m) => (m.memory?.levels ?? []).map((l) => [m.name, l.name, number(l.latency_ns?.value), l.capacity_bytes ? bytes(l.capacity_bytes.value) : "–"])),
    },
    option: (c) => ({
      legend: legend(c),
      grid: { left: 12, right: 30, top: 34, bottom: 38, containLabel: true },
      tooltip: tooltip(c, { trigger: "axis", formatter: (items: { seriesName: string; data: number[] }[]) => lines(bytes(items[0].data[0]), items.map((i) => [i.seriesName, number(i.data[1], 3) + " ns"])) }),
      xAxis: axis(c, { type: "log", logBase: 2, name: "working set", nameGap: 24, min: 4096, max: 1 << 30, axisLabel: { color: c.muted, hideOverlap: true, formatter: (v: number) => bytes(v) } }),
      yAxis: axis(c, { type: "log", name: "ns", nameGap: 34, axisLabel: { color: c.muted, formatter: (v: number) => number(v, 2) } }),
      series: withLevels.map((m, i) => ({
        type: "line",
        name: m.name,
        data: steps(m),
        showSymbol: false,
        lineStyle: { width: m === machine ? 3 : 1.3, type: m === machine ? "solid" : "dashed" },
        itemStyle: { color: c.series[i % c.series.length] },
      })),
    }),
  }).element;
}

// ---- instructions against LLVM ----

function instructions(llvm: AgainstLlvm): HTMLElement {
  let what: "latency" | "throughput" = llvm.disagreements.some((d) => d.latency !== undefined) ? "latency" : "throughput";
  const rows = () =>
    llvm.disagreements
      .flatMap((d) => {
        const here = d[what], there = what === "latency" ? d.llvm_latency : d.llvm_throughput;
        return here !== undefined && there !== undefined && here > 0 && there > 0 ? [{ name: d.form, opcode: d.opcode, here, there }] : [];
      })
      .sort((a, b) => Math.abs(Math.log(b.here / b.there)) - Math.abs(Math.log(a.here / a.there)))
      .slice(0, 36);
  const chart = figure({
    title: `Instructions against LLVM's tables for ${llvm.llvm_cpu}`,
    note: `Of ${llvm.compared} measured forms ${llvm.disagreements.length} disagree. Filled: measured; hollow: LLVM; cycles, logarithmic.`,
    label: `Measured instructions of ${llvm.machine} that disagree with LLVM's tables`,
    height: barsHeight(rows().length) + 20,
    controls: [segmented("Show", [{ value: "latency", label: "latency" }, { value: "throughput", label: "throughput" }], what, (v) => ((what = v as typeof what), chart.redraw(barsHeight(rows().length) + 20)))],
    table: () => ({ head: ["form", "opcode", "measured", "LLVM"], numeric: [false, false, true, true], rows: rows().map((r) => [r.name, r.opcode, number(r.here, 3), number(r.there, 3)]) }),
    option: (c) => {
      const list = rows();
      return {
        grid: { left: 8, right: 40, top: 8, bottom: 38, containLabel: true },
        tooltip: tooltip(c, { trigger: "axis", axisPointer: { type: "shadow" }, formatter: (items: { dataIndex: number }[]) => { const r = list[items[0].dataIndex]; return r ? lines(`${r.name} (${r.opcode})`, [["measured", number(r.here, 3)], ["LLVM", number(r.there, 3)]]) : ""; } }),
        xAxis: axis(c, { type: "log", ...logRange(list.flatMap((r) => [r.here, r.there]), true), name: what === "latency" ? "latency, cycles" : "cycles per instruction", nameGap: 24, axisLabel: { color: c.muted, hideOverlap: true, formatter: (v: number) => number(v, 2) } }),
        yAxis: axis(c, { type: "category", inverse: true, data: list.map((r) => r.name), axisTick: { show: false }, splitLine: { show: false }, axisLabel: { color: c.ink, interval: 0, fontSize: 11 } }),
        series: [
          {
            type: "custom",
            silent: true,
            data: list.map((r, i) => [r.here, i, r.there]),
            encode: { x: [0, 2], y: 1 },
            renderItem: (_: unknown, api: { value: (i: number) => number; coord: (p: number[]) => number[] }) => {
              const [x1, y] = api.coord([api.value(0), api.value(1)]);
              const [x2] = api.coord([api.value(2), api.value(1)]);
              return { type: "line", shape: { x1, y1: y, x2, y2: y }, style: { stroke: api.value(0) > api.value(2) ? c.bad : c.good, opacity: 0.55, lineWidth: 2 } };
            },
          },
          { type: "scatter", name: "LLVM", symbolSize: 9, itemStyle: { color: c.card, borderColor: c.muted, borderWidth: 1.6 }, data: list.map((r, i) => [r.there, i]) },
          { type: "scatter", name: "measured", symbolSize: 9, itemStyle: { color: c.series[0] }, data: list.map((r, i) => [r.here, i]) },
        ],
      };
    },
  });
  return chart.element;
}

// ---- everything else ----

interface Quantity {
  name: string;
  measured: Measurement;
}

function quantities(value: unknown, name = ""): Quantity[] {
  if (isMeasurement(value)) return [{ name, measured: value }];
  const below = (key: string) => (name ? name + " · " : "") + words(key);
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const key = item && typeof item === "object" ? ((item as Record<string, unknown>).name ?? (item as Record<string, unknown>).opcode) : null;
      return typeof key === "string" ? quantities(item, below(key)) : [];
    });
  if (value && typeof value === "object") return Object.entries(value).flatMap(([key, item]) => quantities(item, below(key)));
  return [];
}

function everything(machine: Machine): HTMLElement | null {
  const { core, memory: levels, system, peaks } = machine;
  const list = quantities({ core, memory: levels, system, peaks });
  if (!list.length) return null;
  return el(
    "details",
    { class: "numbers" },
    el("summary", {}, `All ${list.length} numbers of core, memory and system, with their origin`),
    longTable(
      {
        head: ["quantity", "value", "sd", "how", "note"],
        numeric: [false, true, true, false, false],
        rows: list.map(({ name, measured: m }) => [name, m.not_detected ? "not detected" : number(m.value, 5), m.sd !== undefined ? number(m.sd, 2) : "", m.how ?? "", m.note ?? ""]),
      },
      `Numbers of ${machine.name}`,
      40,
    ),
  );
}

export function machineSection(machine: Machine, data: PageData, all: Machine[], id: string): Section {
  const others = [...all.filter((m) => m !== machine), ...(data.references ?? []).filter((m) => m.name !== machine.name && !all.some((a) => a.name === m.name))];
  const llvm = (data.against_llvm ?? []).find((l) => l.machine === machine.name && l.disagreements.length);
  const parts = [
    operations(machine, others, data.meanings ?? {}),
    memory(machine, others.slice(0, 4)),
    llvm ? instructions(llvm) : null,
  ].filter((p): p is HTMLElement => p !== null);
  const rest = everything(machine);
  const gaps = notes("Not known", (machine.gaps ?? []).map((g) => g.what));
  return section(id, "Machine " + machine.name, null, cardOf(machine), ...parts.map((p) => card(null, p)), rest || gaps ? card(null, rest, gaps) : null);
}

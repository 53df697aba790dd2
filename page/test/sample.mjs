// A page with every kind of record: invented numbers, shaped as the program writes them. Used by the browser test.
const made_by = { perfcast: "0.1.0", host: "sample", system: "Linux", date: "2026-01-01T12:00:00Z" };
const measured = (value, more = {}) => ({ value, how: "measured", ...more });

const machine = (name, factor) => ({
  format: "perfcast.machine", version: 1, name, description: `an invented machine, factor ${factor}`, isa: "x86_64", made_by,
  source: ["c", "fortran"].map((language) => ({
    language, compiler: "clang-19", flags: "-O0",
    costs: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`OP${i}`, measured(factor * (0.4 + ((i * 7) % 13)) * (1 + (i % 3) / 4), { sd: 0.05 })])),
  })),
  mflops: measured(1200 / factor),
  core: {
    clock_ghz: measured(3 / factor), llvm_cpu: "some-core", front_end: { rename_width: measured(6) }, window: { reorder_buffer: measured(512) },
    ports: ["p0", "p1", "p5"], branches: { misprediction: measured(17) },
  },
  memory: {
    levels: [
      { name: "L1", latency_ns: measured(1.6 * factor), capacity_bytes: measured(49152) },
      { name: "L2", latency_ns: measured(6 * factor), capacity_bytes: measured(2 << 20) },
      { name: "L3", latency_ns: measured(40 * factor), capacity_bytes: measured(32 << 20) },
      { name: "DRAM", latency_ns: measured(110 * factor) },
    ],
  },
  gaps: [{ what: "throughput of OP7" }],
});

const part = (name, seconds, count) => ({ name, seconds, count });
const modelPrediction = (model, name, seconds) => ({
  model, machine: name, seconds, interval: [0.8 * seconds, 1.3 * seconds], confidence: 0.9,
  parts: model === "hllc" ? [part("OP1", 0.6 * seconds, 1e6), part("OP2", 0.4 * seconds, 2e6)] : [part("issue", 0.45 * seconds), part("memory: L2", 0.3 * seconds), part("misprediction", 0.15 * seconds), part("start", 0.1 * seconds)],
  views: {
    function: [part("relax", 0.7 * seconds, 400), part("main", 0.2 * seconds, 1)],
    line: [part("heat.c:4", 0.5 * seconds, 1e6), part("heat.c:5", 0.2 * seconds, 1e6), part("heat.c:9", 0.2 * seconds, 1)],
    region: [part("sweep", 0.7 * seconds)],
  },
  estimated_share: 0.12, remarks: ["an example of a remark"], gaps: [{ what: "a routine without a cost", at: { file: "heat.c", line: 9 } }],
});

const loops = ["relax", "init", "norm"].map((name, i) => ({
  function: name, file: "heat.c", line: 4 + 3 * i, unit: "cycles_per_iteration", iterations: 1e6 / (i + 1), m: 1, ma: 2 + i, mac: 3 + i, macs: 4.5 + i, window: 5 + i, measured: i === 2 ? null : 6.2 + i,
  gaps: { a: 1 + i, c: 1, s: 1.5, w: 0.5, p: i === 2 ? null : 1.2 }, seconds: 0.1 / (i + 1), share: 0.6 / (i + 1), limited_by: { macs: "chain of additions" },
  p_parts: i === 2 ? [] : [{ name: "L2", amount: 0.9 }, { name: "branches", amount: 0.4 }, { name: "rest", amount: -0.1 }],
  advice: [{ text: "The chain of additions limits this loop; several sums would break it.", cause: "recurrence", seconds: 0.02 }],
}));

const validationPrograms = Array.from({ length: 24 }, (_, i) => {
  const time = 0.01 * Math.pow(1.4, i), error = 0.3 * Math.sin(i * 2.1);
  const model = (e) => ({ seconds: time * (1 + e), error: e, interval: [time * (1 + e) * 0.8, time * (1 + e) * 1.25], covered: Math.abs(e) < 0.2 });
  return { name: `program-${i}`, measured: time, runs: 9, models: { icc: model(error), hllc: model(2 * error + 0.4) } };
});

const frame = (name, seconds, self, children = []) => ({ name, seconds, self, children });

const offer = (name, seconds, price, deadline) => ({
  machine: name, seconds, interval: [0.8 * seconds, 1.3 * seconds], price_per_hour: price, cost: (seconds * price) / 3600, cost_interval: [(0.8 * seconds * price) / 3600, (1.3 * seconds * price) / 3600],
  value: 1 / (seconds * price), deadline, complete: true, remarks: [`an example of a remark about ${name}`],
  programs: ["heat", "sort"].map((program, i) => ({ program, model: "icc", seconds: seconds / 2, interval: [0.4 * seconds, 0.65 * seconds], mostly: "ports", mostly_share: 0.5, gain: 1 + i, shares: { ports: 0.5, "memory: L2": 0.3 - 0.1 * i, dependences: 0.2 + 0.1 * i } })),
});
const choice = {
  format: "perfcast.choice", version: 1, made_by, deadline_seconds: 150, fastest: "there", cheapest: "here", best_value: "there", remarks: ["here may be as fast as there: their intervals overlap"],
  offers: [offer("there", 80, 3, "met"), offer("here", 110, 1, "likely"), offer("old", 400, 0.5, "missed"), { machine: "strange", seconds: 0, interval: [0, 0], programs: [], complete: false, remarks: ["no model answers for heat"] }],
};
const comparison = {
  format: "perfcast.comparison", version: 1, reference: "here", machines: ["here", "there"], groups: [], quantities: [],
  distances: [{ section: "c", a: "here", b: "there", quantities: 40, distance: 0.6, shape: 0.1, ratio: 0.55 }, { section: "all", a: "here", b: "there", quantities: 40, distance: 0.6, shape: 0.1, ratio: 0.55 }],
  repetitions: [{ a: "here", b: "here#2", compared: 300, agreeing: 270, within_5: 0.95, within_10: 0.99, beyond: [{ section: "c gcc -O0", name: "OP1", a: 1, b: 1.3, intervals: 2.2 }] }],
  programs: [{ program: "heat", model: { here: "icc", there: "icc" }, seconds: { here: 0.2, there: 0.1 }, gain: { there: 2 }, shares: { here: { ports: 0.4, "memory: L2": 0.6 }, there: { ports: 0.6, "memory: L2": 0.4 } }, mostly: { there: "memory: L2" }, mostly_seconds: { there: 0.08 } }],
};

export const sample = {
  format: "perfcast.report", version: 1, title: "heat", made_by,
  records: [
    machine("here", 1), machine("there", 1.7),
    { format: "perfcast.prediction", version: 1, program: "heat", made_by, predictions: [modelPrediction("icc", "here", 0.1934), modelPrediction("hllc", "here", 0.6), modelPrediction("icc", "there", 0.31)], measured: { seconds: 0.1934, interval: [0.19, 0.21], runs: 15 }, refused: ["dbc: the profile has no steps"] },
    { format: "perfcast.profile_digest", version: 1, program: "heat", made_by, run: { arguments: ["400"], cflags: "-O2", compiler: "clang-19", isa: "x86_64", seconds: 0.2, page_faults: 812, parameters: { N: 400 } }, levels: [{ level: "IR", functions: 2, executed_functions: 2, blocks: 22, executed: 20, work: 2e9 }], loops: [{ function: "relax", file: "heat.c", line: 4, entries: 400, iterations: 160000, share: 0.97 }, { function: "std::vector<std::pair<int, double>, std::allocator<std::pair<int, double>>>::push_back(std::pair<int, double>&&)", file: "heat.c", line: 9, entries: 1, iterations: 3, share: 0.01 }], operations: [{ name: "OP1", count: 1e6, meaning: "add" }], library_calls: { printf: 1, calloc: 2 }, gaps: [] },
    { format: "perfcast.bounds", version: 1, program: "heat", machine: "here", made_by, loops, run_time: { m: 0.02, ma: 0.05, mac: 0.09, macs: 0.12, window: 0.15, measured: 0.2 }, fastest_threads: 2, best_used_threads: 1,
      threads: [1, 2].map((n) => ({ threads: n, measured_seconds: 0.2 / n, speedup: 0.9 * n, utilisation: 0.6 / n, regions: [{ function: "sweep", at: { line: 12 }, threads: n, measured_seconds: 0.15 / n, speedup: n, utilisation: 0.7 }] })) },
    { format: "perfcast.equation", version: 1, program: "heat", machine: "here", made_by, parameters: ["N", "P"], seconds: "1.2e-9*N^3/P + 4e-6*N*log2(max(P, 2)) + step(N - 2000)*3e-10*N^2 + startup", blocks: { exact: 18, interpolated: 3, ratio: 1 }, at: [{ set: { N: 1000, P: 4 }, seconds: 0.31, interval: [0.25, 0.4], warnings: ["N = 1000 crosses the second cache, which no run has seen"] }], recorded: { startup: 0.001 }, terms: [{ name: "heat.c:4", kind: "computation", seconds: "1.2e-9*N^3/P", share: 0.9 }, { name: "allreduce", kind: "communication", seconds: "4e-6*N*log2(max(P, 2))" }, { name: "start", kind: "system", seconds: "startup" }], sensitivity: [{ parameter: "N", value: 1000, derivative: 1e-3, elasticity: 2.9 }, { parameter: "P", value: 4, derivative: -0.07, elasticity: -0.95 }], views: [{ name: "speedup", settings: [{ P: 1 }, { P: 4 }, { P: 16 }], seconds: [1.2, 0.31, 0.1], metric: [1, 3.9, 12], shares: { "heat.c:4": [1, 0.97, 0.8], allreduce: [0, 0.03, 0.2] } }], offers: [{ machine: "here", processors: 4, seconds: 0.31, price: 0.02 }], hidden: ["H1: sweeps until convergence, 2*N"] },
    { format: "perfcast.tree", version: 1, program: "heat", machine: "here", made_by, root: { name: "run", share: 1, seconds: 0.2, children: [{ name: "core", share: 0.6, seconds: 0.12, capacity: 0.8, children: [{ name: "integer", share: 0.2, seconds: 0.04 }, { name: "floating", share: 0.4, seconds: 0.08 }] }, { name: "memory", share: 0.4, seconds: 0.08, children: [{ name: "L2", share: 0.3, seconds: 0.06 }, { name: "DRAM", share: 0.1, seconds: 0.02 }] }] }, upgrades: [{ change: "L2=2", seconds: 0.17, interval: [0.16, 0.18] }], ranking: [{ change: "core=2", seconds: 0.14, interval: [0.12, 0.15] }] },
    { format: "perfcast.dilation", version: 1, program: "mpirun -n 2 heat", made_by, kind: "messages", ranks: 2, cores: 2, verdict: "transport-bound", explanation: "a faster network would shorten the run by a quarter", compute_share: 0.6, transport_share: 0.3, logic_share: 0.1, ideal: 1.5, useful_until: 4, points: [1, 2, 4, 6].map((d) => ({ d, elapsed: 2 * (0.6 * d + 0.4), normalized: 2 * (0.6 + 0.4 / d), speedup: 1 / (0.6 + 0.4 / d), segments: 100, valid: d < 6, doubts: d < 6 ? [] : ["too many short segments"], normalized_times: { user: 1.2, wait_receive: 0.6 / d, send: 0.2 / d } })) },
    { format: "perfcast.validation", version: 1, machine: "here", suite: "sample", made_by, programs: [...validationPrograms, { name: "broken", models: {}, failed: "did not compile" }], models: { icc: { mape: 0.18, median: 0.15, bias: 0.02, within: { 5: 0.2, 10: 0.4, 15: 0.6, 20: 0.7 }, tau: 0.93, coverage: 0.7, programs: 24 }, hllc: { mape: 0.6, median: 0.5, within: { 5: 0, 10: 0.1, 15: 0.2, 20: 0.2 }, tau: 0.8, coverage: 0.3, programs: 24 } } },
    choice, comparison,
    { format: "perfcast.gate", version: 1, base: "old.profile.json", candidate: "new.profile.json", machine: "here", model: "icc", made_by, limit: 0.03, base_seconds: 0.19, seconds: 0.21, change: 0.105, passed: false, functions: [{ name: "relax", base_seconds: 0.13, seconds: 0.16, change: 0.23, share: 0.158, status: "slower" }, { name: "main", base_seconds: 0.06, seconds: 0.05, change: -0.166, share: -0.05, status: "faster" }] },
  ].map((record, i) => ({ file: `sample-${i}.json`, computed: i === 2, record })),
  references: [machine("reference", 2.5)],
  against_llvm: [{ machine: "here", llvm_cpu: "some-core", compared: 60, disagreements: Array.from({ length: 14 }, (_, i) => ({ form: `form ${i}`, opcode: `OPC${i}`, latency: 3 + i, llvm_latency: 4 + ((i * 5) % 9), throughput: 0.5 + i / 4, llvm_throughput: 1 })) }],
  sources: [{ file: "heat.c", first_line: 1, text: "// Heat on a plate\n#include <math.h>\nstatic double relax(const double *from, double *to, int n) {\n  for (int i = 1; i < n - 1; i++)\n    to[i] = 0.25 * (from[i - 1] + from[i + 1]);\n  return 0;\n}\nint main(void) {\n  return relax(0, 0, 1) > 0;\n}" }],
  flames: [{ program: "heat", machine: "here", model: "icc", root: frame("heat", 0.19, 0.01, [frame("main", 0.17, 0.03, [frame("relax", 0.14, 0.1, [frame("fmax", 0.04, 0.04)])]), frame("[start]", 0.01, 0.01)]) }],
  meanings: { OP1: "add local reals", OP2: "multiply local reals" },
};

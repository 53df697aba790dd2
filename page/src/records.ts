// The records as the page meets them: only the keys it draws from, everything that may be missing optional.
// docs/formats.md describes the files in full.

export interface Measurement {
  value: number;
  sd?: number;
  how?: string;
  note?: string;
  not_detected?: boolean;
  limit?: number;
}

export interface MadeBy {
  perfcast?: string;
  host?: string;
  system?: string;
  compiler?: string;
  flags?: string;
  date?: string;
  clock?: string;
  command?: string;
}

export interface Gap {
  what: string;
  at?: { file?: string; line?: number };
  weight?: number;
}

export interface Part {
  name: string;
  seconds: number;
  count?: number;
  sd?: number;
}

export interface ModelPrediction {
  model: string;
  machine: string;
  seconds: number;
  interval: [number, number];
  confidence?: number;
  parts: Part[];
  views?: Record<string, Part[]>;
  estimated_share?: number;
  gaps?: Gap[];
  remarks?: string[];
}

export interface Prediction {
  program: string;
  made_by?: MadeBy;
  predictions: ModelPrediction[];
  measured?: { seconds: number; interval: [number, number]; runs: number; disturbed?: number; how?: string };
  refused?: string[];
}

export interface MemoryLevel {
  name: string;
  capacity_bytes?: Measurement;
  latency_ns?: Measurement;
  read_ns?: Record<string, Measurement>;
  write_ns?: Record<string, Measurement>;
  parallel_misses?: Measurement;
}

export interface Machine {
  name: string;
  description?: string;
  isa?: string;
  made_by?: MadeBy & { more?: Record<string, string> };
  source?: { language: string; compiler?: string; flags?: string; costs: Record<string, Measurement> }[];
  mflops?: Measurement;
  core?: {
    clock_ghz?: Measurement;
    llvm_cpu?: string;
    front_end?: Record<string, Measurement>;
    window?: Record<string, Measurement>;
    ports?: string[];
    branches?: Record<string, Measurement | string>;
  };
  memory?: { line_bytes?: number; page_bytes?: number; levels?: MemoryLevel[] };
  system?: Record<string, unknown>;
  peaks?: Record<string, Measurement>;
  gaps?: Gap[];
}

export interface AgainstLlvm {
  machine: string;
  llvm_cpu: string;
  compared: number;
  disagreements: {
    form: string;
    opcode: string;
    latency?: number;
    llvm_latency?: number;
    throughput?: number;
    llvm_throughput?: number;
  }[];
}

export interface Advice {
  text: string;
  cause?: string;
  gap?: string;
  cycles?: number;
  seconds?: number;
}

export interface LoopBounds {
  function: string;
  file?: string;
  line?: number;
  unit?: string;
  iterations?: number;
  m?: number;
  ma?: number;
  mac?: number;
  macs?: number;
  window?: number;
  measured?: number | null;
  seconds?: number;
  share?: number;
  vector_bits?: number;
  limited_by?: Record<string, string>;
  p_parts?: { name: string; amount: number }[];
  advice?: (string | Advice)[];
  remarks?: string[];
}

interface RunTimeBound {
  m: number;
  ma: number;
  mac: number;
  macs: number;
  window: number;
  measured?: number | null;
}

interface ThreadTimes {
  threads: number;
  actual_seconds?: number;
  balanced_seconds?: number;
  measured_seconds?: number | null;
  speedup?: number | null;
  utilisation?: number | null;
}

export interface ThreadsBound extends ThreadTimes {
  regions?: (ThreadTimes & { function: string; at?: { line?: number }; imbalance?: number })[];
}

export interface Bounds {
  program?: string;
  machine?: string;
  made_by?: MadeBy;
  loops: LoopBounds[];
  run_time?: RunTimeBound;
  loops_share?: number;
  measured_how?: string;
  threads?: ThreadsBound[];
  fastest_threads?: number;
  best_used_threads?: number;
  broken_laws?: { law: string; function?: string; by: number }[];
  remarks?: string[];
}

export interface Evaluated {
  set: Record<string, number>;
  seconds: number;
  interval?: [number, number];
  parts?: Record<string, number>;
  warnings?: string[];
  measured?: number;
}

export interface EquationTerm {
  name: string;
  kind?: string;
  count?: string;
  seconds: string;
  certainty?: string;
  share?: number;
}

export interface ScalingView {
  name: string;
  settings: Record<string, number>[];
  seconds: number[];
  metric: number[];
  shares?: Record<string, number[]>;
}

export interface Equation {
  program?: string;
  machine?: string;
  made_by?: MadeBy;
  parameters: string[];
  recorded?: Record<string, number>;
  seconds: string;
  blocks?: Record<string, number>;
  hidden?: string[];
  terms?: EquationTerm[];
  at?: Evaluated[];
  sensitivity?: { parameter: string; unit?: string; value: number; derivative: number; elasticity: number }[];
  views?: ScalingView[];
  optimum?: { objective?: string; at?: Record<string, number>; value?: number; how?: string };
  offers?: { machine: string; processors?: number; seconds: number; price?: number }[];
  calibration?: { core?: number; memory?: number; runs?: number };
  remarks?: string[];
}

export interface UseNode {
  name: string;
  meaning?: string;
  share: number;
  seconds?: number;
  capacity?: number | null;
  used?: number | null;
  residue?: number;
  children?: UseNode[];
}

export interface Upgrade {
  change: string;
  seconds: number;
  interval?: [number, number];
  speedup?: number;
  remark?: string;
}

export interface UseTree {
  program?: string;
  machine?: string;
  made_by?: MadeBy;
  unit?: string;
  root: UseNode;
  upgrades?: Upgrade[];
  ranking?: Upgrade[];
  crossed?: { changes: string[]; speedup: number[][] };
  processors?: { fast: number[]; speed: number[]; improvement: number[][]; tolerance: number[][] };
  comparisons?: { program: string; machine?: string; distance: number; finding?: string }[];
  remarks?: string[];
}

export interface DilationPoint {
  d: number;
  elapsed: number;
  normalized?: number;
  speedup?: number | null;
  normalized_times?: Record<string, number>;
  segments?: unknown;
  valid?: boolean;
  doubts?: string[];
}

export interface Dilation {
  program?: string;
  kind?: string;
  ranks?: number;
  cores?: number;
  made_by?: MadeBy;
  points: DilationPoint[];
  verdict?: string;
  explanation?: string;
  compute_share?: number;
  transport_share?: number;
  logic_share?: number;
  ideal?: number;
  useful_until?: number;
  regions?: { region: string; share: number; points: DilationPoint[]; promised?: number }[];
  remarks?: string[];
}

export interface Validation {
  machine: string;
  suite?: string;
  made_by?: MadeBy;
  programs: {
    name: string;
    measured?: number;
    measured_interval?: [number, number];
    runs?: number;
    disturbed?: number;
    models: Record<string, { seconds: number; error: number; interval: [number, number]; covered: boolean }>;
    failed?: string;
  }[];
  models: Record<
    string,
    {
      mape: number;
      median: number;
      bias?: number;
      within: Record<string, number>;
      tau: number;
      coverage: number;
      programs?: number;
    }
  >;
}

export interface Gate {
  base: string;
  candidate: string;
  machine: string;
  model: string;
  limit: number;
  base_seconds: number;
  seconds: number;
  change: number;
  passed: boolean;
  functions: { name: string; base_seconds: number; seconds: number; change?: number; share: number; status: string }[];
}

export interface MachineOffer {
  machine: string;
  seconds: number;
  interval: [number, number];
  price_per_hour?: number;
  cost?: number;
  cost_interval?: [number, number];
  value?: number;
  deadline?: string;
  complete?: boolean;
  programs: { program: string; model: string; seconds: number; interval: [number, number]; mostly?: string; mostly_share?: number; shares?: Record<string, number>; gain?: number }[];
  remarks?: string[];
}

export interface Choice {
  made_by?: MadeBy;
  deadline_seconds?: number;
  offers: MachineOffer[];
  fastest?: string;
  cheapest?: string;
  best_value?: string;
  remarks?: string[];
}

export interface Comparison {
  reference: string;
  machines: string[];
  distances?: { section: string; a: string; b: string; quantities: number; distance: number; shape: number; ratio: number }[];
  repetitions?: { a: string; b: string; compared: number; agreeing: number; within_5: number; within_10: number; beyond: { section: string; name: string; a: number; b: number; intervals: number }[] }[];
  programs?: {
    program: string;
    seconds: Record<string, number>;
    gain?: Record<string, number>;
    shares?: Record<string, Record<string, number>>;
    mostly?: Record<string, string>;
    mostly_seconds?: Record<string, number>;
  }[];
}

// What the page needs of a profile; the program makes it from the whole one.
export interface ProfileDigest {
  program: string;
  made_by?: MadeBy;
  run?: {
    sources?: string[];
    arguments?: string[];
    cflags?: string;
    language?: string;
    compiler?: string;
    target?: string;
    cpu?: string;
    isa?: string;
    parameters?: Record<string, number>;
    page_faults?: number;
    seconds?: number;
    ending?: string;
  };
  levels: { level: string; functions: number; executed_functions: number; blocks: number; executed: number; work: number }[];
  loops: { function: string; file?: string; line?: number; entries: number; iterations: number; share: number }[];
  operations: { name: string; count: number; meaning?: string }[];
  library_calls?: Record<string, number>;
  gaps?: Gap[];
}

export interface Frame {
  name: string;
  seconds: number;
  self: number;
  children?: Frame[];
}

export interface Flame {
  program: string;
  machine: string;
  model: string;
  root: Frame;
}

export interface SourceText {
  file: string;
  first_line: number;
  text?: string;
}

export interface Embedded {
  file: string;
  computed?: boolean;
  record: { format: string; version: number } & Record<string, unknown>;
}

export interface PageData {
  title: string;
  made_by?: MadeBy;
  records: Embedded[];
  references?: Machine[];
  against_llvm?: AgainstLlvm[];
  sources?: SourceText[];
  flames?: Flame[];
  meanings?: Record<string, string>;
}

export function records<T>(data: PageData, kind: string): T[] {
  return data.records.filter((r) => r.record.format === "perfcast." + kind).map((r) => r.record as unknown as T);
}

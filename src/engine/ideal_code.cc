#include "engine/ideal_code.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "base/paths.h"
#include "engine/resolve.h"
#include "engine/simulate.h"

namespace perfcast::engine {
namespace {

// For each operation the opcode on doubles, on singles, on 64-bit and on 32-bit integers. {W} is the width's letter:
// x86-64 Y or Z. Scalar opcodes come first, whole vectors second.
struct Row {
  const char* operation;
  const char* x86_scalar[2];
  const char* x86_vector[2];
  const char* arm_scalar[2];
  const char* arm_vector[2];
};
constexpr Row floats[] = {  // double, single
    {"fadd", {"ADDSDrr", "ADDSSrr"}, {"VADDPD{W}rr", "VADDPS{W}rr"}, {"FADDDrr", "FADDSrr"}, {"FADDv2f64", "FADDv4f32"}},
    {"fmul", {"MULSDrr", "MULSSrr"}, {"VMULPD{W}rr", "VMULPS{W}rr"}, {"FMULDrr", "FMULSrr"}, {"FMULv2f64", "FMULv4f32"}},
    {"fma", {"VFMADD231SDr", "VFMADD231SSr"}, {"VFMADD231PD{W}r", "VFMADD231PS{W}r"}, {"FMADDDrrr", "FMADDSrrr"}, {"FMLAv2f64", "FMLAv4f32"}},
    {"fdiv", {"DIVSDrr", "DIVSSrr"}, {"VDIVPD{W}rr", "VDIVPS{W}rr"}, {"FDIVDrr", "FDIVSrr"}, {"FDIVv2f64", "FDIVv4f32"}},
    {"sqrt", {"SQRTSDr", "SQRTSSr"}, {"VSQRTPD{W}r", "VSQRTPS{W}r"}, {"FSQRTDr", "FSQRTSr"}, {"FSQRTv2f64", "FSQRTv4f32"}},
    {"fneg", {"XORPDrr", "XORPSrr"}, {"VXORPD{W}rr", "VXORPS{W}rr"}, {"FNEGDr", "FNEGSr"}, {"FNEGv2f64", "FNEGv4f32"}},
    {"fcmp", {"UCOMISDrr", "UCOMISSrr"}, {"VCMPPD{W}rri", "VCMPPS{W}rri"}, {"FCMPDrr", "FCMPSrr"}, {"FCMGTv2f64", "FCMGTv4f32"}},
    {"fmax", {"MAXSDrr", "MAXSSrr"}, {"VMAXPD{W}rr", "VMAXPS{W}rr"}, {"FMAXNMDrr", "FMAXNMSrr"}, {"FMAXNMv2f64", "FMAXNMv4f32"}},
    {"select", {"BLENDVPDrr0", "BLENDVPSrr0"}, {"VBLENDMPD{W}rr", "VBLENDMPS{W}rr"}, {"FCSELDrrr", "FCSELSrrr"}, {"BSLv16i8", "BSLv16i8"}},
    {"sitofp", {"CVTSI2SDrr", "CVTSI2SSrr"}, {"VCVTDQ2PD{W}rr", "VCVTDQ2PS{W}rr"}, {"SCVTFUXDri", "SCVTFUWSri"}, {"SCVTFv2f64", "SCVTFv4f32"}},
    {"fpext", {"CVTSS2SDrr", "CVTSS2SDrr"}, {"VCVTPS2PD{W}rr", "VCVTPS2PD{W}rr"}, {"FCVTDSr", "FCVTDSr"}, {"FCVTLv2i32", "FCVTLv2i32"}},
    {"fptrunc", {"CVTSD2SSrr", "CVTSD2SSrr"}, {"VCVTPD2PS{W}rr", "VCVTPD2PS{W}rr"}, {"FCVTSDr", "FCVTSDr"}, {"FCVTNv2i32", "FCVTNv2i32"}},
    {"load", {"MOVSDrm", "MOVSSrm"}, {"VMOVUPD{W}rm", "VMOVUPS{W}rm"}, {"LDRDui", "LDRSui"}, {"LDRQui", "LDRQui"}},
    {"store", {"MOVSDmr", "MOVSSmr"}, {"VMOVUPD{W}mr", "VMOVUPS{W}mr"}, {"STRDui", "STRSui"}, {"STRQui", "STRQui"}},
};
constexpr Row integers[] = {  // 64 bits, 32 bits and less
    {"add", {"ADD64rr", "ADD32rr"}, {"VPADDQ{W}rr", "VPADDD{W}rr"}, {"ADDXrs", "ADDWrs"}, {"ADDv2i64", "ADDv4i32"}},
    {"and", {"AND64rr", "AND32rr"}, {"VPAND{D}rr", "VPAND{D}rr"}, {"ANDXrs", "ANDWrs"}, {"ANDv16i8", "ANDv16i8"}},
    {"shl", {"SHL64ri", "SHL32ri"}, {"VPSLLQ{W}ri", "VPSLLD{W}ri"}, {"UBFMXri", "UBFMWri"}, {"SHLv2i64_shift", "SHLv4i32_shift"}},
    {"mul", {"IMUL64rr", "IMUL32rr"}, {"VPMULUDQ{W}rr", "VPMULLD{W}rr"}, {"MADDXrrr", "MADDWrrr"}, {"MULv4i32", "MULv4i32"}},
    {"sdiv", {"IDIV64r", "IDIV32r"}, {"IDIV64r", "IDIV32r"}, {"SDIVXr", "SDIVWr"}, {"SDIVXr", "SDIVWr"}},
    {"udiv", {"DIV64r", "DIV32r"}, {"DIV64r", "DIV32r"}, {"UDIVXr", "UDIVWr"}, {"UDIVXr", "UDIVWr"}},
    {"icmp", {"CMP64rr", "CMP32rr"}, {"VPCMPEQQ{W}rr", "VPCMPEQD{W}rr"}, {"SUBSXrs", "SUBSWrs"}, {"CMEQv2i64", "CMEQv4i32"}},
    {"select", {"CMOV64rr", "CMOV32rr"}, {"VPBLENDMQ{W}rr", "VPBLENDMD{W}rr"}, {"CSELXr", "CSELWr"}, {"BSLv16i8", "BSLv16i8"}},
    {"fptosi", {"CVTTSD2SI64rr", "CVTTSS2SIrr"}, {"VCVTTPD2DQ{W}rr", "VCVTTPS2DQ{W}rr"}, {"FCVTZSUXDr", "FCVTZSUWSr"}, {"FCVTZSv2f64", "FCVTZSv4f32"}},
    {"load", {"MOV64rm", "MOV32rm"}, {"VMOVUPD{W}rm", "VMOVUPD{W}rm"}, {"LDRXui", "LDRWui"}, {"LDRQui", "LDRQui"}},
    {"store", {"MOV64mr", "MOV32mr"}, {"VMOVUPD{W}mr", "VMOVUPD{W}mr"}, {"STRXui", "STRWui"}, {"STRQui", "STRQui"}},
};
constexpr std::pair<const char*, const char*> same_as[] = {
    {"fsub", "fadd"}, {"sub", "add"}, {"or", "and"}, {"xor", "and"}, {"lshr", "shl"}, {"ashr", "shl"}, {"srem", "sdiv"},
    {"urem", "udiv"}, {"frem", "fdiv"}, {"uitofp", "sitofp"}, {"fptoui", "fptosi"}};

// An instruction the machine file says nothing about, and one that runs on the same units. Blends count as logic.
constexpr std::pair<const char*, const char*> stand_ins[] = {
    {"VPADDQ{W}rr", "VPADDD{W}rr"}, {"VPCMPEQQ{W}rr", "VPCMPEQD{W}rr"}, {"VPSLLQ{W}ri", "VPSRLD{W}ri"}, {"VPSLLD{W}ri", "VPSRLD{W}ri"},
    {"VXORPD{W}rr", "VPAND{D}rr"}, {"VXORPS{W}rr", "VPAND{D}rr"}, {"VPBLENDMQ{W}rr", "VPAND{D}rr"}, {"VPBLENDMD{W}rr", "VPAND{D}rr"},
    {"VBLENDMPD{W}rr", "VPAND{D}rr"}, {"VBLENDMPS{W}rr", "VPAND{D}rr"}, {"VCMPPS{W}rri", "VCMPPD{W}rri"},
    {"VMAXPD{W}rr", "VADDPD{W}rr"}, {"VMAXPS{W}rr", "VADDPS{W}rr"}, {"FMAXNMv2f64", "FADDv2f64"}, {"FMAXNMv4f32", "FADDv4f32"},
    {"ADDv2i64", "ADDv4i32"}, {"CMEQv2i64", "ADDv4i32"}, {"CMEQv4i32", "ADDv4i32"}, {"BSLv16i8", "ANDv16i8"}, {"SHLv2i64_shift", "SHLv4i32_shift"},
    {"FNEGv2f64", "ANDv16i8"}, {"FNEGv4f32", "ANDv16i8"}, {"CSELWr", "CSELXr"}, {"SUBSWrs", "SUBSXrs"}, {"ANDWrs", "ANDXrs"}};

// AArch64: more than 128 bits by one instruction. Pairs of vectors, and those of scalable length where a core has longer ones.
struct Longer {
  const char *one, *instead;
  int vectors;      // of 128 bits
  const char* cpu;  // empty: any
};
constexpr Longer longer[] = {{"LDRQui", "LDPQi", 2, ""}, {"STRQui", "STPQi", 2, ""}, {"LDRQui", "LD1D_IMM", 2, "neoverse-v1"}, {"STRQui", "ST1D_IMM", 2, "neoverse-v1"},
                             {"LDRQui", "LD1D_IMM", 4, "a64fx"}, {"STRQui", "ST1D_IMM", 4, "a64fx"}};

std::string widened(std::string opcode, int bits) {
  if (auto at = opcode.find("{W}"); at != std::string::npos) opcode.replace(at, 3, bits >= 512 ? "Z" : "Y");
  if (auto at = opcode.find("{D}"); at != std::string::npos) opcode.replace(at, 3, bits >= 512 ? "DZ" : "Y");
  return opcode;
}

struct Type {
  bool floating = false;
  int bits = 64;
};
Type type_of(const std::string& text) {
  if (text.empty()) return {};
  Type type{text[0] == 'f', 64};
  if (int bits = std::atoi(text.c_str() + 1); bits > 0) type.bits = std::clamp(bits, 8, 64);
  return type;
}

}  // namespace

int vector_bits_of(const Machine& machine) {
  if (machine.isa == "aarch64") return 128;
  if (machine.isa != "x86_64" || !machine.core) return 64;
  const std::string& cpu = machine.core->llvm_cpu;
  for (const char* wide : {"avx512", "cascadelake", "cooperlake", "icelake", "tigerlake", "rocketlake", "sapphirerapids", "emeraldrapids",
                           "graniterapids", "cannonlake", "znver4", "znver5", "x86-64-v4"})
    if (cpu.find(wide) != std::string::npos) return 512;
  for (const char* half : {"haswell", "broadwell", "skylake", "alderlake", "raptorlake", "meteorlake", "arrowlake", "znver", "x86-64-v3"})
    if (cpu.find(half) != std::string::npos) return 256;
  return 128;
}

// Forms with a compiler's tables behind them, for what the machine file says nothing about.
struct IdealCode::Tables {
  explicit Tables(const CoreModel& core) : core(core) {}
  CoreTables core;
  std::map<std::string, InstructionForm> described;

  void read(const std::string& isa) {
    auto json = read_json_file((bundled_data() / "instructions" / (isa + ".forms.json")).string());
    if (!json || !json->contains("forms")) return;
    for (const auto& [name, entry] : (*json)["forms"].items()) {
      InstructionForm form;
      try {
        from_json_value(entry.at("form"), form, name);
      } catch (...) {
        continue;
      }
      described.try_emplace(form.opcode, form);
    }
  }
};

IdealCode::IdealCode(const Machine& machine)
    : machine_(machine), vector_bits_(vector_bits_of(machine)), costs_(*machine.core, machine.isa), tables_(std::make_unique<Tables>(*machine.core)) {
  if (!machine.isa.empty()) tables_->read(machine.isa);
}
IdealCode::~IdealCode() = default;

void IdealCode::Demand::add(const Demand& other, double times) {
  for (const auto& [set, cycles] : other.ports) ports[set] += times * cycles;
  slots += times * other.slots;
}

const IdealCode::Demand& IdealCode::of(const std::string& operation, bool whole_vectors) {
  auto it = known_.find({operation, whole_vectors});
  if (it == known_.end()) it = known_.emplace(std::pair(operation, whole_vectors), measure(operation, whole_vectors)).first;
  return it->second;
}

IdealCode::Choice IdealCode::choose(const std::string& operation, bool whole_vectors) const {
  auto all = choices(operation, whole_vectors);
  return all.empty() ? Choice{} : all.front();
}

std::vector<IdealCode::Choice> IdealCode::choices(const std::string& operation, bool whole_vectors) const {
  std::vector<Choice> found;
  std::size_t dot = operation.find('.');
  std::string name = operation.substr(0, dot);
  Type type = type_of(dot == std::string::npos ? "" : operation.substr(dot + 1));
  for (auto [other, row] : same_as)
    if (name == other) name = row;
  const Row* row = nullptr;
  auto find = [&](const auto& rows) {
    for (const Row& candidate : rows)
      if (!row && name == candidate.operation) row = &candidate;
  };
  if (type.floating) find(floats);
  find(integers);
  find(floats);

  // Widths from the widest down: some operations have no form of the full width, or the machine file none that it knows.
  for (int bits : {512, 256, 128, 64}) {
    bool vector = bits > 64;
    if (bits > vector_bits_ || (vector && !whole_vectors) || (machine_.isa == "x86_64" && bits == 128 && vector_bits_ > 128)) continue;
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(c));
    int which = type.bits > 32 ? 0 : 1;
    std::vector<std::string> opcodes{upper};
    if (row && machine_.isa == "x86_64") opcodes = {vector ? row->x86_vector[which] : row->x86_scalar[which]};
    else if (row && machine_.isa == "aarch64") opcodes = {vector ? row->arm_vector[which] : row->arm_scalar[which]};
    else if (!row && (machine_.isa == "x86_64" || machine_.isa == "aarch64")) return {};
    for (auto [missing, instead] : stand_ins)
      if (opcodes[0] == missing) opcodes.push_back(instead);
    std::vector<int> wide(opcodes.size(), 1);
    if (vector)
      for (const Longer& more : longer)
        if (opcodes[0] == more.one && machine_.core->llvm_cpu.find(more.cpu) != std::string::npos) opcodes.push_back(more.instead), wide.push_back(more.vectors);
    for (std::size_t k = 0; k < opcodes.size(); k++) {
      const std::string& opcode = opcodes[k];
      const int vectors = wide[k];
      InstructionForm form;
      form.opcode = widened(opcode, bits);
      if (auto it = tables_->described.find(form.opcode); it != tables_->described.end()) form = it->second;
      form.load = name == "load", form.store = name == "store", form.branch = name == "br";
      form.floating = type.floating || vector || name[0] == 'f' || name == "sqrt";
      form.vector_bits = vector ? bits : form.floating ? 128 : 0;
      if (form.load || form.store) form.memory_bytes = vector ? vectors * bits / 8 : type.bits / 8;
      // Integer divisions have no vector form at all: one each.
      bool divides = form.opcode.starts_with("IDIV") || form.opcode.starts_with("DIV") || form.opcode.starts_with("SDIV") || form.opcode.starts_with("UDIV");
      divides = divides && !type.floating;
      found.push_back({form, vector && !divides ? static_cast<double>(vectors * bits) / type.bits : 1, true});
    }
  }
  return found;
}

namespace {

Instruction plain_instruction(const InstructionForm& form) {
  Instruction instruction;
  instruction.defs = {{1, 0, false}}, instruction.uses = {{2, 0, form.load || form.store}, {3, 1, false}};
  if (form.store || form.branch) instruction.defs.clear();
  return instruction;
}

}  // namespace

// Code may look at the numbers, and divides those that happen to be small as 32-bit ones. Empty: not a wide division.
static std::string narrow_division(const std::string& operation) {
  for (const char* name : {"sdiv.i64", "udiv.i64", "srem.i64", "urem.i64"})
    if (operation == name) return operation.substr(0, 5) + "i32";
  return "";
}

IdealCode::Demand IdealCode::measure(const std::string& operation, bool whole_vectors) const {
  std::optional<Demand> best;
  if (const std::string narrow = narrow_division(operation); !narrow.empty()) best = measure(narrow, whole_vectors);
  for (const Choice& choice : choices(operation, whole_vectors)) {
    std::vector<InstructionForm> forms{choice.form};
    auto resolved = resolve_all(tables_->core, forms, {plain_instruction(choice.form)});
    const bool last = choice.form.vector_bits < 256 && choice.elements <= 1;
    if (resolved[0].micro_ops.empty() && !(last && !best)) continue;  // not a form this core is known to have
    Demand demand;
    demand.add(of_code(resolved[0]), 1 / choice.elements);
    if (!best || bound(demand).cycles < bound(*best).cycles * (1 - 1e-9)) best = demand;
  }
  return best.value_or(Demand{});
}

IdealCode::Demand IdealCode::of_code(const StaticInstruction& instruction) {
  Demand demand;
  demand.slots = instruction.slots;
  for (const auto& op : instruction.micro_ops) demand.ports[op.ports] += op.occupancy;
  return demand;
}

double IdealCode::latency(const std::string& operation) {
  auto it = latencies_.find(operation);
  return it != latencies_.end() ? it->second : latencies_.emplace(operation, measure_latency(operation)).first->second;
}

double IdealCode::chained(const std::string& operation) {
  auto it = chained_.find(operation);
  return it != chained_.end() ? it->second : chained_.emplace(operation, measure_chained(operation)).first->second;
}

double IdealCode::measure_latency(const std::string& operation) {
  bool known_set = machine_.isa == "x86_64" || machine_.isa == "aarch64";
  double plain = known_set ? costs_.of(operation).latency : 0;
  if (Choice choice = choose(operation, false); !known_set && choice.known) {
    Instruction link = plain_instruction(choice.form);
    link.uses[0] = {1, 0, choice.form.load};
    auto time = simulate_loop(std::vector(8, link), {choice.form}, *machine_.core);
    if (time && !choice.form.store && !choice.form.branch) plain = time->cycles_per_iteration / 8;
  }
  if (const std::string narrow = narrow_division(operation); !narrow.empty())
    if (double other = measure_latency(narrow); other > 0) return plain > 0 ? std::min(plain, other) : other;
  if (!operation.starts_with("fadd.")) return plain;
  Choice choice = choose("fma" + operation.substr(operation.find('.')), false);
  Instruction sum;
  sum.defs = {{1, 0, false}}, sum.uses = {{2, 0, false}, {3, 1, false}, {1, 2, false}};
  auto time = simulate_loop(std::vector(8, sum), {choice.form}, *machine_.core);
  return time ? std::min(plain > 0 ? plain : 1e9, time->cycles_per_iteration / 8) : plain;
}

double IdealCode::measure_chained(const std::string& operation) const {
  Choice choice = choose(operation, true);
  if (!choice.known) return 0;
  constexpr int chains = 12;
  std::vector<Instruction> body;
  for (int k = 0; k < chains; k++) {
    body.emplace_back();
    body.back().defs = {{10 + k, 0, false}}, body.back().uses = {{2, 0, false}, {3, 1, false}, {10 + k, 2, false}};
  }
  auto time = simulate_loop(body, {choice.form}, *machine_.core);
  return time ? time->cycles_per_iteration / chains / choice.elements : 0;
}

IdealCode::Bound IdealCode::bound(const Demand& demand) const {
  const CoreModel& core = *machine_.core;
  Bound best{demand.slots / core.front_end.rename_width.value, "issue"};
  std::map<std::uint32_t, bool> unions{{0u, true}};
  constexpr std::size_t most = 1 << 14;
  for (const auto& [mask, cycles] : demand.ports) {
    std::vector<std::uint32_t> more;
    more.reserve(unions.size());
    for (const auto& [known, yes] : unions) more.push_back(known | mask);
    for (auto one : more)
      if (unions.size() < most) unions[one] = true;
  }
  for (const auto& [set, yes] : unions) {
    if (!set) continue;
    double inside = 0;
    for (const auto& [mask, cycles] : demand.ports)
      if ((mask & ~set) == 0) inside += cycles;
    if (double cycles = inside / std::popcount(set); cycles > best.cycles * (1 + 1e-9)) {
      best = {cycles, ""};
      for (std::size_t k = 0; k < core.ports.size(); k++)
        if (set >> k & 1) best.by += (best.by.empty() ? "" : " ") + core.ports[k];
    }
  }
  return best;
}

}  // namespace perfcast::engine

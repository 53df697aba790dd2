#include "engine/operation_cost.h"

#include <algorithm>
#include <cstring>

#include "engine/simulate.h"

namespace perfcast::engine {
namespace {

// An IR operation and the opcodes that stand for it: integers of 64 and 32 bits, or double and single reals, then the
// vector form. x86-64 first, AArch64 second.
struct Row {
  const char* operation;
  const char* pipe;
  const char* x86[3];
  const char* arm[3];
};
constexpr Row rows[] = {
    {"fadd", "float", {"ADDSDrr", "ADDSSrr", "VADDPDYrr"}, {"FADDDrr", "FADDSrr", "FADDv2f64"}},
    {"fmul", "float", {"MULSDrr", "MULSSrr", "VMULPDYrr"}, {"FMULDrr", "FMULSrr", "FMULv2f64"}},
    {"fma", "float", {"VFMADD231SDr", "VFMADD231SSr", "VFMADD231PDYr"}, {"FMADDDrrr", "FMADDSrrr", "FMLAv2f64"}},
    {"fdiv", "divide", {"DIVSDrr", "DIVSSrr", "VDIVPDYrr"}, {"FDIVDrr", "FDIVSrr", "FDIVv2f64"}},
    {"sqrt", "divide", {"SQRTSDr", "SQRTSSr", "VSQRTPDYr"}, {"FSQRTDr", "FSQRTSr", "FSQRTv2f64"}},
    {"fneg", "float", {"XORPDrr", "XORPSrr", "VXORPDYrr"}, {"FNEGDr", "FNEGSr", "FNEGv2f64"}},
    {"fcmp", "float", {"UCOMISDrr", "UCOMISSrr", "VCMPPDYrri"}, {"FCMPDrr", "FCMPSrr", "FCMGTv2f64"}},
    {"sitofp", "float", {"CVTSI2SDrr", "CVTSI2SSrr", "VCVTDQ2PDYrr"}, {"SCVTFUXDri", "SCVTFUWSri", "SCVTFv2f64"}},
    {"fptosi", "float", {"CVTTSD2SI64rr", "CVTTSS2SIrr", "VCVTTPD2DQYrr"}, {"FCVTZSUXDr", "FCVTZSUWSr", "FCVTZSv2f64"}},
    {"fpext", "float", {"CVTSS2SDrr", "CVTSS2SDrr", "VCVTPS2PDYrr"}, {"FCVTDSr", "FCVTDSr", "FCVTLv2i32"}},
    {"fptrunc", "float", {"CVTSD2SSrr", "CVTSD2SSrr", "VCVTPD2PSYrr"}, {"FCVTSDr", "FCVTSDr", "FCVTNv2i32"}},
    {"add", "integer", {"ADD64rr", "ADD32rr", "VPADDQYrr"}, {"ADDXrs", "ADDWrs", "ADDv2i64"}},
    {"and", "integer", {"AND64rr", "AND32rr", "VPANDYrr"}, {"ANDXrs", "ANDWrs", "ANDv16i8"}},
    {"shl", "integer", {"SHL64ri", "SHL32ri", "VPSLLQYri"}, {"UBFMXri", "UBFMWri", "SHLv2i64_shift"}},
    {"mul", "multiply", {"IMUL64rr", "IMUL32rr", "VPMULUDQYrr"}, {"MADDXrrr", "MADDWrrr", "MULv4i32"}},
    {"sdiv", "divide", {"IDIV64r", "IDIV32r", "IDIV32r"}, {"SDIVXr", "SDIVWr", "SDIVWr"}},
    {"icmp", "integer", {"CMP64rr", "CMP32rr", "VPCMPEQQYrr"}, {"SUBSXrs", "SUBSWrs", "CMEQv2i64"}},
    {"select", "integer", {"CMOV64rr", "CMOV32rr", "VPBLENDVBYrr"}, {"CSELXr", "CSELWr", "BSLv16i8"}},
    {"sext", "integer", {"MOVSX64rr32", "MOVSX32rr16", "VPMOVSXDQYrr"}, {"SBFMXri", "SBFMWri", "SSHLLv2i32_shift"}},
    {"shuffle", "float", {"UNPCKLPDrr", "UNPCKLPSrr", "VPERMPDYri"}, {"EXTv16i8", "EXTv16i8", "EXTv16i8"}},
    {"load", "load", {"MOV64rm", "MOV32rm", "VMOVUPDYrm"}, {"LDRXui", "LDRWui", "LDRQui"}},
    {"loadf", "load", {"MOVSDrm", "MOVSSrm", "VMOVUPDYrm"}, {"LDRDui", "LDRSui", "LDRQui"}},
    {"store", "store", {"MOV64mr", "MOV32mr", "VMOVUPDYmr"}, {"STRXui", "STRWui", "STRQui"}},
    {"storef", "store", {"MOVSDmr", "MOVSSmr", "VMOVUPDYmr"}, {"STRDui", "STRSui", "STRQui"}},
    {"br", "branch", {"JCC_1", "JCC_1", "JCC_1"}, {"Bcc", "Bcc", "Bcc"}},
};

// Other names of the same thing, and what a compiler makes of them.
struct Alias {
  const char* name;
  const char* row;
  double times;
};
constexpr Alias aliases[] = {
    {"sub", "add", 1},     {"or", "and", 1},       {"xor", "and", 1},       {"lshr", "shl", 1},     {"ashr", "shl", 1},
    {"udiv", "sdiv", 1},   {"srem", "sdiv", 1.1},  {"urem", "sdiv", 1.1},   {"fsub", "fadd", 1},    {"frem", "fdiv", 5},
    {"zext", "sext", 0.3}, {"uitofp", "sitofp", 1.3}, {"fptoui", "fptosi", 1.3}, {"switch", "br", 3},   {"call", "br", 4},
    {"ret", "br", 1},      {"shufflevector", "shuffle", 1}, {"insertelement", "shuffle", 1}, {"extractelement", "shuffle", 1},
    {"intrinsic", "fadd", 1}, {"atomicrmw", "load", 20}, {"cmpxchg", "load", 20},
};

// "v4f64" -> 256 bits of reals; "i32" -> 32 bits; "nxv2f64", of scalable length, -> 128.
struct Type {
  int bits = 64;
  bool vector = false, floating = false;
};
Type type_of(const std::string& text) {
  Type type;
  const char* at = text.c_str();
  if (text.starts_with("nx")) at += 2;
  int lanes = 1;
  if (*at == 'v') lanes = std::max(1, std::atoi(at + 1)), type.vector = true;
  const char* element = std::strpbrk(at + (type.vector ? 1 : 0), "fip");
  if (!element) return type;
  type.floating = *element == 'f';
  int bits = std::atoi(element + 1);
  type.bits = lanes * (bits > 0 ? bits : 64);
  return type;
}

const Row* row_of(const std::string& name) {
  for (const Row& row : rows)
    if (name == row.operation) return &row;
  return nullptr;
}

Instruction instruction(int form, int result, int source, int other) {
  Instruction i;
  i.form = form;
  i.defs = {{result, 0, false}};
  i.uses = {{source, 0, false}, {other, 1, false}};
  return i;
}

}  // namespace

const OperationCost& OperationCosts::of(const std::string& operation) {
  auto it = known_.find(operation);
  if (it == known_.end()) it = known_.emplace(operation, measure(operation)).first;
  return it->second;
}

OperationCost OperationCosts::measure(const std::string& operation) const {
  std::size_t dot = operation.find('.');
  std::string name = operation.substr(0, dot);
  Type type = type_of(dot == std::string::npos ? "" : operation.substr(dot + 1));
  double times = 1;
  for (const Alias& alias : aliases)
    if (name == alias.name) name = alias.row, times = alias.times;
  bool forward = name == "forward";
  if (forward) name = "load";
  if ((name == "load" || name == "store") && type.floating && !type.vector) name += "f";
  const Row* row = row_of(name);
  if (!row) return {};  // phi, getelementptr, casts: addressing modes and register names swallow them

  bool x86 = isa_ != "aarch64";
  const char* const* opcodes = x86 ? row->x86 : row->arm;
  int native = x86 ? 256 : 128;
  InstructionForm form;
  form.opcode = opcodes[type.vector ? 2 : type.bits > 32 ? 0 : 1];
  form.floating = type.floating || type.vector, form.vector_bits = type.vector ? native : form.floating ? 128 : 0;
  form.load = std::string(row->pipe) == "load", form.store = std::string(row->pipe) == "store";
  form.memory_bytes = form.load || form.store ? std::max(1, std::min(type.bits, native) / 8) : 0;
  form.branch = form.conditional = std::string(row->pipe) == "branch";
  form.latency = {1};
  double pieces = type.vector ? std::max(1.0, static_cast<double>(type.bits) / native) : 1;

  OperationCost cost;
  cost.pipe = row->pipe, cost.slots = times * pieces;
  std::vector<InstructionForm> forms = {form};
  std::vector<Instruction> chain, stream;
  for (int i = 0; i < 8; i++) {
    chain.push_back(instruction(0, 1, 1, 2));
    stream.push_back(instruction(0, 10 + i, 2, 3));
    for (auto* one : {&chain.back(), &stream.back()}) {
      if (form.load || form.store) one->uses = {{form.load && one == &chain.back() ? 1 : 4, 0, true}}, one->displacement = 64 * i;
      if (form.store) one->uses.push_back({2, 1, false}), one->defs.clear();
      if (form.branch) one->defs.clear();
    }
  }
  if (auto time = simulate_loop(stream, forms, core_)) cost.throughput = times * pieces * time->cycles_per_iteration / 8;
  if (form.store || form.branch) return cost;
  if (auto time = simulate_loop(chain, forms, core_)) cost.latency = times * time->cycles_per_iteration / 8;
  if (!forward) return cost;
  // A variable in memory: store, then load what was stored; the load's address is known early.
  InstructionForm store = form;
  store.load = false, store.store = true;
  store.opcode = (x86 ? row_of(type.floating ? "storef" : "store")->x86 : row_of(type.floating ? "storef" : "store")->arm)[type.bits > 32 ? 0 : 1];
  Instruction put = instruction(1, 0, 4, 1), get = instruction(0, 1, 4, 0);
  put.defs.clear(), put.uses = {{4, 0, true}, {1, 1, false}}, get.uses = {{4, 0, true}};
  put.displacement = get.displacement = 8;
  forms.push_back(store);
  if (auto time = simulate_loop(std::vector{put, get}, forms, core_)) cost.latency = time->cycles_per_iteration;
  return cost;
}

}  // namespace perfcast::engine

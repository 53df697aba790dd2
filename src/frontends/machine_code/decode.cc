#include "frontends/machine_code/decode.h"

#include <llvm/MC/MCInst.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "frontends/llvm_ir/emulated.h"
#include "frontends/machine_code/addressing.h"
#include "frontends/machine_code/x87.h"

namespace perfcast::machine_code {

using llvm::MCInst;
using llvm::MCInstrDesc;
using llvm::MCRegister;
using llvm::StringRef;

int FormTable::intern(const InstructionForm& form) {
  auto& known = by_opcode_[form.opcode];
  for (int index : known)
    if (forms_[index] == form) return index;
  forms_.push_back(form);
  known.push_back(static_cast<int>(forms_.size()) - 1);
  return known.back();
}

std::string default_cpu(const std::string& triple) {
  return llvm::Triple(triple).isAArch64() ? "neoverse-v1" : "sapphirerapids";
}

// What is the same for all instructions of a target, worked out once.
struct Decoder::Tables {
  std::unique_ptr<LlvmTarget> target;
  std::string triple, cpu;
  int scalable_bits = 128;
  std::vector<std::vector<int>> units;  // by register; empty: no dependence runs through it
  std::vector<int> vector_bits;         // by register; 0: a general register
  // x87: its registers move under their names st(0) to st(7); the status word tells which instructions work on them.
  std::array<int, 8> x87_units{};
  MCRegister x87_status;
  // Where the top of the x87 stack is in the code being decoded. Functions begin with an empty stack, and calls leave
  // an empty one or their result.
  int x87_top = 0;
  bool x87_after_call = false;
  std::uint64_t next_address = 0;
};

namespace {

// Registers that hold modes rather than values, or the place of the instruction itself.
bool carries_no_value(StringRef name) {
  static const std::set<StringRef> modes = {"RIP", "EIP", "IP",  "MXCSR", "FPCW", "SSP",  "CS",  "DS", "ES",
                                            "FS",  "GS",  "SS",  "RIZ",   "EIZ",  "FPCR", "FPMR", "VG", "XZR", "WZR"};
  return modes.contains(name);
}

// Units for the parts of a register that no instruction names (the upper half of eax, of w0, of d0): a write of the
// named part sets them too, so they would only repeat each dependence.
bool nameless_part(StringRef name) {
  static const std::set<StringRef> parts = {"SIH", "DIH", "BPH", "SPH"};
  const bool numbered = name.starts_with("R") && (name.ends_with("BH") || name.ends_with("WH"));
  return name.ends_with("_HI") || name.starts_with("H") || numbered || parts.contains(name);
}

int vector_bits_of(StringRef name, bool x86, int scalable_bits) {
  if (x86) return name.starts_with("XMM") ? 128 : name.starts_with("YMM") ? 256 : name.starts_with("ZMM") ? 512 : 0;
  if (name.size() < 2 || !std::isdigit(static_cast<unsigned char>(name[1]))) return 0;
  switch (name[0]) {
    case 'B': return 8;
    case 'H': return 16;
    case 'S': return 32;
    case 'D': return 64;
    case 'Q': return 128;
    case 'Z': return scalable_bits;
    default: return 0;
  }
}

bool has(const std::vector<unsigned>& places, unsigned k) { return std::find(places.begin(), places.end(), k) != places.end(); }

bool x87_register(StringRef name) { return name.starts_with("ST") || name.starts_with("FP") || name.starts_with("MM"); }

}  // namespace

Decoder::Decoder(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;
const std::string& Decoder::triple() const { return tables_->triple; }
const std::string& Decoder::cpu() const { return tables_->cpu; }
int Decoder::minimum_size() const { return tables_->target->x86() ? 1 : 4; }

Result<Decoder> Decoder::make(const std::string& triple, const std::string& cpu) {
  auto tables = std::make_unique<Tables>();
  tables->triple = triple;
  tables->cpu = cpu.empty() ? default_cpu(triple) : cpu;
  TRY(tables->target, open_target(triple, tables->cpu));
  tables->target->printer->setPrintBranchImmAsAddress(true);
  tables->scalable_bits = llvm_ir::scalable_bits(tables->cpu);
  const llvm::MCRegisterInfo& registers = *tables->target->registers;
  tables->units.resize(registers.getNumRegs());
  tables->vector_bits.resize(registers.getNumRegs());
  for (unsigned r = 1; r < registers.getNumRegs(); ++r) {
    const StringRef name = registers.getName(r);
    tables->vector_bits[r] = vector_bits_of(name, tables->target->x86(), tables->scalable_bits);
    if (registers.isConstant(r) || carries_no_value(name)) continue;
    std::set<int> units;
    for (auto unit : registers.regunits(r)) {
      llvm::MCRegUnitRootIterator root(unit, &registers);
      if (!nameless_part(registers.getName(*root))) units.insert(static_cast<int>(unit));
    }
    tables->units[r].assign(units.begin(), units.end());
    if (!tables->target->x86()) continue;
    if (name == "FPSW") tables->x87_status = r;
    if (name.size() == 3 && name.starts_with("ST") && !units.empty()) {
      tables->x87_units[static_cast<std::size_t>(name[2] - '0')] = *units.begin();
      tables->units[r].clear();
    }
  }
  return Decoder(std::move(tables));
}

namespace {

// Decodes one instruction; a class so that the steps share what they look at.
template <class Tables>
struct Reading {
  const Tables& tables;
  const LlvmTarget& t;
  const MCInst& inst;
  const MCInstrDesc& what;
  StringRef opcode;
  const llvm::MCSchedClassDesc* schedule = nullptr;
  InstructionForm form{};
  Decoded out{};
  X87Reading x87{};

  Reading(const Tables& tables, const MCInst& inst)
      : tables(tables), t(*tables.target), inst(inst), what(t.instructions->get(inst.getOpcode())),
        opcode(t.instructions->getName(inst.getOpcode())) {
    const llvm::MCSchedModel& model = t.subtarget->getSchedModel();
    if (!model.hasInstrSchedModel()) return;
    unsigned kind = what.getSchedClass();
    schedule = model.getSchedClassDesc(kind);
    while (schedule->isVariant()) {
      kind = t.subtarget->resolveVariantSchedClass(kind, &inst, t.instructions.get(), model.getProcessorID());
      schedule = model.getSchedClassDesc(kind);
      if (!kind) break;
    }
    if (!schedule->isValid()) schedule = nullptr;
  }

  int latency(unsigned definition) const {
    if (!schedule) return 1;
    if (definition < schedule->NumWriteLatencyEntries) return t.subtarget->getWriteLatencyEntry(schedule, definition)->Cycles;
    int longest = 0;
    for (unsigned k = 0; k < schedule->NumWriteLatencyEntries; ++k)
      longest = std::max<int>(longest, t.subtarget->getWriteLatencyEntry(schedule, k)->Cycles);
    return longest ? longest : 1;
  }

  void note_register(MCRegister r) {
    form.vector_bits = std::max(form.vector_bits, tables.vector_bits[r]);
    if (tables.vector_bits[r] || (t.x86() && x87_register(t.registers->getName(r)))) form.floating = true;
  }

  // The x87 registers it reads and writes, as units; moves the top of their stack.
  void x87_stack(Tables& state) {
    const auto& changed = what.implicit_defs();
    if (!t.x86() || std::ranges::find(changed, state.x87_status.id()) == changed.end()) return;
    int operand = 1;
    for (unsigned k = 0; k < inst.getNumOperands(); ++k)
      if (const auto& one = inst.getOperand(k); one.isReg() && one.getReg())
        if (const StringRef name = t.registers->getName(one.getReg()); name.size() == 3 && name.starts_with("ST")) operand = name[2] - '0';
    x87 = x87_effect(opcode.str(), operand);
    if (!x87.known) return;
    form.floating = true;
    const bool result_of_call = state.x87_after_call && !x87.effect.reads.empty();
    if (result_of_call) state.x87_top = 7;
    state.x87_after_call = false;
    auto unit = [&](int position) { return state.x87_units[static_cast<std::size_t>(state.x87_top + position) & 7]; };
    for (int& position : x87.effect.reads) position = unit(position);
    for (int& position : x87.effect.writes) position = unit(position);
    state.x87_top = (state.x87_top - x87.effect.pushes + x87.effect.pops) & 7;
  }

  void definitions() {
    int place = 0;
    for (int unit : x87.effect.writes) out.instruction.defs.push_back({unit, 0, false});
    if (!x87.effect.writes.empty()) form.latency.push_back(latency(0)), ++place;
    auto define = [&](MCRegister r) {
      form.latency.push_back(latency(place));
      for (int unit : tables.units[r]) out.instruction.defs.push_back({unit, place, false});
      ++place;
    };
    for (unsigned k = 0; k < what.getNumDefs() && k < inst.getNumOperands(); ++k)
      if (inst.getOperand(k).isReg() && inst.getOperand(k).getReg()) note_register(inst.getOperand(k).getReg()), define(inst.getOperand(k).getReg());
    for (MCRegister r : what.implicit_defs())
      if (!tables.units[r].empty()) define(r);
  }

  // The cycles by which LLVM lets this operand come later than the others, whoever wrote it.
  int advance(unsigned use) const {
    if (schedule)
      for (const auto& entry : t.subtarget->getReadAdvanceEntries(*schedule))
        if (entry.UseIdx == use && entry.WriteResourceID == 0) return entry.Cycles;
    return 0;
  }

  void uses(const Addressing& address, bool accesses_memory) {
    int place = 0;
    unsigned use = 0;
    std::vector<int> advances;
    std::vector<MCRegister> sources;
    auto read = [&](MCRegister r, bool forms_address, unsigned index) {
      for (int unit : tables.units[r]) out.instruction.uses.push_back({unit, place, forms_address});
      advances.push_back(advance(index));
      ++place;
    };
    for (unsigned k = what.getNumDefs(); k < inst.getNumOperands(); ++k, ++use) {
      if (!inst.getOperand(k).isReg() || !inst.getOperand(k).getReg()) continue;
      const MCRegister r = inst.getOperand(k).getReg();
      const bool forms_address = has(address.operands, k);
      if (!forms_address) sources.push_back(r), note_register(r);
      if (!tables.units[r].empty()) read(r, forms_address && accesses_memory, use);
    }
    const bool stack = t.x86() && address.operands.empty() && (accesses_memory || what.isCall() || what.isReturn());
    for (int unit : x87.effect.reads) out.instruction.uses.push_back({unit, place, false});
    if (!x87.effect.reads.empty()) advances.push_back(0), ++place;
    for (MCRegister r : what.implicit_uses()) {
      if (!tables.units[r].empty()) read(r, stack && StringRef(t.registers->getName(r)) == "RSP", use);
      ++use;
    }
    out.instruction.same_sources = sources.size() >= 2 && sources[0] == sources[1];
    if (std::ranges::any_of(advances, [](int a) { return a != 0; })) form.read_advance = advances;
  }

  void immediate(const Addressing& address) {
    if (what.isBranch() || what.isCall()) return;
    const unsigned count = std::min<unsigned>(inst.getNumOperands(), what.getNumOperands());
    for (unsigned k = 0; k < count; ++k) {
      const int kind = what.operands()[k].OperandType;
      const bool plain = kind == llvm::MCOI::OPERAND_IMMEDIATE || (!t.x86() && kind == llvm::MCOI::OPERAND_UNKNOWN);
      if (!plain || !inst.getOperand(k).isImm() || has(address.constants, k)) continue;
      out.instruction.immediate = inst.getOperand(k).getImm();
      return;
    }
  }

  void flags(const Addressing& address) {
    form.opcode = opcode.str();
    form.load = what.mayLoad(), form.store = what.mayStore();
    form.branch = what.isBranch(), form.conditional = what.isConditionalBranch();
    form.call = what.isCall(), form.ret = what.isReturn(), form.indirect = what.isIndirectBranch();
    if (form.call) form.indirect = !out.target && !std::ranges::any_of(what.operands(), [](const auto& o) {
      return o.OperandType == llvm::MCOI::OPERAND_PCREL;
    });
    form.nop = opcode.starts_with("NOOP") || opcode == "HINT" || opcode.starts_with("ENDBR");
    if (form.nop) form.load = form.store = false;
    form.memory_bytes = form.load || form.store || form.call || form.ret ? address.bytes : 0;
    form.indexed = address.indexed, form.scale = address.scale, form.write_back = address.write_back;
  }

  void tables_of_cpu() {
    form.micro_ops = schedule ? schedule->NumMicroOps : 1;
    if (!schedule) return;
    const llvm::MCSchedModel& model = t.subtarget->getSchedModel();
    for (auto* p = t.subtarget->getWriteProcResBegin(schedule); p != t.subtarget->getWriteProcResEnd(schedule); ++p)
      form.resources.push_back({model.getProcResource(p->ProcResourceIdx)->Name, p->ReleaseAtCycle - p->AcquireAtCycle});
  }

  void text(std::uint64_t address) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    t.printer->printInst(&inst, address, "", *t.subtarget, stream);
    for (char c : printed) {
      if (c == '\t') c = ' ';
      if (c != ' ' || (!out.instruction.text.empty() && out.instruction.text.back() != ' ')) out.instruction.text += c;
    }
    while (out.instruction.text.ends_with(' ')) out.instruction.text.pop_back();
  }
};

}  // namespace

std::optional<Decoded> Decoder::decode_one(std::span<const std::uint8_t> bytes, std::uint64_t address, FormTable& forms) {
  const LlvmTarget& t = *tables_->target;
  MCInst inst;
  std::uint64_t size = 0;
  const llvm::ArrayRef<std::uint8_t> here(bytes.data(), bytes.size());
  if (t.disassembler->getInstruction(inst, size, here, address, llvm::nulls()) != llvm::MCDisassembler::Success || size == 0)
    return std::nullopt;
  Reading<Tables> r(*tables_, inst);
  std::uint64_t target = 0;
  if ((r.what.isBranch() || r.what.isCall()) && t.analysis && t.analysis->evaluateBranch(inst, address, size, target))
    r.out.target = target;
  const Addressing place = addressing_of(t, inst, address, size);
  if (address != tables_->next_address) tables_->x87_top = 0, tables_->x87_after_call = false;
  tables_->next_address = address + size;
  r.flags(place);
  r.x87_stack(*tables_);
  r.definitions();
  r.uses(place, r.form.load || r.form.store || r.opcode.starts_with("PRF"));
  r.immediate(place);
  r.tables_of_cpu();
  r.text(address);
  Instruction& i = r.out.instruction;
  i.address = address, i.size = static_cast<int>(size), i.displacement = place.displacement;
  const bool trap = r.opcode.starts_with("UD1") || r.opcode == "UD2" || r.opcode == "TRAP" || r.opcode == "HLT" || r.opcode == "BRK" || r.opcode == "UDF";
  r.out.ends_block = r.form.branch || r.form.ret || trap;
  r.out.barrier = r.what.isBarrier() || r.form.ret || trap || (r.form.branch && !r.form.conditional);
  if (r.form.call || r.out.barrier) tables_->x87_top = 0, tables_->x87_after_call = r.form.call;
  i.form = forms.intern(r.form);
  return std::move(r.out);
}

DecodedCode Decoder::decode(std::span<const std::uint8_t> bytes, std::uint64_t address, FormTable& forms) {
  DecodedCode code;
  std::size_t bad_from = 0, bad = 0;
  auto flush = [&] {
    if (bad) code.gaps.push_back({std::to_string(bad) + " bytes that are no known instruction at address " + std::to_string(address + bad_from), {}, double(bad)});
    bad = 0;
  };
  for (std::size_t at = 0; at < bytes.size();) {
    if (auto one = decode_one(bytes.subspan(at), address + at, forms)) {
      flush();
      at += one->instruction.size;
      code.instructions.push_back(std::move(*one));
      continue;
    }
    if (!bad) bad_from = at;
    const std::size_t step = std::min<std::size_t>(minimum_size(), bytes.size() - at);
    bad += step, at += step;
  }
  flush();
  return code;
}

}  // namespace perfcast::machine_code

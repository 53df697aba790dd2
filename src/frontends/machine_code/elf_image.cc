#include "frontends/machine_code/elf_image.h"

// LLVM's ScopedPrinter.h holds a unique_ptr to a type it has not defined yet, which C++23 refuses to destroy; a deleter
// that is only declared lets the header pass. Nothing here uses it.
#include <memory>
namespace llvm {
struct DelimitedScope;
}
template <>
struct std::default_delete<llvm::DelimitedScope> {
  void operator()(llvm::DelimitedScope* scope) const;
};

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/DebugInfo/DWARF/DWARFCompileUnit.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugFrame.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "frontends/machine_code/llvm_target.h"
#include "frontends/source_path.h"
#include "frontends/written_name.h"

namespace perfcast::machine_code {

namespace object = llvm::object;
namespace ELF = llvm::ELF;

struct ElfImage::Parts {
  std::string name, triple;
  std::unique_ptr<llvm::MemoryBuffer> buffer, debug_buffer;
  std::unique_ptr<object::ObjectFile> file, debug_file;  // debug_file: symbols and lines kept apart from the code
  const object::ELFObjectFileBase* elf = nullptr;
  std::map<unsigned, std::uint64_t> base;                // relocatable: where we put each section
  std::map<std::string, std::uint64_t> undefined, slots;
  std::vector<CodeSection> code;
  std::vector<CodeSymbol> functions;
  std::map<std::uint64_t, std::string> stubs;
  std::map<std::uint64_t, Relocation> relocations;
  std::unique_ptr<llvm::DWARFContext> dwarf;
  bool lines = false;
  mutable std::map<std::string, std::string> spelled;    // file as debug information has it -> as everybody spells it

  bool relocatable() const { return elf->getEType() == ELF::ET_REL; }
  const object::ObjectFile& with_debug() const { return debug_file ? *debug_file : *file; }
  std::optional<object::SectionedAddress> sectioned(std::uint64_t address) const;
  // Of broken debug information: LLVM looks for functions in a unit without any entry, too, and crashes.
  bool unit_is_whole(std::uint64_t address) const {
    auto* unit = dwarf->getCompileUnitForCodeAddress(address);
    return !unit || unit->getUnitDIE(false).isValid();
  }
  const std::string& file_named(const std::string& debug_name) const {
    auto [it, fresh] = spelled.try_emplace(debug_name);
    if (fresh) it->second = source_path(debug_name);
    return it->second;
  }
};

namespace {

template <class T>
std::optional<T> good(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  llvm::consumeError(value.takeError());
  return {};
}
std::string text_of(llvm::Error error) { return llvm::toString(std::move(error)); }

// Space between things that have no address of their own yet.
constexpr std::uint64_t first_section = 0x100000, first_undefined = 0x4000000000, first_slot = 0x5000000000;

// The instruction speaks of the symbol's slot in the global offset table, not of the symbol.
bool through_slot(bool x86, std::uint64_t type) {
  if (x86)
    return type == ELF::R_X86_64_GOTPCREL || type == ELF::R_X86_64_GOTPCRELX || type == ELF::R_X86_64_REX_GOTPCRELX;
  return type == ELF::R_AARCH64_ADR_GOT_PAGE || type == ELF::R_AARCH64_LD64_GOT_LO12_NC;
}

void ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

// Debian and others keep symbols and lines in /usr/lib/debug/.build-id/xx/rest.debug.
std::optional<std::string> separate_debug_file(const object::ObjectFile& file) {
  for (const auto& section : file.sections()) {
    auto name = good(section.getName());
    if (!name || *name != ".note.gnu.build-id") continue;
    auto bytes = good(section.getContents());
    if (!bytes || bytes->size() <= 16) return {};
    const std::string hex = llvm::toHex(bytes->substr(16), /*LowerCase=*/true);
    const std::string path = "/usr/lib/debug/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug";
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

bool has_section(const object::ObjectFile& file, llvm::StringRef wanted) {
  for (const auto& section : file.sections())
    if (auto name = good(section.getName()); name && *name == wanted) return true;
  return false;
}

}  // namespace

std::optional<object::SectionedAddress> ElfImage::Parts::sectioned(std::uint64_t address) const {
  for (const auto& section : code)
    if (address >= section.address && address < section.address + std::max<std::size_t>(section.bytes.size(), 1)) {
      const bool moved = relocatable();
      return object::SectionedAddress{moved ? address - section.address : address, moved ? section.index : object::SectionedAddress::UndefSection};
    }
  return {};
}

// The steps of reading; friends of the image through its parts.
namespace {

template <class Parts>
void lay_out_sections(Parts& p) {
  std::uint64_t next = first_section;
  for (const auto& section : p.elf->sections()) {
    if (p.relocatable()) {
      const std::uint64_t align = std::max<std::uint64_t>(section.getAlignment().value(), 16);
      next = (next + align - 1) / align * align;
      p.base[section.getIndex()] = next;
      next += std::max<std::uint64_t>(section.getSize(), 1);
    }
    if (!section.isText()) continue;
    auto bytes = good(section.getContents());
    if (!bytes || bytes->empty()) continue;
    auto name = good(section.getName());
    const std::uint64_t address = p.relocatable() ? p.base[section.getIndex()] : section.getAddress();
    p.code.push_back({name ? name->str() : "", address, static_cast<unsigned>(section.getIndex()),
                      {reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()}});
  }
  std::sort(p.code.begin(), p.code.end(), [](auto& a, auto& b) { return a.address < b.address; });
}

template <class Parts>
std::optional<std::uint64_t> address_of(Parts& p, const object::ObjectFile& file, object::SymbolRef symbol) {
  auto section = good(symbol.getSection());
  auto value = good(symbol.getValue());
  if (!value) return {};
  if (!section || *section == file.section_end()) {
    auto name = good(symbol.getName());
    if (!name || !p.relocatable()) return {};
    auto [at, fresh] = p.undefined.try_emplace(name->str(), first_undefined + 0x10000 * p.undefined.size());
    return at->second;
  }
  if (p.relocatable()) return p.base[(*section)->getIndex()] + *value;
  return *value;
}

template <class Parts>
void read_functions(Parts& p) {
  std::vector<CodeSymbol> all;
  auto take = [&](const object::ObjectFile& file, object::ELFSymbolRef symbol) {
    const unsigned kind = symbol.getELFType();
    if (kind != ELF::STT_FUNC && kind != ELF::STT_GNU_IFUNC && kind != ELF::STT_NOTYPE) return;
    auto section = good(symbol.getSection());
    if (!section || *section == file.section_end() || !(*section)->isText()) return;
    auto name = good(symbol.getName());
    if (!name || name->empty() || name->starts_with("$") || name->starts_with(".L")) return;
    if (kind == ELF::STT_NOTYPE && symbol.getSize() == 0 && *name != "_start") return;
    if (auto address = address_of(p, file, symbol)) all.push_back({name->split('@').first.str(), *address, symbol.getSize()});
  };
  for (const auto& symbol : p.with_debug().symbols()) take(p.with_debug(), symbol);
  if (p.debug_file)
    for (const auto& symbol : p.file->symbols()) take(*p.file, symbol);
  for (const auto& symbol : p.elf->getDynamicSymbolIterators()) take(*p.file, symbol);
  // Aliases: the name that sorts first among the fewest leading underscores, so that "sin" wins over "__sin".
  auto underscores = [](const std::string& name) { return name.find_first_not_of('_'); };
  std::sort(all.begin(), all.end(), [&](auto& a, auto& b) {
    return std::tuple(a.address, -static_cast<std::int64_t>(a.size), underscores(a.name), a.name) <
           std::tuple(b.address, -static_cast<std::int64_t>(b.size), underscores(b.name), b.name);
  });
  for (auto& symbol : all)
    if (p.functions.empty() || p.functions.back().address != symbol.address) p.functions.push_back(std::move(symbol));
}

template <class Parts>
void read_relocations(Parts& p) {
  for (const auto& section : p.elf->sections()) {
    auto changed = good(section.getRelocatedSection());
    if (!changed || *changed == p.elf->section_end() || !(*changed)->isText()) continue;
    const std::uint64_t base = p.base[(*changed)->getIndex()];
    for (const object::ELFRelocationRef relocation : section.relocations()) {
      if (relocation.getSymbol() == p.elf->symbol_end()) continue;
      const object::SymbolRef symbol = *relocation.getSymbol();
      auto target = address_of(p, *p.file, symbol);
      if (!target) continue;
      Relocation r;
      r.type = relocation.getType();
      if (auto name = good(symbol.getName())) r.symbol = name->str();
      const std::int64_t addend = good(relocation.getAddend()).value_or(0);
      if (through_slot(p.elf->getEMachine() == ELF::EM_X86_64, r.type))
        target = p.slots.try_emplace(r.symbol, first_slot + 8 * p.slots.size()).first->second;
      if (p.elf->getEMachine() == ELF::EM_X86_64) {
        r.relative = r.type == ELF::R_X86_64_PC32 || r.type == ELF::R_X86_64_PLT32 || r.type == ELF::R_X86_64_GOTPCREL ||
                     r.type == ELF::R_X86_64_GOTPCRELX || r.type == ELF::R_X86_64_REX_GOTPCRELX;
        r.target = *target + addend + (r.relative ? 4 : 0);
      } else {
        r.target = *target + addend;
        r.low_bits = (r.type >= ELF::R_AARCH64_ADD_ABS_LO12_NC && r.type <= ELF::R_AARCH64_LDST8_ABS_LO12_NC) ||
                     r.type == ELF::R_AARCH64_LDST16_ABS_LO12_NC || r.type == ELF::R_AARCH64_LDST32_ABS_LO12_NC ||
                     r.type == ELF::R_AARCH64_LDST64_ABS_LO12_NC || r.type == ELF::R_AARCH64_LDST128_ABS_LO12_NC ||
                     r.type == ELF::R_AARCH64_LD64_GOT_LO12_NC;
      }
      p.relocations[base + relocation.getOffset()] = std::move(r);
    }
  }
}

template <class Parts>
void read_stubs(Parts& p) {
  register_targets();
  for (const auto& entry : p.elf->getPltEntries())
    if (entry.Symbol) {
      auto name = good(object::ELFSymbolRef(object::SymbolRef(*entry.Symbol, p.file.get())).getName());
      if (name && !name->empty()) p.stubs[entry.Address] = name->split('@').first.str();
    }
}

}  // namespace

ElfImage::ElfImage(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ElfImage::ElfImage(ElfImage&&) noexcept = default;
ElfImage::~ElfImage() = default;

Result<ElfImage> ElfImage::open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return unfit("is a folder, not a program", path);
  TRY(auto bytes, perfcast::read_file(path));
  return from_bytes(std::move(bytes), path);
}

Result<ElfImage> ElfImage::from_bytes(std::string bytes, const std::string& name) {
  auto p = std::make_unique<Parts>();
  p->name = name;
  if (!llvm::StringRef(bytes).starts_with("\177ELF"))
    return unfit("is not an ELF object or executable", name, "a compiled program, or analyze its source instead");
  p->buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
  auto file = object::ObjectFile::createObjectFile(p->buffer->getMemBufferRef());
  if (!file) return unfit("cannot be read as an ELF file (" + text_of(file.takeError()) + ")", name);
  p->file = std::move(*file);
  p->elf = llvm::dyn_cast<object::ELFObjectFileBase>(p->file.get());
  if (!p->elf) return unfit("is not an ELF object or executable", name);
  llvm::Triple triple = p->file->makeTriple();
  if (triple.getOS() == llvm::Triple::UnknownOS) triple.setOS(llvm::Triple::Linux);
  CHECK_OK(find_target(triple));
  p->triple = triple.str();
  if (!p->relocatable() && !has_section(*p->file, ".symtab"))
    if (auto path = separate_debug_file(*p->file))
      if (auto text = perfcast::read_file(*path)) {
        p->debug_buffer = llvm::MemoryBuffer::getMemBufferCopy(*text, *path);
        if (auto debug = object::ObjectFile::createObjectFile(p->debug_buffer->getMemBufferRef())) p->debug_file = std::move(*debug);
        else ignore(debug.takeError());
      }
  lay_out_sections(*p);
  read_functions(*p);
  if (p->relocatable()) read_relocations(*p);
  else read_stubs(*p);
  p->lines = has_section(p->with_debug(), ".debug_line");
  p->dwarf = llvm::DWARFContext::create(p->with_debug(), llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore, ignore);
  return ElfImage(std::move(p));
}

const std::string& ElfImage::name() const { return parts_->name; }
const std::string& ElfImage::triple() const { return parts_->triple; }
bool ElfImage::relocatable() const { return parts_->relocatable(); }
const std::vector<CodeSection>& ElfImage::code() const { return parts_->code; }
const std::vector<CodeSymbol>& ElfImage::functions() const { return parts_->functions; }
const std::map<std::uint64_t, std::string>& ElfImage::stubs() const { return parts_->stubs; }
bool ElfImage::has_lines() const { return parts_->lines; }

const CodeSymbol* ElfImage::function_at(std::uint64_t address) const {
  const auto& all = parts_->functions;
  auto after = std::upper_bound(all.begin(), all.end(), address, [](std::uint64_t a, const CodeSymbol& s) { return a < s.address; });
  if (after == all.begin()) return nullptr;
  const CodeSymbol& symbol = *std::prev(after);
  return address < symbol.address + std::max<std::uint64_t>(symbol.size, 1) ? &symbol : nullptr;
}

const Relocation* ElfImage::relocation_in(std::uint64_t address, std::uint64_t size) const {
  auto at = parts_->relocations.lower_bound(address);
  return at != parts_->relocations.end() && at->first < address + size ? &at->second : nullptr;
}

std::vector<LoadSegment> ElfImage::segments() const {
  std::vector<LoadSegment> loaded;
  auto read = [&](const auto* elf) {
    auto headers = elf->getELFFile().program_headers();
    if (!headers) return llvm::consumeError(headers.takeError());
    for (const auto& header : *headers)
      if (header.p_type == ELF::PT_LOAD) loaded.push_back({header.p_offset, header.p_vaddr, header.p_filesz, (header.p_flags & ELF::PF_X) != 0});
  };
  if (const auto* elf = llvm::dyn_cast<object::ELF64LEObjectFile>(parts_->file.get())) read(elf);
  return loaded;
}

std::vector<MappedFunction> ElfImage::block_map() const {
  std::vector<MappedFunction> all;
  for (const auto& section : parts_->code) {
    auto maps = good(parts_->elf->readBBAddrMap(section.index));
    if (!maps) continue;
    const std::uint64_t moved = relocatable() ? section.address : 0;
    for (const auto& map : *maps) {
      MappedFunction function;
      function.address = moved + map.getFunctionAddress();
      for (const auto& range : map.getBBRanges())
        for (const auto& block : range.BBEntries)
          function.blocks.push_back({block.ID, moved + range.BaseAddress + block.Offset, block.Size});
      all.push_back(std::move(function));
    }
  }
  return all;
}

std::vector<CodeSymbol> ElfImage::unwind_ranges() const {
  std::vector<CodeSymbol> ranges;
  if (!relocatable()) {
    auto own = llvm::DWARFContext::create(*parts_->file, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "", ignore, ignore);
    if (auto frames = good(own->getEHFrame()); frames && *frames)
      for (const auto& entry : (*frames)->entries())
        if (const auto* fde = llvm::dyn_cast<llvm::dwarf::FDE>(&entry))
          ranges.push_back({"", fde->getInitialLocation(), fde->getAddressRange()});
  }
  std::sort(ranges.begin(), ranges.end(), [](auto& a, auto& b) { return a.address < b.address; });
  return ranges;
}

Location ElfImage::line_at(std::uint64_t address) const {
  if (!parts_->lines) return {};
  auto place = parts_->sectioned(address);
  if (!place || !parts_->unit_is_whole(place->Address)) return {};
  using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
  const auto info = parts_->dwarf->getLineInfoForAddress(*place, {Kind::AbsoluteFilePath, llvm::DINameKind::None});
  if (!info || info.Line == 0) return {};
  return {parts_->file_named(info.FileName), static_cast<int>(info.Line), static_cast<int>(info.Column)};
}

Location ElfImage::declared_at(std::uint64_t address) const {
  if (!parts_->lines) return {};
  auto place = parts_->sectioned(address);
  if (!place || !parts_->unit_is_whole(place->Address)) return {};
  using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
  const auto info = parts_->dwarf->getLineInfoForAddress(*place, {Kind::AbsoluteFilePath, llvm::DINameKind::LinkageName});
  if (info.StartLine == 0) return line_at(address);
  return {parts_->file_named(info.StartFileName), static_cast<int>(info.StartLine), 0};
}

std::string readable_name(const std::string& linkage_name) {
  const std::string readable = written_name(linkage_name);
  return readable == linkage_name ? "" : readable;
}

}  // namespace perfcast::machine_code

#include "engine/match.h"

#include "engine/pattern_start.h"

namespace perfcast::engine {
namespace {

// An expression that is not well formed is reported by check_core and matches nothing here.
std::regex compile_pattern(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::nosubs);
  } catch (const std::regex_error&) {
    return std::regex("(?!)");
  }
}

}  // namespace

CompiledMatch::CompiledMatch(const Match& match, int number) : match_(match), number_(number) {
  if (!match.opcode.empty()) opcode_ = compile_pattern(match.opcode), opcode_starts_ = starts_of(match.opcode);
  if (!match.text.empty()) text_ = compile_pattern(match.text), text_starts_ = starts_of(match.text);
}

bool CompiledMatch::form_holds(const InstructionForm& form) const {
  auto disagrees = [](const std::optional<bool>& wanted, bool is) { return wanted && *wanted != is; };
  if (disagrees(match_.load, form.load) || disagrees(match_.store, form.store)) return false;
  if (disagrees(match_.branch, form.branch) || disagrees(match_.floating, form.floating)) return false;
  if (disagrees(match_.indexed, form.indexed)) return false;
  if (match_.vector_bits_up_to && form.vector_bits > *match_.vector_bits_up_to) return false;
  if (match_.vector_bits_from && form.vector_bits < *match_.vector_bits_from) return false;
  if (match_.scale_from && !(form.indexed && form.scale >= *match_.scale_from)) return false;
  return !opcode_ || (starts_with_any(form.opcode, opcode_starts_) && std::regex_search(form.opcode, *opcode_));
}

bool CompiledMatch::holds(const Candidate& candidate) const {
  auto& remembered = candidate.remembered;
  auto place = static_cast<std::size_t>(number_);
  if (remembered.size() <= place) remembered.resize(place + 1, -1);
  if (remembered[place] < 0) remembered[place] = form_holds(candidate.form);
  if (!remembered[place]) return false;
  const std::string& text = candidate.instruction.text;
  return !text_ || (starts_with_any(text, text_starts_) && std::regex_search(text, *text_));
}

}  // namespace perfcast::engine

#include "report/source_text.h"

#include <filesystem>

#include "base/files.h"
#include "base/text.h"

namespace perfcast::report {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t small_file = 120'000;  // bytes
constexpr std::uintmax_t readable_file = 20'000'000;
constexpr int around = 12;                   // lines kept on either side of one that matters

Result<std::string> find_text(const std::string& file, const std::string& folder) {
  std::error_code ignored;
  fs::path there = fs::path(folder) / file;  // an absolute file stays as it is
  if (!fs::is_regular_file(there, ignored)) there = file;
  if (!fs::is_regular_file(there, ignored) || fs::file_size(there, ignored) > readable_file) return unfit("no such source", file);
  return read_file(there.string());
}

}  // namespace

bool is_system_source(const std::string& file) { return file.starts_with("/usr/"); }

std::vector<SourceText> source_text(const std::string& file, const std::string& folder, const std::set<int>& lines) {
  auto text = find_text(file, folder);
  if (!text) return {};
  if (text->size() <= small_file && !is_system_source(file)) return {{file, 1, *text}};
  std::vector<std::string> all = split(*text, '\n');
  std::vector<SourceText> pieces;
  int kept = 0;  // lines up to here stand in a piece
  for (int line : lines) {
    int from = std::max({1, line - around, kept + 1}), to = std::min<int>(static_cast<int>(all.size()), line + around);
    if (from > to) continue;
    if (pieces.empty() || from > kept + 1) pieces.push_back({file, from, ""});
    for (int i = from; i <= to; i++) pieces.back().text += all[static_cast<std::size_t>(i - 1)] + "\n";
    kept = to;
  }
  for (SourceText& piece : pieces) piece.text.pop_back();
  return pieces;
}

}  // namespace perfcast::report

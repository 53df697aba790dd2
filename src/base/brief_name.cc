#include "base/brief_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/text.h"

namespace perfcast {
namespace {

constexpr std::string_view keyword = "operator";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// The end of what is spelled at `at` as one piece: an operator's name with its signs, else one character.
std::size_t piece_end(const std::string& name, std::size_t at) {
  if (name.compare(at, keyword.size(), keyword) != 0 || (at > 0 && is_word(name[at - 1]))) return at + 1;
  std::size_t end = at + keyword.size();
  if (name.compare(end, 2, "()") == 0 || name.compare(end, 2, "[]") == 0) return end + 2;
  while (end < name.size() && std::string_view("<>=!+-*/%^&|~,").find(name[end]) != std::string_view::npos) end++;
  return end;
}

struct Piece {
  std::size_t from, to;
  int depth;  // brackets of any kind around it
};

std::vector<Piece> pieces_of(const std::string& name) {
  std::vector<Piece> pieces;
  int depth = 0;
  for (std::size_t at = 0, end = 0; at < name.size(); at = end) {
    end = piece_end(name, at);
    const char c = end == at + 1 ? name[at] : ' ';
    if (c == '>' || c == ')' || c == '}') depth--;
    pieces.push_back({at, end, depth});
    if (c == '<' || c == '(' || c == '{') depth++;
  }
  return pieces;
}

// The name without parameters and what follows them, and without the result type that templates have before it.
std::string without_signature(const std::string& name) {
  const auto pieces = pieces_of(name);
  std::size_t from = 0, to = name.size();
  for (const Piece& piece : pieces) {
    if (piece.depth != 0 || piece.to != piece.from + 1) continue;
    const bool unnamed = name.compare(piece.from, 11, "(anonymous ") == 0;
    if (name[piece.from] == '(' && !unnamed && piece.from > from) {
      to = piece.from;
      break;
    }
    const bool conversion = piece.from >= keyword.size() && name.compare(piece.from - keyword.size(), keyword.size(), keyword) == 0;
    const bool arguments = piece.to < name.size() && name[piece.to] == '<';  // "operator<< <char>"
    if (name[piece.from] == ' ' && !conversion && !arguments) from = piece.to;
  }
  return from < to ? name.substr(from, to - from) : name;
}

std::string without_template_arguments(const std::string& name) {
  std::string result;
  for (const Piece& piece : pieces_of(name)) {
    if (piece.depth > 0) continue;
    const std::string text = name.substr(piece.from, piece.to - piece.from);
    result += text == "<" ? "<…" : text == "(" || text == "{" ? text + "…" : text;
  }
  return result;
}

}  // namespace

// Flang marks each scope by a capital, which no name of Fortran has; what follows a point is the compiler's own.
std::string fortran_name(const std::string& name) {
  if (!name.starts_with("_Q") || name.starts_with("_QQ")) return name;
  const auto mark = name.substr(0, name.find('.')).rfind('P');
  return mark == name.npos ? name : name.substr(mark + 1);
}

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return fortran_name(name);
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

std::string brief_name(const std::string& name, std::size_t columns) {
  if (columns_of(name) <= columns) return name;
  std::string brief = without_signature(name);
  if (columns_of(brief) > columns) brief = without_template_arguments(brief);
  const std::size_t width = columns_of(brief);
  if (width <= columns) return brief;
  std::size_t cut = 0;
  for (std::size_t dropped = 0; dropped < width - columns + 1; dropped++)
    do cut++;
    while (cut < brief.size() && (static_cast<unsigned char>(brief[cut]) & 0xC0) == 0x80);
  if (auto scope = brief.find("::", cut); scope != brief.npos && scope + 2 < brief.size()) cut = scope;
  return "…" + brief.substr(cut);
}

std::string brief_path(const std::string& path, std::size_t columns) {
  if (columns_of(path) <= columns) return path;
  for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
    if (columns_of(path) - slash + 1 <= columns || path.find('/', slash + 1) == path.npos) return "…" + path.substr(slash);
  return path;
}

}  // namespace perfcast

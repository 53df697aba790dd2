#include "methods/characterize/instructions/benchmarks.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "base/assert.h"
#include "base/text.h"

namespace perfcast::instructions {

int instructions_in(const std::string& text) {
  int count = 0;
  for (auto& part : split(text, ';')) {
    const auto first = part.find_first_not_of(' ');
    if (first != std::string::npos && part[first] != '.' && part.back() != ':') count++;
  }
  return std::max(1, count);
}

namespace {

constexpr int stream_length = 96;  // instructions in a loop of streams: a multiple of the register sets, so that the
constexpr int chain_length = 32;   // loop's own branch disappears in one percent
constexpr int offset_modulo = 24;  // keeps offsets within what load-pair instructions can encode

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

// The value of `<key>` in copy `index`, empty when the key is not ours.
std::string value_of(const FormTable& table, const std::string& key, int index, double low, double high) {
  if (key == "i") return std::to_string(index);
  constexpr std::size_t longest_offset = 6;
  if (key.size() > 1 && key.size() <= longest_offset && key[0] == 'o' && std::isdigit(static_cast<unsigned char>(key[1])))
    return std::to_string(std::stoi(key.substr(1)) * (index % offset_modulo));
  auto set = table.registers.find(key);
  if (set == table.registers.end()) return {};
  const auto size = static_cast<double>(set->second.size());
  const auto first = static_cast<std::size_t>(low * size), last = std::max(first + 1, static_cast<std::size_t>(high * size));
  return set->second[first + static_cast<std::size_t>(index) % (last - first)];
}

std::string copies(const FormTable& table, const std::string& text, int count, double low = 0, double high = 1) {
  std::string all;
  for (int i = 0; i < count; i++) all += expand(table, text, i, low, high) + "\n";
  return all;
}

// How wide the vectors are that the setup fills, as the body names them: "", "avx" (256 bits) or "avx512". Filling
// more than is used would leave the upper parts dirty, which some cores make older instructions pay for.
std::string width_of(const Benchmark& b) {
  if (b.body.find("%zmm") != std::string::npos || b.body.find("%k") != std::string::npos) return "avx512";
  return b.body.find("%ymm") != std::string::npos ? "avx" : "";
}
// ... and with which instructions: registers filled by older ones cost newer ones a cycle.
std::string vectors_of(const FormTable& table, const Benchmark& b) {
  const std::string width = width_of(b);
  if (!width.empty()) return table.word("vectors " + width);
  const bool newer = b.body.starts_with("v") || b.body.find("\nv") != std::string::npos || b.body.find(";v") != std::string::npos;
  return newer && !table.word("vectors vex").empty() ? table.word("vectors vex") : table.word("vectors");
}

std::string setup_of(const FormTable& table, const Benchmark& b) {
  const std::string width = width_of(b);
  std::string text = table.word("setup " + b.setup);
  if (auto vectors = split_words(vectors_of(table, b)); vectors.size() == 2) {
    replace_all(text, "<mov>", vectors[0]);
    replace_all(text, "<reg>", vectors[1]);
  }
  if (!table.word("masks " + width).empty()) text += "; " + table.word("masks " + width);
  return text;
}

class Lister {
 public:
  Lister(const FormTable& table, const Selection& selection) : table_(table), selection_(selection) {}

  std::vector<Benchmark> list() {
    for (std::size_t i = 0; i < table_.clocks.size(); i++) {
      const auto& clock = table_.clocks[i];
      add("clock/" + std::to_string(i + 1), Kind::clock, copies(table_, clock.chain, 96), 96.0 * clock.cycles);
    }
    add("canary", Kind::canary, copies(table_, table_.canary, 24), 24).setup = "pd";
    for (const char* width : {"", "avx", "avx512"}) guard(width);
    for (auto& form : table_.forms) {
      if (!form.chain.empty()) chain(form, form.chain, Kind::chain, form.per);
      if (!form.accumulate.empty()) chain(form, form.accumulate, Kind::accumulate, 1);
      if (form.stream.empty()) continue;
      stream(form);
      if (selection_.slots) slots(form);
      if (selection_.pairs) pairs(form);
    }
    if (selection_.special)
      for (auto& e : table_.easy) easy(e);
    if (selection_.special)
      for (auto& c : table_.cases)
        if (selection_.kinds.empty() || selection_.kinds.contains(c.kind)) special(c);
    // Wide vectors last: they change the clock and the power of what runs next to them.
    std::vector<Benchmark> sorted;
    for (const std::string width : {"", "avx", "avx512"})
      for (auto& b : list_)
        if (b.kind <= Kind::guard ? width.empty() : width_of(b) == width) sorted.push_back(std::move(b));
    return sorted;
  }

 private:
  Benchmark& add(std::string name, Kind kind, std::string body, double per) {
    list_.push_back({.name = std::move(name), .kind = kind, .form = {}, .with = {}, .body = std::move(body),
                     .setup = "plain", .before = {}, .per = per, .iterations = 0});
    return list_.back();
  }
  void about(Benchmark& b, const Form& form) { b.form = form.name, b.setup = form.setup; }

  void guard(const std::string& width) {
    const std::string key = width.empty() ? "guard" : "guard " + width;
    if (table_.word(key).empty()) return;
    auto& b = add(width.empty() ? "guard" : "guard/" + width, Kind::guard, copies(table_, table_.word(key), 96), 96);
    b.setup = "pd";
  }
  void chain(const Form& form, const std::string& text, Kind kind, int per) {
    const int count = std::max(1, chain_length / instructions_in(text));
    const std::string prefix = kind == Kind::chain ? "chain/" : "accumulate/";
    about(add(prefix + form.name, kind, copies(table_, text, count), double(count) * per), form);
  }
  void stream(const Form& form) {
    const int count = std::max(1, stream_length / instructions_in(form.stream));
    about(add("stream/" + form.name, Kind::stream, copies(table_, form.stream, count), count), form);
  }
  void easy(const EasyOperands& e) {
    for (const auto& [text, length, name] : {std::tuple(&e.chain, chain_length, "/chain"), {&e.stream, stream_length, "/stream"}}) {
      if (text->empty()) continue;
      const int count = std::max(1, length / instructions_in(*text));
      auto& b = add("easy/" + e.form + name, Kind::easy, copies(table_, *text, count), count);
      b.form = e.form, b.setup = e.setup;
    }
  }
  // A stream with fillers between: its slots are what it takes beyond them, whatever its ports allow.
  void slots(const Form& form) {
    if (table_.filler.empty() || form.kind.starts_with("x87") || form.kind == "divide" || form.kind == "atomic" || form.kind == "nop" ||
        form.kind == "branch" || form.kind.starts_with("fp-div") || form.kind == "fp-sqrt")
      return;
    const int count = 12;
    std::string body;
    for (int i = 0; i < count; i++) {
      body += expand(table_, form.stream, i) + "\n";
      for (int k = 0; k < slot_fillers; k++) body += table_.filler + "\n";
    }
    about(add("slots/" + form.name, Kind::slots, std::move(body), count), form);
  }
  void pairs(const Form& form) {
    if (form.kind.starts_with("x87") || form.kind == "divide" || form.kind == "atomic" || form.kind == "nop" || form.kind == "branch") return;
    for (auto& reference : table_.references) {
      if (reference.name == form.name) continue;
      const Form* other = table_.find(reference.name);
      std::string body;
      const int count = std::max(1, stream_length / (instructions_in(form.stream) + 1));
      for (int i = 0; i < count; i++)
        body += expand(table_, form.stream, i, 0, 0.5) + "\n" + expand(table_, reference.stream, i, 0.5, 1) + "\n";
      auto& b = add("pair/" + form.name + "/" + reference.name, Kind::pair, std::move(body), count);
      about(b, form);
      b.with = reference.name;
      if ((b.setup == "plain" || b.setup == "flags") && other->setup.starts_with("p")) b.setup = other->setup;
    }
  }
  void special(const Case& c) {
    for (int n : c.parameters) {
      std::string text = c.body;
      if (c.after_long_chain) text = table_.word("long") + ";" + text;
      replace_all(text, "<n>", std::to_string(n));
      auto& b = add(c.kind + "/" + c.name + "/" + std::to_string(n), Kind::special, expand(table_, text, 0), c.per);
      b.with = c.kind, b.setup = c.setup, b.before = c.before, b.iterations = c.iterations;
    }
  }

  const FormTable& table_;
  const Selection& selection_;
  std::vector<Benchmark> list_;
};

}  // namespace

std::vector<Benchmark> list_benchmarks(const FormTable& table, const Selection& selection) {
  return Lister(table, selection).list();
}

std::string expand(const FormTable& table, const std::string& text, int index, double low, double high) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at++) {
    if (text[at] == '@') {  // @count(body): copies of the body, each with its own number
      const auto open = text.find('(', at);
      ensure(open != std::string::npos, "a repetition without its parenthesis");
      int depth = 0;
      std::size_t close = open;
      for (; close < text.size(); close++) {
        if (text[close] == '(') depth++;
        if (text[close] == ')' && --depth == 0) break;
      }
      ensure(close < text.size(), "a repetition without its closing parenthesis");
      const int count = std::stoi(text.substr(at + 1, open - at - 1));
      const std::string body = text.substr(open + 1, close - open - 1);
      for (int i = 0; i < count; i++) out += expand(table, body, i, low, high) + "\n";
      at = close;
    } else if (text[at] == '<') {
      const auto close = text.find('>', at);
      const std::string value =
          close == std::string::npos ? "" : value_of(table, text.substr(at + 1, close - at - 1), index, low, high);
      if (value.empty()) {
        out += '<';
      } else {
        out += value;
        at = close;
      }
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string loop_symbol(std::size_t benchmark) { return "perfcast_l" + std::to_string(benchmark); }

std::string write_assembly(const FormTable& table, const std::vector<Benchmark>& benchmarks, std::vector<int>* lines) {
  std::string text = table.word("preamble") + "\n.text\n";
  auto put = [&](std::string line) {
    replace_all(line, ";", "\n");
    text += line + "\n";
  };
  int line = static_cast<int>(std::ranges::count(text, '\n')) + 1;
  for (std::size_t i = 0; i < benchmarks.size(); i++) {
    const auto& b = benchmarks[i];
    const std::size_t start = text.size();
    if (lines) lines->push_back(line);
    if (!b.before.empty()) put(b.before);
    put(".p2align 6");
    put("perfcast_b" + std::to_string(i) + ":");
    put(table.word("prologue"));
    put(setup_of(table, b));
    const std::string loop = loop_symbol(i);  // the loop as a symbol, for who wants to decode it
    put(".p2align 6; .type " + loop + ",%function; " + loop + ":");
    put(table.word("top"));
    put(b.body);
    put(table.word("loop"));
    put(".size " + loop + ",.-" + loop);
    put(table.word(width_of(b).empty() || table.word("epilogue wide").empty() ? "epilogue" : "epilogue wide"));
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), '\n'));
  }
  auto guard_of = [&](const Benchmark& b) {  // setups without vectors need none
    const std::string width = width_of(b), name = width.empty() ? "guard" : "guard/" + width;
    auto it = std::ranges::find(benchmarks, name, &Benchmark::name);
    const bool vectors = b.setup.starts_with("p") && b.setup != "plain" && b.setup != "pattern";
    return it == benchmarks.end() || (!vectors && width.empty()) ? -1 : static_cast<int>(it - benchmarks.begin());
  };
  put(".section .rodata");
  for (std::size_t i = 0; i < benchmarks.size(); i++)
    put("perfcast_n" + std::to_string(i) + ": .asciz \"" + benchmarks[i].name + "\"");
  put(".data");
  put(".p2align 3");
  put(".globl perfcast_benchmarks");
  put("perfcast_benchmarks:");
  for (std::size_t i = 0; i < benchmarks.size(); i++)
    put(".quad perfcast_n" + std::to_string(i) + ", perfcast_b" + std::to_string(i) + ", " +
        std::to_string(benchmarks[i].iterations) + ", " + std::to_string(guard_of(benchmarks[i])));
  put(".quad 0, 0, 0, 0");
  put(".section .note.GNU-stack,\"\",%progbits");
  return text;
}

}  // namespace perfcast::instructions

// Fuzzing without libFuzzer: plain builds, any compiler, any machine. Seeds are changed at random (JSON by its structure, text
// by bytes and lines) and given to an entry in a child process, a batch at a time; a batch that ends badly or takes too long
// is gone through again one by one, and what did it is kept.
//
//   perfcast_fuzz_plain ENTRY SECONDS FINDINGS SEED_FILE...
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files.h"
#include "fuzz/entries.h"

namespace perfcast::fuzz {
namespace {

using Json = nlohmann::ordered_json;
constexpr int batch = 40;
constexpr unsigned seconds_for_one = 10;

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds, std::uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {
    for (const auto& text : seeds_) {
      Json json = Json::parse(text, nullptr, false);
      trees_.push_back(json.is_discarded() ? Json() : std::move(json));
    }
  }

  std::string next() {
    const std::size_t which = below(seeds_.size());
    if (!trees_[which].is_object() || below(8) == 0) return change_text(seeds_[which]);
    Json tree = trees_[which];
    for (std::size_t n = 1 + below(4); n > 0; n--) change(tree);
    return tree.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  std::size_t below(std::size_t n) { return n ? std::uniform_int_distribution<std::size_t>(0, n - 1)(random_) : 0; }

  Json odd_value(const Json& old) {
    static const double odd[] = {0, -1, 1, 2, -0.5, 1e-300, 1e-30, 1e30, 1e60, -1e60, 4294967296.0, 1e9, 1e18};
    if (old.is_number() && below(2)) return old.get<double>() * (below(2) ? -1 : 1e6) + static_cast<double>(below(3));
    switch (below(8)) {
      case 0: return odd[below(std::size(odd))];
      case 1: return static_cast<std::int64_t>(below(300)) - 20;
      case 2: return std::string();
      case 3: return nullptr;
      case 4: return Json::array();
      case 5: return Json::object();
      case 6: return below(2) == 0;
      default: return static_cast<std::int64_t>(odd[below(std::size(odd))] > 1e9 ? 2147483647 : -2147483648LL);
    }
  }
  // Goes down at random and changes what it finds there.
  void change(Json& node) {
    if (node.is_structured() && !node.empty() && below(12)) {
      auto it = node.begin();
      std::advance(it, static_cast<std::ptrdiff_t>(below(node.size())));
      if (!it->is_structured() && below(10) == 0 && node.is_object()) return void(node.erase(it.key()));
      return change(*it);
    }
    if (node.is_array() && !node.empty() && below(2)) {
      const std::size_t at = below(node.size());
      if (below(2)) node.push_back(Json(node[at]));
      else node.erase(at);
      return;
    }
    if (node.is_string() && below(3)) return void(node = change_text(node.get<std::string>()));
    node = odd_value(node);
  }
  std::string change_text(std::string text) {
    for (std::size_t n = 1 + below(5); n > 0; n--) {
      const std::size_t at = below(text.size() + 1), length = std::min(text.size() - at, below(20) + 1);
      switch (below(6)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, text.substr(at, length)); break;
        case 2: if (at < text.size()) text[at] = static_cast<char>(below(256)); break;
        case 3: text.insert(at, text.substr(below(text.size()), length)); break;
        case 4: {
          static const char* words[] = {"(", ")", "^", "*", "/", "N", "P", "1e300", "0", "-", "log2(", "sum(i,1,N,", "\n", "\n  ", ":", "=", ",", "floor(", "max(", "99999999999"};
          text.insert(at, words[below(std::size(words))]);
          break;
        }
        default: text.insert(at, std::string(below(30), text.empty() ? '(' : text[below(text.size())]));
      }
    }
    return text;
  }

  std::vector<std::string> seeds_;
  std::vector<Json> trees_;
  std::mt19937_64 random_;
};

// True when the child went through all of them.
bool survives(const Entry& entry, std::span<const std::string> inputs) {
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    rlimit memory{4ull << 30, 4ull << 30}, core{0, 0};
    ::setrlimit(RLIMIT_AS, &memory), ::setrlimit(RLIMIT_CORE, &core);
    if (inputs.size() > 1) std::freopen("/dev/null", "w", stderr);
    for (const auto& input : inputs) {
      ::alarm(inputs.size() > 1 ? seconds_for_one : 2 * seconds_for_one);
      entry.run(input);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int run(int argc, char** argv) {
  const Entry* entry = argc > 4 ? entry_named(argv[1]) : nullptr;
  if (!entry) {
    for (const Entry& known : entries()) std::printf("%s %s\n", known.name, known.seeds);
    return argc > 1 ? 2 : 0;
  }
  std::vector<std::string> seeds;
  for (int i = 4; i < argc; i++)
    if (auto text = read_file(argv[i])) seeds.push_back(std::move(*text));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[2]));
  Mutator mutator(std::move(seeds), static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
  long done = 0, found = 0;
  while (std::chrono::steady_clock::now() < end && found < 5) {
    std::vector<std::string> inputs;
    for (int i = 0; i < batch; i++) inputs.push_back(mutator.next());
    done += batch;
    if (survives(*entry, inputs)) continue;
    for (const auto& input : inputs)
      if (!survives(*entry, std::span(&input, 1))) {
        std::filesystem::create_directories(argv[3]);
        const std::string file = std::string(argv[3]) + "/" + std::to_string(std::hash<std::string>()(input) % 1000000007);
        (void)write_file(file, input);
        std::printf("%s: found %s\n", entry->name, file.c_str());
        found++;
      }
  }
  std::printf("%s: %ld inputs, %ld found\n", entry->name, done, found);
  return found > 0;
}

}  // namespace
}  // namespace perfcast::fuzz

int main(int argc, char** argv) { return perfcast::fuzz::run(argc, argv); }

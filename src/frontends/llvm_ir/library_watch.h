// How long a counted program is in which library routine, by looking now and then, from outside, at the word its counters
// say it in (library_calls_marked.h). Looks are weighed by the processor time the program took meanwhile.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace perfcast::llvm_ir {

struct LibraryTime {
  std::map<std::string, double> share;  // of the run, by routine; what it calls back included
  double all = 0;                       // share in any of them
  int looks = 0;                        // with the program at work; the fewer, the less it says
  // At the most, as far as so many looks can tell (the rule of three); 1 of routines that nobody watches.
  double at_most(const std::string& routine) const;
  std::vector<std::string> watched;
};

// One that runs: looks from the beginning to `stop`.
class LibraryWatch {
 public:
  // `routines`: by the checksum of their module, whose file lies in this folder.
  LibraryWatch(std::string folder, std::map<std::string, std::vector<std::string>> routines);
  LibraryWatch(const LibraryWatch&) = delete;
  LibraryWatch& operator=(const LibraryWatch&) = delete;
  ~LibraryWatch() { stop(); }
  LibraryTime stop();

 private:
  struct Module {
    const volatile unsigned long long* words = nullptr;
    std::size_t bytes = 0;
    const std::vector<std::string>* routines = nullptr;
  };
  void watch();
  void find_modules();
  void look();
  void weigh(double seconds);
  std::string folder_;
  std::map<std::string, std::vector<std::string>> routines_;
  std::map<std::string, Module> modules_;  // found so far, by checksum
  int process_ = 0;                        // the first that counts
  std::vector<std::vector<std::string>> looks_waiting_;  // what it was in, until the system tells of its time
  std::map<std::string, double> seconds_;
  double in_any_ = 0, all_ = 0;
  int looks_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace perfcast::llvm_ir

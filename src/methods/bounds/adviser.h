// Looks for the causes of the gaps of one loop; the gaps are searched in files of their own: application and schedule in
// causes.cc, compiler in causes_compiler.cc, what lies beyond the window in causes_beyond.cc.
#pragma once

#include "methods/bounds/causes.h"

namespace perfcast::bounds {

// What brings lines from beyond the first cache, or walks the page tables.
struct MemoryCause {
  std::string cause;
  double amount = 0;                 // cycles per iteration
  const Access* worst = nullptr;     // the access that does most of it
  double step = 0;                   // bytes from one iteration to the next that leave most of each line unused; 0: none such
  std::string array;                 // that is walked so
  std::vector<std::string> levels;   // that serve it
  bool walks = false;
};

class Adviser {
 public:
  Adviser(const Profile& profile, const Machine& machine, Steps& steps, const LoopFacts& facts);
  std::vector<Advice> all();

 private:
  // `cycles` per iteration that the cause costs; too little is not said. `line`: 0 for the loop's own.
  void say(const std::string& gap, const std::string& cause, double cycles, int line, const std::string& text);

  void application();
  void recurrence(double essential, double t_d);
  void schedule();
  void window();
  double without(const std::string& what);

  void compiler();
  void vectors();
  bool calls();
  void loads_and_stores();
  void arithmetic();
  double mac_with(const Steps::Keep& keep);
  double lanes() const;
  bool unoptimised() const;
  bool built_for_a_cpu() const;

  void beyond();
  MemoryCause memory_cause(const NamedAmount& part) const;
  void find_wasteful_step(MemoryCause& found) const;
  void say_memory(const MemoryCause& found);
  void conflicts(const NamedAmount& part);
  int mispredicted_line() const;

  bool worth_saying(double cycles) const { return cycles > 0.02 * now_; }

  template <class Visit>  // form, instruction, executions per iteration
  void each_instruction(Visit visit) const {
    const Function& function = profile_.machine->functions[static_cast<std::size_t>(group_.function)];
    for (int b : group_.blocks) {
      const Block& block = function.blocks[static_cast<std::size_t>(b)];
      for (const Instruction& instruction : block.code)
        visit(profile_.forms[static_cast<std::size_t>(instruction.form)], instruction, block.count.value / group_.iterations);
    }
  }

  const Profile& profile_;
  const Machine& machine_;
  Steps& steps_;
  const LoopGroup& group_;
  const Ladder& raw_;
  const LoopBounds& loop_;
  const Beyond& beyond_;
  double now_ = 0;  // cycles per iteration as it is
  std::vector<Advice> found_;
};

}  // namespace perfcast::bounds

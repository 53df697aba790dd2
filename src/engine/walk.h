// A walk through the machine code of a profile that follows the counted edges, so that a few hundred thousand
// simulated instructions stand for the whole run. Successors are taken in exact proportion to their counts, the most
// overdue one first: a loop counted 25 iterations per entry leaves after every 25th, a branch taken half the time
// alternates. Mispredicted is above all the rarer way of a branch: a search that ends is a surprise, that it goes on is
// none. Calls enter their callees and return to where they came from; a call through a pointer goes to the
// functions that are executed more often than the calls which name them.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/core.h"
#include "record/profile.h"

namespace perfcast::engine {

// Picks among weighted choices so that each gets its share as evenly as possible, without chance.
class EvenChoice {
 public:
  void add(double weight) { weights_.push_back(weight), overdue_.push_back(0), total_ += weight; }
  bool empty() const { return total_ <= 0; }
  std::size_t next();
  // Nearly always the same.
  bool certain() const { return weights_.empty() || std::ranges::max(weights_) >= 0.97 * total_; }
  std::size_t heaviest() const { return static_cast<std::size_t>(std::ranges::max_element(weights_) - weights_.begin()); }
  // Of those other than this one; there are at least two.
  std::size_t heaviest_but(std::size_t choice) const;

 private:
  std::vector<double> weights_, overdue_;
  double total_ = 0;
};

struct WalkBlock {
  int function = 0, block = 0;
  std::size_t begin = 0, end = 0;   // its instructions in WalkProgram::code
  double count = 0;
  std::vector<int> successors;      // walk blocks
  EvenChoice choice;
  struct Misprediction {
    double rate = 0, due = 0;
  };
  std::vector<Misprediction> mispredictions;     // by successor; one where there is none
  std::size_t left_for = 0;                      // the successor it was left for last
  std::size_t mispredicts_at = ~std::size_t{0};  // its last branch, or else its last call through a pointer
};

struct WalkProgram {
  std::vector<WalkBlock> blocks;
  std::vector<const Instruction*> code;
  struct Call {
    std::vector<int> entries;       // first blocks of what it calls; empty: code that nobody has seen
    EvenChoice choice;
    bool tail = false;              // a jump into another function: its caller is ours
    WalkBlock::Misprediction misprediction;
  };
  static constexpr int no_call = -1;
  std::vector<Call> calls;
  std::vector<int> call;            // by instruction: index into calls, or no_call
  std::vector<bool> branches, conditional;  // by instruction
  struct CallSites {
    std::vector<std::pair<int, std::size_t>> places;  // block, instruction behind the call
    EvenChoice choice;
    int entry = -1;                 // the function's own first block, when it is called often by who knows whom
  };
  std::vector<CallSites> callers;   // by function
};
// `branches` of the core that goes there: how often it mispredicts them.
WalkProgram walk_program(const Graph& graph, const std::vector<InstructionForm>& forms, const BranchCosts& branches);

// The blocks on a shortest way that was taken from the entry of a block's function to it, without itself; empty: it is the
// entry, or nothing leads there.
std::vector<int> way_to(const WalkProgram& program, int block);

// One executed instruction of the walk.
struct WalkStep {
  int block = 0;
  std::size_t instruction = 0;      // in WalkProgram::code
  bool taken = false, mispredicted = false, enters_block = false;
  bool chosen = false;              // another time the program goes another way from here, in an order that the walk does not know
  std::optional<std::size_t> behind;  // the next step in WalkProgram::code, if it lies directly behind in memory
};

class Walker {
 public:
  explicit Walker(WalkProgram& program) : program_(program) {}
  void start(int block);
  bool at_end() const { return block_ < 0; }
  WalkStep next();

 private:
  friend class BelievedWay;
  WalkBlock& here() { return program_.blocks[static_cast<std::size_t>(block_)]; }
  void go(int block) { block_ = block, at_ = here().begin, entering_ = true; }
  void enter(WalkProgram::Call& call, WalkStep& step);
  void leave_block();
  void settle();

  static constexpr std::size_t deepest = 4096;  // calls beyond are stepped over
  WalkProgram& program_;
  int block_ = -1;
  std::size_t at_ = 0;
  bool entering_ = false;
  bool chose_ = false;  // among ways, since the last step
  std::vector<std::pair<int, std::size_t>> frames_;
};

// The way that a core goes while it is wrong about the branch at the end of a block: what comes behind it foresees as
// well as always, so that it comes to where the walk will come to, if both ways lead there. Where it is wrong again, it may
// find out before it does about the first branch. Changes nothing of the walk.
class BelievedWay {
 public:
  // Right after the walker has left `block`.
  BelievedWay(const Walker& walker, int block);
  struct Place {
    int block = 0;
    std::size_t instruction = 0;
    bool mispredicted = false;
  };
  std::optional<Place> next();  // none: it leads to where nobody has been
  // The last place was mispredicted, and by now that is known.
  void turn_back() { believed_ = right_; }

 private:
  const WalkBlock& here() const { return walker_.program_.blocks[static_cast<std::size_t>(block_)]; }
  void go(int block) { block_ = block, at_ = here().begin; }
  void foresee(Place& place);
  bool leave_block();
  struct Foresight {
    EvenChoice choice;
    std::vector<WalkBlock::Misprediction> mispredictions;
  };
  const Walker& walker_;
  int block_ = -1;
  std::optional<std::size_t> believed_, right_;  // successors of the block, once its branch has been met
  std::size_t at_ = 0, below_ = 0;  // callers of the walk's that it has not yet returned to
  std::vector<std::pair<int, std::size_t>> frames_;
  std::map<int, Foresight> foresight_;
};

}  // namespace perfcast::engine

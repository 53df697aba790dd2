// Why a loop is not faster: the causes of section 5, found in the code, each with what it could save and one sentence.
#pragma once

#include "methods/bounds/beyond.h"
#include "methods/bounds/classes.h"

namespace perfcast::bounds {

struct LoopFacts {
  const LoopGroup& group;
  const Ladder& raw;        // before clamping
  const LoopBounds& loop;   // everything but the advice
  const Beyond& beyond;
};

// Most useful first; what would save less than 2 % of the loop's time is left out.
std::vector<Advice> advice_for(const Profile& profile, const Machine& machine, Steps& steps, const LoopFacts& facts);

// The compiler's remarks about lines of the loop, those about the loop itself first.
std::vector<const CompilerRemark*> remarks_about(const Profile& profile, const LoopGroup& group, const std::string& pass);

}  // namespace perfcast::bounds

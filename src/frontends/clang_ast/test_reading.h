// For the tests of this folder: texts read as C or C++.
#pragma once

#include <gtest/gtest.h>

#include "frontends/clang_ast/read_c_family.h"
#include "frontends/test_source.h"

namespace perfcast {

inline ReadSource read_files(const std::vector<std::pair<std::string, std::string>>& texts, const std::vector<std::string>& arguments = {}) {
  auto source = read_texts(read_c_family, texts, arguments);
  EXPECT_TRUE(source) << source.error().message();
  return source ? std::move(*source) : ReadSource{};
}

inline std::string usage_of(const Function* function) {
  if (!function) return "no such function";
  return usage_text(static_usage({{*function}}));
}

}  // namespace perfcast

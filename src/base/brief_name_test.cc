#include "base/brief_name.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace perfcast {
namespace {

TEST(BriefName, ShortNamesStay) {
  EXPECT_EQ(brief_name("work(int, int)"), "work(int, int)");
  EXPECT_EQ(brief_name("_QQmain"), "_QQmain");
  EXPECT_EQ(brief_name(""), "");
}

TEST(BriefName, ParametersGoFirst) {
  EXPECT_EQ(brief_name("sim::total(std::vector<sim::Body, std::allocator<sim::Body>> const&, sim::Force const&)"), "sim::total");
  EXPECT_EQ(brief_name("void std::sort<long*>(long*, long*, std::less<long>, unsigned long)"), "std::sort<long*>");
  EXPECT_EQ(brief_name("sim::Ring<double, 8ul>::operator()(std::vector<double> const&, int) const"), "sim::Ring<double, 8ul>::operator()");
  EXPECT_EQ(brief_name("(anonymous namespace)::step(std::vector<double>&, double, double)"), "(anonymous namespace)::step");
}

TEST(BriefName, ThenTemplateArguments) {
  EXPECT_EQ(brief_name("std::__detail::_Map_base<std::__cxx11::basic_string<char>, std::pair<int, int>, true>::operator[](std::string&&)"),
            "std::__detail::_Map_base<…>::operator[]");
  EXPECT_EQ(brief_name("std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)", 30), "std::operator<< <…>");
}

TEST(BriefName, NothingIsWiderThanAsked) {
  const std::string names[] = {"a::very::deep::name::space::of::namespaces::holding::function", std::string(200, 'x'), "f<" + std::string(300, '<'),
                               "operator<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<", "(((((((((((((((((((((((((((((((((((((((((((((((", std::string(90, ' ')};
  for (const auto& name : names) EXPECT_LE(columns_of(brief_name(name, 30)), 30u) << name;
}

TEST(BriefName, LinkageNames) {
  EXPECT_EQ(demangled("_ZSt11_Hash_bytesPKvmm"), "std::_Hash_bytes(void const*, unsigned long, unsigned long)");
  EXPECT_EQ(demangled("memcpy"), "memcpy");
  EXPECT_EQ(demangled("_Znonsense"), "_Znonsense");
  EXPECT_EQ(demangled("_QMshapesParea"), "area");
  EXPECT_EQ(demangled("_QMshapesFareaPwithin"), "within");
  EXPECT_EQ(demangled("_QMshapesParea..omp_par.1"), "area..omp_par.1");
  EXPECT_EQ(demangled("_QMshapesEside"), "_QMshapesEside");  // no procedure
  EXPECT_EQ(demangled("_QQmain"), "_QQmain");
}

TEST(BriefPath, LastPartsAreKept) {
  EXPECT_EQ(brief_path("/usr/include/c++/12/bits/stl_algo.h", 24), "…/c++/12/bits/stl_algo.h");
  EXPECT_EQ(brief_path("src/a.c", 24), "src/a.c");
  EXPECT_EQ(brief_path("/home/me/a_file_with_a_really_long_name.c", 20), "…/a_file_with_a_really_long_name.c");
}

}  // namespace
}  // namespace perfcast

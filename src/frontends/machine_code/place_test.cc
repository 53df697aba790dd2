#include "frontends/machine_code/place.h"

#include <gtest/gtest.h>

#include "frontends/machine_code/test_support.h"

namespace perfcast::machine_code {
namespace {

Function function_at(const std::string& name, std::uint64_t first, int size) {
  Function function;
  function.name = name;
  Instruction instruction;
  instruction.address = first, instruction.size = size;
  function.blocks.emplace_back().code = {instruction};
  return function;
}

}  // namespace

TEST(Place, FunctionsGetTheAddressesOfTheLinkedProgram) {
  Workshop shop;
  const std::string program = shop.clang("program", shop.source("program.c", "int twice(int x) { return x + x; } int main(void) { return twice(2); }"), {"-O1"});
  auto image = ElfImage::open(program);
  ASSERT_TRUE(image) << image.error().message();
  std::uint64_t where = 0;
  for (const auto& symbol : image->functions())
    if (symbol.name == "twice") where = symbol.address;
  Graph graph;
  graph.functions = {function_at("twice@1", 0x40, 3), function_at("not_there", 0x80, 4), function_at("main", 0x90, 6)};
  graph.functions[2].library = true;
  ASSERT_TRUE(place(program, graph));
  EXPECT_EQ(graph.functions[0].blocks[0].code[0].address, where);
  EXPECT_EQ(graph.functions[1].blocks[0].code[0].address, 0x80u);
  EXPECT_EQ(graph.functions[2].blocks[0].code[0].address, 0x90u);
  EXPECT_FALSE(place(shop.file("nothing"), graph));
}

}  // namespace perfcast::machine_code

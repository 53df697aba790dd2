// Formatting and parsing with the C++ streams: a table of numbers is written to text and read back.
// Check: integers come back exactly, doubles of 17 digits bit for bit, names unchanged.
// Argument: thousands of rows.
#include <cstdio>
#include <iomanip>
#include <sstream>
#include <string>

#include "../common.h"

int main(int argc, char** argv) {
  int rows = 1000 * size_argument(argc, argv, 150);
  uint64_t seed = 127;
  std::ostringstream out;
  out << std::setprecision(17);
  for (int i = 0; i < rows; ++i) {
    auto r = next_random(&seed);
    out << i << ' ' << "row" << r % 977 << ' ' << next_unit(&seed) << ' ' << std::hex << r << std::dec << '\n';
  }
  const std::string text = out.str();

  seed = 127;
  std::istringstream in(text);
  bool good = true;
  int count = 0;
  double sum = 0;
  for (std::string line; std::getline(in, line); ++count) {
    std::istringstream fields(line);
    int i = -1;
    std::string name;
    double x = 0;
    uint64_t bits = 0;
    fields >> i >> name >> x >> std::hex >> bits;
    auto r = next_random(&seed);
    good = good && i == count && bits == r && name == "row" + std::to_string(r % 977) && x == next_unit(&seed);
    sum += x;
  }
  std::printf("streams: %zu bytes, %d rows, mean %.4f\n", text.size(), count, sum / rows);
  return verdict(good && count == rows);
}

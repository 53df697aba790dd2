// Word counts of a made-up text: std::string, std::map, std::unordered_map, std::sort, streams.
// Check: the two maps agree word by word and the counts add up to the number of words drawn.
// Argument: thousands of words.
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "../common.h"

namespace {

std::string make_word(uint64_t& seed) {
  std::string word;
  for (auto length = 2 + next_random(&seed) % 12; length > 0; --length)
    word += static_cast<char>('a' + next_random(&seed) % 26);
  return word;
}

// Low numbers are more frequent, as in a language.
std::string make_text(int words, uint64_t& seed) {
  std::vector<std::string> vocabulary(20000);
  for (auto& word : vocabulary) word = make_word(seed);
  std::string text;
  for (int i = 0; i < words; ++i) {
    auto range = 1 + next_random(&seed) % vocabulary.size();
    text += vocabulary[next_random(&seed) % range];
    text += i % 12 == 11 ? '\n' : ' ';
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  int words = 1000 * size_argument(argc, argv, 500);
  uint64_t seed = 107;
  const std::string text = make_text(words, seed);

  std::map<std::string, int> ordered;
  std::istringstream in(text);
  for (std::string word; in >> word;) ++ordered[word];

  std::unordered_map<std::string, int> hashed;
  for (std::size_t start = 0; start < text.size();) {
    auto end = text.find_first_of(" \n", start);
    ++hashed[text.substr(start, end - start)];
    start = end + 1;
  }

  bool good = ordered.size() == hashed.size();
  int total = 0;
  for (const auto& [word, count] : ordered) {
    auto found = hashed.find(word);
    good = good && found != hashed.end() && found->second == count;
    total += count;
  }
  std::vector<std::pair<int, std::string>> ranking;
  for (const auto& [word, count] : hashed) ranking.emplace_back(-count, word);
  std::sort(ranking.begin(), ranking.end());
  std::printf("wordcount: %zu words, most frequent %d times\n", ranking.size(), -ranking.front().first);
  return verdict(good && total == words);
}

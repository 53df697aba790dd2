// Tables keyed by numbers that are written as text, as JSON has them: numbers of threads, of streams.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace perfcast {

using Points = std::vector<std::pair<double, double>>;  // key and value

// In the order of their keys, each key once, so that one can divide by what lies between two. A key that is no finite number
// is left out.
template <class Value, class Get>
Points points_of(const std::map<std::string, Value>& table, Get get) {
  Points points;
  for (const auto& [text, value] : table)
    if (const double key = std::atof(text.c_str()); std::isfinite(key)) points.emplace_back(key, get(value));
  std::ranges::sort(points);
  const auto repeated = std::ranges::unique(points, {}, &std::pair<double, double>::first);
  points.erase(repeated.begin(), repeated.end());
  return points;
}

// The value at this key: between the points linearly, beyond them that of the nearest. There is one point at least.
inline double between(const Points& points, double key) {
  if (key <= points.front().first) return points.front().second;
  for (std::size_t i = 1; i < points.size(); i++)
    if (key <= points[i].first) {
      const double share = (key - points[i - 1].first) / (points[i].first - points[i - 1].first);
      return points[i - 1].second + share * (points[i].second - points[i - 1].second);
    }
  return points.back().second;
}

}  // namespace perfcast

#include "report/record_tables.h"

#include <algorithm>
#include <map>
#include <set>

namespace perfcast::report {
namespace {

using Cells = std::vector<std::pair<std::string, std::string>>;  // column, text

std::string cell_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "" : value.dump();
}

bool is_scalar(const Json& value) { return !value.is_object() && !value.is_array(); }

// Scalars of an object, those of inner objects by "outer.inner", short lists of scalars by "key.0", "key.1".
void flatten(const Json& object, const std::string& above, Cells& cells) {
  constexpr std::size_t short_list = 4;
  for (const auto& [key, value] : object.items()) {
    std::string name = above.empty() ? key : above + "." + key;
    if (is_scalar(value)) cells.emplace_back(name, cell_text(value));
    else if (value.is_object()) flatten(value, name, cells);
    else if (value.size() <= short_list && std::ranges::all_of(value, is_scalar))
      for (std::size_t i = 0; i < value.size(); i++) cells.emplace_back(name + "." + std::to_string(i), cell_text(value[i]));
  }
}

// What tells this row from its neighbours: its words, not its numbers.
Cells identity_of(const Json& object, const std::string& prefix) {
  Cells cells;
  for (const char* key : {"program", "name", "model", "machine", "function", "language", "compiler", "flags", "line", "region"})
    if (auto it = object.find(key); it != object.end() && is_scalar(*it)) cells.emplace_back(prefix + "." + key, cell_text(*it));
  return cells;
}

bool is_list_of_objects(const Json& value) {
  return value.is_array() && !value.empty() && std::ranges::all_of(value, [](const Json& item) { return item.is_object(); });
}

// Entries that share a key are rows of one table: {"ARSL": {"value": ...}, "MRSL": {"value": ...}}.
bool is_map_of_alikes(const Json& value) {
  if (!value.is_object() || value.size() < 2) return false;
  std::set<std::string> common;
  bool first = true;
  for (const auto& [key, entry] : value.items()) {
    if (!entry.is_object()) return false;
    std::set<std::string> keys;
    for (const auto& [inner, ignored] : entry.items()) keys.insert(inner);
    if (first) common = keys;
    else std::erase_if(common, [&](const std::string& k) { return !keys.contains(k); });
    first = false;
  }
  return !common.empty();
}

class Collector {
 public:
  void walk(const Json& value, const std::string& path, const Cells& outer) {
    auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
    if (is_list_of_objects(value)) {
      for (const Json& item : value) row(item, path, outer, {});
    } else if (is_map_of_alikes(value)) {
      for (const auto& [key, item] : value.items()) row(item, path, outer, {{"name", key}});
    } else if (value.is_object()) {
      for (const auto& [key, item] : value.items())
        if (key != "made_by") walk(item, below(key), outer);
    }
  }
  std::vector<NamedTable> tables() const {
    std::vector<NamedTable> list;
    for (const std::string& name : order_) {
      const Rows& rows = found_.at(name);
      Table table(rows.columns);
      for (const Cells& cells : rows.rows) {
        std::vector<std::string> line(rows.columns.size());
        for (const auto& [column, text] : cells)
          line[static_cast<std::size_t>(std::ranges::find(rows.columns, column) - rows.columns.begin())] = text;
        table.add(std::move(line));
      }
      list.push_back({name, std::move(table), rows.rows.size()});
    }
    return list;
  }

 private:
  struct Rows {
    std::vector<std::string> columns;
    std::vector<Cells> rows;
  };
  void row(const Json& item, const std::string& path, const Cells& outer, Cells own) {
    flatten(item, "", own);
    Cells cells = outer;
    cells.insert(cells.end(), own.begin(), own.end());
    auto [it, is_new] = found_.try_emplace(path);
    if (is_new) order_.push_back(path);
    for (const auto& [column, text] : cells)
      if (std::ranges::find(it->second.columns, column) == it->second.columns.end()) it->second.columns.push_back(column);
    it->second.rows.push_back(cells);
    std::string last = path.substr(path.rfind('.') == path.npos ? 0 : path.rfind('.') + 1);
    Cells known = outer;
    for (auto& cell : identity_of(item, last)) known.push_back(std::move(cell));
    if (!own.empty() && own[0].first == "name" && !item.contains("name")) known.emplace_back(last, own[0].second);
    for (const auto& [key, value] : item.items())
      if (!is_scalar(value)) walk(value, path + "." + key, known);
  }

  std::vector<std::string> order_;
  std::map<std::string, Rows> found_;
};

}  // namespace

std::vector<NamedTable> tables_in(const Json& record) {
  Collector collector;
  collector.walk(record, "", {});
  return collector.tables();
}

}  // namespace perfcast::report

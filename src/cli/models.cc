#include "cli/models.h"

#include <cmath>
#include <cstdlib>

namespace perfcast::cli {

Result<std::vector<Model>> models_named(const std::vector<std::string>& names) {
  std::vector<Model> models;
  for (const auto& name : names) {
    if (name == "all") {
      models.clear();
      for (auto& [model, word] : EnumWords<Model>::words) models.push_back(model);
      return models;
    }
    auto model = from_word<Model>(name);
    if (!model) return wrong_usage("there is no model \"" + name + "\"", "--model dbc|poc|hllc|intcc|icc|ct|all");
    models.push_back(*model);
  }
  return models;
}

Result<std::map<std::string, double>> settings_of(const std::vector<std::string>& words, const std::string& for_example) {
  std::map<std::string, double> set;
  for (const auto& word : words) {
    auto at = word.find('=');
    char* end = nullptr;
    double value = at == word.npos ? 0 : std::strtod(word.c_str() + at + 1, &end);
    if (at == word.npos || at == 0 || end == word.c_str() + at + 1 || *end || !std::isfinite(value))
      return wrong_usage("\"" + word + "\" is not NAME=VALUE", for_example);
    set[word.substr(0, at)] = value;
  }
  return set;
}

}  // namespace perfcast::cli

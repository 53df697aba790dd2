#include "report/page.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/paths.h"
#include "record/operations.h"

namespace perfcast::report {
namespace {

namespace fs = std::filesystem;
constexpr const char* placeholder = "@PERFCAST_DATA@";

// Installed with the bundled data; in a build tree where CMake left it.
Result<std::string> page_template() {
  for (const fs::path& path : {bundled_data() / "page" / "report.html", fs::path(PERFCAST_BUILT_PAGE)}) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return read_file(path.string());
  }
  return unfit("the report page was not built: npm (or its package registry) was not at hand when perfcast was built",
               PERFCAST_BUILT_PAGE, "install npm and run ./scripts/build again; text and JSON views need no page");
}

// JSON inside a script element: nothing in it may look like markup.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size() + json.size() / 50);
  for (char c : json) {
    if (c == '<') text += "\\u003c";
    else if (c == '&') text += "\\u0026";
    else text += c;
  }
  return text;
}

}  // namespace

void add_prediction_views(PageData& page, const Prediction& prediction, const Profile* profile) {
  constexpr double shown_share = 5e-4;  // the page prints no time of lines below it
  std::map<std::string, std::set<int>> lines;
  for (const ModelPrediction& p : prediction.predictions) {
    if (auto view = p.views.find("line"); view != p.views.end())
      for (const Part& part : view->second)
        if (auto at = part.name.rfind(':'); at != std::string::npos && (part.seconds >= shown_share * p.seconds || !is_system_source(part.name)))
          lines[part.name.substr(0, at)].insert(std::atoi(part.name.c_str() + at + 1));
    if (!profile || p.model == Model::ct || p.seconds <= 0) continue;
    Frame root = call_tree(*profile, p);
    if (!root.children.empty()) page.flames.push_back({prediction.program, p.machine, word_of(p.model), std::move(root)});
  }
  for (const auto& [file, numbers] : lines) {
    if (std::ranges::any_of(page.sources, [&](const SourceText& s) { return s.file == file; })) continue;
    for (SourceText& piece : source_text(file, profile ? profile->run.folder : "", numbers)) page.sources.push_back(std::move(piece));
  }
}

void add_meanings(PageData& page) {
  for (const SourceOperationKind& kind : source_operations()) page.meanings[kind.name] = kind.meaning;
}

Result<std::string> page_html(const PageData& page) {
  TRY(std::string html, page_template());
  auto at = html.find(placeholder);
  if (at == std::string::npos) return unfit("the report page has no place for its records", "report.html", "./scripts/build makes it again");
  Json json = {{"format", PageData::format}, {"version", PageData::version}};
  Json fields = to_json_value(page);
  for (auto& [key, value] : fields.items()) json[key] = std::move(value);
  std::string text = inside_script(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  return html.replace(at, std::string(placeholder).size(), text);
}

}  // namespace perfcast::report

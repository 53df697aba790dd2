#include "methods/validate/suite.h"

#include <filesystem>
#include <set>

#include "base/files.h"

namespace perfcast::validate {
namespace fs = std::filesystem;

Result<Suite> read_suite(const std::string& folder_or_file) {
  std::error_code error;
  fs::path file = folder_or_file;
  if (fs::is_directory(file, error)) file /= "suite.json";
  if (!fs::exists(file, error))
    return unfit("there is no suite here", folder_or_file,
                 "a folder with suite.json: {\"programs\":[{\"name\":\"a\",\"sources\":[\"a.c\"],\"cflags\":\"-O2\",\"args\":[]}]}");
  TRY(std::string text, read_file(file.string()));
  TRY(Suite suite, parse_suite(text, file.string()));
  suite.folder = fs::absolute(file, error).lexically_normal().parent_path().string();
  return suite;
}

Result<Suite> parse_suite(const std::string& text, const std::string& file) {
  TRY(Json json, parse_json(text, file));
  Suite suite;
  try {
    from_json_value(json, suite, "");
  } catch (const JsonMismatch& mismatch) {
    return unfit(mismatch.what, file + ": " + mismatch.place);
  }
  std::set<std::string> names;
  for (const auto& program : suite.programs) {
    if (program.sources.empty()) return unfit("the program " + program.name + " has no sources", file);
    if (!names.insert(program.name).second) return unfit("two programs are named " + program.name, file);
  }
  if (suite.programs.empty()) return unfit("the suite lists no programs", file);
  return suite;
}

}  // namespace perfcast::validate

// Records as files: {"format": "perfcast.machine", "version": 1, ...}. A file of a newer version is refused by name,
// an older one lifted (lift.h).
#pragma once

#include <string>

#include "base/files.h"
#include "base/json.h"
#include "record/lift.h"

namespace perfcast {

// Checks format and version of a parsed file: one that can be read, as it is or lifted.
Status check_format(const Json& json, const std::string& format, int version, const std::string& name);
// The format of a parsed file ("perfcast.machine"), or empty.
std::string format_of(const Json& json);

template <class Record>
Result<Record> record_from_json(const Json& json, const std::string& name, std::span<const Lift> steps = lifts()) {
  CHECK_OK(check_format(json, Record::format, Record::version, name));
  if (json.at("version") < Record::version) {
    TRY(Json newest, lifted(json, Record::version, name, steps));
    return record_from_json<Record>(newest, name, steps);
  }
  Record record;
  try {
    from_json_value(json, record, "");
  } catch (const JsonMismatch& mismatch) {
    return unfit(mismatch.what, name + ": " + mismatch.place, "docs/formats.md describes the file");
  }
  return record;
}

template <class Record>
Result<Record> read_record(const std::string& path) {
  TRY(Json json, read_json_file(path));
  return record_from_json<Record>(json, path);
}

template <class Record>
std::string record_text(const Record& record) {
  Json json = {{"format", Record::format}, {"version", Record::version}};
  Json fields = to_json_value(record);
  for (auto& [key, value] : fields.items()) json[key] = std::move(value);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Reading and writing a record is compiled once, in record_file.cc: `extern` in the record's header says so.
#define PERFCAST_RECORD_FILE(linkage, Record)                                                       \
  linkage template Result<Record> record_from_json<Record>(const Json& json, const std::string& name, std::span<const Lift> steps); \
  linkage template std::string record_text<Record>(const Record& record);

template <class Record>
Status write_record(const std::string& path, const Record& record) { return write_file(path, record_text(record)); }

}  // namespace perfcast

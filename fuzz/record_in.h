// How an entry reads a record: as the program does, and what is written of it is read again as the same.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/assert.h"
#include "record/record_file.h"
#include "report/record_tables.h"

namespace perfcast::fuzz {

template <class Record>
std::optional<Record> record_in(const std::string& text) {
  auto json = parse_json(text, "fuzz");
  if (!json) return {};
  (void)report::tables_in(*json);
  auto record = record_from_json<Record>(*json, "fuzz");
  if (!record) return {};
  const std::string written = record_text(*record);
  auto again = parse_json(written, "written");
  ensure(again.has_value(), "a record we wrote is no JSON");
  auto back = record_from_json<Record>(*again, "written");
  ensure(back.has_value(), "a record we wrote cannot be read");
  ensure(record_text(*back) == written, "a record changes when it is written and read");
  return std::move(*record);
}

}  // namespace perfcast::fuzz

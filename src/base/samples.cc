#include "base/samples.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "base/preload.h"

namespace perfcast {
namespace {

// The head of the file that data/runtime/sampler.c writes; eight bytes for each place follow.
struct Head {
  std::uint64_t magic, capacity, taken, base, cpu_at_start, unused[3];
};
constexpr std::uint64_t magic = 0x31504d4153434650u;

}  // namespace

Result<RunRequest> sampled(const RunRequest& program, const std::string& file, double period_ns) {
  TRY(const std::string library, runtime_library("sampler", {"-lrt"}));
  RunRequest request = program;
  request.environment["LD_PRELOAD"] = library;
  request.environment["PERFCAST_SAMPLES"] = file;
  request.environment["PERFCAST_SAMPLE_NS"] = std::to_string(static_cast<long>(period_ns));
  return request;
}

Result<Samples> take_samples(const std::string& file) {
  TRY(const std::string bytes, read_file(file));
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  Head head{};
  if (bytes.size() < sizeof head) return unfit("the sampler wrote nothing; is the program linked statically?", file);
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != magic) return unfit("the sampler did not start", file);
  Samples samples;
  samples.places.resize(std::min<std::uint64_t>(head.taken, (bytes.size() - sizeof head) / sizeof(std::uint64_t)));
  if (!samples.places.empty()) std::memcpy(samples.places.data(), bytes.data() + sizeof head, sizeof(std::uint64_t) * samples.places.size());
  for (std::uint64_t& place : samples.places) place -= head.base;
  samples.cpu_before = Seconds{1e-9 * static_cast<double>(head.cpu_at_start)};
  return samples;
}

}  // namespace perfcast

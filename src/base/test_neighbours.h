// For tests: processes that do nothing but take a core's time, as long as a file exists. Run as a program of ours: what else were
// our child would be ended as a program's orphan.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include "base/files.h"
#include "base/process.h"

namespace perfcast {

class Neighbours {
 public:
  Neighbours(int count, int core, std::string flag) : flag_(std::move(flag)) {
    EXPECT_TRUE(write_file(flag_, ""));
    RunRequest request;
    request.command = {"sh", "-c", "for i in $(seq " + std::to_string(count) + "); do while [ -e " + flag_ + " ]; do :; done & done; wait"};
    request.core = core;
    running_ = std::jthread([request] { EXPECT_TRUE(run_program(request)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // they have started
  }
  ~Neighbours() { std::filesystem::remove(flag_); }

 private:
  std::string flag_;
  std::jthread running_;
};

}  // namespace perfcast

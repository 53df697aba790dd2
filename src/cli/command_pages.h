// What the list of commands can tell about itself: a man page, and completion for shells. Generated from the options
// the commands declare, so that they cannot grow apart.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace perfcast::cli {

std::string man_page(const CLI::App& app);
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace perfcast::cli

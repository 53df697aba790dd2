// Where perfcast keeps things: what it ships (bundled data) and what the user has saved.
#pragma once

#include <filesystem>
#include <string>

namespace perfcast {

// The bundled data folder: $PERFCAST_DATA, or data/ of the source tree, or the installed share folder.
std::filesystem::path bundled_data();
// The user's own folder for machines: $PERFCAST_HOME, else $XDG_DATA_HOME/perfcast, else ~/.local/share/perfcast.
std::filesystem::path user_data();
// The version of this program, "0.1.0".
std::string program_version();

}  // namespace perfcast

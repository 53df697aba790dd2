#include "record/skeleton.h"

#include <cstdlib>

namespace perfcast {

Json shape_to_json(const Peer& peer) {
  switch (peer.kind) {
    case PeerKind::none: return nullptr;
    case PeerKind::any: return "any";
    case PeerKind::absolute: return "=" + std::to_string(peer.rank);
    case PeerKind::relative: return (peer.rank < 0 ? "" : "+") + std::to_string(peer.rank);
  }
  return nullptr;
}

void shape_from_json(const Json& json, Peer& peer, const std::string& place) {
  if (json.is_null()) {
    peer = {};
    return;
  }
  if (!json.is_string()) throw JsonMismatch{place, "expected a rank: \"+1\", \"=0\" or \"any\""};
  const auto text = json.get<std::string>();
  char* end = nullptr;
  if (text == "any") {
    peer = {PeerKind::any, 0};
  } else if (text.starts_with('=')) {
    peer = {PeerKind::absolute, static_cast<int>(std::strtol(text.c_str() + 1, &end, 10))};
  } else if (text.starts_with('+') || text.starts_with('-')) {
    peer = {PeerKind::relative, static_cast<int>(std::strtol(text.c_str(), &end, 10))};
  } else {
    throw JsonMismatch{place, "expected a rank: \"+1\", \"=0\" or \"any\""};
  }
  if (end && *end) throw JsonMismatch{place, "a rank is a number"};
}

}  // namespace perfcast

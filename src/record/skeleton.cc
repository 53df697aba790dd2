#include "record/skeleton.h"

#include <charconv>

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
  if (text == "any") {
    peer = {PeerKind::any, 0};
    return;
  }
  if (text.find_first_of("=+-") != 0) throw JsonMismatch{place, "expected a rank: \"+1\", \"=0\" or \"any\""};
  peer = {text[0] == '=' ? PeerKind::absolute : PeerKind::relative, 0};
  const char *first = text.data() + (text[0] == '-' ? 0 : 1), *last = text.data() + text.size();
  if (auto [end, error] = std::from_chars(first, last, peer.rank); error != std::errc{} || end != last) throw JsonMismatch{place, "a rank is a number"};
}

}  // namespace perfcast

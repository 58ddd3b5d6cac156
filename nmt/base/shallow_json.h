// JSON from files that a stranger may have written.
#ifndef NMT_BASE_SHALLOW_JSON_H_
#define NMT_BASE_SHALLOW_JSON_H_

#include <nlohmann/json.hpp>
#include <string_view>

namespace nmt {

// What `text` holds; a discarded value, which is no object, array or number, where it is not JSON. Values nested
// deeper than 16 are left out: the library copies and prints by recursion, so that a million brackets would
// overflow the stack. No file of a run is nested so deep.
inline nlohmann::json ParseShallowJson(std::string_view text) {
  constexpr int kDeepest = 16;
  const auto is_shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    return depth < kDeepest;
  };
  return nlohmann::json::parse(text.begin(), text.end(), is_shallow, /*allow_exceptions=*/false);
}

}  // namespace nmt

#endif  // NMT_BASE_SHALLOW_JSON_H_

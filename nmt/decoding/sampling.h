// One token drawn from a model's distribution, sharpened and cut.
#ifndef NMT_DECODING_SAMPLING_H_
#define NMT_DECODING_SAMPLING_H_

#include <optional>
#include <vector>

#include "nmt/decoding/search.h"

namespace nmt {

// Which draw this is. The same place and seed give the same draw, whatever else is translated.
struct DrawPlace {
  uint64_t sentence = 0, sample = 0, step = 0;
};

// From p_v^(1/temperature) among the tokens that are left: not `banned`, then the top_k most probable,
// then of these the fewest whose share of the mass reaches top_p (Holtzman et al. 2020, section 3.1).
// Nothing if no token is left.
std::optional<int64_t> SampleToken(const Tensor& log_probability_V, const Ids& banned,
                                   const SamplingOptions& options, const DrawPlace& place);

}  // namespace nmt

#endif  // NMT_DECODING_SAMPLING_H_

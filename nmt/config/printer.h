// Options as text: to save, to explain, to compare.
//
//   WriteFileAtomically(run / "config.yaml", PrintOptions(options));
//   std::cout << DescribeOptions();                            // nmt config
//   DifferingKeys(options, saved);                             // {"seed: 1 here, 2 in the run"}
#ifndef NMT_CONFIG_PRINTER_H_
#define NMT_CONFIG_PRINTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "nmt/config/options.h"

namespace nmt {

// A YAML document of every key. ReadOptions() gives equal options from it, to the last bit of each
// number; text is in double quotes, so that no YAML reader takes `no` for false.
std::string PrintOptions(const Options& options);

// A YAML document of every key with its default; comments of at most 100 columns give type, range
// or choices, and meaning.
std::string DescribeOptions();

// "seed: 1 here, 2 in the run" for each key whose value in `here` is not that in `other`; `place` says
// where the other is.
std::vector<std::string> DifferingKeys(const Options& here, const Options& other,
                                       std::string_view place = "in the run");

}  // namespace nmt

#endif  // NMT_CONFIG_PRINTER_H_

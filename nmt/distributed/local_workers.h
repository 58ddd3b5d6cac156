// Several workers on this machine, started by the program itself: `nmt train --workers 2`.
#ifndef NMT_DISTRIBUTED_LOCAL_WORKERS_H_
#define NMT_DISTRIBUTED_LOCAL_WORKERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

// Runs this program `workers` times with `arguments` (those after the program's name), as the workers of one
// group (launch.h) that meet at a free port of 127.0.0.1, and waits for them. SIGINT, SIGTERM and SIGHUP ask
// each to end; a second one ends all at once. When one fails, the others have `grace_seconds` to say so and
// end; then they are killed.
//
// The exit status: 0, or the largest of those that failed (1 where a signal killed it). An error: they
// could not be started. What fails in a worker, the workers say on stderr.
absl::StatusOr<int> RunLocalWorkers(int64_t workers, const std::vector<std::string>& arguments,
                                    double grace_seconds = 15);

// The arguments of this process, without `option` and its value ("--workers 2", "--workers=2").
absl::StatusOr<std::vector<std::string>> ArgumentsWithout(const std::string& option);

}  // namespace nmt

#endif  // NMT_DISTRIBUTED_LOCAL_WORKERS_H_

// Several processes as Workers, on LibTorch's own engine (c10d): a store at worker 0 to find each
// other, and sums between all of them by Gloo on the CPU and NCCL on CUDA.
//
//   NMT_ASSIGN_OR_RETURN(const auto group, JoinGroup(place, {.timeout = 300}));
//   group->Connect(device);
//   ... train with *group ...
//   return group->Leave(status);
#ifndef NMT_DISTRIBUTED_PROCESS_GROUP_H_
#define NMT_DISTRIBUTED_PROCESS_GROUP_H_

#include <memory>
#include <string>

#include "nmt/base/status.h"
#include "nmt/distributed/launch.h"
#include "nmt/distributed/workers.h"

namespace nmt {

struct GroupOptions {
  // Seconds after which a worker that does not join, gives no sign or does not go on is given up.
  double timeout = 300;
};

// Waits until all workers of the group are there. Errors: the port is in use; nobody answers there;
// workers that did not join in time, by rank; two workers of one rank.
//
// From then on a worker that dies or hangs ends this process (watch.h).
absl::StatusOr<std::unique_ptr<Workers>> JoinGroup(const WorkerPlace& place,
                                                   const GroupOptions& options);

}  // namespace nmt

#endif  // NMT_DISTRIBUTED_PROCESS_GROUP_H_

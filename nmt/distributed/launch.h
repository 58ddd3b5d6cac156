// Whether this process is one of several that train together, and which: what launchers put into the
// environment.
//
//   RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT       torchrun --no-python
//   SLURM_PROCID SLURM_STEP_NUM_TASKS SLURM_LOCALID ...                       srun
//   OMPI_COMM_WORLD_RANK ... | PMI_RANK ... (with MASTER_ADDR, MASTER_PORT)   mpirun
//
//   NMT_ASSIGN_OR_RETURN(const WorkerPlace place, ReadWorkerPlace(std::getenv));
//   if (place.size > 1) ... JoinGroup(place, ...)
#ifndef NMT_DISTRIBUTED_LAUNCH_H_
#define NMT_DISTRIBUTED_LAUNCH_H_

#include <cstdint>
#include <functional>
#include <string>

#include "nmt/base/status.h"

namespace nmt {

struct WorkerPlace {
  int64_t rank = 0, size = 1;  // among all workers
  int64_t local_rank = 0;      // among those of this machine
  int64_t local_size = 1;      // of those that share its cores; Slurm gives each its own
  std::string address;         // where worker 0 is, and its store listens
  int64_t port = 0;
  int listening_socket = -1;    // worker 0: bound to address and port by who started it; -1: none
  bool store_is_there = false;  // torchrun's agent keeps one at address and port
  int64_t restarts = 0;         // how often torchrun has started this group again
};

// `get` is std::getenv or stands for it. Without any such variable the place is that of one process
// alone. A usage error names a variable that is missing, is no number or does not fit the others.
absl::StatusOr<WorkerPlace> ReadWorkerPlace(const std::function<const char*(const char*)>& get);

// The first host of a Slurm list: "node[007-012,20],other" begins with node007.
std::string FirstHost(const std::string& hosts);

// The variable by which RunLocalWorkers (local_workers.h) hands worker 0 its listening socket.
inline constexpr const char* kListeningSocket = "NMT_LISTENING_SOCKET";

}  // namespace nmt

#endif  // NMT_DISTRIBUTED_LAUNCH_H_

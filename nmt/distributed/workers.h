// The processes that train one model together. Each computes the gradient of its part of an update's
// batches; the gradients are summed over all of them, so that each makes the same step.
//
//   Workers alone;                                     // one process: everything below costs nothing
//   NMT_ASSIGN_OR_RETURN(std::unique_ptr<Workers> workers, JoinGroup(place, {}));   // process_group.h
//   workers->Connect(device);
//   workers->ShareGradients(parameters, compression, small_loss);
//   ...
//   workers->ExpectBackward();                         // of the last batch: gradients travel while it runs
//   loss.backward();
//
// Every call but rank() and size() is made by all workers, in the same order. A worker that is dead,
// hangs or has failed ends the others (watch.h); what a call throws then is LibTorch's exception.
#ifndef NMT_DISTRIBUTED_WORKERS_H_
#define NMT_DISTRIBUTED_WORKERS_H_

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nmt/base/status.h"
#include "nmt/config/options.h"

namespace nmt {

using torch::Tensor;

// This class is one process alone; several processes are a subclass.
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  virtual ~Workers() = default;

  virtual int64_t rank() const { return 0; }
  virtual int64_t size() const { return 1; }
  // Worker 0 alone reads and writes the run directory, and speaks.
  bool is_first() const { return rank() == 0; }
  // Whether the `item`-th of some equal items is this worker's.
  bool IsOwn(int64_t item) const { return item % size() == rank(); }

  // What follows moves tensors of this device. Once, before any of it.
  virtual void Connect(torch::Device) {}

  // The sum over all workers, value by value; each worker gives as many.
  virtual std::vector<double> Sum(std::vector<double> values) { return values; }
  // The same of one value, without waiting: what is returned waits, when called for the first time.
  virtual std::function<double()> SumLater(double value) {
    return [value] { return value; };
  }
  // The texts of all workers, by rank.
  virtual std::vector<std::string> Gather(std::string text) { return {std::move(text)}; }

  // Worker 0's, for as long as it takes to have them: what `text` was elsewhere does not matter.
  virtual std::string FromFirst(std::string text) { return text; }
  // Gives the tensors, of the same shapes everywhere, the values that they have in worker 0.
  virtual void CopyFromFirst(const std::vector<Tensor>&) {}

  // From now on the gradients of `parameters`, which all have the same values everywhere, are summed
  // during the backward pass that ExpectBackward() announces. `small_loss` gives a loss that depends
  // on all of them: its gradient, taken once, tells in which order gradients come to be.
  virtual void ShareGradients(const std::vector<Tensor>& /*parameters*/,
                              GradientCompression /*compression*/,
                              const std::function<Tensor()>& /*small_loss*/) {}
  // The next backward pass is the last one of this update: after it, each gradient is the sum of
  // what all workers have added up since the last update. Passes before it stay with the worker.
  virtual void ExpectBackward() {}

  // The end of the work in common. With an error of this worker, which the others are told and end with;
  // gives the status back. Only the first call counts.
  virtual absl::Status Leave(absl::Status status) { return status; }
  // What an exception was, which may only be the echo of what became of another worker: then that
  // ends this process. Of several workers only.
  virtual absl::Status Explain(const std::string& exception) { return DataError(exception); }
};

}  // namespace nmt

#endif  // NMT_DISTRIBUTED_WORKERS_H_

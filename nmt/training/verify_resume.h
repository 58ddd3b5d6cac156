// The proof that an interrupted run loses nothing, on the user's own config: what `nmt train
// --verify-resume` does.
#ifndef NMT_TRAINING_VERIFY_RESUME_H_
#define NMT_TRAINING_VERIFY_RESUME_H_

#include <functional>
#include <string>

#include "nmt/training/trainer.h"

namespace nmt {

struct ResumeProof {
  int64_t updates = 0;               // of the uninterrupted run
  int64_t paused_at = 0;             // where the first interrupted one stopped and saved
  int64_t killed_at = 0;             // the checkpoint that the second one went on from
  int64_t tensors = 0, records = 0;  // that were compared
};

// Trains the same run three times in `scratch`, for about `seconds` in all: without a break; stopped in
// the middle and resumed; killed in the middle, so that it resumes from an older checkpoint.
// Validations come early enough that some lie before and some after the break, on the first few
// validation pairs. A data error names the first file and the first tensor or record that differ.
//   make_model: a new model in the given run directory, which has the tokenizers already.
absl::StatusOr<ResumeProof> VerifyResume(
    const Options& options, const TrainingCorpora& corpora, double seconds,
    const std::filesystem::path& scratch,
    const std::function<absl::StatusOr<TrainedModel>(const Options&, const RunDirectory&)>&
        make_model,
    Log& log, const std::atomic<bool>& stop);

}  // namespace nmt

#endif  // NMT_TRAINING_VERIFY_RESUME_H_

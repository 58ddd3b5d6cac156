// The learning rate: a pure function of the update, and for plateau of a scale that TrainingState
// keeps, so that a resume cannot get it wrong.
//
//   warm-up (all)   peak * u / warmup                       u = 1 ... warmup
//   constant        peak
//   inverse_sqrt    peak * sqrt(warmup / u)                 Vaswani et al. 2017, section 5.3
//   cosine          peak * (1 + cos(pi * share)) / 2        share = (u - warmup) / (max_updates - warmup)
//   plateau         peak * scale                            the trainer halves `scale` after
//                                                           `patience` validations without a gain
#ifndef NMT_TRAINING_SCHEDULE_H_
#define NMT_TRAINING_SCHEDULE_H_

#include "nmt/config/options.h"

namespace nmt {

// `update` counts from 1; `scale` is 1 but for the plateau schedule.
double LearningRate(const TrainingOptions& options, int64_t update, double scale);

}  // namespace nmt

#endif  // NMT_TRAINING_SCHEDULE_H_

// The lab: small experiments on plain tensors that show what the papers and tutorials say of
// attention, with the functions that the translators use.
//
//   for (const Experiment& experiment : Experiments()) {
//     LabReport report(experiment.name, experiment.title);
//     experiment.run({.seed = 1}, report);
//   }
#ifndef NMT_LAB_EXPERIMENTS_H_
#define NMT_LAB_EXPERIMENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nmt/lab/lab_report.h"

namespace nmt {

struct LabOptions {
  int64_t seed = 1;  // of every random number that an experiment draws
};

struct Experiment {
  std::string name;
  std::string title;
  std::function<void(const LabOptions&, LabReport&)> run;
};

// All of them, in the order in which they build on each other.
const std::vector<Experiment>& Experiments();

// Markdown: the reports as one document, with what leads into them and from them to the
// translators.
std::string LabDocument(const std::vector<LabReport>& reports, const LabOptions& options);

void WorkedExample(const LabOptions& options, LabReport& report);
void Similarity(const LabOptions& options, LabReport& report);
void Scaling(const LabOptions& options, LabReport& report);
void Saturation(const LabOptions& options, LabReport& report);
void Masking(const LabOptions& options, LabReport& report);
void Context(const LabOptions& options, LabReport& report);
void Recall(const LabOptions& options, LabReport& report);
void AdditiveVersusDot(const LabOptions& options, LabReport& report);
void MultiHead(const LabOptions& options, LabReport& report);

}  // namespace nmt

#endif  // NMT_LAB_EXPERIMENTS_H_

// Times the training step of one of several workers (or of a process alone), and what of the exchange of gradients the
// backward pass hides. Started by bench/scaling/compare.py, which sets RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
//
//   build/bin/bench_workers batches.txt bench/train/tiny.yaml --threads 1
//   build/bin/bench_workers --exchange         latency and bandwidth of sums between the workers
//
// exchange: the sum of gradients without anything that it could hide behind.  exposed: from the last gradient of
// the slowest worker to the end of the backward pass, within a step; the median over steps.  hidden = 1 - exposed / exchange
// apart: steps without exchange, each worker on its own at the same time.
#include <fmt/format.h>
#include <malloc.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "bench/train/batch_file.h"
#include "nmt/config/reader.h"
#include "nmt/distributed/process_group.h"
#include "nmt/models/seq2seq.h"
#include "nmt/training/training_step.h"

namespace nmt {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds until all workers have done `work`, which they begin together.
double SecondsTogether(Workers& workers, const std::function<void()>& work) {
  workers.Sum({0});
  const auto begin = Clock::now();
  work();
  workers.Sum({0});
  return SecondsSince(begin);
}

// The workers, with a clock at the end of the backward pass: the first sum after it.
class TimedWorkers : public Workers {
 public:
  explicit TimedWorkers(Workers& workers) : workers_(workers) {}
  int64_t rank() const override { return workers_.rank(); }
  int64_t size() const override { return workers_.size(); }
  std::vector<double> Sum(std::vector<double> values) override {
    backward_end_ = Clock::now();
    return workers_.Sum(std::move(values));
  }
  std::function<double()> SumLater(double value) override { return workers_.SumLater(value); }
  void ExpectBackward() override { workers_.ExpectBackward(); }

  // Notes when the last of their gradients is made.
  void Watch(const std::vector<torch::Tensor>& parameters) {
    for (const torch::Tensor& parameter : parameters)
      parameter.register_hook([this](const torch::Tensor&) { last_gradient_ = Clock::now(); });
  }

  // Seconds that the last step's exchange took beyond the backward pass of the slowest worker, which waits for
  // nothing else.
  double Exposed() {
    std::vector<double> waits(static_cast<size_t>(size()));
    waits[static_cast<size_t>(rank())] =
        std::chrono::duration<double>(backward_end_ - last_gradient_).count();
    waits = workers_.Sum(std::move(waits));
    return *std::min_element(waits.begin(), waits.end());
  }

 private:
  Workers& workers_;
  Clock::time_point backward_end_, last_gradient_;
};

// A table of bytes, seconds and GB/s of a sum over all workers, through the path that gradients take.
void TimeExchange(Workers& workers) {
  for (int64_t size = 1; size <= int64_t{1} << 24; size *= 16) {
    const torch::Tensor parameter = torch::zeros({size}).requires_grad_();
    const auto loss = [&] { return parameter.sum() * 0; };
    workers.ShareGradients({parameter}, GradientCompression::kNone, loss);
    std::vector<double> seconds;
    for (int i = 0; i < 20; ++i) {
      const torch::Tensor small = loss();
      workers.ExpectBackward();
      seconds.push_back(SecondsTogether(workers, [&] { small.backward(); }));
    }
    if (workers.is_first()) {
      fmt::print("bytes {:10}  seconds {:.6f}  GB/s {:.2f}\n", 4 * size, Median(seconds),
                 static_cast<double>(4 * size) / Median(seconds) * 1e-9);
    }
  }
}

struct BenchOptions {
  std::string batches, config;
  std::vector<std::string> overrides;
  int64_t updates = 8, windows = 3, warm = 4, threads = 1, accumulate = 1;
  bool exchange = false;
};

absl::Status TimeSteps(const BenchOptions& bench, Workers& workers) {
  std::ifstream file(bench.config);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  NMT_ASSIGN_OR_RETURN(const Options options, ParseOptions(text, bench.config, bench.overrides));
  const int64_t vocabulary = options.tokenizer.vocab_size;
  const auto model = MakeModel(options.model, {vocabulary, vocabulary}, /*seed=*/1);
  Adam adam(*model, options.training);
  workers.ShareGradients(adam.parameters(), options.training.gradient_compression,
                         [&] { return BatchLoss(*model, EmptyBatch(torch::kCPU), {}).loss; });
  TimedWorkers timed(workers);
  timed.Watch(adam.parameters());
  const int64_t in_an_update = bench.accumulate * workers.size();
  const auto batches =
      ReadBatches(bench.batches, in_an_update * (bench.warm + bench.updates * bench.windows));
  int64_t update = 0;
  size_t next = 0;
  double tokens = 0;
  const auto step = [&](Workers* shared) {
    std::vector<Batch> own;
    for (int64_t i = 0; i < in_an_update; ++i) {
      const Batch& batch = batches[next++ % batches.size()];
      if (workers.IsOwn(i)) own.push_back(batch);
      tokens += static_cast<double>(batch.target_tokens);
    }
    TrainingStep(*model, adam, own,
                 {.learning_rate = options.training.learning_rate,
                  .label_smoothing = options.training.label_smoothing,
                  .clip_norm = options.training.clip_norm,
                  .precision = options.precision,
                  .update = ++update,
                  .workers = shared});
  };
  for (int64_t i = 0; i < bench.warm; ++i) step(&timed);
  std::vector<double> rates, together, apart, exchange, exposed;
  for (int64_t window = 0; window < bench.windows; ++window) {
    const auto repeat = [&](const std::function<void()>& work) {
      return SecondsTogether(workers,
                             [&] {
                               for (int64_t i = 0; i < bench.updates; ++i) work();
                             }) /
             static_cast<double>(bench.updates);
    };
    const size_t first = next;
    tokens = 0;
    together.push_back(repeat([&] {
      step(&timed);
      exposed.push_back(timed.Exposed());
    }));
    rates.push_back(tokens / (together.back() * static_cast<double>(bench.updates)));
    next = first;
    apart.push_back(repeat([&] { step(nullptr); }));
    exchange.push_back(repeat([&] {
      torch::Tensor loss = torch::zeros({});
      for (const torch::Tensor& parameter : adam.parameters()) loss = loss + parameter.sum() * 0;
      workers.ExpectBackward();
      loss.backward();
    }));
  }
  if (!workers.is_first()) return absl::OkStatus();
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  fmt::print("target tokens/s {:.0f} ({:.0f}-{:.0f})  ms an update {:.1f}", Median(rates), *least,
             *most, 1e3 * Median(together));
  if (workers.size() > 1) {
    fmt::print("  apart {:.1f}  exchange {:.2f}  exposed {:.2f}  hidden {:.2f}",
               1e3 * Median(apart), 1e3 * Median(exchange), 1e3 * Median(exposed),
               1 - Median(exposed) / Median(exchange));
  }
  fmt::print("\n");
  return absl::OkStatus();
}

absl::Status Run(const BenchOptions& bench) {
  at::set_num_threads(static_cast<int>(bench.threads));
  NMT_ASSIGN_OR_RETURN(const WorkerPlace place,
                       ReadWorkerPlace([](const char* name) { return std::getenv(name); }));
  auto workers = std::make_unique<Workers>();
  if (place.size > 1) {
    NMT_ASSIGN_OR_RETURN(workers, JoinGroup(place, {}));
  }
  workers->Connect(torch::kCPU);
  absl::Status status;
  if (bench.exchange) {
    TimeExchange(*workers);
  } else {
    status = TimeSteps(bench, *workers);
  }
  return workers->Leave(status);
}

int Main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2000 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
  CLI::App app("times the training step of workers");
  BenchOptions bench;
  app.add_option("batches", bench.batches);
  app.add_option("config", bench.config);
  app.add_option("--set", bench.overrides);
  app.add_option("--updates", bench.updates, "updates in a window");
  app.add_option("--windows", bench.windows);
  app.add_option("--warm", bench.warm, "updates that do not count");
  app.add_option("--threads", bench.threads, "of this worker");
  app.add_option("--accumulate", bench.accumulate, "batches of each worker in an update");
  app.add_flag("--exchange", bench.exchange, "latency and bandwidth instead");
  CLI11_PARSE(app, argc, argv);
  for (const char* key : {"run_dir", "data.train.source", "data.train.target", "data.valid.source",
                          "data.valid.target"}) {
    bench.overrides.push_back(std::string(key) + "=none");
  }
  const absl::Status status = Run(bench);
  if (!status.ok()) fmt::print(stderr, "bench_workers: {}\n", std::string(status.message()));
  return ExitCode(status);
}

}  // namespace
}  // namespace nmt

int main(int argc, char** argv) { return nmt::Main(argc, argv); }

// Times nmt's training step on batches from a file (bench/train/make_batches.py), and the matrix
// products of the same steps alone.
//
//   build/bin/bench_train batches.txt bench/train/tiny.yaml --set precision=bf16 --updates 20
#include <ATen/record_function.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

#include "bench/train/batch_file.h"
#include "nmt/config/reader.h"
#include "nmt/models/seq2seq.h"
#include "nmt/training/trainer.h"

namespace nmt {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A matrix product as it was called: batch x (rows x inner) times (inner x columns).
struct Product {
  int64_t batch, rows, inner, columns;
  torch::ScalarType dtype;
  bool operator<(const Product& other) const {
    return std::tie(batch, rows, inner, columns, dtype) <
           std::tie(other.batch, other.rows, other.inner, other.columns, other.dtype);
  }
};
std::map<Product, int64_t> products;

std::unique_ptr<at::ObserverContext> Record(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  size_t first = 0;
  if (name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::addmm_") {
    first = 1;
  } else if (name != "aten::mm" && name != "aten::bmm") {
    return nullptr;
  }
  const auto inputs = function.inputs();
  const torch::Tensor &left = inputs[first].toTensor(), &right = inputs[first + 1].toTensor();
  const bool batched = left.dim() == 3;
  ++products[{batched ? left.size(0) : 1, left.size(-2), left.size(-1), right.size(-1),
              left.scalar_type()}];
  return nullptr;
}

// The products of the recorded steps, run alone, each as often as it was called.
double SecondsOfProducts(const std::map<Product, int64_t>& products, bool list) {
  const torch::NoGradGuard no_grad;
  double seconds = 0;
  for (const auto& [product, count] : products) {
    const auto options = torch::TensorOptions().dtype(product.dtype);
    const torch::Tensor left = torch::randn({product.batch, product.rows, product.inner}, options);
    const torch::Tensor right =
        torch::randn({product.batch, product.inner, product.columns}, options);
    const auto run = [&] {
      return product.batch == 1 ? torch::mm(left[0], right[0]) : torch::bmm(left, right);
    };
    run();
    const auto begin = Clock::now();
    for (int64_t i = 0; i < count; ++i) run();
    const double elapsed = SecondsSince(begin);
    seconds += elapsed;
    if (list) {
      const double flops = 2.0 * static_cast<double>(product.batch * product.rows * product.inner *
                                                     product.columns * count);
      fmt::print("  {:5} x [{:6} {:6}] [{:6} {:6}] {:8}  {:4} times  {:7.1f} ms  {:5.0f} GFLOP/s\n",
                 product.batch, product.rows, product.inner, product.inner, product.columns,
                 c10::toString(product.dtype), count, elapsed * 1e3, flops / elapsed * 1e-9);
    }
  }
  return seconds;
}

int Main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2000 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
  CLI::App app("times nmt's training step");
  std::string batches_path, config_path;
  std::vector<std::string> overrides;
  int64_t updates = 20, warm = 8, windows = 3, threads = 2;
  app.add_option("batches", batches_path)->required();
  app.add_option("config", config_path)->required();
  app.add_option("--set", overrides);
  app.add_option("--updates", updates, "updates in a window");
  app.add_option("--windows", windows);
  app.add_option("--warm", warm, "updates that do not count");
  app.add_option("--threads", threads);
  bool list = false;
  bool without_products = false;
  app.add_flag("--without-products", without_products, "steps only, for a profiler");
  app.add_flag("--list-products", list, "each shape with its time alone");
  CLI11_PARSE(app, argc, argv);
  at::set_num_threads(static_cast<int>(threads));
  for (const char* key : {"run_dir", "data.train.source", "data.train.target", "data.valid.source",
                          "data.valid.target"}) {
    overrides.push_back(std::string(key) + "=none");
  }
  std::ifstream file(config_path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  auto options = ParseOptions(text, config_path, overrides);
  if (!options.ok()) {
    fmt::print(stderr, "{}\n", std::string(options.status().message()));
    return 2;
  }
  const int64_t vocabulary = options->tokenizer.vocab_size;
  const auto model = MakeModel(options->model, {vocabulary, vocabulary}, /*seed=*/1);
  Adam adam(*model, options->training);
  const std::vector<Batch> batches = ReadBatches(batches_path, warm + updates * windows);
  int64_t update = 0;
  UpdateResult result;
  const auto step = [&](const Batch& batch) {
    ++update;
    result = TrainingStep(*model, adam, {batch},
                          {.learning_rate = options->training.learning_rate,
                           .label_smoothing = options->training.label_smoothing,
                           .clip_norm = options->training.clip_norm,
                           .precision = options->precision,
                           .update = update});
    return batch.target_tokens;
  };
  const auto handle = at::addGlobalCallback(
      at::RecordFunctionCallback(&Record).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  at::disableCallback(handle);
  size_t next = 0;
  const auto take = [&] { return batches[next++ % batches.size()]; };
  for (int64_t i = 0; i < warm; ++i) step(take());
  // Each window's batches twice: timed, then recorded for their products, which run at once.
  std::vector<double> rates, seconds, products_alone, over_products;
  for (int64_t window = 0; window < windows; ++window) {
    std::vector<Batch> chosen;
    for (int64_t i = 0; i < updates; ++i) chosen.push_back(take());
    const auto begin = Clock::now();
    int64_t tokens = 0;
    for (const Batch& batch : chosen) tokens += step(batch);
    const double elapsed = SecondsSince(begin);
    rates.push_back(static_cast<double>(tokens) / elapsed);
    seconds.push_back(elapsed / static_cast<double>(updates));
    if (without_products) continue;
    products.clear();
    at::reenableCallback(handle);
    for (const Batch& batch : chosen) step(batch);
    at::disableCallback(handle);
    const double alone = SecondsOfProducts(products, list && window + 1 == windows);
    products_alone.push_back(alone / static_cast<double>(updates));
    over_products.push_back(elapsed / alone);
  }
  at::removeCallback(handle);
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  for (std::vector<double>* list : {&rates, &seconds, &products_alone, &over_products})
    std::sort(list->begin(), list->end());
  const size_t middle = rates.size() / 2;
  std::string beside_products;
  if (!without_products) {
    beside_products =
        fmt::format("  products alone {:.0f} ms, step over products {:.2f} ({:.2f}-{:.2f})",
                    products_alone[middle] * 1e3, over_products[middle], over_products.front(),
                    over_products.back());
  }
  fmt::print(
      "target tokens/s {:.0f} ({:.0f}-{:.0f})  ms an update {:.0f}{}  peak MB {}  loss {:.3f}\n",
      rates[middle], rates.front(), rates.back(), seconds[middle] * 1e3, beside_products,
      usage.ru_maxrss / 1024, result.loss / static_cast<double>(result.target_tokens));
  return 0;
}

}  // namespace
}  // namespace nmt

int main(int argc, char** argv) { return nmt::Main(argc, argv); }

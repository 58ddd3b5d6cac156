#include "nmt/distributed/process_group.h"

#include <fmt/format.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#ifdef NMT_CUDA
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "nmt/distributed/gradient_exchange.h"
#include "nmt/distributed/sockets.h"
#include "nmt/distributed/watch.h"

namespace nmt {
namespace {

using StorePtr = c10::intrusive_ptr<c10d::Store>;
using std::chrono::milliseconds;

constexpr const char* kEveryone = "everyone";

milliseconds Milliseconds(double seconds) {
  return milliseconds(static_cast<int64_t>(seconds * 1000));
}

std::string NameOf(int64_t rank) { return fmt::format("name/{}", rank); }

// "host, process 4711"
std::string OwnName() {
  char host[256] = "?";
  gethostname(host, sizeof(host) - 1);
  return fmt::format("{}, process {}", host, getpid());
}

// The store of the group: worker 0's, or the one that torchrun keeps.
absl::StatusOr<StorePtr> OpenStore(const WorkerPlace& place, double timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = place.rank == 0 && !place.store_is_there;
  options.waitWorkers = false;
  options.timeout = Milliseconds(timeout);
  if (options.isServer) {
    options.masterListenFd = place.listening_socket;
    if (place.listening_socket < 0) {
      NMT_ASSIGN_OR_RETURN(const BoundSocket bound, BindSocket(place.address, place.port));
      options.masterListenFd = bound.fd;
    }
  }
  try {
    const auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    return c10::make_intrusive<c10d::PrefixStore>(fmt::format("nmt/{}", place.restarts), store);
  } catch (const std::exception&) {
    return DataError(
        fmt::format("worker {} of {}: nobody answered at {}:{} for {:.0f} s, where "
                    "worker 0 was expected",
                    place.rank, place.size, place.address, place.port, timeout));
  }
}

// Worker 0: the names of all, when all are there.
absl::StatusOr<std::vector<std::string>> AwaitEveryone(c10d::Store& store, int64_t size,
                                                       double timeout) {
  const auto end = std::chrono::steady_clock::now() + Milliseconds(timeout);
  std::vector<std::string> names;
  for (int64_t rank = 0; rank < size; ++rank) {
    while (!store.check({NameOf(rank)}) && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(milliseconds(20));
    if (store.check({NameOf(rank)})) {
      names.push_back(store.get_to_str(NameOf(rank)));
      continue;
    }
    std::string missing;
    int64_t count = 0;
    for (int64_t other = 0; other < size; ++other) {
      if (store.check({NameOf(other)})) continue;
      missing += fmt::format("{}{}", count++ > 0 ? ", " : "", other);
    }
    return DataError(fmt::format("worker{} {} of {} did not join within {:.0f} s",
                                 count > 1 ? "s" : "", missing, size, timeout));
  }
  return names;
}

// The names of all workers, by rank. Where some are missing, each of those that are there says which.
absl::StatusOr<std::vector<std::string>> Meet(c10d::Store& store, const WorkerPlace& place,
                                              double timeout) {
  if (store.add(fmt::format("rank/{}", place.rank), 1) > 1) {
    return DataError(fmt::format("worker {} of {}: another process at {}:{} has this rank too",
                                 place.rank, place.size, place.address, place.port));
  }
  store.set(NameOf(place.rank), OwnName());
  nlohmann::json everyone;
  if (place.rank == 0) {
    const auto names = AwaitEveryone(store, place.size, timeout);
    if (names.ok()) {
      everyone["names"] = *names;
    } else {
      everyone["error"] = std::string(names.status().message());
    }
    store.set(kEveryone, everyone.dump());
    if (!names.ok()) std::this_thread::sleep_for(std::chrono::seconds(1));  // the others read it
  } else {
    try {
      store.wait({kEveryone}, Milliseconds(timeout + 5));
    } catch (const std::exception&) {
      return DataError(fmt::format("worker {} of {}: worker 0 did not join within {:.0f} s",
                                   place.rank, place.size, timeout));
    }
    everyone = nlohmann::json::parse(store.get_to_str(kEveryone));
  }
  if (everyone.contains("error")) return DataError(everyone["error"].get<std::string>());
  return everyone["names"].get<std::vector<std::string>>();
}

Board StoreBoard(StorePtr store) {
  return {.write = [store](const std::string& name,
                           const std::string& text) { store->set(name, text); },
          .read = [store](const std::string& name) -> std::optional<std::string> {
            if (!store->check({name})) return std::nullopt;
            return store->get_to_str(name);
          }};
}

// A line, and the end of the process: the thread that works may wait for a worker that is gone.
// Checkpoints are renamed when they are whole, so that nothing saved is lost.
[[noreturn]] void EndProcess(const WorkerPlace& place, const std::string& line) {
  // At one terminal one of them is enough: worker 0, or the next where it was worker 0.
  const bool together = place.local_size == place.size;
  const int64_t speaker = line.starts_with("worker 0 ") ? 1 : 0;
  if (!together || place.rank == speaker) fmt::print(stderr, "nmt: {}\n", line);
  std::fflush(nullptr);
  std::_Exit(1);
}

class ProcessGroupWorkers : public Workers {
 public:
  ProcessGroupWorkers(StorePtr store, const WorkerPlace& place, std::vector<std::string> names,
                      const GroupOptions& options)
      : store_(std::move(store)),
        place_(place),
        options_(options),
        watch_(StoreBoard(store_->clone()),
               {.rank = place.rank,
                .names = std::move(names),
                .timeout = options.timeout,
                .end = [place](const std::string& line) { EndProcess(place, line); }}) {}

  int64_t rank() const override { return place_.rank; }
  int64_t size() const override { return place_.size; }

  void Connect(torch::Device device) override {
    device_ = device;
    const auto rank = static_cast<int>(place_.rank), size = static_cast<int>(place_.size);
    group_ = c10::make_intrusive<c10d::ProcessGroup>(store_, rank, size);
    if (device.is_cuda()) {
      ConnectCuda(rank, size);
    } else {
      ConnectCpu(rank, size);
    }
    Sum({1});  // connections are made now, not in the first update
  }

  std::vector<double> Sum(std::vector<double> values) override {
    std::vector<torch::Tensor> sum{torch::tensor(values, torch::kFloat64).to(device_)};
    Wait(group_->allreduce(sum));
    const torch::Tensor here = sum[0].cpu();
    const double* const begin = here.const_data_ptr<double>();
    return {begin, begin + here.numel()};
  }

  std::function<double()> SumLater(double value) override {
    std::vector<torch::Tensor> sum{torch::full({1}, value, torch::kFloat64).to(device_)};
    watch_.CountCall();
    return [work = group_->allreduce(sum), sum, known = std::optional<double>()]() mutable {
      if (!known) {
        work->wait();
        known = sum[0].item<double>();
      }
      return *known;
    };
  }

  std::vector<std::string> Gather(std::string text) override {
    std::vector<double> sizes(static_cast<size_t>(size()));
    sizes[static_cast<size_t>(rank())] = static_cast<double>(text.size());
    sizes = Sum(sizes);
    const auto longest = static_cast<int64_t>(*std::max_element(sizes.begin(), sizes.end()));
    text.resize(static_cast<size_t>(longest));
    std::vector<torch::Tensor> own{Bytes(text)};
    std::vector<std::vector<torch::Tensor>> all(1);
    for (int64_t i = 0; i < size(); ++i) all[0].push_back(torch::empty_like(own[0]));
    if (longest > 0) Wait(group_->allgather(all, own));
    std::vector<std::string> texts;
    for (size_t i = 0; i < sizes.size(); ++i)
      texts.push_back(TextOf(all[0][i]).substr(0, static_cast<size_t>(sizes[i])));
    return texts;
  }

  std::string FromFirst(std::string text) override {
    // Worker 0 may work for long before: the size comes through the store, where to wait is no fault.
    constexpr double kAsLongAsItTakes = 1e8;
    const std::string key = fmt::format("size/{}", texts_++);
    if (is_first()) {
      store_->set(key, std::to_string(text.size()));
    } else {
      store_->wait({key}, Milliseconds(kAsLongAsItTakes));
      text.resize(std::stoull(store_->get_to_str(key)));
    }
    if (text.empty()) return text;
    std::vector<torch::Tensor> bytes{Bytes(text)};
    Wait(group_->broadcast(bytes));
    return TextOf(bytes[0]);
  }

  void CopyFromFirst(const std::vector<torch::Tensor>& tensors) override {
    constexpr size_t kBytesAtOnce = 25 << 20;
    const torch::NoGradGuard no_grad;
    watch_.CountCall();
    c10d::broadcast_coalesced(group_, tensors, kBytesAtOnce);
  }

  void ShareGradients(const std::vector<torch::Tensor>& parameters, GradientCompression compression,
                      const std::function<torch::Tensor()>& small_loss) override {
    exchange_ = std::make_unique<GradientExchange>(
        group_, parameters, small_loss,
        GradientExchangeOptions{.compression = compression,
                                .on_bucket = [this] { watch_.CountCall(); }});
  }

  void ExpectBackward() override { exchange_->ExpectBackward(); }

  absl::Status Leave(absl::Status status) override {
    if (has_left_) return status;
    has_left_ = true;
    if (!status.ok()) {
      watch_.Stop();
      // What all of them find, worker 0 says.
      if (!is_first()) std::this_thread::sleep_for(std::chrono::seconds(1));
      watch_.ReportFailure(std::string(status.message()));
      std::this_thread::sleep_for(Milliseconds(2 * WatchOptions().interval));  // they read it
      if (is_first()) return status;
      return absl::Status(status.code(), fmt::format("worker {} of {}: {}", rank(), size(),
                                                     std::string(status.message())));
    }
    Sum({1});
    watch_.Stop();
    AwaitOthers();
    return status;
  }

  absl::Status Explain(const std::string& exception) override {
    const std::string line = exception.substr(0, exception.find('\n'));
    if (has_left_) return DataError(line);
    watch_.ReportBroken(line);
    std::this_thread::sleep_for(Milliseconds(4 * WatchOptions().silence));  // the verdict ends us
    return DataError(fmt::format("worker {} of {}: {}", rank(), size(), line));
  }

 private:
  void ConnectCpu(int rank, int size) {
    auto options = c10d::ProcessGroupGloo::Options::create(CallTimeout());
    // Where GLOO_SOCKET_IFNAME does not choose, the interface that leads to worker 0.
    const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
    const auto own = OwnAddressTowards(place_.address, place_.port);
    TORCH_CHECK(own.ok(), std::string(own.status().message()));
    options->devices.push_back(interface != nullptr
                                   ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                   : c10d::ProcessGroupGloo::createDeviceForHostname(*own));
    Use(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO,
        c10::make_intrusive<c10d::ProcessGroupGloo>(store_, rank, size, options));
  }

  void ConnectCuda([[maybe_unused]] int rank, [[maybe_unused]] int size) {
#ifdef NMT_CUDA
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = CallTimeout();
    Use(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL,
        c10::make_intrusive<c10d::ProcessGroupNCCL>(store_, rank, size, options));
#else
    TORCH_CHECK(false, "this program is built without CUDA; NMT_CUDA=1 make builds it with");
#endif
  }

  void Use(c10::DeviceType device, c10d::ProcessGroup::BackendType type,
           const c10::intrusive_ptr<c10d::Backend>& backend) {
    group_->setBackend(device, type, backend);
    group_->setDefaultBackend(type);
  }

  // The watch speaks first: it knows who it was.
  milliseconds CallTimeout() const { return Milliseconds(2 * options_.timeout + 60); }

  void Wait(const c10::intrusive_ptr<c10d::Work>& work) {
    watch_.CountCall();
    work->wait();
  }

  // The store ends with the process that keeps it, which is therefore the last.
  void AwaitOthers() {
    constexpr double kSeconds = 5;
    try {
      store_->set(fmt::format("left/{}", rank()), "");
      for (int64_t other = 1; is_first() && other < size(); ++other)
        store_->wait({fmt::format("left/{}", other)}, Milliseconds(kSeconds));
    } catch (const std::exception&) {
      // Whoever is late has ended otherwise.
    }
  }

  torch::Tensor Bytes(const std::string& text) const {
    torch::Tensor bytes = torch::empty({static_cast<int64_t>(text.size())}, torch::kUInt8);
    std::memcpy(bytes.mutable_data_ptr<uint8_t>(), text.data(), text.size());
    return bytes.to(device_);
  }
  static std::string TextOf(const torch::Tensor& bytes) {
    const torch::Tensor here = bytes.cpu();
    return {reinterpret_cast<const char*>(here.const_data_ptr<uint8_t>()),
            static_cast<size_t>(here.numel())};
  }

  StorePtr store_;
  const WorkerPlace place_;
  const GroupOptions options_;
  Watch watch_;
  torch::Device device_ = torch::kCPU;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::unique_ptr<GradientExchange> exchange_;
  int64_t texts_ = 0;
  bool has_left_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Workers>> JoinGroup(const WorkerPlace& place,
                                                   const GroupOptions& options) {
  // LibTorch warns of each connection that ends; what it means, the watch says in a line.
  constexpr int kErrors = 2;
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = kErrors;
  try {
    NMT_ASSIGN_OR_RETURN(const StorePtr store, OpenStore(place, options.timeout));
    NMT_ASSIGN_OR_RETURN(std::vector<std::string> names, Meet(*store, place, options.timeout));
    return std::make_unique<ProcessGroupWorkers>(store, place, std::move(names), options);
  } catch (const std::exception&) {
    return DataError(fmt::format("worker {} of {}: the store of worker 0 at {}:{} went away",
                                 place.rank, place.size, place.address, place.port));
  }
}

}  // namespace nmt

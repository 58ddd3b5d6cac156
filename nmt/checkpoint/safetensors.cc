#include "nmt/checkpoint/safetensors.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "nmt/base/file.h"
#include "nmt/base/shallow_json.h"

namespace nmt {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

struct Dtype {
  torch::ScalarType type;
  const char* name;
};
constexpr std::array<Dtype, 3> kDtypes = {
    {{torch::kFloat32, "F32"}, {torch::kFloat64, "F64"}, {torch::kInt64, "I64"}}};
constexpr size_t kLengthBytes = 8;
constexpr const char* kMetadata = "__metadata__";

absl::Status Damaged(const std::filesystem::path& path, std::string_view what) {
  return DataError(
      fmt::format("{}: is damaged or not a safetensors file: {}", path.string(), what));
}

// One header entry to a tensor of its bytes in `data`.
absl::StatusOr<torch::Tensor> ReadTensor(const std::filesystem::path& path, const std::string& name,
                                         const json& entry, std::string_view data) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
      !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
      !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2) {
    return Damaged(path, fmt::format("tensor \"{}\" lacks dtype, shape or data_offsets", name));
  }
  const std::string dtype_name = entry["dtype"];
  const auto dtype = std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype& candidate) {
    return dtype_name == candidate.name;
  });
  if (dtype == kDtypes.end()) {
    return Damaged(path, fmt::format("tensor \"{}\" has dtype {}, expected F32, F64 or I64", name,
                                     dtype_name));
  }
  std::vector<int64_t> shape;
  uint64_t bytes = torch::elementSize(dtype->type);
  for (const json& size : entry["shape"]) {
    if (!size.is_number_unsigned())
      return Damaged(path, fmt::format("tensor \"{}\" has a bad shape", name));
    const uint64_t value = size;
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Damaged(path, fmt::format("tensor \"{}\" has a bad shape", name));
    }
    if (value != 0 && bytes > data.size() / value)
      bytes = data.size() + 1;  // too large: caught below
    else
      bytes *= value;
    shape.push_back(static_cast<int64_t>(value));
  }
  const json& offsets = entry["data_offsets"];
  if (!offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
    return Damaged(path, fmt::format("tensor \"{}\" has bad offsets", name));
  }
  const uint64_t begin = offsets[0], end = offsets[1];
  if (begin > end || end > data.size() || end - begin != bytes) {
    return Damaged(
        path,
        fmt::format(
            "tensor \"{}\" claims bytes {} to {} for shape {}, but the file holds {} bytes of data",
            name, begin, end, entry["shape"].dump(), data.size()));
  }
  torch::Tensor tensor = torch::empty(shape, dtype->type);
  std::memcpy(tensor.mutable_data_ptr(), data.data() + begin, end - begin);
  return tensor;
}

}  // namespace

absl::Status WriteSafetensors(const std::filesystem::path& path, const TensorFile& file) {
  json header = json::object();
  if (!file.metadata.empty()) header[kMetadata] = file.metadata;
  std::string data;
  for (const auto& [name, tensor] : file.tensors) {
    const auto dtype = std::find_if(
        kDtypes.begin(), kDtypes.end(),
        [type = tensor.scalar_type()](const Dtype& candidate) { return type == candidate.type; });
    TORCH_CHECK(dtype != kDtypes.end(), "cannot save tensor ", name, " of type ",
                tensor.scalar_type());
    const torch::Tensor cpu = tensor.detach().to(torch::kCPU).contiguous();
    const size_t begin = data.size();
    data.append(static_cast<const char*>(cpu.const_data_ptr()), cpu.nbytes());
    header[name] = {{"dtype", dtype->name},
                    {"shape", cpu.sizes().vec()},
                    {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes,
              ' ');  // data is 8-byte aligned
  const uint64_t length = text.size();
  std::string contents(kLengthBytes, '\0');
  std::memcpy(contents.data(), &length, kLengthBytes);
  return WriteFileAtomically(path, contents + text + data);
}

absl::StatusOr<TensorFile> ReadSafetensors(const std::filesystem::path& path) {
  NMT_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  uint64_t length = 0;
  if (contents.size() < kLengthBytes)
    return Damaged(path, fmt::format("it holds {} bytes", contents.size()));
  std::memcpy(&length, contents.data(), kLengthBytes);
  if (length > contents.size() - kLengthBytes) {
    return Damaged(path, fmt::format("its header claims {} bytes, but the file holds {}", length,
                                     contents.size()));
  }
  const json header = ParseShallowJson(std::string_view(contents).substr(kLengthBytes, length));
  if (!header.is_object()) return Damaged(path, "its header is not a JSON object");
  const std::string_view data = std::string_view(contents).substr(kLengthBytes + length);
  TensorFile file;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      if (!entry.is_object()) return Damaged(path, "its metadata is not a JSON object");
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) return Damaged(path, "its metadata holds something else than text");
        file.metadata[key] = value;
      }
      continue;
    }
    NMT_ASSIGN_OR_RETURN(file.tensors[name], ReadTensor(path, name, entry, data));
  }
  return file;
}

}  // namespace nmt

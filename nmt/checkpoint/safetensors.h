// The safetensors format (a length, a JSON header, raw little-endian tensors): readable by any
// safetensors reader, and nothing in it is ever executed. https://huggingface.co/docs/safetensors
//
//   TensorFile file{.tensors = {{"embeddings.target", weight}}, .metadata = {{"update", "40"}}};
//   NMT_RETURN_IF_ERROR(WriteSafetensors(path, file));
//   NMT_ASSIGN_OR_RETURN(TensorFile same, ReadSafetensors(path));
#ifndef NMT_CHECKPOINT_SAFETENSORS_H_
#define NMT_CHECKPOINT_SAFETENSORS_H_

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "nmt/base/status.h"

namespace nmt {

struct TensorFile {
  std::map<std::string, torch::Tensor> tensors;  // float32, float64 or int64, on the CPU
  std::map<std::string, std::string> metadata;
};

// Writes atomically. Tensors may lie on any device.
absl::Status WriteSafetensors(const std::filesystem::path& path, const TensorFile& file);

// Checks every length and offset against the file before anything is allocated; errors name the
// file and both values.
absl::StatusOr<TensorFile> ReadSafetensors(const std::filesystem::path& path);

}  // namespace nmt

#endif  // NMT_CHECKPOINT_SAFETENSORS_H_

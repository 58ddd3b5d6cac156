#include "nmt/checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstring>

#include "tests/testing.h"

namespace nmt {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string File(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

TEST(Safetensors, ReadsBackWhatItWrote) {
  const ScratchFolder folder;
  const TensorFile file{.tensors = {{"a", torch::randn({3, 4})},
                                    {"b", torch::randn({2}, torch::kFloat64)},
                                    {"c", torch::arange(5)},
                                    {"scalar", torch::tensor(2.5f)}},
                        .metadata = {{"format", "x"}}};
  ASSERT_TRUE(WriteSafetensors(folder / "f.safetensors", file).ok());
  const auto read = ReadSafetensors(folder / "f.safetensors");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->metadata, file.metadata);
  ASSERT_EQ(read->tensors.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors)
    EXPECT_TRUE(read->tensors.at(name).equal(tensor)) << name;
}

// Bytes as the format's description gives them, so that other readers agree.
TEST(Safetensors, ReadsAFileWrittenByHand) {
  const ScratchFolder folder;
  const float values[2] = {1.5f, -2};
  const auto path =
      folder.Write("hand", File(R"({"t":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})",
                                std::string(reinterpret_cast<const char*>(values), 8)));
  const auto read = ReadSafetensors(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->tensors.at("t").equal(torch::tensor({{1.5f, -2.0f}})));
}

TEST(Safetensors, RefusesDamagedFilesByNameBeforeAllocating) {
  const ScratchFolder folder;
  const std::vector<std::string> damaged = {
      "",
      "short",
      File("{", ""),
      File("[1]", ""),
      std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + "{}",
      File(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234"),
      File(R"({"t":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "12345678"),
      File(R"({"t":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", ""),
      File(R"({"t":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}})", ""),
      File(R"({"t":{"dtype":"X9","shape":[],"data_offsets":[0,0]}})", ""),
      File(R"({"t":{"dtype":"F32","shape":[0],"data_offsets":[8,0]}})", "12345678"),
      File(R"({"t":7})", ""),
      File(R"({"__metadata__":{"a":1}})", ""),
  };
  for (size_t i = 0; i < damaged.size(); ++i) {
    const auto path = folder.Write("damaged" + std::to_string(i), damaged[i]);
    const auto read = ReadSafetensors(path);
    ASSERT_FALSE(read.ok()) << i;
    EXPECT_THAT(std::string(read.status().message()),
                AllOf(HasSubstr(path.string()), HasSubstr("damaged")))
        << i;
  }
  EXPECT_THAT(std::string(ReadSafetensors(folder / "none").status().message()),
              HasSubstr("No such file"));
}

}  // namespace
}  // namespace nmt

#include "nmt/training/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>

#include "nmt/base/file.h"

namespace nmt {
namespace {

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  constexpr uint32_t kPolynomial = 0x82F63B78;  // Castagnoli's, its bits reversed
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kCrcTable = MakeCrcTable();

// What a TFRecord stores of a checksum.
uint32_t Masked(uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8u; }

template <typename Integer>
std::string LittleEndian(Integer value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(value); ++i)
    bytes += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xFF);
  return bytes;
}

// Fields of protocol buffers, each after its tag: number << 3 | wire type.
std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string IntegerField(uint64_t number, int64_t value) {
  return Varint(number << 3) + Varint(static_cast<uint64_t>(value));
}
std::string DoubleField(uint64_t number, double value) {
  return Varint(number << 3 | 1) + LittleEndian(std::bit_cast<uint64_t>(value));
}
std::string BytesField(uint64_t number, const std::string& value) {
  return Varint(number << 3 | 2) + Varint(value.size()) + value;
}
std::string FloatField(uint64_t number, float value) {
  return Varint(number << 3 | 5) + LittleEndian(std::bit_cast<uint32_t>(value));
}

// message Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5;
//                 SessionLog session_log = 7; }
std::string Event(int64_t step, const std::string& rest) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return DoubleField(1, now) + IntegerField(2, step) + rest;
}

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (const unsigned char byte : bytes) crc = (crc >> 8) ^ kCrcTable[(crc ^ byte) & 0xFF];
  return ~crc;
}

absl::StatusOr<EventFile> EventFile::Create(const std::filesystem::path& folder,
                                            int64_t first_update) {
  NMT_RETURN_IF_ERROR(MakeWritableDirectory(folder));
  // TensorBoard reads files in the order of their names, which begin with the time.
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
  std::filesystem::path path;
  int count = 0;
  do {
    path = folder /
           fmt::format("events.out.tfevents.{:010d}.{:08d}.nmt.{}", seconds, first_update, count++);
  } while (std::filesystem::exists(path));
  EventFile file(path, std::ofstream(path, std::ios::binary));
  NMT_RETURN_IF_ERROR(file.WriteRecord(Event(0, BytesField(3, "brain.Event:2"))));
  constexpr int64_t kStart = 1;  // SessionLog.status
  NMT_RETURN_IF_ERROR(
      file.WriteRecord(Event(first_update, BytesField(7, IntegerField(1, kStart)))));
  return file;
}

absl::Status EventFile::Add(int64_t update, const Scalars& scalars) {
  std::string
      summary;  // message Summary { repeated Value { string tag = 1; float simple_value = 2; } }
  for (const auto& [name, value] : scalars) {
    summary += BytesField(1, BytesField(1, name) + FloatField(2, static_cast<float>(value)));
  }
  return WriteRecord(Event(update, BytesField(5, summary)));
}

absl::Status EventFile::WriteRecord(const std::string& event) {
  const std::string length = LittleEndian(static_cast<uint64_t>(event.size()));
  out_ << length << LittleEndian(Masked(Crc32c(length))) << event
       << LittleEndian(Masked(Crc32c(event))) << std::flush;
  if (!out_) return DataError(fmt::format("{}: cannot write", path_.string()));
  return absl::OkStatus();
}

}  // namespace nmt

// Event files that TensorBoard shows: scalars over updates.
//
//   NMT_ASSIGN_OR_RETURN(EventFile events, EventFile::Create(run.tensorboard(), /*first_update=*/1));
//   NMT_RETURN_IF_ERROR(events.Add(/*update=*/100, {{"training/loss", 3.1}}));
//
// A file is a row of TFRecords (length, checksum of the length, an Event message, its checksum), and of
// protocol buffers it needs four kinds of fields: less than a page here, against a library with its
// compiler. The format: tensorflow/core/util/event.proto, tensorflow/core/lib/io/record_writer.h.
#ifndef NMT_TRAINING_EVENT_FILE_H_
#define NMT_TRAINING_EVENT_FILE_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "nmt/base/status.h"

namespace nmt {

using Scalars = std::vector<std::pair<std::string, double>>;

class EventFile {
 public:
  // A new file in `folder`, which is made. TensorBoard drops what older files of the folder hold of
  // updates from `first_update` on, so that a resumed run shows as one.
  static absl::StatusOr<EventFile> Create(const std::filesystem::path& folder,
                                          int64_t first_update);

  absl::Status Add(int64_t update, const Scalars& scalars);

 private:
  EventFile(std::filesystem::path path, std::ofstream out)
      : path_(std::move(path)), out_(std::move(out)) {}
  absl::Status WriteRecord(const std::string& event);

  std::filesystem::path path_;
  std::ofstream out_;
};

// CRC-32C (Castagnoli) of bytes.
uint32_t Crc32c(std::string_view bytes);

}  // namespace nmt

#endif  // NMT_TRAINING_EVENT_FILE_H_

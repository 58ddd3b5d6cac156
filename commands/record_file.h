// nmt align --record: what a model looked at for each pair (attention_json.h), a JSON object a line.
//
//   NMT_ASSIGN_OR_RETURN(RecordFile record, RecordFile::Open("record.jsonl"));
//   record.Write(trained, pair, /*line=*/1);
//   NMT_RETURN_IF_ERROR(record.Conclude());
#ifndef NMT_COMMANDS_RECORD_FILE_H_
#define NMT_COMMANDS_RECORD_FILE_H_

#include <cstddef>
#include <fstream>
#include <string>

#include "nmt/alignment/word_attention.h"

namespace nmt {

// The file is whole or absent: it has another name until Conclude().
class RecordFile {
 public:
  // A data error when nothing can be written there. No path: nothing is written.
  static absl::StatusOr<RecordFile> Open(const std::string& path);
  RecordFile(RecordFile&&) = default;
  ~RecordFile();

  // Pairs with an empty source have no object.
  void Write(const TrainedModel& trained, const AlignedPair& pair, size_t line);
  absl::Status Conclude();

 private:
  explicit RecordFile(const std::string& path) : path_(path), temporary_(path + ".tmp") {}
  std::string path_, temporary_;
  std::ofstream stream_;
};

}  // namespace nmt

#endif  // NMT_COMMANDS_RECORD_FILE_H_

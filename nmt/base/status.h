// Errors as values: every function that can fail on a user's input or machine returns absl::Status.
//
//   absl::StatusOr<std::string> text = ReadFile(path);
//   if (!text.ok()) return text.status();
//   NMT_ASSIGN_OR_RETURN(const std::string same, ReadFile(path));   // the two lines in one
//
// One line says what is wrong: the file and line (or the key), what was found, what was expected.
#ifndef NMT_BASE_STATUS_H_
#define NMT_BASE_STATUS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace nmt {

// The user's data or machine is at fault (exit status 1): "corpus.de: 4 lines, but corpus.en has
// 5".
absl::Status DataError(std::string_view message);

// The user's command line or config is at fault (exit status 2): "config.yaml:3: unknown key ...".
absl::Status UsageError(std::string_view message);

// As DataError, with the place in the user's file: "<path>:<line>: <message>"; `line` counts
// from 1.
absl::Status DataErrorAt(std::string_view path, int64_t line, std::string_view message);

// The exit status that a command ends with: 0 ok, 2 usage or config, 1 everything else.
int ExitCode(const absl::Status& status);

}  // namespace nmt

#define NMT_RETURN_IF_ERROR(expression)                                              \
  do {                                                                               \
    if (absl::Status nmt_status = (expression); !nmt_status.ok()) return nmt_status; \
  } while (false)

#define NMT_CONCAT_INNER(a, b) a##b
#define NMT_CONCAT(a, b) NMT_CONCAT_INNER(a, b)
#define NMT_ASSIGN_OR_RETURN(declaration, expression) \
  NMT_ASSIGN_OR_RETURN_INNER(NMT_CONCAT(nmt_or_, __LINE__), declaration, expression)
#define NMT_ASSIGN_OR_RETURN_INNER(value_or, declaration, expression) \
  auto value_or = (expression);                                       \
  if (!value_or.ok()) return value_or.status();                       \
  declaration = *std::move(value_or)

#endif  // NMT_BASE_STATUS_H_

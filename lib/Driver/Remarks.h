// Remarks of passes, as notes for users.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_LIB_DRIVER_REMARKS_H
#define MLC_LIB_DRIVER_REMARKS_H

#include "common/cli/Message.h"
#include "mlir/IR/MLIRContext.h"

namespace mlc {

/// What --remarks takes: names of kRemarkCategories, separated by commas, or all. Fills `chosen`; false after an error.
bool parseRemarks(const std::string &text, std::vector<std::string> &chosen, common::MessageList &messages);

/// Remarks of these categories as the passes of `context` make them, from several threads at once; each once.
class RemarkCollector {
public:
  RemarkCollector(mlir::MLIRContext &context, const std::vector<std::string> &categories);
  ~RemarkCollector();

  /// Adds what was collected, by place, to `messages`, as notes.
  void addTo(common::MessageList &messages);

private:
  struct Found;
  std::shared_ptr<Found> found;
};

} // namespace mlc

#endif // MLC_LIB_DRIVER_REMARKS_H

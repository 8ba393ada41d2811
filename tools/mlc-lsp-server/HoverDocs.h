// Documentation of ops in what the language server says of the op under the cursor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_MLC_LSP_SERVER_HOVERDOCS_H
#define TOOLS_MLC_LSP_SERVER_HOVERDOCS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlc {

/// What the reference says of an op of ours, in Markdown: summary, syntax, description, operands; empty for others.
std::string documentationOf(llvm::StringRef op);

/// A message of the server with the documentation of the op that it is about, if it answers such a question; else as it
/// is. `message` is JSON without the header.
std::string withDocumentation(llvm::StringRef message);

/// Messages that the process writes to standard output from here to its exit go there by way of withDocumentation:
/// MLIR's server knows no documentation.
void filterStandardOutput();

} // namespace mlc

#endif // TOOLS_MLC_LSP_SERVER_HOVERDOCS_H

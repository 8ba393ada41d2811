// Which mlc this is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_VERSION_H
#define MLC_DRIVER_VERSION_H

#include <string>

namespace mlc {

/// A hash of the content of libMLC.so, or of the program that has it built in: two that differ in it are not the same
/// compiler. Empty if the linker gave none.
std::string buildId();

/// The commit of the sources when the build was configured, or empty.
std::string sourceRevision();

/// mlc's own version with commit and build, LLVM's and the ABI's, one on each line.
std::string versionText();

} // namespace mlc

#endif // MLC_DRIVER_VERSION_H

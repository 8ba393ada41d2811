// What every command line of the project exits with and writes for programs, as text of its reference. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_OUTPUTREFERENCE_H
#define MLC_COMMON_OUTPUTREFERENCE_H

#include <string>

namespace mlc::common {

/// Sections in Markdown: exit status, the objects that --json writes, files of arguments.
std::string outputReference();

} // namespace mlc::common

#endif // MLC_COMMON_OUTPUTREFERENCE_H

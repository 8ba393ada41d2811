//===- PathFrom.h - Paths as a spec writes them -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_PATHFROM_H
#define LIB_FRONTEND_SPECINIT_PATHFROM_H

#include <string>

namespace mlc::frontend {

/// The path of `file` from the directory that `spec` is in. Nobody knows where text for standard output (an empty
/// `spec`) will be: that path is absolute.
std::string pathFrom(const std::string &spec, const std::string &file);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_PATHFROM_H

//===- SpecChange.h - Changes of a spec from the command line -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_FRONTEND_ESTIMATORSPEC_SPECCHANGE_H
#define MLC_FRONTEND_ESTIMATORSPEC_SPECCHANGE_H

#include <string>
#include <vector>

namespace mlc::frontend {

/// One change of a spec from the command line.
struct SpecChange {
  enum Kind {
    Overlay, ///< a file that is merged after the spec, as an include at its end
    Set,     ///< PATH=VALUE or PATH+=VALUE
    Unset    ///< PATH
  };
  Kind kind = Set;
  std::string text;
};

/// Divides changes of the spec in file `path`: those that the compiled trainer can take when it starts (--set of a
/// field of stage START that the spec has, not overruled by a later change that is compiled in, nor beside one that is
/// taken away) are moved to the result, the others stay. A spec with errors keeps all, so that compiling it tells them.
std::vector<std::string> takeStartChanges(const std::string &path, std::vector<SpecChange> &changes);

} // namespace mlc::frontend

#endif // MLC_FRONTEND_ESTIMATORSPEC_SPECCHANGE_H

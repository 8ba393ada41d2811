// Lines of logs as JSON. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_LOGTEXT_H
#define MLCRT_TRAIN_LOGTEXT_H

#include "common/cli/Message.h"
#include "runtime/src/train/RunListener.h"

#include <string>
#include <string_view>

namespace mlcrt {

/// {"time", "level", "task" and "step" unless `task` has no name, "message"} on one line, with its end.
std::string logLine(const char *level, const LogTask &task, std::string_view text);
/// The same of a message; what it has beside its text is under "details".
std::string logLine(const LogTask &task, const mlc::common::Message &message);

} // namespace mlcrt

#endif // MLCRT_TRAIN_LOGTEXT_H

// Settings of a module against what its artifact has. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_SETTINGSCHECK_H
#define LIB_DRIVER_SETTINGSCHECK_H

#include "common/cli/Message.h"
#include "mlc/Target/Artifact/ArtifactInfo.h"

namespace mlc {

/// Whether what the settings of an artifact's manifest name is there: metrics of early stopping and exporters, scalars
/// that eval_result gives (a module without that entry has none), and variables of checkpoint policies and of pins of
/// shards. Errors are added to `messages`.
bool checkSettings(const ArtifactInfo &info, common::MessageList &messages);

} // namespace mlc

#endif // LIB_DRIVER_SETTINGSCHECK_H

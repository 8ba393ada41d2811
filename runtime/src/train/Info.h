// The verb info: what an artifact holds. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_INFO_H
#define MLCRT_TRAIN_INFO_H

#include "runtime/src/export/Signature.h"
#include "runtime/src/train/Configuration.h"

#include <string>

namespace mlcrt {

/// Name, versions, fingerprints, features, variables, entries with outputs, settings with origins and what they are;
/// text or one JSON object on one line.
std::string describeArtifact(const Artifact &artifact, const Configuration &configuration, bool json);

/// What an exported model takes and gives, what it was made of; text or one JSON object on one line.
std::string describeExport(const ExportSignature &signature, bool json);

/// The settings that are fixed at `stage`: path, value, origin, and below what it is.
std::string describeSettings(const mlc::common::SettingsTable &settings, mlc::common::SettingStage stage);

} // namespace mlcrt

#endif // MLCRT_TRAIN_INFO_H

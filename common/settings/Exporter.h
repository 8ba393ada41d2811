// The exporters of eval sets: read from settings, checked by compiler and trainer alike. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_EXPORTER_H
#define MLC_COMMON_EXPORTER_H

#include "common/settings/Settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlc::common {

/// When an exporter exports.
enum class ExporterKind { Best, Latest, Final };

/// "BEST", ...: as in a spec.
const char *exporterKindName(ExporterKind kind);

/// One exporter of an eval set.
struct ExporterRule {
  std::string path; ///< "eval.valid.exporter.0"
  std::string name; ///< of its directory
  std::string eval; ///< name of the eval set; empty: the unnamed one
  ExporterKind kind = ExporterKind::Latest;
  std::string metric;          ///< of Best
  bool isLargerBetter = false; ///< of Best
  int64_t exportsToKeep = 5;   ///< of Best and Latest; 0: all
};

/// What a model offers to exporters.
struct ExportableModel {
  std::string name;                 ///< empty: not known
  std::vector<std::string> metrics; ///< scalars that an evaluation gives; empty: not known yet, not checked
  bool predicts = true;             ///< whether it has a predict entry
};

/// Reads the settings eval[.SET].exporter.N.{name, kind, metric, better, exports_to_keep} of the eval sets, N from 0;
/// an exporter of which nothing is set is none. Errors (E0224) go to `messages` with the place that a setting is from;
/// false after one.
bool readExporters(const SettingsTable &settings, const std::vector<std::string> &evalSets,
                   const ExportableModel &model, std::vector<ExporterRule> &exporters, MessageList &messages);

} // namespace mlc::common

#endif // MLC_COMMON_EXPORTER_H

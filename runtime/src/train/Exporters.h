// Exports that a run makes by itself: the best, the latest, the final one. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_EXPORTERS_H
#define MLCRT_TRAIN_EXPORTERS_H

#include "absl/status/statusor.h"
#include "common/settings/Exporter.h"
#include "runtime/src/train/EarlyStopping.h"
#include "runtime/src/train/Evaluation.h"
#include "runtime/src/train/ModelExport.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// The exporters of the eval sets. All that they know stands in the exports themselves (model_dir/export/NAME/*): an
/// export appears whole or not at all, and with it that it was made and how good it is. So a task that was killed goes
/// on where it was, whichever task exports from then on.
class Exporters {
public:
  /// A state to export.
  struct Model {
    Program &program;
    int64_t step = 0, seed = 0;
    std::string checkpoint;      ///< of it, or empty
    TableSource *rows = nullptr; ///< tables that are not in the program's state
  };

  Exporters() = default;
  /// kInvalidArgument (E0224): an exporter that cannot work, or one of an eval set without files. `context` outlives
  /// this.
  static absl::StatusOr<Exporters> create(RunContext &context, const std::string &modelDir);

  /// Before the first export: removes what killed exporters left, and looks how good the best exports are. Errors as
  /// removeLeftExports and readSignature.
  absl::Status open();

  /// Whether evaluations of this set are followed by exports.
  bool follow(const std::string &evalSet) const;
  /// An evaluation of this set is done: exports what the exporters BEST and LATEST want. Errors as writeExport.
  absl::Status evaluated(const Model &model, const std::string &evalSet, const std::vector<Metric> &metrics);

  bool hasFinal() const;
  /// Training ended: exports what the exporters FINAL want, unless it is there. Errors as writeExport.
  absl::Status ended(const Model &model);
  /// Whether each exporter FINAL has exported a state of this step. Errors as readSignature.
  absl::StatusOr<bool> areFinalAt(int64_t step) const;

  /// Directories that exports are in, within the model_dir.
  std::vector<std::string> directories() const;

private:
  struct Exporter {
    mlc::common::ExporterRule rule;
    std::optional<double> best; ///< of BEST
  };
  std::string baseOf(const Exporter &exporter) const;
  absl::Status findBest(Exporter &exporter) const;
  absl::Status write(Exporter &exporter, const Model &model);

  RunContext *context_ = nullptr;
  std::string modelDir_;
  std::vector<Exporter> exporters_;
  std::unique_ptr<ModelExport> export_;
};

/// What evaluations of a run are followed by, as its configuration says. Errors as those of the two `create`.
absl::Status openFollowUps(RunContext &context, const std::string &modelDir, EarlyStopping &stopping,
                           Exporters &exporters);

} // namespace mlcrt

#endif // MLCRT_TRAIN_EXPORTERS_H

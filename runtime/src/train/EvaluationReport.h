// What a classifier does class by class, of the outputs of an evaluation. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs of eval_result whose names begin with "report/" are for reports alone: report/confusion [classes, classes]
// (weight of the rows by label and prediction), or report/support, report/predicted and report/hits [classes].
#ifndef MLCRT_TRAIN_EVALUATIONREPORT_H
#define MLCRT_TRAIN_EVALUATIONREPORT_H

#include "runtime/src/train/Evaluation.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Whether an output is for reports alone, not for lines and summaries.
bool isForReports(std::string_view name);

/// The metric of a name, or null.
const Metric *findMetric(const std::vector<Metric> &metrics, std::string_view name);

/// Weights of rows by class.
struct ClassCounts {
  std::vector<double> support;   ///< of the rows of a class
  std::vector<double> predicted; ///< of those predicted to be of it
  std::vector<double> hits;      ///< of those that are both
  std::vector<double> confusion; ///< [classes, classes] by label and prediction; empty where there are too many
};

/// Nothing if the model is no classifier.
std::optional<ClassCounts> classCounts(const std::vector<Metric> &metrics);

/// Names of classes by id: of the head of a name, which is empty for the only one.
using ClassNames = std::map<std::string, std::vector<std::string>>;

/// A table of precision, recall, F1 and support by class and their means, and the confusion matrix if it has at most
/// 20 classes; of several heads those that are classifiers, each under its name. A class without a name is called by
/// its id. Empty if the model is no classifier.
std::string reportText(const std::vector<Metric> &metrics, const ClassNames &names);
/// One object: "classes" [{"id", "name", "precision", "recall", "f1", "support"}], "macro" and "weighted" means of
/// these, and "confusion_matrix" as rows by label, if it is there. "null" if the model is no classifier. Of several
/// heads an object of these by the names of the heads.
std::string reportJson(const std::vector<Metric> &metrics, const ClassNames &names);

} // namespace mlcrt

#endif // MLCRT_TRAIN_EVALUATIONREPORT_H

// What samples of data say against them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/DataHealth.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cmath>
#include <set>

namespace mlcrt {

using mlc::common::ColumnCheck;
using mlc::common::Message;

namespace {
class DataJudge {
public:
  DataJudge(const DataFindings &found, const std::vector<ColumnCheck> &checks, const DataFindings *train,
            const DataBounds &bounds)
      : found_(found), checks_(checks), train_(train), bounds_(bounds) {}

  void judge();
  std::vector<Message> warnings;

private:
  /// Whether training data are known to compare with; without, the data are those of training.
  bool isNew() const { return train_; }
  bool isKnown() const { return train_ && train_->rows >= bounds_.leastRows; }
  const ColumnFindings *trained(size_t check) const { return isKnown() ? &train_->columns[check] : nullptr; }
  void unknown(size_t check);
  void missing(size_t check);
  void constant(size_t check);
  void unscaled(size_t check);
  bool isFarAbove(int64_t part, int64_t whole, int64_t trainPart, int64_t trainWhole) const;
  void warn(const char *code, const ColumnCheck &check, const std::string &what, std::string expected,
            std::string help) {
    Message message = mlc::common::makeError(
        code, absl::StrCat(found_.name.empty() ? "" : absl::StrCat("[", found_.name, "] "), what), std::move(help));
    message.severity = mlc::common::Severity::Warning;
    message.expected = std::move(expected);
    if (!check.origin.empty())
      absl::StrAppend(&message.expected, " (", check.origin, ")");
    warnings.push_back(std::move(message));
  }

  const DataFindings &found_;
  const std::vector<ColumnCheck> &checks_;
  const DataFindings *train_;
  const DataBounds &bounds_;
  std::set<std::string> told_; ///< columns of which was told that they have one value, or none
};
} // namespace

static double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// "97.3 % of 300 values".
static std::string shareOf(int64_t part, int64_t whole, const char *what) {
  return absl::StrFormat("%.1f %% of %d %s", 100 * share(part, whole), whole, what);
}

/// Whether a share is above bounds.most, and above that of training data by more than chance.
bool DataJudge::isFarAbove(int64_t part, int64_t whole, int64_t trainPart, int64_t trainWhole) const {
  // Six standard deviations of a share of so many; one more row of each kind, since no share is known exactly.
  const double before = static_cast<double>(trainPart + 1) / static_cast<double>(trainWhole + 2);
  const double deviation =
      std::sqrt(before * (1 - before) * (1 / static_cast<double>(whole) + 1 / static_cast<double>(trainWhole + 2)));
  return share(part, whole) > std::max(bounds_.most, before + 6 * deviation);
}

void DataJudge::unknown(size_t i) {
  const ColumnFindings &column = found_.columns[i];
  const ColumnCheck &check = checks_[i];
  const ColumnFindings *train = trained(i);
  // Of training data a vocabulary leaves out what came once.
  const int64_t unknown = isNew() ? column.unknown : std::max<int64_t>(0, column.unknown - column.counts.singles());
  if ((check.kind != ColumnCheck::Kind::Terms && check.kind != ColumnCheck::Kind::Ids) ||
      column.values < bounds_.leastRows || share(unknown, column.values) <= bounds_.most)
    return;
  // What was told of the training data is not told again, nor that rare values are often new ones.
  if (train && (!isFarAbove(column.unknown, column.values, train->unknown, train->values) ||
                !isFarAbove(column.unknown, column.values, train->counts.singles(), train->counts.total())))
    return;
  warn("E0805", check,
       absl::StrCat(
           "most values of column '", check.name, "' are unknown: ", shareOf(column.unknown, column.values, "values"),
           " are ", check.kind == ColumnCheck::Kind::Terms ? "in no vocabulary" : "out of range",
           train ? absl::StrFormat(", of training data %.1f %%", 100 * share(train->unknown, train->values)) : ""),
       "values that the model knows",
       "are these data of the same kind? 'mlc spec init --from SPEC DATA' adds the terms of new data");
}

void DataJudge::missing(size_t i) {
  const ColumnFindings &column = found_.columns[i];
  const ColumnCheck &check = checks_[i];
  if (column.rows < bounds_.leastRows || told_.count(check.column))
    return;
  const ColumnFindings *train = trained(i);
  const bool isBad = isNew() ? train && isFarAbove(column.missing, column.rows, train->missing, train->rows)
                             : column.missing == column.rows;
  if (!isBad)
    return;
  told_.insert(check.column);
  warn("E0807", check,
       train ? absl::StrCat("column '", check.column, "' is missing in ", shareOf(column.missing, column.rows, "rows"),
                            absl::StrFormat(", of training data in %.1f %%", 100 * share(train->missing, train->rows)))
             : absl::StrCat("column '", check.column, "' has no value in ", column.rows, " rows"),
       "values", "is the column written as in the training data? marks of missing values are input.missing");
}

void DataJudge::constant(size_t i) {
  const ColumnFindings &column = found_.columns[i];
  const ColumnCheck &check = checks_[i];
  const std::string *value = column.counts.onlyValue();
  // Beside missing cells one value says something.
  if (!value || column.rows < bounds_.leastRows || column.missing > 0 || told_.count(check.column))
    return;
  const ColumnFindings *train = trained(i);
  if (isNew()) {
    if (!train || train->values == 0)
      return;
    // How probable it is that all values are this one, if they are as those of training are.
    const double before =
        static_cast<double>(train->counts.countOf(*value) + 1) / static_cast<double>(train->counts.total() + 2);
    if (train->counts.onlyValue() || static_cast<double>(column.values) * std::log(before) > std::log(bounds_.chance))
      return;
  }
  told_.insert(check.column);
  warn("E0806", check,
       absl::StrCat("column '", check.column, "' has one value in all of ", column.rows, " rows",
                    train ? ", and varies in training data" : ": it tells nothing"),
       "values that differ",
       train ? "is the column filled in as in the training data?" : "leave the column out of the model");
}

void DataJudge::unscaled(size_t i) {
  const ColumnFindings &column = found_.columns[i];
  const ColumnCheck &check = checks_[i];
  if (!check.isUnscaledTarget || column.values < bounds_.leastRows || isKnown() ||
      std::max(std::fabs(column.mean), column.stddev) <= bounds_.largestLabel)
    return;
  warn("E0808", check,
       absl::StrFormat("labels '%s' are large, and learned as they are: mean %.6g, deviation %.6g", check.name,
                       column.mean, column.stddev),
       "labels about 0, of deviation about 1",
       absl::StrFormat(
           "regression { label_transform { z_score { mean: %.6g  stddev: %.6g } } }: predictions and metrics "
           "stay in the labels' units",
           column.mean, column.stddev));
}

void DataJudge::judge() {
  for (size_t i = 0; i < checks_.size() && i < found_.columns.size(); ++i) {
    const ColumnCheck &check = checks_[i];
    if (check.use == "label") {
      unscaled(i);
      continue;
    }
    if (check.use == "weight")
      continue;
    unknown(i);
    missing(i);
    constant(i);
  }
}

std::vector<Message> judgeTrainingData(const DataFindings &found, const std::vector<ColumnCheck> &checks,
                                       const DataBounds &bounds) {
  DataJudge judge(found, checks, nullptr, bounds);
  judge.judge();
  return std::move(judge.warnings);
}

std::vector<Message> judgeNewData(const DataFindings &found, const std::vector<ColumnCheck> &checks,
                                  const DataFindings &train, const DataBounds &bounds) {
  DataJudge judge(found, checks, &train, bounds);
  judge.judge();
  return std::move(judge.warnings);
}

} // namespace mlcrt

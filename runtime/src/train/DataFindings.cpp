// What was found in data, for people and for programs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "runtime/src/train/DataCheck.h"

#include <algorithm>

namespace mlcrt {

using mlc::common::ColumnCheck;

static double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// "0", "12.3 %", and "<0.1 %" for what is little but there.
static std::string shareText(int64_t part, int64_t whole) {
  if (part == 0)
    return "0";
  const double percent = 100 * share(part, whole);
  return percent < 0.1 ? "<0.1 %" : absl::StrFormat("%.1f %%", percent);
}

static bool mayBeUnknown(const ColumnCheck &check) {
  return check.kind == ColumnCheck::Kind::Terms || check.kind == ColumnCheck::Kind::Ids;
}

/// What the spec takes a column for, and how far the data are from it.
static std::string specText(const ColumnCheck &check, const ColumnFindings &found) {
  if (check.zScore) {
    const auto [mean, stddev] = *check.zScore;
    std::string text = absl::StrFormat("mean %.6g  stddev %.6g", mean, stddev);
    if (found.values > 0)
      absl::StrAppendFormat(&text, "  (mean off by %.2f stddev, stddev x %.2f)", (found.mean - mean) / stddev,
                            found.stddev / stddev);
    return text;
  }
  if (check.minMax) {
    std::string text = absl::StrFormat("%.6g to %.6g", check.minMax->first, check.minMax->second);
    if (found.values > 0 && (found.min < check.minMax->first || found.max > check.minMax->second))
      text += "  (the data go beyond)";
    return text;
  }
  if (check.kind == ColumnCheck::Kind::Terms)
    return absl::StrCat(check.terms.size(), " terms");
  return check.kind == ColumnCheck::Kind::Ids ? absl::StrCat("0 to ", check.size - 1) : "";
}

static std::string jsonLines(const DataFindings &findings, const std::vector<ColumnCheck> &checks) {
  std::string text;
  for (size_t i = 0; i < checks.size(); ++i) {
    const ColumnCheck &check = checks[i];
    const ColumnFindings &found = findings.columns[i];
    nlohmann::ordered_json line = {{"data", findings.name},  {"name", check.name},
                                   {"column", check.column}, {"use", check.use},
                                   {"rows", found.rows},     {"missing", share(found.missing, found.rows)}};
    if (mayBeUnknown(check))
      line["unknown"] = share(found.unknown, found.values);
    if (check.kind == ColumnCheck::Kind::Numbers && found.values > 0) {
      line["min"] = found.min;
      line["max"] = found.max;
      line["mean"] = found.mean;
      line["stddev"] = found.stddev;
    }
    if (check.zScore)
      line["z_score"] = {{"mean", check.zScore->first}, {"stddev", check.zScore->second}};
    if (check.minMax)
      line["min_max"] = {{"min", check.minMax->first}, {"max", check.minMax->second}};
    text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return text;
}

std::string describeFindings(const DataFindings &findings, const std::vector<ColumnCheck> &checks, bool json) {
  if (findings.rows == 0)
    return ""; // the files are the error
  if (json)
    return jsonLines(findings, checks);
  std::vector<std::vector<std::string>> table = {
      {"column", "use", "missing", "unknown", "min", "mean", "max", "in the spec"}};
  for (size_t i = 0; i < checks.size(); ++i) {
    const ColumnFindings &found = findings.columns[i];
    const bool numbers = checks[i].kind == ColumnCheck::Kind::Numbers && found.values > 0;
    const auto number = [&](double value) { return numbers ? absl::StrFormat("%.6g", value) : std::string(); };
    table.push_back({checks[i].name, checks[i].use, shareText(found.missing, found.rows),
                     mayBeUnknown(checks[i]) ? shareText(found.unknown, found.values) : "", number(found.min),
                     number(found.mean), number(found.max), specText(checks[i], found)});
  }
  std::vector<size_t> widths(table[0].size());
  for (const auto &row : table)
    for (size_t k = 0; k < row.size(); ++k)
      widths[k] = std::max(widths[k], row[k].size());
  std::string text = absl::StrCat(findings.name, ": ", findings.rows, findings.rows == 1 ? " row" : " rows", " of ",
                                  findings.files, findings.files == 1 ? " file" : " files");
  if (findings.skipped > 0)
    absl::StrAppend(&text, ", ", findings.skipped, " skipped for a missing value");
  if (findings.bad > 0)
    absl::StrAppend(&text, ", ", findings.bad, " with errors");
  text += "\n";
  for (const auto &row : table) {
    std::string line = " ";
    for (size_t k = 0; k < row.size(); ++k) {
      const std::string blanks(widths[k] - row[k].size(), ' ');
      // Texts stand left, numbers right.
      const bool left = k < 2 || k + 1 == row.size();
      absl::StrAppend(&line, " ", left ? "" : blanks, row[k], left ? blanks : "", " ");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

} // namespace mlcrt

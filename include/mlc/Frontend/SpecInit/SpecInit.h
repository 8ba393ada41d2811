//===- SpecInit.h - A first spec from data -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_FRONTEND_SPECINIT_SPECINIT_H
#define MLC_FRONTEND_SPECINIT_SPECINIT_H

#include "common/cli/Message.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mlc::frontend {

/// What is known of the data beforehand. Empty: decided by the data.
struct SpecInitOptions {
  /// Files of delimited text of one form, or TFRecord files of tf.Examples; packed or not.
  std::vector<std::string> files;
  std::string label;
  /// A spec whose decisions stay: only `files`, `rows` and `output` count besides it.
  std::string from;
  std::string weight;
  /// Columns that are left out, or read as categories or numbers whatever they hold.
  std::vector<std::string> drop;
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  /// Columns of several values in a cell, and the byte between them.
  std::map<std::string, char> multiValue;
  /// "linear", "dnn" or "wide_deep"; by default a dnn, with a linear part if a column has several values in a cell.
  std::string model;
  /// "binary", "multi_class" or "regression".
  std::string task;
  /// Weights by which the classes count alike.
  bool balance = false;
  /// Names of the fields; then the files have no header.
  std::vector<std::string> names;
  bool noHeader = false;
  /// Rows to read; 0: all.
  int64_t rows = 0;
  /// The file that the spec will be; files of terms stand beside it, and paths are relative to it. Empty: standard
  /// output.
  std::string output;
};

/// A spec, and the files of terms that it names.
struct SpecInitResult {
  std::string text;
  std::vector<std::pair<std::string, std::string>> vocabularies;
};

/// Reads all rows once and writes a spec; each line ends in a comment with its evidence. The same data give the same
/// text. Returns false after errors: files that cannot be read, a label that is not there or has one value.
///
/// With `from` the text is that spec's, comments included. z_score and min_max of numeric columns and the z_score of
/// the label get the numbers of the data, read as that spec says. Vocabularies keep their terms, also those that the
/// data have no more, so that their ids stay; new ones follow, most frequent first. Relative paths are written out
/// where the new spec stands in another directory. Errors besides: those of the spec, columns of it that the data lack,
/// numbers that stand in a file it includes.
bool initSpec(const SpecInitOptions &options, common::MessageList &messages, SpecInitResult &result);

} // namespace mlc::frontend

#endif // MLC_FRONTEND_SPECINIT_SPECINIT_H

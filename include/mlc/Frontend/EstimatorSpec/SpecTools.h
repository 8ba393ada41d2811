//===- SpecTools.h - What mlc spec does with specs and their schema -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_FRONTEND_ESTIMATORSPEC_SPECTOOLS_H
#define MLC_FRONTEND_ESTIMATORSPEC_SPECTOOLS_H

#include "common/cli/Message.h"
#include "common/settings/Settings.h"
#include "mlc/Frontend/EstimatorSpec/SpecChange.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlc::frontend {

/// Reads, merges, changes and checks the spec in a file. Adds all errors, sorted, to `messages`; returns whether there
/// is none.
bool checkSpec(const std::string &path, const std::vector<SpecChange> &changes, common::MessageList &messages);

/// How showSpec writes.
struct ShowOptions {
  /// Includes, globs and every default written out; else what files and changes say.
  bool resolved = false;
  /// Ends each line with where the value is from: "# base.pbtxt:12", "# --set", "# default tf2". As JSON: an object
  /// {"spec":..., "origin":{path: origin}}.
  bool origin = false;
  bool json = false;
};

/// Writes the spec in a file to `text`. Returns false after errors.
bool showSpec(const std::string &path, const std::vector<SpecChange> &changes, const ShowOptions &options,
              common::MessageList &messages, std::string &text);

/// One difference of two specs; a side that lacks the field is empty.
struct SpecDifference {
  std::string path;
  std::string before;
  std::string after;
};

/// Compares what two specs mean: resolved, every default written out, columns by name. Returns false after errors.
bool diffSpecs(const std::string &before, const std::string &after, common::MessageList &messages,
               std::vector<SpecDifference> &differences);

/// The text with blanks and line ends as `spec fmt` sets them: lines stay as they are divided, comments stay. Text that
/// cannot be read is an error.
bool formatSpec(const std::string &file, const std::string &text, common::MessageList &messages, std::string &result);

/// The text with old names of fields replaced by those of this version. Text that cannot be read is an error.
bool upgradeSpec(const std::string &file, const std::string &text, common::MessageList &messages, std::string &result);

/// What a field (by its path, with or without names of elements), a message ("Dnn") or an error code ("E0102",
/// "mlc::E0102") means. An unknown one is an error with the nearest.
bool explain(const std::string &subject, common::MessageList &messages, std::string &text);

/// The settings of a run that need no spec, with the rules, defaults and comments of the schema: those of the messages
/// Train, Predict and RunConfig, and of an Eval for each of `evalSets`, "" the unnamed one.
common::SettingsTable runSettings(llvm::ArrayRef<std::string> evalSets);

/// The schema: as "proto" (with comments), "json-schema" (of spec show --format json) or "md" (the reference page).
std::string specSchema(llvm::StringRef format);

/// Paths that --set may name: of the spec in `file` if it can be read, else of the schema.
std::vector<std::string> specPaths(const std::string &file);
/// The values that the field of a path may have, if there are few: of enums and bools.
std::vector<std::string> specValues(const std::string &path);

} // namespace mlc::frontend

#endif // MLC_FRONTEND_ESTIMATORSPEC_SPECTOOLS_H

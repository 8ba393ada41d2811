//===- SpecManifest.h - The parts of the manifest that a spec decides -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SPECMANIFEST_H
#define LIB_FRONTEND_ESTIMATORSPEC_SPECMANIFEST_H

#include "common/settings/Settings.h"
#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"

namespace mlc::frontend {

/// The path of the regularizer of an embedding: that of its column alone, also where one message declares several.
std::string regularizerPath(const ResolvedColumn &column);

/// The settings of a resolved spec: what embeddings let change at start, and the scalar fields of model, head, train,
/// eval, predict and run_config with their rules, values in force and origins ("census.pbtxt:36", "default", "default
/// tf2").
common::SettingsTable specSettings(const SpecDocument &document, const ResolvedSpec &resolved);

/// The manifest's "input" (docs/manifest.md): the format of the files and the columns in use, as JSON on one line.
std::string inputJson(const SpecDocument &document, const ResolvedSpec &resolved);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_SPECMANIFEST_H

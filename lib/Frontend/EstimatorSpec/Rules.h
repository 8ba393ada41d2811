//===- Rules.h - Checks the rules that stand in the schema -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_RULES_H
#define LIB_FRONTEND_ESTIMATORSPEC_RULES_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"

namespace mlc::frontend {

/// The (mlc.rule) of a field.
const mlc::Rule &ruleOf(const ProtoField &field);

/// The range a rule allows: "a number in (0, 1)", "an integer >= 1"; empty if it has no bounds.
std::string boundsText(const ProtoField &field);

/// Checks every field of the spec against its rule: required ones are there (except in messages that could not be read
/// in full), numbers within bounds, lists without duplicates or growing where they must. Oneofs that need a member
/// are checked where they are resolved.
void checkRules(const SpecDocument &document, common::MessageList &messages);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_RULES_H

//===- RefreshSpec.h - An earlier spec with the numbers of new data -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_REFRESHSPEC_H
#define LIB_FRONTEND_SPECINIT_REFRESHSPEC_H

#include "mlc/Frontend/SpecInit/SpecInit.h"

namespace mlc::frontend {

/// initSpec with options.from.
bool refreshSpec(const SpecInitOptions &options, common::MessageList &messages, SpecInitResult &result);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_REFRESHSPEC_H

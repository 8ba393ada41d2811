// df-number-symbols: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/Symbols.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFNUMBERSYMBOLSPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

namespace {
struct DfNumberSymbolsPass : mlc::df::impl::DfNumberSymbolsPassBase<DfNumberSymbolsPass> {
  void runOnOperation() override { mlc::df::numberSymbols(getOperation()); }
};
} // namespace

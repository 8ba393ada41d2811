// dist-verify-unplaced: refuses devices where code for one device is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/DistPasses.h"

namespace mlc::dist {
#define GEN_PASS_DEF_DISTVERIFYUNPLACEDPASS
#include "dialects/Dist/Transforms/DistPasses.h.inc"
} // namespace mlc::dist

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

namespace {
struct DistVerifyUnplacedPass : mlc::dist::impl::DistVerifyUnplacedPassBase<DistVerifyUnplacedPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    bool isPlaced = false;
    auto refuse = [&](Operation *op, StringRef attribute) {
      isPlaced = true;
      op->emitOpError("has '") << attribute
                               << "'; what is compiled has one device: remove it, or interpret the "
                                  "programs that dist-partition makes";
    };
    getOperation().walk([&](Operation *op) {
      for (StringRef attribute : {DistDialect::kDeviceAttr, DistDialect::kColocateAttr})
        if (op->hasAttr(attribute))
          refuse(op, attribute);
      if (auto function = dyn_cast<df::FunctionOp>(op))
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          if (function.getArgAttr(i, DistDialect::kDeviceAttr))
            refuse(function, DistDialect::kDeviceAttr);
    });
    if (isPlaced)
      signalPassFailure();
  }
};
} // namespace

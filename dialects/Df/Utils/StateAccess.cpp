// Which variables ops read and write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/StateAccess.h"

using namespace mlir;
using namespace mlc::df;

StateAccess mlc::df::getOwnStateAccess(Operation *op) {
  StateAccess access;
  if (auto state = dyn_cast<StateOpInterface>(op))
    state.collectState(access);
  return access;
}

StateAccess mlc::df::getStateAccess(Operation *root) {
  StateAccess access;
  root->walk<WalkOrder::PreOrder>([&](StateOpInterface op) { op.collectState(access); });
  return access;
}

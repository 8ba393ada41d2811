// The interface of ops that are composites in some of their forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfForms.h"

using namespace mlir;
using namespace mlc::df;

#include "dialects/Df/IR/DfForms.cpp.inc"

bool mlc::df::isCompositeForm(Operation *op) {
  auto forms = dyn_cast<CompositeFormsOpInterface>(op);
  return forms && forms.isCompositeForm();
}

bool mlc::df::isComposite(Operation *op) {
  return isa<DecomposableOpInterface>(op) && (!isa<CompositeFormsOpInterface>(op) || isCompositeForm(op));
}

// The parts of df-simplify, by theme.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_TRANSFORMS_SIMPLIFICATION_H
#define DIALECTS_DF_TRANSFORMS_SIMPLIFICATION_H

#include "dialects/Df/IR/Df.h"
#include "mlir/IR/PatternMatch.h"

namespace mlc::df {

/// Identities of element-wise ops that hold for all values of IEEE 754 and of integers that wrap.
void populateSimplifyArithmetic(mlir::RewritePatternSet &patterns);
/// Transposes, reshapes, broadcasts, slices and concatenations of one another and after element-wise ops.
void populateSimplifyLayout(mlir::RewritePatternSet &patterns);
/// Sizes and shapes that are known.
void populateSimplifyShapes(mlir::RewritePatternSet &patterns);
/// Branches and loops: known outcomes, values that nothing needs or that stay.
void populateSimplifyControlFlow(mlir::RewritePatternSet &patterns);

/// Ops that need no more than the shape of a value take it from where a chain of ops of one shape begins. The patterns
/// do that, too, link by link, which in long chains takes quadratic time.
void measureSources(mlir::Operation *root);

/// Moves ops whose operands a loop does not change, and that may run where it does not (`ConditionallySpeculatable`),
/// before the loop. Returns whether it moved any.
bool hoistInvariants(mlir::Operation *root);

/// Replaces reads of variables whose value is known by it, and erases assignments that no read sees or that change
/// nothing; variables are independent of one another. Returns whether it changed anything.
bool forwardState(mlir::Operation *root);

/// The one value of all elements of `value`, or null: of a splat, also after broadcasts and reshapes.
mlir::Attribute splatValueOf(mlir::Value value);

} // namespace mlc::df

#endif // DIALECTS_DF_TRANSFORMS_SIMPLIFICATION_H

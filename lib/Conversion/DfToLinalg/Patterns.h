// What the patterns of the conversion share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_DFTOLINALG_PATTERNS_H
#define LIB_CONVERSION_DFTOLINALG_PATTERNS_H

#include "dialects/Df/IR/DfForms.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Support/SumOrder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

#include <string>

namespace mlc {

/// The pattern sets, by theme.
void populateElementwisePatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateShapePatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateIndexingPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateLayoutPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateReductionPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateContractionPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populatePoolingPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateExternalCallPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateFeaturePatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateOrderPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateQueuePatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateRowsPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
/// Of the ops of `module`, as they are before any is converted.
void populateControlFlowPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types,
                                 mlir::ModuleOp module);
/// Puts as many iterations of the loops that a df.scan with `parallel_iterations` became into one as that says, with a
/// loop for the rest after: what does not depend on carried values can then run side by side.
mlir::LogicalResult unrollParallelIterations(mlir::Operation *root);

/// Sizes of a tensor's dynamic dimensions, for a tensor.empty of its shape.
llvm::SmallVector<mlir::Value> dynamicSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

/// A tensor.empty of `type`, whose dynamic dimension d has the size of `like`'s dimension `dims[d]` (identity if
/// empty).
mlir::Value emptyLike(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, mlir::Value like,
                      llvm::ArrayRef<int64_t> dims = {});

/// A tensor filled with a scalar constant.
mlir::Value filled(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value empty, mlir::TypedAttr value);

/// An index as a tensor<i64>.
mlir::Value scalarTensor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index);

/// Benefits of patterns that others of the same op yield to. What has no elements needs no computation (but for ops
/// whose operands may be wrong in a call, ids, starts and shapes: they check them before); half precision is widened
/// first.
constexpr unsigned kNothingBenefit = 2, kChecksOperandsBenefit = 3, kWideningBenefit = 4;

/// Whether a static dimension of the type is 0.
inline bool hasNoElements(mlir::RankedTensorType type) { return llvm::is_contained(type.getShape(), 0); }

/// tensor.extract_slice as a value of `type`. What has no elements is no slice: that would be out of bounds where it
/// starts.
mlir::Value extractPart(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, mlir::Value from,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        llvm::ArrayRef<mlir::OpFoldResult> strides);
/// tensor.insert_slice, or `into` where `part` has no elements.
mlir::Value insertPart(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value part, mlir::Value into,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       llvm::ArrayRef<mlir::OpFoldResult> strides);

/// Emits the body of a generic from elements; returns nothing after an error.
using BodyBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange)>;

/// A linalg.generic, or failure if the body could not be built.
mlir::FailureOr<mlir::linalg::GenericOp> makeGeneric(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange ins,
                                                     mlir::ValueRange outs, llvm::ArrayRef<mlir::AffineMap> maps,
                                                     llvm::ArrayRef<mlir::utils::IteratorType> iterators,
                                                     BodyBuilder body);

/// `sum`, what a body adds or multiplies to its accumulator in a reduction over `axes` of an operand of `shape`, marked
/// where floats are combined interleaved.
inline mlir::Value inSumOrder(mlir::Value sum, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes) {
  if (llvm::isa<mlir::FloatType>(sum.getType()) && !axes.empty() && sumsNeighbours(shape, axes))
    sum.getDefiningOp()->setAttr(kern::kInterleavedAttr, mlir::UnitAttr::get(sum.getContext()));
  return sum;
}

/// An element of a converted tensor as a value of the df element type: i8 to i1 for booleans.
mlir::Value loadElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value element, mlir::Type dfElement);
/// The inverse: i1 to i8.
mlir::Value storeElement(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value element);

/// "'df.op' at file:line:column", as far as the location has a place in a file.
std::string nameAndPlace(llvm::StringRef name, mlir::Location loc);
inline std::string nameAndPlace(mlir::Operation *op) {
  return nameAndPlace(op->getName().getStringRef(), op->getLoc());
}

/// Fails the step with code MLCRT_INVALID_ARGUMENT unless `ok`, an i1, holds. The status says the op, its location as
/// far as that has a place in a file, and `message`. `isContained`: as kern::kContainedAttr.
void emitRequire(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value ok, llvm::StringRef message,
                 bool isContained = false);
/// The same on behalf of an op called `name` at `loc`.
void emitRequire(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, mlir::Value ok,
                 llvm::StringRef message, bool isContained = false);

/// Whether a df tensor is of f16 or bf16: what accumulates widens it first (WideningPattern in Order.cpp).
inline bool isNarrowFloat(mlir::Type t) {
  mlir::Type element = llvm::cast<mlir::RankedTensorType>(t).getElementType();
  return element.isF16() || element.isBF16();
}

/// Does not match an op in a form that df-decompose takes apart.
inline llvm::LogicalResult matchOwnForm(mlir::Operation *op, mlir::PatternRewriter &rewriter) {
  if (df::isCompositeForm(op))
    return rewriter.notifyMatchFailure(op, "df-decompose takes this form apart");
  return mlir::success();
}

/// `indices`, an i64 tensor whose last dimension is the number of `bounds` (i64 values), checked: the step fails with
/// the op, its place, the index and its bound unless 0 <= component < bound for each. With `skipNegative` negative ones
/// are right, too. What must not see wrong indices uses the result.
mlir::Value emitCheckedIndices(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value indices,
                               llvm::ArrayRef<mlir::Value> bounds, bool skipNegative);

/// Emits the element at an index (of type index, one for each dimension).
using ElementBuilder = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;
/// A tensor in the place of `empty`, each element of which `element` makes of its index.
mlir::Value makeIndexed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value empty, ElementBuilder element);

/// The operands of a product after conversion, of whose first `count`, if a cast widens one of them exactly, it is what
/// is widened: a product converts its factors itself.
llvm::SmallVector<mlir::Value> factorsOf(mlir::Operation *op, mlir::ValueRange converted,
                                         mlir::ConversionPatternRewriter &rewriter, unsigned count = 2);

/// Notes on `contract`, which a product became, that elements of its factors are numbers of tf32, if they are.
void noteTf32(mlir::Operation *product, kern::ContractOp contract);

/// The size of a dimension: an index attribute or value.
mlir::OpFoldResult sizeOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, int64_t dimension);

/// The element type of a df tensor type.
inline mlir::Type dfElement(mlir::Type t) { return llvm::cast<mlir::RankedTensorType>(t).getElementType(); }

} // namespace mlc

#endif // LIB_CONVERSION_DFTOLINALG_PATTERNS_H

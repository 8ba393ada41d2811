// Type rules and canonicalization of contractions; equations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfEinsum.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace mlir;
using namespace mlc::df;

//===-- dot_general ---------------------------------------------------------------===//

/// Dimensions of `shape` that are in neither list.
static SmallVector<int64_t> freeDimensions(ArrayRef<int64_t> shape, ArrayRef<int64_t> batch, ArrayRef<int64_t> inner) {
  SmallVector<int64_t> result;
  for (int64_t d = 0, e = static_cast<int64_t>(shape.size()); d < e; ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(inner, d))
      result.push_back(d);
  return result;
}

/// [batch, free of lhs, free of rhs].
static SmallVector<int64_t> shapeOfProduct(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs, ArrayRef<int64_t> lhsBatch,
                                           ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> lhsContracting,
                                           ArrayRef<int64_t> rhsContracting) {
  SmallVector<int64_t> shape;
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch))
    shape.push_back(joinSizes(lhs[l], rhs[r]));
  for (int64_t d : freeDimensions(lhs, lhsBatch, lhsContracting))
    shape.push_back(lhs[d]);
  for (int64_t d : freeDimensions(rhs, rhsBatch, rhsContracting))
    shape.push_back(rhs[d]);
  return shape;
}

void DotGeneralOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs, ArrayRef<int64_t> lhsBatch,
                         ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> lhsContracting,
                         ArrayRef<int64_t> rhsContracting) {
  SmallVector<int64_t> shape = shapeOfProduct(shapeOf(lhs.getType()), shapeOf(rhs.getType()), lhsBatch, rhsBatch,
                                              lhsContracting, rhsContracting);
  build(builder, state, RankedTensorType::get(shape, elementType(lhs.getType())), lhs, rhs, lhsBatch, rhsBatch,
        lhsContracting, rhsContracting);
}

/// Whether every value of `from` is one of `to`, both floats or both integers.
static bool holdsValues(Type to, Type from) {
  if (auto wide = dyn_cast<FloatType>(to)) {
    auto narrow = dyn_cast<FloatType>(from);
    return narrow && llvm::APFloat::isRepresentableBy(narrow.getFloatSemantics(), wide.getFloatSemantics());
  }
  auto integer = dyn_cast<IntegerType>(from);
  return integer && to.getIntOrFloatBitWidth() >= integer.getWidth() + integer.isUnsigned();
}

LogicalResult DotGeneralOp::verify() {
  TypeInference infer(*this);
  Type lhsType = getLhs().getType(), rhsType = getRhs().getType();
  ArrayRef<int64_t> lhs = shapeOf(lhsType), rhs = shapeOf(rhsType);
  ArrayRef<int64_t> lhsBatch = getLhsBatch(), rhsBatch = getRhsBatch();
  ArrayRef<int64_t> lhsContracting = getLhsContracting(), rhsContracting = getRhsContracting();
  auto distinct = [](ArrayRef<int64_t> shape, ArrayRef<int64_t> batch, ArrayRef<int64_t> inner) {
    SmallVector<bool> seen(shape.size(), false);
    for (int64_t d : llvm::concat<const int64_t>(batch, inner)) {
      if (d < 0 || d >= static_cast<int64_t>(shape.size()) || seen[d])
        return false;
      seen[d] = true;
    }
    return true;
  };
  if (lhsBatch.size() != rhsBatch.size() || lhsContracting.size() != rhsContracting.size() ||
      !distinct(lhs, lhsBatch, lhsContracting) || !distinct(rhs, rhsBatch, rhsContracting))
    return infer.error("(C1) batch and contracting dimensions must be different dimensions of each operand, as many of "
                       "both; found lhs [")
           << lhsBatch << "] and [" << lhsContracting << "], rhs [" << rhsBatch << "] and [" << rhsContracting << "]";
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch))
    if (!agree(lhs[l], rhs[r]))
      return infer.require(false, "(C2) batch dimensions must agree", lhsType, rhsType);
  for (auto [l, r] : llvm::zip_equal(lhsContracting, rhsContracting))
    if (!agree(lhs[l], rhs[r]))
      return infer.require(false, "(C2) contracting dimensions must agree", lhsType, rhsType);
  Type element = elementType(getType());
  for (Type type : {lhsType, rhsType})
    if (!holdsValues(element, elementType(type)))
      return infer.require(false, "(C4) the result's element type must hold all values of the operands'", getType(),
                           type);
  auto expected =
      RankedTensorType::get(shapeOfProduct(lhs, rhs, lhsBatch, rhsBatch, lhsContracting, rhsContracting), element);
  if (!fits(*this, getResult(), expected))
    return emitOpError("(C3) the result must be [batch, free of lhs, free of rhs]; expected ")
           << expected << ", found " << getType();
  return success();
}

/// A product of two matrices of floats of one type is a df.matmul.
static LogicalResult toMatmul(DotGeneralOp op, PatternRewriter &rewriter) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType()), rhs = cast<RankedTensorType>(op.getRhs().getType());
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || op.getLhsContracting().size() != 1 || !op.getLhsBatch().empty() ||
      !isa<FloatType>(lhs.getElementType()) || lhs.getElementType() != rhs.getElementType() ||
      lhs.getElementType() != op.getType().getElementType())
    return failure();
  rewriter.replaceOpWithNewOp<MatmulOp>(op, op.getType(), op.getLhs(), op.getRhs(), op.getLhsContracting()[0] == 0,
                                        op.getRhsContracting()[0] == 1);
  return success();
}
void DotGeneralOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) { patterns.add(toMatmul); }

//===-- batch_matmul --------------------------------------------------------------===//

LogicalResult BatchMatmulOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type lhsType = op.getLhs().getType(), rhsType = op.getRhs().getType();
  ArrayRef<int64_t> lhs = shapeOf(lhsType), rhs = shapeOf(rhsType);
  if (lhs.size() < 2 || rhs.size() < 2 || (lhs.size() != rhs.size() && lhs.size() != 2 && rhs.size() != 2))
    return infer.require(false, "(C1) ranks must be at least 2, and equal or one of them 2", lhsType, rhsType);
  SmallVector<int64_t> shape((lhs.size() > rhs.size() ? lhs : rhs).drop_back(2));
  if (lhs.size() == rhs.size()) {
    if (!agree(lhs.drop_back(2), rhs.drop_back(2)))
      return infer.require(false, "(C2) leading dimensions must agree", lhsType, rhsType);
    for (auto [size, other] : llvm::zip_equal(shape, lhs.drop_back(2)))
      size = joinSizes(size, other);
  }
  lhs = lhs.take_back(2);
  rhs = rhs.take_back(2);
  if (!agree(lhs[op.getTransposeA() ? 0 : 1], rhs[op.getTransposeB() ? 1 : 0]))
    return infer.require(false, "(C3) inner dimensions must agree", lhsType, rhsType);
  shape.append({lhs[op.getTransposeA() ? 1 : 0], rhs[op.getTransposeB() ? 0 : 1]});
  constexpr StringLiteral constraint =
      "(C4) the result must have leading, row and column dimensions and one element type";
  if (failed(infer.require(elementType(lhsType) == elementType(rhsType), constraint, lhsType, rhsType)))
    return failure();
  return infer.result(RankedTensorType::get(shape, elementType(lhsType)), constraint);
}

//===-- einsum --------------------------------------------------------------------===//

/// The labels of a term; `rank` tells how many dimensions '...' stands for (negative: `hidden` of them).
static std::optional<EinsumLabels> parseTerm(StringRef term, int64_t rank, int64_t hidden) {
  int64_t letters = llvm::count_if(term, [](char c) { return llvm::isAlpha(c); });
  EinsumLabels labels;
  bool dots = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (llvm::isAlpha(term[i])) {
      labels.push_back(term[i]);
      continue;
    }
    if (dots || !term.substr(i).starts_with("..."))
      return std::nullopt;
    dots = true;
    i += 2;
    for (int64_t left = rank < 0 ? hidden : rank - letters; left > 0; --left)
      labels.push_back(static_cast<int>(-left));
  }
  return labels;
}

/// The equation for the ranks of `operands`.
static FailureOr<EinsumEquation> parseEquation(const TypeInference &infer, StringRef written, ValueRange operands) {
  std::string text = written.str();
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  bool c1 = StringRef(text).contains("->") && terms.size() == operands.size();
  EinsumEquation equation;
  int64_t hidden = 0;
  for (size_t i = 0; c1 && i < terms.size(); ++i) {
    auto rank = static_cast<int64_t>(shapeOf(operands[i].getType()).size());
    auto labels = parseTerm(terms[i], rank, 0);
    c1 = labels.has_value();
    if (!c1)
      break;
    std::set<int> distinct(labels->begin(), labels->end());
    if (static_cast<int64_t>(labels->size()) != rank || distinct.size() != labels->size()) {
      return infer.error("(C2) term '") << terms[i] << "' must have a different letter for each dimension of "
                                        << operands[i].getType();
    }
    for (int label : *labels)
      hidden = std::max<int64_t>(hidden, -label);
    equation.operands.push_back(*labels);
  }
  auto result = c1 ? parseTerm(right, -1, hidden) : std::nullopt;
  if (!result)
    return infer.error("(C1) the equation must be 'terms -> result' of letters and '...', with ")
           << operands.size() << " terms; found '" << written << "'";
  equation.result = *result;
  return equation;
}

FailureOr<EinsumEquation> mlc::df::parseEquation(EinsumOp op) {
  return ::parseEquation(TypeInference(op), op.getEquation(), op.getOperands());
}

LogicalResult EinsumOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto equation = ::parseEquation(infer, op.getEquation(), op.getOperands());
  if (failed(equation))
    return failure();
  // There is a term and so an operand.
  Type element = elementType(op.getOperands().front().getType());
  DenseMap<int, int64_t> sizes;
  for (auto [labels, operand] : llvm::zip(equation->operands, op.getOperands()))
    for (auto [label, size] : llvm::zip(labels, shapeOf(operand.getType())))
      if (auto [it, added] = sizes.try_emplace(label, size); agree(it->second, size))
        it->second = joinSizes(it->second, size);
      else
        return infer.error("(C3) dimensions of one letter must agree; found ")
               << RankedTensorType::get({it->second}, element) << " and " << RankedTensorType::get({size}, element)
               << " in '" << op.getEquation() << "'";
  std::set<int> distinct(equation->result.begin(), equation->result.end());
  SmallVector<int64_t> shape;
  for (int label : equation->result) {
    if (!sizes.count(label) || distinct.size() != equation->result.size())
      return infer.error("(C4) the result must name letters of the operands, each once; found '")
             << op.getEquation() << "'";
    shape.push_back(sizes[label]);
  }
  // What '...' stands for is not summed in silence.
  for (auto [label, size] : sizes)
    if (label < 0 && !distinct.count(label))
      return infer.error("(C4) the result must have the '...' of the operands; found '") << op.getEquation() << "'";
  constexpr StringLiteral constraint =
      "(C5) the result must have the dimensions of its letters and the operands' element type";
  for (Value operand : op.getOperands())
    if (elementType(operand.getType()) != element)
      return infer.require(false, constraint, op.getOperands().front().getType(), operand.getType());
  return infer.result(RankedTensorType::get(shape, element), constraint);
}

//===-- attention -----------------------------------------------------------------===//

/// The type of attention's result by its operands and attributes; null after an error.
template <typename Adaptor> static RankedTensorType inferAttention(TypeInference &infer, Adaptor op) {
  auto refuse = [](const InFlightDiagnostic &) { return RankedTensorType(); };
  Type query = op.getQuery().getType(), key = op.getKey().getType(), value = op.getValue().getType();
  ArrayRef<int64_t> q = shapeOf(query), k = shapeOf(key), v = shapeOf(value);
  size_t rank = q.size();
  Type element = elementType(query);
  bool c1 = rank >= 2 && k.size() == rank && v.size() == rank && elementType(key) == element &&
            elementType(value) == element && agree(k.drop_back(2), v.drop_back(2));
  for (ArrayRef<int64_t> other : {k, v})
    c1 = c1 && agree(other.drop_back(2), q.drop_back(2));
  c1 = c1 && agree(k[rank - 1], q[rank - 1]) && agree(v[rank - 2], k[rank - 2]);
  if (!c1)
    return refuse(
        infer.error("(C1) needs query [b.., t, d], key [b.., s, d] and value [b.., s, e] of one element type; found ")
        << query << ", " << key << " and " << value);
  SmallVector<int64_t> scores(q.drop_back());
  scores.push_back(joinSizes(k[rank - 2], v[rank - 2]));
  if (op.getMask()) {
    auto mask = cast<RankedTensorType>(op.getMask().getType());
    bool shape = agree(mask.getShape(), scores) || agree(mask.getShape(), ArrayRef<int64_t>(scores).take_back(2));
    if (!shape || (!mask.getElementType().isInteger(1) && mask.getElementType() != element))
      return refuse(infer.error("(C2) the mask must be ")
                    << RankedTensorType::get(scores, element) << ", its last two dimensions, or those of i1; found "
                    << mask);
  }
  if (op.getCausal() && ShapedType::isDynamicShape(ArrayRef<int64_t>(scores).take_back(2)))
    return refuse(infer.error("(C3) 'causal' needs a static number of queries and keys; found ")
                  << query << " and " << key);
  if (!op.getScale() && ShapedType::isDynamic(joinSizes(q[rank - 1], k[rank - 1])))
    return refuse(infer.error("(C4) needs 'scale' where the last dimension is dynamic; found ")
                  << query << " and " << key);
  SmallVector<int64_t> shape;
  for (auto [ofQuery, ofKey, ofValue] : llvm::zip_equal(q.drop_back(2), k.drop_back(2), v.drop_back(2)))
    shape.push_back(joinSizes(ofQuery, joinSizes(ofKey, ofValue)));
  shape.append({q[rank - 2], v[rank - 1]});
  return RankedTensorType::get(shape, element);
}

LogicalResult AttentionOp::inferTypes(TypeInference &infer, Adaptor op) {
  RankedTensorType type = inferAttention(infer, op);
  return type ? infer.result(type, "(C1) the result must be [b.., t, e]") : failure();
}

LogicalResult AttentionGradOp::inferTypes(TypeInference &infer, Adaptor op) {
  RankedTensorType type = inferAttention(infer, op);
  if (!type || failed(infer.require(agree(type, op.getCotangent().getType()), "(C2) the cotangent must be [b.., t, e]",
                                    op.getCotangent().getType(), type)))
    return failure();
  constexpr StringLiteral constraint = "(C1) the results must have the types of query, key and value";
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue()})
    (void)infer.result(operand.getType(), constraint);
  return success();
}

//===-- dimensions ------------------------------------------------------------------------===//

void DotGeneralOp::mapDimensions(DimensionMapping &map) {
  int64_t next = 0;
  for (auto [l, r] : llvm::zip(getLhsBatch(), getRhsBatch())) {
    map.same(getLhs(), l, getResult(), next++);
    map.same(getLhs(), l, getRhs(), r);
  }
  for (auto [l, r] : llvm::zip(getLhsContracting(), getRhsContracting()))
    map.same(getLhs(), l, getRhs(), r);
  auto keep = [&](Value side, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting) {
    for (int64_t d = 0, e = rankOf(side); d < e; ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d))
        map.same(side, d, getResult(), next++);
  };
  keep(getLhs(), getLhsBatch(), getLhsContracting());
  keep(getRhs(), getRhsBatch(), getRhsContracting());
}

void BatchMatmulOp::mapDimensions(DimensionMapping &map) {
  int64_t rank = rankOf(getResult()), ofLhs = rankOf(getLhs()), ofRhs = rankOf(getRhs());
  for (int64_t d = 0; d + 2 < rank; ++d) {
    if (ofLhs > 2)
      map.same(getLhs(), d, getResult(), d);
    if (ofRhs > 2)
      map.same(getRhs(), d, getResult(), d);
  }
  map.same(getLhs(), ofLhs - (getTransposeA() ? 1 : 2), getResult(), rank - 2);
  map.same(getRhs(), ofRhs - (getTransposeB() ? 2 : 1), getResult(), rank - 1);
  map.same(getLhs(), ofLhs - (getTransposeA() ? 2 : 1), getRhs(), ofRhs - (getTransposeB() ? 1 : 2));
}

void EinsumOp::mapDimensions(DimensionMapping &map) {
  FailureOr<EinsumEquation> equation = parseEquation(*this);
  if (failed(equation))
    return;
  llvm::DenseMap<int, Dimension> first;
  auto add = [&](Value value, const EinsumLabels &labels) {
    for (auto [d, label] : llvm::enumerate(labels)) {
      auto [it, isNew] = first.try_emplace(label, Dimension{value, static_cast<int64_t>(d)});
      if (!isNew)
        map.same(it->second.value, it->second.index, value, static_cast<int64_t>(d));
    }
  };
  for (auto [operand, labels] : llvm::zip(getOperands(), equation->operands))
    add(operand, labels);
  add(getResult(), equation->result);
}

/// Of query [b.., t, d], key [b.., s, d], value [b.., s, e], a mask, and what is [b.., t, e].
template <typename Op> static void mapAttention(Op op, Value result, DimensionMapping &map) {
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  int64_t last = rankOf(query) - 1;
  map.all(query, result, {last});
  map.all(query, key, {last - 1});
  map.all(key, value, {last});
  map.same(value, last, result, last);
  if (Value mask = op.getMask()) {
    int64_t rank = rankOf(mask);
    for (int64_t d = 0; d + 2 < rank; ++d)
      map.same(query, d, mask, d);
    map.same(query, last - 1, mask, rank - 2);
    map.same(key, last - 1, mask, rank - 1);
  }
}

void AttentionOp::mapDimensions(DimensionMapping &map) { mapAttention(*this, getResult(), map); }

void AttentionGradOp::mapDimensions(DimensionMapping &map) {
  mapAttention(*this, getCotangent(), map);
  map.all(getQuery(), getQueryGradient());
  map.all(getKey(), getKeyGradient());
  map.all(getValue(), getValueGradient());
}

//===-- work ---------------------------------------------------------------------===//

/// Operations of `batch` products c = a b, of all elements of the three: twice m n k for each of them.
static double productOperations(double a, double b, double c, double batch) {
  return batch > 0 ? 2 * std::sqrt(a * b * c / batch) : 0;
}

std::optional<double> DotGeneralOp::countOperations(const DynamicSizes &sizes) {
  double batch = sizes.productOf(shapeOf(getType()).take_front(getLhsBatch().size()));
  return productOperations(sizes.elementsOf(getLhs()), sizes.elementsOf(getRhs()), sizes.elementsOf(getResult()),
                           batch);
}

/// An operand of rank 2 is the same for all positions of the leading dimensions.
std::optional<double> BatchMatmulOp::countOperations(const DynamicSizes &sizes) {
  ArrayRef<int64_t> result = shapeOf(getType());
  double positions = sizes.productOf(result.drop_back(2));
  auto all = [&](Value operand) {
    return sizes.elementsOf(operand) * (shapeOf(operand.getType()).size() < result.size() ? positions : 1);
  };
  return productOperations(all(getLhs()), all(getRhs()), sizes.elementsOf(getResult()), positions);
}

/// The product of the sizes of all indices, as often as there are operands.
std::optional<double> EinsumOp::countOperations(const DynamicSizes &sizes) {
  FailureOr<EinsumEquation> equation = parseEquation(*this);
  if (failed(equation))
    return std::nullopt;
  llvm::DenseMap<int, double> sizeOf;
  for (auto [labels, operand] : llvm::zip(equation->operands, getOperands()))
    for (auto [label, size] : llvm::zip(labels, shapeOf(operand.getType())))
      sizeOf[label] = sizes.sizeOf(size);
  double product = static_cast<double>(std::max<size_t>(1, getOperands().size()));
  for (auto [label, size] : sizeOf)
    product *= size;
  return product;
}

/// Two products: query by key, and what that weighs.
std::optional<double> AttentionOp::countOperations(const DynamicSizes &sizes) {
  double keys = sizes.sizeOf(shapeOf(getKey().getType()).drop_back().back());
  return 2 * keys * (sizes.elementsOf(getQuery()) + sizes.elementsOf(getResult()));
}

/// Five: scores, shares' gradients, and one for each gradient.
std::optional<double> AttentionGradOp::countOperations(const DynamicSizes &sizes) {
  double keys = sizes.sizeOf(shapeOf(getKey().getType()).drop_back().back());
  return 2 * keys * (3 * sizes.elementsOf(getQuery()) + 2 * sizes.elementsOf(getCotangent()));
}

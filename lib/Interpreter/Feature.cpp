// Rules of feature ops: strings, hashes, vocabularies, buckets, ids.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfStateOps.h"

#include <farmhash.h>

#include <cmath>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// The cell of a string tensor, or an integer's decimal text.
static std::string textOf(const Tensor &tensor, int64_t i) {
  return tensor.getKind() == ElementKind::String ? tensor.getString(i) : std::to_string(tensor.getInteger(i));
}

uint64_t mlc::interp::fingerprintOf(const Tensor &tensor, int64_t i) {
  std::string text = textOf(tensor, i);
  return util::Fingerprint64(text.data(), text.size());
}

/// An i64 tensor of the shape of `like` with element i = f(i).
template <typename Fn> static Tensor idsLike(const Tensor &like, Fn f) {
  Tensor result(ElementKind::I64, like.getShape());
  for (int64_t i = 0, n = like.getNumElements(); i < n; ++i)
    result.setInteger(i, static_cast<int64_t>(f(i)));
  return result;
}

/// FingerprintCat64 of two fingerprints.
static uint64_t fingerprintCat(uint64_t f1, uint64_t f2) {
  constexpr uint64_t multiplier = 0xc6a4a7935bd1e995;
  auto mix = [](uint64_t x) { return x ^ (x >> 47); };
  uint64_t result = f1 ^ multiplier;
  result ^= mix(f2 * multiplier) * multiplier;
  result *= multiplier;
  result = mix(result) * multiplier;
  return mix(result);
}

/// Text of a term of a table.
static std::string termText(Attribute term) {
  if (auto string = dyn_cast<StringAttr>(term))
    return string.getValue().str();
  return std::to_string(cast<IntegerAttr>(term).getInt());
}

static LogicalResult evaluateLookup(df::LookupOp op, Frame &frame) {
  df::VocabularyOp table = frame.table(op, op.getTableAttr());
  if (!table)
    return failure();
  llvm::StringMap<int64_t> positions;
  for (auto [i, term] : llvm::enumerate(table.getTerms()))
    positions[termText(term)] = i;
  const Tensor &from = frame.tensor(op.getOperand());
  uint64_t terms = table.getTerms().size(), oov = table.getNumOov();
  return frame.set(op.getResult(), idsLike(from, [&](int64_t i) -> uint64_t {
                     if (auto it = positions.find(textOf(from, i)); it != positions.end())
                       return it->second;
                     return oov ? fingerprintOf(from, i) % oov + terms : static_cast<uint64_t>(table.getDefaultValue());
                   }));
}

static LogicalResult evaluateTerm(df::TermOp op, Frame &frame) {
  df::VocabularyOp table = frame.table(op, op.getTableAttr());
  if (!table)
    return failure();
  const Tensor &ids = frame.tensor(op.getOperand());
  int64_t terms = table.getTerms().size();
  Tensor result(ElementKind::String, ids.getShape());
  for (int64_t i = 0, n = ids.getNumElements(); i < n; ++i) {
    int64_t id = ids.getInteger(i);
    if (id < 0 || id >= terms)
      return op.emitOpError("id ") << id << " at position " << i << " is not in [0, " << terms << ")";
    result.setString(i, termText(table.getTerms()[id]));
  }
  return frame.set(op.getResult(), std::move(result));
}

/// Looks at one column after another.
static LogicalResult evaluateCheckColumns(df::CheckIdsOp op, Frame &frame) {
  const Tensor &ids = frame.tensor(op.getIds());
  int64_t rows = ids.getShape()[0], columns = op.getColumns()->size(), low = op.getLow();
  for (auto [c, column] : llvm::enumerate(op.getColumns()->getAsRange<df::IdColumnAttr>()))
    for (int64_t row = 0; row < rows; ++row) {
      int64_t id = ids.getInteger(row * columns + static_cast<int64_t>(c));
      if (low <= id && id < column.getHigh())
        continue;
      std::string text =
          (op.getWhat() + " '" + column.getFeature() + "': " + Twine(id) +
           " is out of range; expected: an integer from " + Twine(low) + " to " + Twine(column.getHigh() - 1))
              .str();
      frame.dataError = DataError{row, text};
      return op.emitOpError("row ") << row << ": " << text;
    }
  return frame.set(op.getResult(), ids);
}

static LogicalResult evaluateCheckIds(df::CheckIdsOp op, Frame &frame) {
  if (op.getColumns())
    return evaluateCheckColumns(op, frame);
  const Tensor &ids = frame.tensor(op.getIds());
  int64_t low = op.getLow(), high = op.getHigh(), elements = ids.getNumElements();
  for (int64_t i = 0; i < elements; ++i) {
    int64_t id = ids.getInteger(i);
    if (low <= id && id < high)
      continue;
    std::string text = op.getWhat().str() + ": ";
    llvm::raw_string_ostream os(text);
    printElement(os, op.getCells() ? frame.tensor(op.getCells()) : ids, i);
    if (op.getTableAttr())
      text += " is not in the vocabulary @" + op.getTableAttr().getValue().str();
    else
      text += " is out of range";
    // One right id for any number of cells says nothing of them: `what` does.
    if (!op.getTableAttr() && (!op.getCells() || high - low > 1))
      text += low == std::numeric_limits<int64_t>::min()
                  ? "; expected: an integer below " + std::to_string(high)
                  : "; expected: an integer from " + std::to_string(low) + " to " + std::to_string(high - 1);
    int64_t row = i / (elements / ids.getShape().front());
    if (op.getEnds())
      for (row = 0; frame.tensor(op.getEnds()).getInteger(row) <= i;)
        ++row;
    frame.dataError = DataError{row, text};
    return op.emitOpError("row ") << row << ": " << text;
  }
  return frame.set(op.getResult(), ids);
}

static LogicalResult evaluateBucketize(df::BucketizeOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  SmallVector<double> boundaries(op.getBoundaries());
  if (from.getKind() != ElementKind::F64)
    for (double &boundary : boundaries)
      boundary = static_cast<float>(boundary);
  return frame.set(op.getResult(), idsLike(from, [&](int64_t i) {
                     double x = from.getFloat(i);
                     return llvm::count_if(boundaries, [&](double boundary) { return boundary <= x; });
                   }));
}

static LogicalResult evaluateOneHot(df::OneHotOp op, Frame &frame) {
  const Tensor &ids = frame.tensor(op.getIds());
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(ids.getShape());
  int64_t axis = op.getDepthAxis(), depth = type.getDimSize(axis), inner = 1;
  for (int64_t size : ArrayRef(shape).drop_front(axis))
    inner *= size;
  shape.insert(shape.begin() + axis, depth);
  Tensor result(*elementKindOf(type.getElementType()), shape);
  double on = op.getOn().convertToDouble(), off = op.getOff().convertToDouble();
  for (int64_t i = 0, n = result.getNumElements(); i < n; ++i) {
    int64_t id = ids.getInteger(i / (depth * inner) * inner + i % inner);
    double value = id == i / inner % depth ? on : off;
    if (isFloatKind(result.getKind()))
      result.setFloat(i, value);
    else
      result.setInteger(i, static_cast<int64_t>(value));
  }
  return frame.set(op.getResult(), std::move(result));
}

void mlc::interp::addFeatureRules(RuleTable &table) {
  table.add<df::FingerprintOp>([](df::FingerprintOp op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    return frame.set(op.getResult(), idsLike(from, [&](int64_t i) { return fingerprintOf(from, i); }));
  });
  table.add<df::FingerprintCatOp>([](df::FingerprintCatOp op, Frame &frame) -> LogicalResult {
    const Tensor &lhs = frame.tensor(op.getLhs()), &rhs = frame.tensor(op.getRhs());
    if (lhs.getShape() != rhs.getShape())
      return op.emitOpError("operands differ in shape");
    return frame.set(op.getResult(),
                     idsLike(lhs, [&](int64_t i) { return fingerprintCat(lhs.getInteger(i), rhs.getInteger(i)); }));
  });
  table.add<df::HashBucketOp>([](df::HashBucketOp op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    return frame.set(op.getResult(), idsLike(from, [&](int64_t i) {
                       return static_cast<uint64_t>(from.getInteger(i)) % op.getBuckets();
                     }));
  });
  table.add<df::IsEmptyOp>([](df::IsEmptyOp op, Frame &frame) {
    const Tensor &from = frame.tensor(op.getOperand());
    Tensor result(ElementKind::I1, from.getShape());
    for (int64_t i = 0, n = from.getNumElements(); i < n; ++i)
      result.setInteger(i, from.getString(i).empty());
    return frame.set(op.getResult(), std::move(result));
  });
  table.add<df::LookupOp>(evaluateLookup);
  table.add<df::TermOp>(evaluateTerm);
  table.add<df::CheckIdsOp>(evaluateCheckIds);
  table.add<df::BucketizeOp>(evaluateBucketize);
  table.add<df::OneHotOp>(evaluateOneHot);
}

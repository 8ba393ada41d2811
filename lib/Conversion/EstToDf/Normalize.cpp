// Normalizers of numbers and their inverses, in the arithmetic of f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/EstToDf/Normalize.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::est2df;

namespace {
/// (x - offset) / scale.
struct Affine {
  double offset, scale;
};
} // namespace

static std::optional<Affine> affineOf(Attribute normalizer) {
  if (auto a = dyn_cast<est::ZScoreAttr>(normalizer))
    return Affine{a.getMean().getValueAsDouble(), a.getStddev().getValueAsDouble()};
  if (auto a = dyn_cast<est::MinMaxAttr>(normalizer)) {
    double min = a.getMin().getValueAsDouble();
    return Affine{min, a.getMax().getValueAsDouble() - min};
  }
  return std::nullopt;
}

/// What a function of the module makes of `value`, its ops put here.
static Value inlined(GraphBuilder &b, FlatSymbolRefAttr name, Value value) {
  Operation *here = b.getInsertionBlock()->getParentOp();
  auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(here, name);
  assert(function && "the verifier looked it up");
  Block &body = function.getFunctionBody().front();
  IRMapping values;
  values.map(body.getArgument(0), b.reshape(value, cast<RankedTensorType>(body.getArgument(0).getType()).getShape()));
  for (Operation &op : body.without_terminator())
    b.clone(op, values);
  Value result = values.lookup(body.getTerminator()->getOperand(0));
  return b.reshape(result, cast<RankedTensorType>(value.getType()).getShape());
}

Value est2df::normalize(GraphBuilder &b, Attribute normalizer, Value value) {
  if (!normalizer)
    return value;
  if (auto function = dyn_cast<FlatSymbolRefAttr>(normalizer))
    return inlined(b, function, value);
  if (std::optional<Affine> affine = affineOf(normalizer))
    return b.div(b.sub(value, b.f32(affine->offset)), b.f32(affine->scale));
  assert(isa<est::Log1pAttr>(normalizer) && "all normalizers are covered");
  return b.unary<df::Log1pOp>(value);
}

bool est2df::areNormalizedAlike(Attribute a, Attribute b) {
  if (isa_and_present<FlatSymbolRefAttr>(a) || isa_and_present<FlatSymbolRefAttr>(b))
    return false;
  return isa_and_present<est::Log1pAttr>(a) == isa_and_present<est::Log1pAttr>(b);
}

Value est2df::normalizeColumns(GraphBuilder &b, ArrayRef<Attribute> normalizers, Value columns) {
  if (isa_and_present<est::Log1pAttr>(normalizers.front()) || llvm::all_of(normalizers, [](Attribute n) { return !n; }))
    return normalize(b, normalizers.front(), columns);
  SmallVector<double> offsets, scales;
  for (Attribute normalizer : normalizers) {
    // A number without a normalizer stays what it is, bit by bit.
    Affine affine = normalizer ? *affineOf(normalizer) : Affine{0, 1};
    offsets.push_back(affine.offset);
    scales.push_back(affine.scale);
  }
  auto beside = [&](ArrayRef<double> numbers) { return b.broadcast(b.vector(numbers, b.getF32Type()), columns, {1}); };
  return b.div(b.sub(columns, beside(offsets)), beside(scales));
}

Value est2df::denormalize(GraphBuilder &b, Attribute normalizer, Value value) {
  if (!normalizer)
    return value;
  if (std::optional<Affine> affine = affineOf(normalizer))
    return b.add(b.mul(value, b.f32(affine->scale)), b.f32(affine->offset));
  assert(isa<est::Log1pAttr>(normalizer) && "all normalizers are covered");
  return b.sub(b.unary<df::ExpOp>(value), b.f32(1));
}

// Counter-based random numbers, initializers of variables and settings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "mlc/Support/Philox.h"
#include "mlc/Support/PhiloxKey.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// The number of `distribution` (uniform on [0, 1), else mean 0 and deviation 1) at a counter.
template <typename E>
static typename E::F randomNumber(E &e, df::Distribution distribution, const std::array<uint32_t, 4> &counter,
                                  const std::array<uint32_t, 2> &key) {
  ScalarWordEmitter words;
  std::array<uint32_t, 4> output = philox4x32(words, counter, key);
  typename E::F uniform;
  if constexpr (E::isDouble)
    uniform = uniformF64FromBits(e, output[0], output[1]);
  else
    uniform = uniformF32FromBits(e, output[0]);
  switch (distribution) {
  case df::Distribution::Uniform:
    return uniform;
  case df::Distribution::Normal:
    return normalFromUniform(e, uniform);
  case df::Distribution::TruncatedNormal:
    return truncatedNormalFromUniform(e, uniform);
  }
  llvm_unreachable("distribution");
}

/// Numbers of `kind`, f32 or f64; `counterOf(i)` is the counter of element i.
template <typename Fn>
static Tensor randomTensor(ElementKind kind, ArrayRef<int64_t> shape, df::Distribution distribution, uint64_t key,
                           Fn counterOf) {
  Tensor result(kind, shape);
  std::array<uint32_t, 2> words = philoxKeyWords(key);
  withEmitter(kind, [&](auto e) {
    for (int64_t i = 0, n = result.getNumElements(); i < n; ++i)
      result.setFloat(i, randomNumber(e, distribution, counterOf(i), words));
  });
  return result;
}

static LogicalResult evaluateRandom(df::RandomOp op, Frame &frame) {
  auto type = cast<RankedTensorType>(op.getType());
  ElementKind kind = *elementKindOf(type.getElementType());
  const Context &context = frame.context;
  uint64_t seed = op.getSeed() ? static_cast<uint64_t>(frame.integer(op.getSeed())) : context.seed;
  uint64_t key = philoxKey(seed, std::string_view(op.getName().data(), op.getName().size()));
  if (op.getIterations().empty())
    for (int64_t iteration : frame.getIterations())
      key = philoxIterationKey(key, iteration);
  for (Value iteration : op.getIterations())
    key = philoxIterationKey(key, frame.integer(iteration));
  if (!op.isOfStep())
    return frame.set(op.getResult(), randomTensor(kind, type.getShape(), op.getDistribution(), key,
                                                  [](int64_t i) { return philoxInitializerCounter(i); }));
  uint64_t step = op.getStep() ? frame.integer(op.getStep()) : context.step;
  if (op.getEachStep()) {
    ArrayRef<int64_t> shape = op.getLike() ? ArrayRef(frame.tensor(op.getLike()).getShape()) : type.getShape();
    int64_t before = 0; // elements of the rows before the first one
    if (op.getFirstRow())
      before = frame.integer(op.getFirstRow()) * (shape.empty() ? 1 : Tensor(ElementKind::I1, shape).getRowSize());
    return frame.set(op.getResult(), randomTensor(kind, shape, op.getDistribution(), key,
                                                  [&](int64_t i) { return philoxEachStepCounter(before + i, step); }));
  }
  uint64_t firstRow = op.getFirstRow() ? frame.integer(op.getFirstRow()) : context.firstRow;
  ArrayRef<int64_t> shape = frame.tensor(op.getLike()).getShape();
  // A scalar is row 0, column 0.
  int64_t width = shape.empty() ? 1 : Tensor(ElementKind::I1, shape).getRowSize();
  return frame.set(op.getResult(), randomTensor(kind, shape, op.getDistribution(), key, [&](int64_t i) {
                     return philoxStepCounter(static_cast<uint32_t>(i % width),
                                              static_cast<uint32_t>(firstRow + i / width), step);
                   }));
}

/// The first value of the tensor `name`.
static Tensor evaluateInitializer(Attribute initializer, RankedTensorType type, StringRef name, uint64_t seed) {
  ElementKind kind = *elementKindOf(type.getElementType());
  ElementKind drawn = kind == ElementKind::F64 ? ElementKind::F64 : ElementKind::F32;
  uint64_t key = philoxKey(seed, std::string_view(name.data(), name.size()));

  /// offset + factor * number, each operation rounded.
  auto draw = [&](df::Distribution distribution, double factor, double offset) {
    Tensor numbers =
        randomTensor(drawn, type.getShape(), distribution, key, [](int64_t i) { return philoxInitializerCounter(i); });
    withEmitter(drawn, [&](auto e) {
      using T = typename decltype(e)::F;
      for (int64_t i = 0, n = numbers.getNumElements(); i < n; ++i)
        numbers.setFloat(
            i, e.add(static_cast<T>(offset), e.mul(static_cast<T>(factor), static_cast<T>(numbers.getFloat(i)))));
    });
    return castTensor(numbers, kind);
  };

  if (auto constant = dyn_cast<df::ConstantInitAttr>(initializer)) {
    Tensor value(ElementKind::F64, type.getShape());
    for (int64_t i = 0, n = value.getNumElements(); i < n; ++i)
      value.setFloat(i, constant.getValue().convertToDouble());
    return castTensor(value, kind);
  }
  if (auto uniform = dyn_cast<df::UniformInitAttr>(initializer)) {
    double low = uniform.getLow().convertToDouble();
    return draw(df::Distribution::Uniform, uniform.getHigh().convertToDouble() - low, low);
  }
  if (auto normal = dyn_cast<df::NormalInitAttr>(initializer))
    return draw(df::Distribution::Normal, normal.getStddev().convertToDouble(), normal.getMean().convertToDouble());
  auto truncated = cast<df::TruncatedNormalInitAttr>(initializer);
  return draw(df::Distribution::TruncatedNormal, truncated.getStddev().convertToDouble(),
              truncated.getMean().convertToDouble());
}

Tensor mlc::interp::evaluateInitializer(df::VariableOp variable, uint64_t seed) {
  RankedTensorType type = variable.getTensorType();
  Attribute initializer = variable.getInitializer();
  if (!variable.getNamedRows())
    return ::evaluateInitializer(initializer, type, variable.getSymName(), seed);
  Tensor all(*elementKindOf(type.getElementType()), type.getShape());
  SmallVector<int64_t> shape(type.getShape());
  int64_t next = 0;
  for (df::NamedRowsAttr rows : variable.getTensors()) {
    shape[0] = rows.getRows();
    Tensor tensor = ::evaluateInitializer(initializer, type.clone(shape), rows.getName(), seed);
    all.copyElements(next, tensor, 0, tensor.getNumElements());
    next += tensor.getNumElements();
  }
  return all;
}

void mlc::interp::addRandomRules(RuleTable &table) {
  table.add<df::RandomOp>(evaluateRandom);
  table.add<df::SettingOp>([](df::SettingOp op, Frame &frame) -> LogicalResult {
    ElementKind kind = *elementKindOf(cast<RankedTensorType>(op.getType()).getElementType());
    FailureOr<Tensor> value = settingValue(op, op.getPath(), op.getDefaultValue(), kind, frame.state);
    if (failed(value))
      return failure();
    return frame.set(op.getResult(), std::move(*value));
  });
}

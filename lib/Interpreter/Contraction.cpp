// Rules of general products, convolutions and pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfWindow.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// Calls `fn` with each index of `shape`, in row-major order.
static void forEachIndex(ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>)> fn) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    fn(index);
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

/// Row-major number of `index` in `shape`.
static int64_t numberOf(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t n = 0;
  for (auto [i, size] : llvm::zip(index, shape))
    n = n * size + i;
  return n;
}

/// acc + x * y as a product adds it: one FMA of floats, wrapping integers.
template <typename T> static T addProduct(T x, T y, T acc) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fma(x, y, acc);
  else
    return static_cast<T>(static_cast<uint64_t>(acc) + static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

/// Calls `fn` with a value of the type that elements of `kind` are computed in.
template <typename Fn> static LogicalResult withComputeType(ElementKind kind, Fn fn) {
  if (!isFloatKind(kind))
    return fn(int64_t());
  return withEmitter(kind, [&](auto e) { return fn(typename decltype(e)::F()); });
}

//===-- dot_general -----------------------------------------------------------------===//

static LogicalResult evaluateDotGeneral(df::DotGeneralOp op, Frame &frame) {
  const Tensor &lhs = frame.tensor(op.getLhs()), &rhs = frame.tensor(op.getRhs());
  SmallVector<int64_t> inner, shape, lhsFree, rhsFree;
  auto collect = [&](ArrayRef<int64_t> lhsDims, ArrayRef<int64_t> rhsDims,
                     SmallVectorImpl<int64_t> &sizes) -> LogicalResult {
    for (auto [l, r] : llvm::zip(lhsDims, rhsDims)) {
      if (lhs.getDimSize(l) != rhs.getDimSize(r))
        return op.emitOpError("dimension ")
               << l << " of lhs is " << lhs.getDimSize(l) << ", dimension " << r << " of rhs " << rhs.getDimSize(r);
      sizes.push_back(lhs.getDimSize(l));
    }
    return success();
  };
  if (failed(collect(op.getLhsBatch(), op.getRhsBatch(), shape)) ||
      failed(collect(op.getLhsContracting(), op.getRhsContracting(), inner)))
    return failure();
  auto addFree = [&](const Tensor &side, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracting,
                     SmallVectorImpl<int64_t> &free) {
    for (int64_t d = 0; d < side.getRank(); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d)) {
        free.push_back(d);
        shape.push_back(side.getDimSize(d));
      }
  };
  addFree(lhs, op.getLhsBatch(), op.getLhsContracting(), lhsFree);
  addFree(rhs, op.getRhsBatch(), op.getRhsContracting(), rhsFree);
  ElementKind kind = *elementKindOf(cast<RankedTensorType>(op.getType()).getElementType());
  return withComputeType(kind, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> a = lhs.to<T>(), b = rhs.to<T>(), c;
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> l(lhs.getRank()), r(rhs.getRank());
      size_t batches = op.getLhsBatch().size();
      for (size_t i = 0; i < batches; ++i)
        l[op.getLhsBatch()[i]] = r[op.getRhsBatch()[i]] = index[i];
      for (auto [i, d] : llvm::enumerate(lhsFree))
        l[d] = index[batches + i];
      for (auto [i, d] : llvm::enumerate(rhsFree))
        r[d] = index[batches + lhsFree.size() + i];
      T acc = 0;
      forEachIndex(inner, [&](ArrayRef<int64_t> k) {
        for (size_t i = 0; i < k.size(); ++i)
          l[op.getLhsContracting()[i]] = r[op.getRhsContracting()[i]] = k[i];
        acc = addProduct(a[numberOf(l, lhs.getShape())], b[numberOf(r, rhs.getShape())], acc);
      });
      c.push_back(acc);
    });
    Tensor result(kind, shape);
    result.assign(ArrayRef<T>(c));
    return frame.set(op.getResult(), std::move(result));
  });
}

//===-- windows ---------------------------------------------------------------------===//

/// The shape [n, s.., c].
static SmallVector<int64_t> channelsLast(int64_t rows, ArrayRef<int64_t> spatial, int64_t channels) {
  SmallVector<int64_t> shape = {rows};
  llvm::append_range(shape, spatial);
  shape.push_back(channels);
  return shape;
}

/// The output's spatial shape over an image.
static SmallVector<int64_t> outputShape(const df::Window &window, ArrayRef<int64_t> image) {
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < window.rank(); ++d)
    shape.push_back(window.outputSize(d, image[d + 1]));
  return shape;
}

/// The element of the image [n, s.., c] that output position `p` and window position `k` meet, or -1 in the padding.
static int64_t imageElement(const df::Window &window, ArrayRef<int64_t> image, int64_t row, ArrayRef<int64_t> p,
                            ArrayRef<int64_t> k, int64_t channel) {
  int64_t n = row;
  for (int64_t d = 0; d < window.rank(); ++d) {
    int64_t i = p[d] * window.strides[d] + k[d] * window.dilations[d] - window.low[d];
    if (i < 0 || i >= image[d + 1])
      return -1;
    n = n * image[d + 1] + i;
  }
  return n * image.back() + channel;
}

/// The element of the output [n, p.., c] whose window has image position `i` at window position `k`, or -1.
static int64_t outputElement(const df::Window &window, ArrayRef<int64_t> output, int64_t row, ArrayRef<int64_t> i,
                             ArrayRef<int64_t> k, int64_t channel) {
  int64_t n = row;
  for (int64_t d = 0; d < window.rank(); ++d) {
    int64_t distance = i[d] + window.low[d] - k[d] * window.dilations[d];
    if (distance < 0 || distance % window.strides[d] != 0 || distance / window.strides[d] >= output[d + 1])
      return -1;
    n = n * output[d + 1] + distance / window.strides[d];
  }
  return n * output.back() + channel;
}

/// Checks that rows and sizes of an image and an output fit: types tell where they are static.
static LogicalResult checkOutput(Operation *op, const df::Window &window, ArrayRef<int64_t> image,
                                 ArrayRef<int64_t> output) {
  SmallVector<int64_t> expected = channelsLast(image[0], outputShape(window, image), output.back());
  if (output != ArrayRef<int64_t>(expected))
    return op->emitOpError("the output over an image of [")
           << image << "] is [" << expected << "]; found [" << output << "]";
  return success();
}

/// Shape of a result that is an image: rows of the output, sizes of the type or of `like`.
template <typename Op> static SmallVector<int64_t> imageShape(Op op, Frame &frame, const Tensor &output) {
  if (op.getLike())
    return SmallVector<int64_t>(frame.tensor(op.getLike()).getShape());
  SmallVector<int64_t> shape(op.getType().getShape());
  shape[0] = output.getDimSize(0);
  if (ShapedType::isDynamic(shape.back()))
    shape.back() = output.getShape().back();
  return shape;
}

//===-- convolutions ----------------------------------------------------------------===//

/// Splits an index [n, x.., c].
static ArrayRef<int64_t> middle(ArrayRef<int64_t> index) { return index.drop_front().drop_back(); }

/// Numbers of the two elements of a product; < 0 for a zero of padding on the left.
struct Term {
  int64_t left, right;
};

/// Sets the result of `op`, of `shape`: each element, at an index, is the sum over `inner` of the products that
/// `termAt(index, k)` tells the elements of, in order.
template <typename Op>
static LogicalResult evaluateProducts(Op op, Frame &frame, const Tensor &left, const Tensor &right,
                                      ArrayRef<int64_t> shape, ArrayRef<int64_t> inner,
                                      llvm::function_ref<Term(ArrayRef<int64_t>, ArrayRef<int64_t>)> termAt) {
  return withComputeType(left.getKind(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> a = left.to<T>(), b = right.to<T>(), c;
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      T acc = 0;
      forEachIndex(inner, [&](ArrayRef<int64_t> k) {
        Term term = termAt(index, k);
        acc = addProduct(term.left < 0 ? T(0) : a[term.left], b[term.right], acc);
      });
      c.push_back(acc);
    });
    Tensor result(left.getKind(), shape);
    result.assign(ArrayRef<T>(c));
    return frame.set(op.getResult(), std::move(result));
  });
}

static LogicalResult evaluateConv(df::ConvOp op, Frame &frame) {
  const Tensor &image = frame.tensor(op.getImage()), &filter = frame.tensor(op.getFilter());
  df::Window window = windowOf(op);
  ArrayRef<int64_t> x = image.getShape(), w = filter.getShape();
  int64_t in = w[w.size() - 2], outOfGroup = w.back() / static_cast<int64_t>(op.getGroups());
  SmallVector<int64_t> shape = channelsLast(x[0], outputShape(window, x), w.back());
  return evaluateProducts(op, frame, image, filter, shape, w.drop_back(),
                          [&](ArrayRef<int64_t> index, ArrayRef<int64_t> k) -> Term {
                            int64_t channel = index.back() / outOfGroup * in + k.back();
                            return {imageElement(window, x, index[0], middle(index), k.drop_back(), channel),
                                    numberOf(k, w.drop_back()) * w.back() + index.back()};
                          });
}

static LogicalResult evaluateConvTranspose(df::ConvTransposeOp op, Frame &frame) {
  const Tensor &output = frame.tensor(op.getOutput()), &filter = frame.tensor(op.getFilter());
  df::Window window = windowOf(op);
  ArrayRef<int64_t> y = output.getShape(), w = filter.getShape();
  int64_t groups = op.getGroups(), in = w[w.size() - 2], outOfGroup = w.back() / groups;
  SmallVector<int64_t> shape = imageShape(op, frame, output);
  if (failed(checkOutput(op, window, shape, y)))
    return failure();
  SmallVector<int64_t> inner(w.drop_back(2));
  inner.push_back(outOfGroup);
  return evaluateProducts(
      op, frame, output, filter, shape, inner, [&](ArrayRef<int64_t> index, ArrayRef<int64_t> k) -> Term {
        int64_t channel = index.back() / in * outOfGroup + k.back();
        return {outputElement(window, y, index[0], middle(index), k.drop_back(), channel),
                (numberOf(k.drop_back(), w.drop_back(2)) * in + index.back() % in) * w.back() + channel};
      });
}

static LogicalResult evaluateConvFilterGradient(df::ConvFilterGradientOp op, Frame &frame) {
  const Tensor &image = frame.tensor(op.getImage()), &output = frame.tensor(op.getOutput());
  df::Window window = windowOf(op);
  ArrayRef<int64_t> x = image.getShape(), y = output.getShape(), w = op.getType().getShape();
  int64_t in = w[w.size() - 2], outOfGroup = w.back() / static_cast<int64_t>(op.getGroups());
  if (failed(checkOutput(op, window, x, y)))
    return failure();
  return evaluateProducts(op, frame, image, output, w, y.drop_back(),
                          [&](ArrayRef<int64_t> index, ArrayRef<int64_t> p) -> Term {
                            int64_t channel = index.back() / outOfGroup * in + index[index.size() - 2];
                            return {imageElement(window, x, p[0], p.drop_front(), index.drop_back(2), channel),
                                    numberOf(p, y.drop_back()) * y.back() + index.back()};
                          });
}

//===-- pooling ---------------------------------------------------------------------===//

/// What a maximum starts from: -inf or the smallest integer.
template <typename T> static T lowest(ElementKind kind) {
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  else
    return llvm::minIntN(integerWidth(kind));
}

/// Evaluates a function of each window: `step(acc, element, position)` over the positions inside of the image in
/// row-major order, from `initial`; `finish(acc)` gives the element of the result.
template <typename T, typename Acc, typename Step>
static std::vector<Acc> overWindows(const Tensor &image, const df::Window &window, ArrayRef<int64_t> shape, Acc initial,
                                    Step step) {
  std::vector<T> a = image.to<T>();
  std::vector<Acc> results;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Acc acc = initial;
    int64_t position = 0;
    forEachIndex(window.size, [&](ArrayRef<int64_t> k) {
      int64_t from = imageElement(window, image.getShape(), index[0], middle(index), k, index.back());
      if (from >= 0)
        step(acc, a[from], position, results.size());
      ++position;
    });
    results.push_back(acc);
  });
  return results;
}

static LogicalResult evaluateMaxPool(df::MaxPoolOp op, Frame &frame) {
  const Tensor &image = frame.tensor(op.getOperand());
  df::Window window = poolWindowOf(op);
  SmallVector<int64_t> shape =
      channelsLast(image.getDimSize(0), outputShape(window, image.getShape()), image.getShape().back());
  return withComputeType(image.getKind(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values = overWindows<T>(image, window, shape, lowest<T>(image.getKind()),
                                           [](T &best, T x, int64_t, size_t) { best = maximumOf(best, x); });
    Tensor result(image.getKind(), shape);
    result.assign(ArrayRef<T>(values));
    return frame.set(op.getResult(), std::move(result));
  });
}

static LogicalResult evaluateMaxPoolPositions(df::MaxPoolPositionsOp op, Frame &frame) {
  const Tensor &image = frame.tensor(op.getOperand());
  df::Window window = poolWindowOf(op);
  SmallVector<int64_t> shape =
      channelsLast(image.getDimSize(0), outputShape(window, image.getShape()), image.getShape().back());
  return withComputeType(image.getKind(), [&](auto zero) {
    using T = decltype(zero);
    using Best = std::pair<T, int64_t>;
    auto found = overWindows<T>(image, window, shape, Best(lowest<T>(image.getKind()), 0),
                                [](Best &best, T x, int64_t position, size_t) {
                                  bool exceeds = x > best.first;
                                  if constexpr (std::is_floating_point_v<T>)
                                    exceeds = exceeds || (std::isnan(x) && !std::isnan(best.first));
                                  if (exceeds)
                                    best = {x, position};
                                });
    Tensor result(ElementKind::I32, shape);
    for (auto [i, best] : llvm::enumerate(found))
      result.setInteger(static_cast<int64_t>(i), best.second);
    return frame.set(op.getResult(), std::move(result));
  });
}

static LogicalResult evaluatePoolSelect(df::PoolSelectOp op, Frame &frame) {
  const Tensor &image = frame.tensor(op.getOperand()), &positions = frame.tensor(op.getPositions());
  df::Window window = poolWindowOf(op);
  if (failed(checkOutput(op, window, image.getShape(), positions.getShape())))
    return failure();
  return withComputeType(image.getKind(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values =
        overWindows<T>(image, window, positions.getShape(), T(0), [&](T &chosen, T x, int64_t position, size_t i) {
          if (positions.getInteger(static_cast<int64_t>(i)) == position)
            chosen = x;
        });
    Tensor result(image.getKind(), positions.getShape());
    result.assign(ArrayRef<T>(values));
    return frame.set(op.getResult(), std::move(result));
  });
}

static LogicalResult evaluatePoolScatter(df::PoolScatterOp op, Frame &frame) {
  const Tensor &output = frame.tensor(op.getOutput()), &positions = frame.tensor(op.getPositions());
  df::Window window = poolWindowOf(op);
  SmallVector<int64_t> shape = imageShape(op, frame, output);
  if (failed(checkOutput(op, window, shape, output.getShape())))
    return failure();
  if (positions.getShape() != output.getShape())
    return op.emitOpError("positions are [")
           << positions.getShape() << "], the output is [" << output.getShape() << "]";
  return withComputeType(output.getKind(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> a = output.to<T>(), c;
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      T sum = 0;
      int64_t position = 0;
      forEachIndex(window.size, [&](ArrayRef<int64_t> k) {
        int64_t from = outputElement(window, output.getShape(), index[0], middle(index), k, index.back());
        if (from >= 0 && positions.getInteger(from) == position)
          sum = addProduct(a[from], T(1), sum);
        ++position;
      });
      c.push_back(sum);
    });
    Tensor result(output.getKind(), shape);
    result.assign(ArrayRef<T>(c));
    return frame.set(op.getResult(), std::move(result));
  });
}

void mlc::interp::addContractionRules(RuleTable &table) {
  table.add<df::DotGeneralOp>(evaluateDotGeneral);
  table.add<df::ConvOp>(evaluateConv);
  table.add<df::ConvTransposeOp>(evaluateConvTranspose);
  table.add<df::ConvFilterGradientOp>(evaluateConvFilterGradient);
  table.add<df::MaxPoolOp>(evaluateMaxPool);
  table.add<df::MaxPoolPositionsOp>(evaluateMaxPoolPositions);
  table.add<df::PoolSelectOp>(evaluatePoolSelect);
  table.add<df::PoolScatterOp>(evaluatePoolScatter);
}

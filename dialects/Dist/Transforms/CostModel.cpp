// Costs of ops by their kinds of work.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/CostModel.h"
#include "dialects/Df/IR/DfCellOps.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfEinsum.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Dist/IR/Dist.h"

#include <cmath>

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

df::Work mlc::dist::workOf(Operation *op) {
  // Messages are counted by their links.
  if (op->hasTrait<OpTrait::IsTerminator>() || isa_and_present<DistDialect>(op->getDialect()))
    return df::Work::Free;
  return df::getWork(op);
}

double mlc::dist::elementsOf(Type type, const AssumedSizes &sizes) {
  if (auto rows = dyn_cast<df::RowsType>(type)) {
    RankedTensorType table = rows.getType();
    double perRow = elementsOf(table, sizes) / std::max<double>(1, static_cast<double>(table.getDimSize(0)));
    return perRow * static_cast<double>(std::min(sizes.rows, table.getDimSize(0)));
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  double elements = 1;
  for (int64_t size : tensor.getShape())
    elements *= static_cast<double>(ShapedType::isDynamic(size) ? sizes.rows : size);
  return elements;
}

double mlc::dist::bytesOf(Type type, const AssumedSizes &sizes) {
  constexpr double kStringBytes = 16, kIdBytes = 8;
  if (auto rows = dyn_cast<df::RowsType>(type)) {
    // An id beside each row.
    RankedTensorType table = rows.getType();
    double count = static_cast<double>(std::min(sizes.rows, table.getDimSize(0)));
    return elementsOf(type, sizes) * table.getElementType().getIntOrFloatBitWidth() / 8 + count * kIdBytes;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  Type element = tensor.getElementType();
  double each = element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : kStringBytes;
  return elementsOf(type, sizes) * each;
}

/// The product of the sizes of all indices of an einsum, as often as there are products.
static double operationsOf(df::EinsumOp op, const AssumedSizes &sizes) {
  FailureOr<df::EinsumEquation> equation = df::parseEquation(op);
  if (failed(equation))
    return 0;
  llvm::DenseMap<int, double> sizeOf;
  for (auto [labels, operand] : llvm::zip(equation->operands, op.getOperands()))
    for (auto [label, size] : llvm::zip(labels, cast<RankedTensorType>(operand.getType()).getShape()))
      sizeOf[label] = static_cast<double>(ShapedType::isDynamic(size) ? sizes.rows : size);
  double product = 1;
  for (auto [label, size] : sizeOf)
    product *= size;
  return product * static_cast<double>(std::max<size_t>(1, op.getOperands().size()));
}

static double contractionOperations(Operation *op, const AssumedSizes &sizes) {
  auto elements = [&](Value value) { return elementsOf(value.getType(), sizes); };
  /// One product, or `batch` of them.
  auto product = [&](Value a, Value b, Value c, double batch) {
    return batch > 0 ? 2 * std::sqrt(elements(a) * elements(b) * elements(c) / batch) : 0.0;
  };
  auto leading = [&](Value value, int64_t count) {
    double batch = 1;
    for (int64_t size : cast<RankedTensorType>(value.getType()).getShape().take_front(count))
      batch *= static_cast<double>(ShapedType::isDynamic(size) ? sizes.rows : size);
    return batch;
  };
  if (auto einsum = dyn_cast<df::EinsumOp>(op))
    return operationsOf(einsum, sizes);
  if (auto dot = dyn_cast<df::DotGeneralOp>(op))
    return product(dot.getLhs(), dot.getRhs(), dot.getResult(), leading(dot.getResult(), dot.getLhsBatch().size()));
  if (auto batch = dyn_cast<df::BatchMatmulOp>(op)) {
    // An operand of rank 2 is the same for all positions of the leading dimensions.
    Value result = batch.getResult();
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    double positions = leading(result, rank - 2), all = 1;
    for (Value operand : {batch.getLhs(), batch.getRhs()})
      all *= elements(operand) * (cast<RankedTensorType>(operand.getType()).getRank() < rank ? positions : 1);
    return positions > 0 ? 2 * std::sqrt(all * elements(result) / positions) : 0;
  }
  if (auto attention = dyn_cast<df::AttentionOp>(op)) {
    // Two products: query by key, and what that weighs.
    auto key = cast<RankedTensorType>(attention.getKey().getType());
    double keys =
        static_cast<double>(key.isDynamicDim(key.getRank() - 2) ? sizes.rows : key.getDimSize(key.getRank() - 2));
    return 2 * keys * (elements(attention.getQuery()) + elements(attention.getResult()));
  }
  if (isa<df::MatmulOp>(op))
    return product(op->getOperand(0), op->getOperand(1), op->getResult(0), 1);
  if (auto cell = dyn_cast<df::RnnCellOp>(op))
    return 2 * leading(cell.getX(), 1) * (elements(cell.getKernel()) + elements(cell.getRecurrent()));
  if (auto cell = dyn_cast<df::LstmCellOp>(op))
    return 2 * leading(cell.getX(), 1) * (elements(cell.getKernel()) + elements(cell.getRecurrent()));
  if (auto cell = dyn_cast<df::GruCellOp>(op))
    return 2 * leading(cell.getX(), 1) * (elements(cell.getKernel()) + elements(cell.getRecurrent()));
  // Products of segments: as one product.
  return op->getNumOperands() >= 2 ? product(op->getOperand(0), op->getOperand(1), op->getResult(0), 1) : 0;
}

static double convolutionOperations(Operation *op, const AssumedSizes &sizes) {
  auto elements = [&](Value value) { return elementsOf(value.getType(), sizes); };
  auto lastOf = [](Value value) {
    return static_cast<double>(cast<RankedTensorType>(value.getType()).getShape().back());
  };
  // The three forms of one trilinear form; the filter is [k.., c / groups, o].
  if (auto conv = dyn_cast<df::ConvOp>(op))
    return 2 * elements(conv.getResult()) * elements(conv.getFilter()) / std::max(1.0, lastOf(conv.getFilter()));
  if (auto back = dyn_cast<df::ConvTransposeOp>(op))
    return 2 * elements(back.getOutput()) * elements(back.getFilter()) / std::max(1.0, lastOf(back.getFilter()));
  if (auto filter = dyn_cast<df::ConvFilterGradientOp>(op))
    return 2 * elements(filter.getOutput()) * elements(filter.getResult()) / std::max(1.0, lastOf(filter.getResult()));
  // Filters [o, c / groups, k..].
  auto first = cast<df::ConvChannelsFirstOp>(op);
  auto filter = cast<RankedTensorType>(first.getFilter().getType());
  return 2 * elements(first.getResult()) * elements(first.getFilter()) /
         std::max(1.0, static_cast<double>(filter.getDimSize(0)));
}

OpCost mlc::dist::costOf(Operation *op, const AssumedSizes &sizes) {
  double in = 0, out = 0, most = 0, inBytes = 0, outBytes = 0, mostBytes = 0;
  for (Value operand : op->getOperands()) {
    in += elementsOf(operand.getType(), sizes);
    inBytes += bytesOf(operand.getType(), sizes);
    mostBytes = std::max(mostBytes, bytesOf(operand.getType(), sizes));
  }
  for (Value result : op->getResults()) {
    out += elementsOf(result.getType(), sizes);
    most = std::max(most, elementsOf(result.getType(), sizes));
    outBytes += bytesOf(result.getType(), sizes);
  }
  constexpr double kTranscendental = 16, kComposite = 8, kSort = 4;
  switch (workOf(op)) {
  case df::Work::Unknown:
    return {in + out, inBytes + outBytes};
  case df::Work::Free:
    return {};
  case df::Work::Contraction:
    return {contractionOperations(op, sizes), inBytes + outBytes};
  case df::Work::Convolution:
    return {convolutionOperations(op, sizes), inBytes + outBytes};
  case df::Work::Elementwise:
    return {most, inBytes + outBytes};
  case df::Work::Transcendental:
    return {kTranscendental * most, inBytes + outBytes};
  case df::Work::Reduction:
    return {in, inBytes + outBytes};
  case df::Work::Composite:
    return {kComposite * in, inBytes + outBytes};
  case df::Work::GatherScatter: {
    // What is not the largest operand: indices and, of a scatter, updates. A gather's table is no operand, or the
    // largest one.
    double indices = isa<df::ReadRowsOp, df::OneHotOp>(op) ? inBytes : inBytes - mostBytes;
    return {0, 2 * outBytes + indices};
  }
  case df::Work::Movement:
    return {0, inBytes + outBytes};
  case df::Work::Sort:
    return {kSort * in * std::log2(std::max(2.0, in)), inBytes + outBytes};
  case df::Work::Update:
    return {2 * std::max(in, out), 3 * std::max(inBytes, outBytes)};
  }
  llvm_unreachable("all kinds are covered");
}

double mlc::dist::executionsOf(Block *block, const AssumedSizes &sizes) {
  double executions = 1;
  for (Operation *op = block->getParentOp(); op && !isa<df::FunctionOp>(op); op = op->getParentOp()) {
    if (auto scan = dyn_cast<df::ScanOp>(op)) {
      int64_t rows = scan.getNumRows();
      executions *= static_cast<double>(ShapedType::isDynamic(rows) ? sizes.iterations : rows);
    } else if (isa<df::WhileOp>(op)) {
      executions *= static_cast<double>(sizes.iterations);
    }
  }
  return executions;
}

double mlc::dist::secondsOf(const OpCost &cost, const DeviceSpeed &speed) {
  return std::max(cost.operations / speed.operationsPerSecond, cost.bytes / speed.bytesPerSecond);
}

double mlc::dist::secondsOf(double bytes, const LinkSpeed &speed) {
  return speed.latencySeconds + bytes / speed.bytesPerSecond;
}

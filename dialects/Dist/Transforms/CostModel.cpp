// Costs of ops by their kinds of work.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/CostModel.h"
#include "dialects/Dist/IR/Dist.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

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
  return sizes.productOf(tensor.getShape());
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

/// Operations of what multiplies: what the op counts, or those of one product of its first two operands.
static double productOperations(Operation *op, const AssumedSizes &sizes) {
  if (auto work = dyn_cast<df::WorkOpInterface>(op))
    if (std::optional<double> counted = work.countOperations(sizes))
      return *counted;
  if (op->getNumOperands() < 2 || op->getNumResults() < 1)
    return 0;
  auto elements = [&](Value value) { return elementsOf(value.getType(), sizes); };
  return 2 * std::sqrt(elements(op->getOperand(0)) * elements(op->getOperand(1)) * elements(op->getResult(0)));
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
  case df::Work::Convolution:
    return {productOperations(op, sizes), inBytes + outBytes};
  case df::Work::Elementwise:
  case df::Work::Division:
    return {most, inBytes + outBytes};
  case df::Work::Transcendental:
    return {kTranscendental * most, inBytes + outBytes};
  case df::Work::Reduction:
    return {in, inBytes + outBytes};
  case df::Work::Composite:
    return {kComposite * in, inBytes + outBytes};
  case df::Work::GatherScatter: {
    // What is not the largest operand: indices and, of a scatter, updates. A gather's table is the largest one; where
    // ids are all that there is, it is a symbol, or none.
    double indices = op->getNumOperands() < 2 ? inBytes : inBytes - mostBytes;
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
  for (Operation *op = block->getParentOp(); op && !isa<FunctionOpInterface>(op); op = op->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      executions *= static_cast<double>(trips ? trips->getSExtValue() : sizes.iterations);
    }
  return executions;
}

double mlc::dist::secondsOf(const OpCost &cost, const DeviceSpeed &speed) {
  return std::max(cost.operations / speed.operationsPerSecond, cost.bytes / speed.bytesPerSecond);
}

double mlc::dist::secondsOf(double bytes, const LinkSpeed &speed) {
  return speed.latencySeconds + bytes / speed.bytesPerSecond;
}

// Rules of the ops that statistics are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfStatisticsOps.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// Bits that grow as the numbers do.
static uint32_t orderedBits(float x) {
  uint32_t bits;
  x += 0.0f; // -0 is +0
  std::memcpy(&bits, &x, sizeof bits);
  return bits >> 31 ? ~bits : bits | uint32_t{1} << 31;
}

static LogicalResult evaluatePutValues(df::PutValuesOp op, Frame &frame) {
  Tensor store = frame.tensor(op.getStore());
  const Tensor &values = frame.tensor(op.getValues());
  int64_t at = frame.integer(op.getAt());
  if (at < 0)
    return op.emitOpError("puts values at position ") << at;
  int64_t room = std::max<int64_t>(store.getDimSize(0) - at, 0);
  if (int64_t count = std::min(values.getDimSize(0), room))
    store.copyElements(at, values, 0, count);
  return frame.set(op.getResult(), std::move(store));
}

static LogicalResult evaluateAddToBins(df::AddToBinsOp op, Frame &frame) {
  Tensor bins = frame.tensor(op.getBins());
  const Tensor &keys = frame.tensor(op.getKeys()), &weights = frame.tensor(op.getWeights());
  auto numBins = static_cast<uint64_t>(bins.getDimSize(0));
  for (int64_t i = 0; i < keys.getDimSize(0); ++i) {
    // The upper bits of 32, as a share of all 2^32 numbers.
    auto bin = static_cast<int64_t>(orderedBits(static_cast<float>(keys.getFloat(i))) * numBins >> 32);
    bins.setFloat(bin, bins.getFloat(bin) + weights.getFloat(i));
  }
  return frame.set(op.getResult(), std::move(bins));
}

static LogicalResult evaluateMidRanks(df::MidRanksOp op, Frame &frame) {
  const Tensor &weights = frame.tensor(op.getWeights());
  int64_t count = std::min(frame.integer(op.getCount()), weights.getDimSize(0));
  Tensor ranks(weights.getKind(), weights.getShape());
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> rowsOf;
  for (int64_t i = 0; i < count; ++i) {
    int64_t group = op.getGroups() ? frame.tensor(op.getGroups()).getInteger(i) : 0;
    if (group < 0)
      return op.emitOpError("row ") << i << " is of group " << group;
    int64_t key = op.getKeys() ? orderedBits(static_cast<float>(frame.tensor(op.getKeys()).getFloat(i))) : i;
    rowsOf[{group, key}].push_back(i);
  }
  double below = 0;
  int64_t lastGroup = -1;
  for (const auto &[place, rows] : rowsOf) {
    if (place.first != lastGroup)
      below = 0;
    lastGroup = place.first;
    double own = 0;
    for (int64_t i : rows)
      own += weights.getFloat(i);
    for (int64_t i : rows)
      ranks.setFloat(i, below + 0.5 * own);
    below += own;
  }
  return frame.set(op.getResult(), std::move(ranks));
}

void mlc::interp::addStatisticsRules(RuleTable &table) {
  table.add<df::PutValuesOp>(evaluatePutValues);
  table.add<df::AddToBinsOp>(evaluateAddToBins);
  table.add<df::MidRanksOp>(evaluateMidRanks);
}

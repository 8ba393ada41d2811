// dist-print-placement: what each device computes and what crosses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Dist/Transforms/CostModel.h"
#include "dialects/Dist/Transforms/DistPasses.h"
#include "dialects/Dist/Transforms/Placed.h"
#include "dialects/Dist/Transforms/Plan.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace mlc::dist {
#define GEN_PASS_DEF_DISTPRINTPLACEMENTPASS
#include "dialects/Dist/Transforms/DistPasses.h.inc"
} // namespace mlc::dist

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

namespace {
struct DeviceLoad {
  int64_t ops = 0;
  OpCost cost;
};

struct Traffic {
  int64_t messages = 0, values = 0;
  double bytes = 0;
};

struct DistPrintPlacementPass : mlc::dist::impl::DistPrintPlacementPassBase<DistPrintPlacementPass> {
  using DistPrintPlacementPassBase::DistPrintPlacementPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyPlaced(getOperation())))
      return signalPassFailure();
    // Plans may add the sizes of sequences: of a copy.
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    for (auto function : copy->getOps<df::FunctionOp>())
      print(function);
  }

private:
  void print(df::FunctionOp function) {
    AssumedSizes sizes{{rows}, iterations};
    Plan plan(function, getDevice(function));
    llvm::MapVector<StringAttr, DeviceLoad> loads;
    for (StringAttr device : plan.getDevices())
      loads[device];
    countOps(function.getBody().front(), sizes, loads);
    llvm::outs() << '@' << function.getSymName() << '\n';
    for (const auto &[device, load] : loads)
      llvm::outs() << "  " << device.getValue() << ": " << load.ops << " ops, "
                   << llvm::format("%g operations, %g bytes\n", load.cost.operations, load.cost.bytes);
    llvm::MapVector<std::pair<StringAttr, StringAttr>, Traffic> directions;
    for (Block *block : plan.getBlocks()) {
      double executions = executionsOf(block, sizes);
      for (const Message &message : plan.getMessages(block)) {
        Traffic &traffic = directions[{message.from, message.to}];
        traffic.messages += static_cast<int64_t>(executions);
        traffic.values += static_cast<int64_t>(executions) * static_cast<int64_t>(message.values.size());
        for (Value value : message.values)
          traffic.bytes += executions * bytesOf(value.getType(), sizes);
      }
    }
    for (const auto &[direction, traffic] : directions)
      llvm::outs() << "  " << direction.first.getValue() << " -> " << direction.second.getValue() << ": "
                   << traffic.messages << " messages, " << traffic.values << " values, "
                   << llvm::format("%g bytes\n", traffic.bytes);
  }

  static void countOps(Block &block, const AssumedSizes &sizes, llvm::MapVector<StringAttr, DeviceLoad> &loads) {
    double executions = executionsOf(&block, sizes);
    for (Operation &op : block.without_terminator()) {
      if (isa<df::ConstantOp>(op))
        continue;
      if (isCut(&op)) {
        for (Region &region : op.getRegions())
          countOps(region.front(), sizes, loads);
        continue;
      }
      DeviceLoad &load = loads[getDevice(&op)];
      ++load.ops;
      OpCost cost = costOf(&op, sizes);
      load.cost += {cost.operations * executions, cost.bytes * executions};
    }
  }
};
} // namespace

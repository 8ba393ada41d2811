// cuda-check-on-device: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceChecks.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Df/IR/DfSharedCode.h"
#include "dialects/Kern/IR/KernErrorWord.h"
#include "lib/Codegen/ElementLoops.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlcrt/abi.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlc {
#define GEN_PASS_DEF_CUDACHECKONDEVICE
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

static df::BindingAttr bindingOf(DictionaryAttr attributes) {
  return attributes ? attributes.getAs<df::BindingAttr>(df::FunctionOp::kBindingAttr) : df::BindingAttr();
}

/// The argument that holds what the variable of a result was; null: the result is no variable. Fails if there is none.
static FailureOr<BlockArgument> oldValueOf(func::FuncOp segment, unsigned result) {
  df::BindingAttr bound = bindingOf(segment.getResultAttrDict(result));
  if (!bound || bound.getKind() != df::BindingKind::Variable)
    return BlockArgument();
  for (BlockArgument argument : segment.getArguments())
    if (bindingOf(segment.getArgAttrDict(argument.getArgNumber())) == bound &&
        argument.getType() == segment.getResultTypes()[result])
      return argument;
  return failure();
}

/// Whether `op` has the host read data, or do what it cannot take back. Errors are no such thing: what is read to
/// decide on them is.
static bool asksHost(Operation *op) {
  if (auto element = dyn_cast<tensor::ExtractOp>(op))
    return !cuda::isForReports(element);
  return isa<scf::WhileOp, tensor::InsertOp, kern::ServiceOpInterface, kern::ExternalCallOp, kern::PublishOp>(op) &&
         !isa<kern::ReportErrorOp>(op);
}

namespace {
/// Of a segment, what the device may check.
enum class Checks {
  OnHost, ///< nothing
  None,   ///< all, and there is nothing to check
  Some
};
} // namespace

/// Whether the checks of a segment are for the device: the host decides on nothing by data, so that what follows from a
/// wrong index is computed for nothing and decides nothing.
static Checks checksOf(func::FuncOp segment) {
  auto kind = segment->getAttrOfType<df::SegmentKindAttr>(df::DfDialect::kSegmentAttr);
  if (segment.isDeclaration() || !segment->hasAttr(df::DfDialect::kRoleAttr) || segment->hasAttr(df::kCodeAttr) ||
      df::runsOnHost(segment) || (kind && kind.getValue() != df::SegmentKind::Step))
    return Checks::OnHost;
  // Functions of the update over ranges of rows have the operands that the artifact says of them, and are a server's.
  auto role = segment->getAttrOfType<df::RoleAttr>(df::DfDialect::kRoleAttr).getValue();
  if (role == df::Role::TrainPartial || role == df::Role::TrainShared || role == df::Role::TrainUpdate)
    return Checks::OnHost;
  // State in the host's memory is updated there.
  auto isOnHost = [](DictionaryAttr attributes) { return attributes && attributes.contains(df::kOnHostAttr); };
  for (unsigned i = 0; i < segment.getNumArguments(); ++i)
    if (isOnHost(segment.getArgAttrDict(i)))
      return Checks::OnHost;
  for (unsigned i = 0; i < segment.getNumResults(); ++i)
    if (isOnHost(segment.getResultAttrDict(i)) || failed(oldValueOf(segment, i)))
      return Checks::OnHost;
  bool hasChecks = false;
  WalkResult walked = segment.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (auto check = dyn_cast<kern::CheckIndicesOp>(op)) {
      hasChecks = true;
      return cuda::boundsOf(check) ? WalkResult::advance() : WalkResult::interrupt();
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    hasChecks |= branch && cuda::isContainedReport(branch) && cuda::isOfData(branch.getCondition());
    auto loop = dyn_cast<scf::ForOp>(op);
    if (isa<linalg::LinalgOp, kern::KernelOpInterface>(op) || (loop && isElementLoop(loop)))
      return WalkResult::skip();
    return asksHost(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return Checks::OnHost;
  return hasChecks ? Checks::Some : Checks::None;
}

static df::Role roleOf(func::FuncOp segment) {
  return segment->getAttrOfType<df::RoleAttr>(df::DfDialect::kRoleAttr).getValue();
}

namespace {
struct CudaCheckOnDevice : public mlc::impl::CudaCheckOnDeviceBase<CudaCheckOnDevice> {
  /// Makes the function that has what the checks of a segment need, and them, and makes nothing.
  static void makeHostChecks(func::FuncOp segment) {
    OpBuilder b(segment);
    b.setInsertionPointAfter(segment);
    auto checks = cast<func::FuncOp>(b.clone(*segment));
    checks.setName((segment.getName() + kern::kChecksSuffix).str());
    checks->setAttr(df::DfDialect::kSegmentAttr, df::SegmentKindAttr::get(b.getContext(), df::SegmentKind::Called));
    checks->removeAttr(df::DfDialect::kTypeAttr);
    checks.getBody().front().getTerminator()->setOperands({});
    checks.removeResAttrsAttr();
    checks.setFunctionType(b.getFunctionType(checks.getArgumentTypes(), {}));
    checks.walk([](kern::CheckIndicesOp check) { check.setMustRun(true); });
  }

  /// The argument and the result that are the error slot, which comes out as it went in.
  static BlockArgument addWord(func::FuncOp segment) {
    OpBuilder b(segment.getContext());
    auto isTaken = [&](StringRef name) {
      return llvm::any_of(llvm::seq(segment.getNumArguments()), [&](unsigned i) {
        df::BindingAttr bound = bindingOf(segment.getArgAttrDict(i));
        return bound && bound.getName() == name;
      });
    };
    // To what binds buffers it is a variable; the artifact's description knows it by its number.
    std::string name = "error";
    while (isTaken(name))
      name += "_";
    auto binding = df::BindingAttr::get(b.getContext(), df::BindingKind::Variable, name);
    auto attributes = b.getDictionaryAttr(b.getNamedAttr(df::FunctionOp::kBindingAttr, binding));
    auto type = RankedTensorType::get({}, b.getI64Type());
    const unsigned number = segment.getNumArguments(), result = segment.getNumResults();
    (void)segment.insertArgument(number, type, attributes, segment.getLoc());
    (void)segment.insertResult(result, type, attributes);
    BlockArgument word = segment.getArgument(number);
    Operation *end = segment.getBody().front().getTerminator();
    end->insertOperands(end->getNumOperands(), Value(word));
    segment->setAttr(kern::kErrorOperandAttr, b.getI64IntegerAttr(number));
    return word;
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> segments, updates;
    bool hasParts = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      const Checks checks = checksOf(function);
      if (checks == Checks::Some) {
        segments.push_back(function);
        hasParts |= llvm::is_contained({df::Role::TrainGrad, df::Role::TrainCombine}, roleOf(function));
      } else if (checks == Checks::None && roleOf(function) == df::Role::TrainApply) {
        updates.push_back(function);
      }
    }
    // The update of a step in parts is asked for before the host knows of the checks of its gradients.
    const size_t numChecked = segments.size();
    if (hasParts)
      llvm::append_range(segments, updates);
    int64_t numChecks = 0;
    for (auto [number, segment] : llvm::enumerate(segments)) {
      if (number < numChecked)
        makeHostChecks(segment);
      SmallVector<BlockArgument> old;
      for (unsigned i = 0; i < segment.getNumResults(); ++i)
        old.push_back(*oldValueOf(segment, i));
      BlockArgument word = addWord(segment);
      Block &body = segment.getBody().front();
      cuda::DeviceChecks checks(numChecks);
      Value error = checks.expand(body, word);
      Operation *end = body.getTerminator();
      end->setOperand(end->getNumOperands() - 1, error);
      cuda::Predication predication(body, error);
      for (auto [i, value] : llvm::enumerate(old))
        if (value)
          end->setOperand(i, predication.keep(end->getOperand(i), value));
      for (auto [update, before] : checks.updates())
        predication.holdBack(update, before);
      // What waits for the word now stands after it.
      sortTopologically(&body);
      Builder b(segment.getContext());
      SmallVector<Attribute> described = {b.getI64IntegerAttr(numChecks)};
      for (const std::string &message : checks.messages())
        described.push_back(b.getStringAttr(message));
      segment->setAttr(kern::kChecksAttr, b.getArrayAttr(described));
      numChecks += static_cast<int64_t>(checks.messages().size());
    }
  }
};
} // namespace

// codegen-outline-segments: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Frame.h"
#include "KernelFunctions.h"
#include "LowerCopies.h"
#include "RunGroup.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlc {
#define GEN_PASS_DEF_OUTLINESEGMENTS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Nanoseconds of work below which waking threads does not pay.
static constexpr int64_t kParallelThreshold = 12000;

namespace {
struct OutlineSegments : public mlc::impl::OutlineSegmentsBase<OutlineSegments> {
  func::FuncOp runGroupFunction;

  Type pointer() { return LLVM::LLVMPointerType::get(&getContext()); }

  /// One dimension, unit stride, no offset: a pointer says it all.
  static bool isFlat(MemRefType type) {
    SmallVector<int64_t> strides;
    int64_t offset;
    return type.getRank() == 1 && succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0 &&
           strides[0] == 1;
  }

  /// The number that a constant vector repeats.
  static Value splatElement(OpBuilder &b, Value vector) {
    auto elements = cast<SplatElementsAttr>(vector.getDefiningOp<arith::ConstantOp>().getValue());
    return arith::ConstantOp::create(b, vector.getLoc(), cast<TypedAttr>(elements.getSplatValue<Attribute>()));
  }

  /// Values of a launch's region that come from outside and are not constants.
  static SmallVector<Value> capturedBy(kern::LaunchOp launch) {
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(launch.getBody(), outside);
    return llvm::to_vector(llvm::make_filter_range(outside, [](Value value) { return !isConstantOfKernels(value); }));
  }

  /// Moves the constants of launches to the start of the function, one of each, where kernels look for them.
  static void gatherConstants(func::FuncOp function) {
    Block &entry = function.getBody().front();
    DenseMap<Attribute, Operation *> known; // an attribute has the type, too
    SmallVector<Operation *> constants;
    function.walk([&](kern::LaunchOp launch) {
      launch.getBody().walk([&](arith::ConstantOp constant) { constants.push_back(constant); });
    });
    for (Operation *constant : constants) {
      auto [first, isNew] = known.try_emplace(cast<arith::ConstantOp>(constant).getValue(), constant);
      if (isNew) {
        constant->moveBefore(&entry, entry.begin());
        continue;
      }
      constant->replaceAllUsesWith(first->second);
      constant->erase();
    }
  }

  /// Runs `launches` side by side. `cells` is the segment's area for arguments; parts come first, then each launch's
  /// cells. Returns the number of cells used.
  FailureOr<int64_t> outline(ArrayRef<kern::LaunchOp> launches, Operation *at, Value frame, Value cells,
                             KernelFunctions &kernels) {
    OpBuilder b(at);
    auto i64 = b.getI64Type();
    int64_t next = launches.size() * GroupPart::cells;
    for (auto [i, op] : llvm::enumerate(launches)) {
      kern::LaunchOp launch = op;
      Location loc = launch.getLoc();
      SmallVector<Value> captured = capturedBy(launch);
      for (Value value : captured)
        if (auto memref = dyn_cast<MemRefType>(value.getType());
            memref ? !isFlat(memref) : !value.getType().isIntOrIndexOrFloat())
          return launch.emitOpError("captures a value of type ")
                 << value.getType() << "; expected flat buffers and scalars";
      func::FuncOp kernel = kernels.of(launch, captured);
      auto put = [&](Value value, int64_t cell) {
        LLVM::StoreOp::create(b, loc, value, kernelCell(b, loc, cells, cell));
      };
      Value address =
          func::ConstantOp::create(b, loc, kernel.getFunctionType(), FlatSymbolRefAttr::get(kernel.getSymNameAttr()));
      int64_t part = i * GroupPart::cells;
      put(UnrealizedConversionCastOp::create(b, loc, pointer(), address).getResult(0), part + GroupPart::kernel);
      put(kernelCell(b, loc, cells, next), part + GroupPart::arguments);
      put(arith::IndexCastOp::create(b, loc, i64, launch.getTasks()), part + GroupPart::tasks);
      put(LLVM::ConstantOp::create(b, loc, i64, static_cast<int64_t>(launch.getCost())), part + GroupPart::cost);
      for (Value value : captured) {
        Value stored = value;
        if (isa<MemRefType>(value.getType()))
          stored = pointerOf(b, loc, value);
        else if (value.getType().isIndex())
          stored = arith::IndexCastOp::create(b, loc, i64, value);
        else if (isa<VectorType>(value.getType()))
          stored = splatElement(b, value);
        put(stored, next++);
      }
    }
    Value count = LLVM::ConstantOp::create(b, at->getLoc(), i64, static_cast<int64_t>(launches.size()));
    auto call = func::CallOp::create(b, at->getLoc(), runGroup(), ValueRange{frame, cells, count});
    call->setAttr(kServiceCallAttr, b.getUnitAttr());
    at->erase();
    return next;
  }

  func::FuncOp runGroup() {
    if (!runGroupFunction) {
      OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
      runGroupFunction = makeRunGroup(b, getOperation().getLoc(), kParallelThreshold);
    }
    return runGroupFunction;
  }

  /// Replaces the memref arguments by what the frame holds.
  LogicalResult bindFrame(func::FuncOp function) {
    Block &entry = function.getBody().front();
    Location loc = function.getLoc();
    unsigned numArguments = entry.getNumArguments();
    OpBuilder b(&entry, entry.begin());
    BlockArgument frame = entry.insertArgument(0u, pointer(), loc);
    bool hasWorkspace = function->hasAttr("mlc.workspace");
    Value buffers = loadField(b, loc, frame, FrameLayout::buffers, pointer());
    lowerCopies(function, buffers);
    b.setInsertionPointAfterValue(buffers); // the op that was next may be gone
    for (unsigned i = 0; i < numArguments; ++i) {
      BlockArgument argument = entry.getArgument(1 + i);
      auto type = cast<MemRefType>(argument.getType());
      Value memref;
      if (hasWorkspace && i + 1 == numArguments) {
        Value data = loadField(b, loc, frame, FrameLayout::workspace, pointer());
        memref = memrefFromPointer(b, loc, data, type,
                                   LLVM::ConstantOp::create(b, loc, b.getI64Type(), int64_t(1) << 62).getResult());
      } else {
        int64_t base = i * FrameLayout::bufferSize;
        Value data = loadField(b, loc, buffers, base + FrameLayout::bufferData, pointer());
        SmallVector<Value> sizes;
        for (int64_t d = 0; d < type.getRank(); ++d)
          if (type.isDynamicDim(d))
            sizes.push_back(loadField(b, loc, buffers, base + FrameLayout::bufferDims + 8 * d, b.getI64Type()));
        memref = memrefFromPointer(b, loc, data, type, sizes);
      }
      argument.replaceAllUsesWith(memref);
    }
    entry.eraseArguments(1, numArguments);
    function.setFunctionType(b.getFunctionType(pointer(), b.getI32Type()));
    auto returnOp = cast<func::ReturnOp>(entry.getTerminator());
    b.setInsertionPoint(returnOp);
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    returnOp->setOperands(zero);
    return success();
  }

  /// Buffers that only launches use need no descriptors: their pointers went to the cells.
  static void eraseDead(Block &entry) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(entry)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  /// @name.workspace(symbols, threads): the slots' formulas.
  void makeWorkspaceFunction(func::FuncOp function) {
    auto formula = function->getAttrOfType<DenseI64ArrayAttr>("mlc.workspace");
    if (!formula)
      return;
    Location loc = function.getLoc();
    OpBuilder b(function);
    auto i64 = b.getI64Type();
    auto size = func::FuncOp::create(b, loc, (function.getSymName() + ".workspace").str(),
                                     b.getFunctionType({pointer(), i64}, i64));
    Block *entry = size.addEntryBlock();
    b.setInsertionPointToStart(entry);
    auto constant = [&](int64_t v) { return Value(arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(v))); };
    ArrayRef<int64_t> numbers = formula.asArrayRef();
    int64_t numSymbols = numbers.front();
    SmallVector<Value> symbols;
    for (int64_t k = 0; k < numSymbols; ++k)
      symbols.push_back(LLVM::LoadOp::create(b, loc, i64, kernelCell(b, loc, entry->getArgument(0), k)));
    Value total = constant(0);
    for (numbers = numbers.drop_front(); !numbers.empty(); numbers = numbers.drop_front(numSymbols + 1)) {
      Value bytes = constant(numbers[numSymbols] + 63);
      for (int64_t k = 0; k < numSymbols; ++k)
        if (numbers[k])
          bytes = arith::AddIOp::create(b, loc, bytes, arith::MulIOp::create(b, loc, symbols[k], constant(numbers[k])));
      total = arith::AddIOp::create(b, loc, total, arith::AndIOp::create(b, loc, bytes, constant(-64)));
    }
    func::ReturnOp::create(b, loc, total);
    // The driver evaluates the formula, too.
    size->setAttr("mlc.workspace", formula);
    function->removeAttr("mlc.workspace");
  }

  void runOnOperation() override {
    KernelFunctions kernels(getOperation());
    SmallVector<func::FuncOp> segments;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(df::DfDialect::kRoleAttr))
        segments.push_back(function);
    for (func::FuncOp function : segments) {
      gatherConstants(function);
      if (failed(bindFrame(function)))
        return signalPassFailure();
      Block &entry = function.getBody().front();
      // Groups, and launches that stand alone.
      SmallVector<Operation *> groups;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isa<kern::GroupOp, kern::LaunchOp>(op))
          return WalkResult::advance();
        groups.push_back(op);
        return WalkResult::skip();
      });
      if (!groups.empty()) {
        // One area serves all: groups run one after the other.
        OpBuilder b(&entry, entry.begin());
        auto size = LLVM::ConstantOp::create(b, function.getLoc(), b.getI64IntegerAttr(0));
        Value cells = LLVM::AllocaOp::create(b, function.getLoc(), pointer(), b.getI64Type(), size, 8);
        int64_t most = 0;
        for (Operation *op : groups) {
          SmallVector<kern::LaunchOp> launches;
          if (auto launch = dyn_cast<kern::LaunchOp>(op))
            launches.push_back(launch);
          else
            llvm::append_range(launches, op->getRegion(0).getOps<kern::LaunchOp>());
          FailureOr<int64_t> used = outline(launches, op, entry.getArgument(0), cells, kernels);
          if (failed(used))
            return signalPassFailure();
          most = std::max(most, *used);
        }
        size.setValueAttr(b.getI64IntegerAttr(most));
      }
      eraseDead(entry);
      makeWorkspaceFunction(function);
    }
  }
};

} // namespace

// codegen-outline-segments: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Frame.h"
#include "LowerCopies.h"
#include "RunGroup.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"

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
  /// Text of a kernel without its name -> the kernel.
  llvm::StringMap<func::FuncOp> kernels;
  int64_t numKernels = 0;
  func::FuncOp runGroupFunction;

  Type pointer() { return LLVM::LLVMPointerType::get(&getContext()); }

  /// Constants are cheap: each function makes its own.
  static bool isConstant(Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getNumOperands() == 0 && op->getNumResults() == 1 && isPure(op);
  }

  /// One dimension, unit stride, no offset: a pointer says it all.
  static bool isFlat(MemRefType type) {
    SmallVector<int64_t> strides;
    int64_t offset;
    return type.getRank() == 1 && succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0 &&
           strides[0] == 1;
  }

  /// The i64-sized cell of a captured value in the argument block.
  Value cellAddress(OpBuilder &b, Location loc, Value block, int64_t i) {
    return LLVM::GEPOp::create(b, loc, pointer(), b.getI64Type(), block,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
  }

  /// Makes the function of a launch, or finds an equal one.
  func::FuncOp makeKernel(kern::LaunchOp launch, ArrayRef<Value> captured) {
    Location loc = launch.getLoc();
    OpBuilder b(&getContext());
    auto i64 = b.getI64Type();
    auto type = b.getFunctionType({pointer(), i64, i64, i64}, b.getI32Type());
    // Outside of the module, so that its text is its own: equal kernels have equal texts.
    auto function = func::FuncOp::create(loc, "kernel", type);
    function.setPrivate();
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    IRMapping mapping;
    for (auto [i, value] : llvm::enumerate(captured)) {
      Value cell = cellAddress(b, loc, entry->getArgument(0), i);
      if (auto memref = dyn_cast<MemRefType>(value.getType())) {
        Value data = LLVM::LoadOp::create(b, loc, pointer(), cell);
        SmallVector<Value> sizes;
        if (memref.isDynamicDim(0))
          sizes.push_back(LLVM::ConstantOp::create(b, loc, i64, int64_t(1) << 62));
        mapping.map(value, memrefFromPointer(b, loc, data, memref, sizes));
      } else if (value.getType().isIndex()) {
        mapping.map(value,
                    arith::IndexCastOp::create(b, loc, b.getIndexType(), LLVM::LoadOp::create(b, loc, i64, cell)));
      } else {
        mapping.map(value, LLVM::LoadOp::create(b, loc, value.getType(), cell));
      }
    }
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(launch.getBody(), outside);
    for (Value value : outside)
      if (isConstant(value))
        mapping.map(value, b.clone(*value.getDefiningOp())->getResult(0));
    Value first = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry->getArgument(1));
    Value last = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry->getArgument(2));
    auto loop = scf::ForOp::create(b, loc, first, last, arith::ConstantIndexOp::create(b, loc, 1));
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    auto returnOp = func::ReturnOp::create(b, loc, zero);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Block &body = launch.getBody().front();
    mapping.map(body.getArgument(0), loop.getInductionVar());
    for (Operation &op : body.without_terminator())
      b.clone(op, mapping);
    // What a task keeps on the stack it has once, not once for each.
    loop.walk([&](memref::AllocaOp cells) { cells->moveBefore(loop); });
    // Stores past the caches are not ordered with what tells others that they are done.
    bool streams = loop.walk([](vector::StoreOp store) {
                         return store.getNontemporal() ? WalkResult::interrupt() : WalkResult::advance();
                       })
                       .wasInterrupted();
    if (streams) {
      b.setInsertionPoint(returnOp);
      LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst, "");
    }

    std::string text;
    llvm::raw_string_ostream stream(text);
    function->print(stream, OpPrintingFlags().useLocalScope().enableDebugInfo(false));
    auto [known, isNew] = kernels.try_emplace(text, function);
    if (isNew) {
      function.setSymName(("kernel_" + Twine(numKernels++)).str());
      getOperation().push_back(function);
      return function;
    }
    function.erase();
    return known->second;
  }

  /// Values of a launch's region that come from outside and are not constants.
  static SmallVector<Value> capturedBy(kern::LaunchOp launch) {
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(launch.getBody(), outside);
    return llvm::to_vector(llvm::make_filter_range(outside, [](Value value) { return !isConstant(value); }));
  }

  /// Runs `launches` side by side. `cells` is the segment's area for arguments; parts come first, then each launch's
  /// cells. Returns the number of cells used.
  FailureOr<int64_t> outline(ArrayRef<kern::LaunchOp> launches, Operation *at, Value frame, Value cells) {
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
      func::FuncOp kernel = makeKernel(launch, captured);
      auto put = [&](Value value, int64_t cell) {
        LLVM::StoreOp::create(b, loc, value, cellAddress(b, loc, cells, cell));
      };
      Value address =
          func::ConstantOp::create(b, loc, kernel.getFunctionType(), FlatSymbolRefAttr::get(kernel.getSymNameAttr()));
      int64_t part = i * GroupPart::cells;
      put(UnrealizedConversionCastOp::create(b, loc, pointer(), address).getResult(0), part + GroupPart::kernel);
      put(cellAddress(b, loc, cells, next), part + GroupPart::arguments);
      put(arith::IndexCastOp::create(b, loc, i64, launch.getTasks()), part + GroupPart::tasks);
      put(LLVM::ConstantOp::create(b, loc, i64, static_cast<int64_t>(launch.getCost())), part + GroupPart::cost);
      for (Value value : captured) {
        Value stored = value;
        if (isa<MemRefType>(value.getType()))
          stored = pointerOf(b, loc, value);
        else if (value.getType().isIndex())
          stored = arith::IndexCastOp::create(b, loc, i64, value);
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
      symbols.push_back(LLVM::LoadOp::create(b, loc, i64, cellAddress(b, loc, entry->getArgument(0), k)));
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
    SmallVector<func::FuncOp> segments;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(df::DfDialect::kRoleAttr))
        segments.push_back(function);
    for (func::FuncOp function : segments) {
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
          FailureOr<int64_t> used = outline(launches, op, entry.getArgument(0), cells);
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

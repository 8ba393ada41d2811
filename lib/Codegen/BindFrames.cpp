// codegen-bind-frames: see CodegenPasses.td.
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlc {
#define GEN_PASS_DEF_BINDFRAMES
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Nanoseconds of work below which waking threads does not pay.
static constexpr int64_t kParallelThreshold = 12000;

/// The i64-sized cell `i` of a block of arguments.
static Value kernelCell(OpBuilder &b, Location loc, Value block, int64_t i) {
  return LLVM::GEPOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), b.getI64Type(), block,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
}

/// The kernel's value of what is in a cell.
static Value loadCell(OpBuilder &b, Location loc, Value block, int64_t i, Type type) {
  Value cell = kernelCell(b, loc, block, i);
  if (auto memref = dyn_cast<MemRefType>(type)) {
    Value data = LLVM::LoadOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), cell);
    SmallVector<Value> sizes;
    if (memref.isDynamicDim(0))
      sizes.push_back(LLVM::ConstantOp::create(b, loc, b.getI64Type(), int64_t(1) << 62));
    return memrefFromPointer(b, loc, data, memref, sizes);
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), LLVM::LoadOp::create(b, loc, b.getI64Type(), cell));
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::BroadcastOp::create(b, loc, vector, LLVM::LoadOp::create(b, loc, vector.getElementType(), cell));
  return LLVM::LoadOp::create(b, loc, type, cell);
}

/// One dimension, unit stride, no offset: a pointer says it all.
static bool isFlat(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getRank() == 1 && succeeded(type.getStridesAndOffset(strides, offset)) && offset == 0 && strides[0] == 1;
}

/// The number that a constant vector repeats; null: it is none.
static TypedAttr splatElement(Value vector) {
  auto constant = vector.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  return elements ? cast<TypedAttr>(elements.getSplatValue<Attribute>()) : TypedAttr();
}

/// What a cell holds of a kernel's argument; null: it holds no such value.
static Value cellOf(OpBuilder &b, Location loc, Value value) {
  if (auto memref = dyn_cast<MemRefType>(value.getType()))
    return isFlat(memref) ? pointerOf(b, loc, value) : Value();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  if (isa<VectorType>(value.getType())) {
    TypedAttr element = splatElement(value);
    return element ? Value(arith::ConstantOp::create(b, loc, element)) : Value();
  }
  return value.getType().isIntOrFloat() ? value : Value();
}

/// The call of a kernel that the launch's body is.
static FailureOr<func::CallOp> callOf(kern::LaunchOp launch) {
  Block &body = launch.getBody().front();
  auto call = dyn_cast<func::CallOp>(body.front());
  if (!call || call->getNextNode() != body.getTerminator() || call.getOperands().empty() ||
      call.getOperands().back() != body.getArgument(0))
    return launch.emitOpError("does not call a kernel; expected codegen-outline-kernels to run before");
  return call;
}

/// The type of a kernel over cells.
static FunctionType kernelType(OpBuilder &b) {
  Type i64 = b.getI64Type();
  return b.getFunctionType({LLVM::LLVMPointerType::get(b.getContext()), i64, i64, i64}, b.getI32Type());
}

/// Makes the function of a kernel (arguments, task) one of (cells, first task, last task, worker) -> code.
static void bindKernel(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  Location loc = kernel.getLoc();
  const unsigned numArguments = entry.getNumArguments();
  OpBuilder b(&entry, entry.begin());
  FunctionType type = kernelType(b);
  for (Type input : type.getInputs())
    entry.addArgument(input, loc);
  for (unsigned i = 0; i + 1 < numArguments; ++i) {
    BlockArgument argument = entry.getArgument(i);
    argument.replaceAllUsesWith(loadCell(b, loc, entry.getArgument(numArguments), i, argument.getType()));
  }
  // Constants stay in front of the loop over tasks.
  auto begin = b.getInsertionPoint();
  while (begin->getNumResults() == 1 && isConstantOfKernels(begin->getResult(0)))
    ++begin;
  b.setInsertionPoint(&entry, begin);
  auto asIndex = [&](Value value) { return Value(arith::IndexCastOp::create(b, loc, b.getIndexType(), value)); };
  Value first = asIndex(entry.getArgument(numArguments + 1)), last = asIndex(entry.getArgument(numArguments + 2));
  auto loop = scf::ForOp::create(b, loc, first, last, arith::ConstantIndexOp::create(b, loc, 1));
  entry.getArgument(numArguments - 1).replaceAllUsesWith(loop.getInductionVar());
  Operation *returnOp = entry.getTerminator();
  Block *body = loop.getBody();
  body->getOperations().splice(body->begin(), entry.getOperations(), std::next(loop->getIterator()),
                               returnOp->getIterator());
  entry.eraseArguments(0, numArguments);
  // What a task keeps on the stack it has once, not once for each.
  loop.walk([&](memref::AllocaOp cells) { cells->moveBefore(loop); });
  // Stores past the caches are not ordered with what tells others that they are done.
  bool streams = loop.walk([](vector::StoreOp store) {
                       return store.getNontemporal() ? WalkResult::interrupt() : WalkResult::advance();
                     })
                     .wasInterrupted();
  b.setInsertionPoint(returnOp);
  if (streams)
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst, "");
  returnOp->setOperands(Value(arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0))));
  kernel.setFunctionType(type);
}

namespace {
struct BindFrames : public mlc::impl::BindFramesBase<BindFrames> {
  func::FuncOp runGroupFunction;
  /// The symbols of kernels that are launched.
  llvm::SetVector<Attribute> launched;

  Type pointer() { return LLVM::LLVMPointerType::get(&getContext()); }

  /// Runs `launches` side by side. `cells` is the segment's area for arguments; parts come first, then each launch's
  /// cells. Returns the number of cells used.
  FailureOr<int64_t> run(ArrayRef<kern::LaunchOp> launches, Operation *at, Value frame, Value cells) {
    OpBuilder b(at);
    auto i64 = b.getI64Type();
    int64_t next = launches.size() * GroupPart::cells;
    for (auto [i, op] : llvm::enumerate(launches)) {
      kern::LaunchOp launch = op;
      Location loc = launch.getLoc();
      FailureOr<func::CallOp> call = callOf(launch);
      if (failed(call))
        return failure();
      launched.insert(call->getCalleeAttr());
      auto put = [&](Value value, int64_t cell) {
        LLVM::StoreOp::create(b, loc, value, kernelCell(b, loc, cells, cell));
      };
      Value address = func::ConstantOp::create(b, loc, kernelType(b), call->getCalleeAttr());
      int64_t part = i * GroupPart::cells;
      put(UnrealizedConversionCastOp::create(b, loc, pointer(), address).getResult(0), part + GroupPart::kernel);
      put(kernelCell(b, loc, cells, next), part + GroupPart::arguments);
      put(arith::IndexCastOp::create(b, loc, i64, launch.getTasks()), part + GroupPart::tasks);
      put(LLVM::ConstantOp::create(b, loc, i64, static_cast<int64_t>(launch.getCost())), part + GroupPart::cost);
      for (Value value : call->getOperands().drop_back()) {
        Value stored = cellOf(b, loc, value);
        if (!stored)
          return launch.emitOpError("hands its kernel a value of type ")
                 << value.getType() << "; expected flat buffers, scalars and constant vectors";
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
  void bindFrame(func::FuncOp function, KernelFunctions &copyKernels) {
    Block &entry = function.getBody().front();
    Location loc = function.getLoc();
    unsigned numArguments = entry.getNumArguments();
    OpBuilder b(&entry, entry.begin());
    BlockArgument frame = entry.insertArgument(0u, pointer(), loc);
    bool hasWorkspace = function->hasAttr("mlc.workspace");
    Value buffers = loadField(b, loc, frame, FrameLayout::buffers, pointer());
    for (kern::LaunchOp launch : lowerCopies(function, buffers))
      copyKernels.outline(launch);
    b.setInsertionPointAfterValue(buffers); // the op that was next may be gone
    for (unsigned i = 0; i < numArguments; ++i) {
      BlockArgument argument = entry.getArgument(1 + i);
      auto type = cast<MemRefType>(argument.getType());
      Value memref;
      if (hasWorkspace && i + 1 == numArguments) {
        Value workspaces = loadField(b, loc, frame, FrameLayout::workspaces, pointer());
        Value data = loadField(b, loc, workspaces, FrameLayout::memoryData, pointer());
        memref = memrefFromPointer(b, loc, data, type,
                                   LLVM::ConstantOp::create(b, loc, b.getI64Type(), int64_t(1) << 62).getResult());
      } else {
        int64_t base = i * FrameLayout::bufferSize;
        Value data = loadField(b, loc, buffers, base + FrameLayout::bufferData, pointer());
        SmallVector<Value> sizes;
        for (int64_t d = 0; d < type.getRank(); ++d)
          if (type.isDynamicDim(d))
            sizes.push_back(loadSize(b, loc, buffers, base, d));
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
  }

  /// The workspace is the last argument, and its formula one of slots of all symbols.
  static LogicalResult verifyWorkspace(func::FuncOp function) {
    for (Type type : function.getArgumentTypes())
      if (kern::spaceOf(type) != 0)
        return function.emitError("an operand or a workspace lies in memory space ")
               << kern::spaceOf(type) << ", which a frame of the host does not hold";
    if (!function->hasAttr("mlc.workspace"))
      return success();
    auto formula = function->getAttrOfType<DenseI64ArrayAttr>("mlc.workspace");
    const int64_t numSymbols = formula && !formula.empty() ? formula[0] : 0;
    if (numSymbols < 1 || (formula.size() - 1) % (numSymbols + 1) != 0)
      return function.emitError(
          "'mlc.workspace' is no formula; expected array<i64> of a number of symbols, then for each "
          "slot the bytes of each symbol and those that are always there");
    MemRefType workspace = workspaceType(function.getContext(), /*space=*/0);
    if (function.getNumArguments() == 0 || function.getArgumentTypes().back() != workspace)
      return function.emitError(
                 "the last argument is no workspace, of which 'mlc.workspace' tells; expected one of type ")
             << workspace;
    return success();
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

  /// Replaces all launches of a segment.
  LogicalResult runLaunches(func::FuncOp function) {
    // Groups, and launches that stand alone.
    SmallVector<Operation *> groups;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<kern::GroupOp, kern::LaunchOp>(op))
        return WalkResult::advance();
      groups.push_back(op);
      return WalkResult::skip();
    });
    if (groups.empty())
      return success();
    // One area serves all: groups run one after the other.
    Block &entry = function.getBody().front();
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
      FailureOr<int64_t> used = run(launches, op, entry.getArgument(0), cells);
      if (failed(used))
        return failure();
      most = std::max(most, *used);
    }
    size.setValueAttr(b.getI64IntegerAttr(most));
    return success();
  }

  void runOnOperation() override {
    runGroupFunction = {};
    launched.clear();
    KernelFunctions copyKernels(getOperation(), "copies");
    SmallVector<func::FuncOp> segments;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(df::DfDialect::kRoleAttr))
        segments.push_back(function);
    for (func::FuncOp function : segments) {
      if (failed(verifyWorkspace(function)))
        return signalPassFailure();
      bindFrame(function, copyKernels);
      if (failed(runLaunches(function)))
        return signalPassFailure();
      // Buffers that only launches use need no descriptors: their pointers went to the cells.
      eraseDeadOps(function.getBody().front());
      makeWorkspaceFunction(function);
    }
    SymbolTable symbols(getOperation());
    for (Attribute kernel : launched)
      bindKernel(symbols.lookup<func::FuncOp>(cast<FlatSymbolRefAttr>(kernel).getValue()));
  }
};

} // namespace

// codegen-bind-frames: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Frame.h"
#include "KernelFunctions.h"
#include "LowerCopies.h"
#include "RunGroup.h"
#include "WorkspaceFunctions.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Kern/IR/KernFlow.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>

namespace mlc {
#define GEN_PASS_DEF_BINDFRAMES
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Nanoseconds of work below which waking threads does not pay.
static constexpr int64_t kParallelThreshold = 12000;

/// The device of a program with other memory than the host's.
static constexpr int64_t kDevice = 0;

/// Where a launch runs.
enum class Runner {
  Threads, ///< on the host's threads, if that pays
  Host,    ///< where there is a device: on the host
  Device   ///< by the device, which parallel_for stands for
};

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
  if (!call || call->getNextNode() != body.getTerminator() || call.getNumOperands() < body.getNumArguments() ||
      !llvm::equal(call.getOperands().take_back(body.getNumArguments()), body.getArguments()))
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
  std::map<Runner, func::FuncOp> runGroupFunctions;
  /// Launches and copies that work in another memory than the host's, and the spaces that transfers go between.
  llvm::DenseSet<Operation *> onDevice;
  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> transfers;
  llvm::DenseMap<Operation *, int64_t> allocations;
  bool hasDevice = false;
  /// The symbols of kernels that are launched.
  llvm::SetVector<Attribute> launched;

  Type pointer() { return LLVM::LLVMPointerType::get(&getContext()); }

  /// Names of kernels, for the device.
  llvm::DenseMap<Attribute, LLVM::GlobalOp> names;

  /// Asks the device for a launch with a grid. `cells` is the segment's area: the shape comes first, then the
  /// arguments. Returns the number of cells used.
  FailureOr<int64_t> launchOnDevice(kern::LaunchOp launch, OpBuilder &b, Value frame, Value cells) {
    Location loc = launch.getLoc();
    FailureOr<func::CallOp> call = callOf(launch);
    if (failed(call))
      return failure();
    auto i64 = b.getI64Type();
    int64_t next = 0;
    auto put = [&](Value value) { LLVM::StoreOp::create(b, loc, value, kernelCell(b, loc, cells, next++)); };
    auto number = [&](int64_t value) { return Value(LLVM::ConstantOp::create(b, loc, i64, value)); };
    kern::GridAttr grid = launch.getGridAttr();
    put(arith::IndexCastOp::create(b, loc, i64, launch.getTasks()));
    for (int64_t each : {int64_t(1), int64_t(1), grid.getThreads(), int64_t(1), int64_t(1), grid.getSharedBytes()})
      put(number(each));
    const int64_t first = next;
    for (Value value : call->getOperands().drop_back(2)) {
      Value stored = cellOf(b, loc, value);
      if (!stored)
        return launch.emitOpError("hands its kernel a value of type ")
               << value.getType() << "; expected flat buffers, scalars and constant vectors";
      put(stored);
    }
    LLVM::GlobalOp &name = names[call->getCalleeAttr()];
    if (!name)
      name = makeConstantText(getOperation(), loc, ("name_" + call->getCallee()).str(), call->getCallee());
    callService(b, loc, frame, "device_launch",
                {LLVM::ConstantOp::create(b, loc, b.getI32Type(), kDevice), LLVM::AddressOfOp::create(b, loc, name),
                 cells, kernelCell(b, loc, cells, first), number(next - first)});
    return next;
  }

  /// Runs `launches`, all with a grid or all without, side by side. `cells` is the segment's area for arguments; parts
  /// come first, then each launch's cells. Returns the number of cells used.
  FailureOr<int64_t> run(ArrayRef<kern::LaunchOp> launches, Operation *at, Value frame, Value cells) {
    OpBuilder b(at);
    auto i64 = b.getI64Type();
    if (kern::LaunchOp(launches.front()).getGrid()) {
      // The device runs them one after another, in its order.
      int64_t most = 0;
      for (kern::LaunchOp launch : launches) {
        FailureOr<int64_t> used = launchOnDevice(launch, b, frame, cells);
        if (failed(used))
          return failure();
        most = std::max(most, *used);
      }
      at->erase();
      return most;
    }
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
    Runner runner = !hasDevice                                                                     ? Runner::Threads
                    : llvm::any_of(launches, [&](Operation *op) { return onDevice.contains(op); }) ? Runner::Device
                                                                                                   : Runner::Host;
    auto call = func::CallOp::create(b, at->getLoc(), runGroup(runner), ValueRange{frame, cells, count});
    call->setAttr(kServiceCallAttr, b.getUnitAttr());
    at->erase();
    return next;
  }

  func::FuncOp runGroup(Runner runner) {
    func::FuncOp &function = runGroupFunctions[runner];
    if (!function) {
      OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
      const int64_t threshold = runner == Runner::Threads  ? kParallelThreshold
                                : runner == Runner::Device ? std::numeric_limits<int64_t>::min()
                                                           : std::numeric_limits<int64_t>::max();
      function =
          makeRunGroup(b, getOperation().getLoc(), runner == Runner::Device ? "device_group" : "group", threshold);
    }
    return function;
  }

  /// Notes where launches run and transfers go, and then takes memory spaces out of all types: to the host a buffer in
  /// another space is a pointer that it hands on.
  void resolveSpaces() {
    getOperation().walk([&](Operation *op) {
      auto lies = [](Value value) { return kern::spaceOf(value.getType()) != 0; };
      hasDevice |= llvm::any_of(op->getResults(), lies);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          hasDevice |= llvm::any_of(block.getArguments(), lies);
      if (auto alloc = dyn_cast<memref::AllocOp>(op); alloc && lies(alloc))
        allocations[op] = kern::spaceOf(alloc.getType());
      if (auto transfer = dyn_cast<kern::TransferOp>(op))
        transfers[op] = {kern::spaceOf(transfer.getSource().getType()), kern::spaceOf(transfer.getOuts()[0].getType())};
      Operation *launch = isa<kern::CopiesOp>(op) ? op : nullptr;
      if (auto call = dyn_cast<func::CallOp>(op))
        launch = call->getParentOfType<kern::LaunchOp>();
      if (launch && llvm::any_of(op->getOperands(), lies))
        onDevice.insert(launch);
    });
    if (!hasDevice)
      return;
    // Kernels of the device keep them.
    AttrTypeReplacer replacer;
    replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
      if (!type.getMemorySpace())
        return std::nullopt;
      return MemRefType::get(type.getShape(), type.getElementType(), type.getLayout());
    });
    for (Operation &op : *getOperation().getBody())
      if (!op.hasAttr(kern::kGridAttr))
        replacer.recursivelyReplaceElementsIn(&op, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  }

  /// A call of a service, whose code ends the segment if it is not 0.
  static void callService(OpBuilder &b, Location loc, Value frame, StringRef service, SmallVector<Value> arguments) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    arguments.insert(arguments.begin(), loadField(b, loc, frame, FrameLayout::env, pointer));
    SmallVector<Type> types(ValueRange(arguments).getTypes());
    Value services = loadField(b, loc, frame, FrameLayout::services, pointer);
    arguments.insert(arguments.begin(), loadField(b, loc, services, FrameLayout::serviceOffset(service), pointer));
    LLVM::CallOp::create(b, loc, LLVM::LLVMFunctionType::get(b.getI32Type(), types), arguments)
        ->setAttr(kServiceCallAttr, b.getUnitAttr());
  }

  /// Memory of a device that no workspace was planned for. It is given back when the allocation is reached again, which
  /// nothing outlives (what a loop carries was allocated before it), or where the segment ends.
  void lowerAllocation(memref::AllocOp op, int64_t space, Value frame) {
    Location loc = op.getLoc();
    auto function = op->getParentOfType<func::FuncOp>();
    Block &entry = function.getBody().front();
    OpBuilder b(&entry, entry.begin());
    auto i64 = b.getI64Type();
    Value number = LLVM::ConstantOp::create(b, loc, b.getI32Type(), space);
    Value null = LLVM::ZeroOp::create(b, loc, pointer());
    Value one = LLVM::ConstantOp::create(b, loc, i64, int64_t{1});
    Value cell = LLVM::AllocaOp::create(b, loc, pointer(), pointer(), one, 8);
    LLVM::StoreOp::create(b, loc, null, cell);
    auto giveBack = [&] {
      Value old = LLVM::LoadOp::create(b, loc, pointer(), cell);
      Value isThere = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, old, null);
      auto guard = scf::IfOp::create(b, loc, isThere, false);
      OpBuilder::InsertionGuard insertion(b);
      b.setInsertionPointToStart(&guard.getThenRegion().front());
      callService(b, loc, frame, "space_free", {number, old});
    };
    b.setInsertionPoint(entry.getTerminator());
    giveBack();
    b.setInsertionPoint(op);
    giveBack();
    SmallVector<Value> sizes;
    for (Value size : op.getDynamicSizes())
      sizes.push_back(arith::IndexCastOp::create(b, loc, i64, size));
    callService(b, loc, frame, "space_allocate", {number, bytesOf(b, loc, op.getType(), sizes), cell});
    Value memory = LLVM::LoadOp::create(b, loc, pointer(), cell);
    op.replaceAllUsesWith(memrefFromPointer(b, loc, memory, op.getType(), sizes));
    op.erase();
  }

  /// Has the device copy, and waits for it.
  void lowerTransfer(kern::TransferOp op, Value frame) {
    Location loc = op.getLoc();
    OpBuilder b(op);
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value source = op.getSource();
    auto type = cast<MemRefType>(source.getType());
    Value count = arith::ConstantIndexOp::create(b, loc, kern::elementBytes(type));
    for (int64_t d = 0; d < type.getRank(); ++d)
      count = arith::MulIOp::create(b, loc, count, memref::DimOp::create(b, loc, source, d));
    Value bytes = arith::IndexCastOp::create(b, loc, i64, count);
    auto number = [&](int64_t value) { return Value(LLVM::ConstantOp::create(b, loc, i32, value)); };
    auto [from, to] = transfers.lookup(op);
    callService(b, loc, frame, "device_copy",
                {number(kDevice), number(from), pointerOf(b, loc, source), number(to), bytes,
                 pointerOf(b, loc, op.getOuts()[0])});
    callService(b, loc, frame, "device_wait", {number(kDevice)});
    op.erase();
  }

  /// Asks for what the device decides by a byte of its memory: `numbers` come before and after the byte's address.
  void lowerDecision(Operation *op, StringRef service, Value condition, ArrayRef<int64_t> before,
                     ArrayRef<int64_t> after, Value frame) {
    Location loc = op->getLoc();
    Block &entry = op->getParentOfType<func::FuncOp>().getBody().front();
    OpBuilder b(&entry, entry.begin());
    Type i32 = b.getI32Type();
    Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), int64_t{1});
    Value cell = LLVM::AllocaOp::create(b, loc, pointer(), i32, one, 4);
    b.setInsertionPoint(op);
    SmallVector<Value> arguments = {LLVM::ConstantOp::create(b, loc, i32, kDevice)};
    for (int64_t number : before)
      arguments.push_back(LLVM::ConstantOp::create(b, loc, i32, number));
    arguments.push_back(pointerOf(b, loc, condition));
    for (int64_t number : after)
      arguments.push_back(LLVM::ConstantOp::create(b, loc, i32, number));
    arguments.push_back(cell);
    callService(b, loc, frame, service, arguments);
    Value found = LLVM::LoadOp::create(b, loc, i32, cell);
    if (op->getResult(0).getType() != i32)
      found = arith::TruncIOp::create(b, loc, op->getResult(0).getType(), found);
    op->getResult(0).replaceAllUsesWith(found);
    op->erase();
  }

  /// Replaces the memref arguments by what the frame holds.
  void bindFrame(func::FuncOp function, size_t numWorkspaces, KernelFunctions &copyKernels) {
    Block &entry = function.getBody().front();
    Location loc = function.getLoc();
    unsigned numArguments = entry.getNumArguments();
    OpBuilder b(&entry, entry.begin());
    BlockArgument frame = entry.insertArgument(0u, pointer(), loc);
    const size_t numOperands = numArguments - numWorkspaces;
    Value buffers = loadField(b, loc, frame, FrameLayout::buffers, pointer());
    SmallVector<bool> copiesOnDevice;
    function.walk([&](kern::CopiesOp copies) { copiesOnDevice.push_back(onDevice.contains(copies)); });
    for (auto [launch, isOnDevice] : llvm::zip_equal(lowerCopies(function, buffers), copiesOnDevice)) {
      copyKernels.outline(launch);
      if (isOnDevice)
        onDevice.insert(launch);
    }
    b.setInsertionPointAfterValue(buffers); // the op that was next may be gone
    for (unsigned i = 0; i < numArguments; ++i) {
      BlockArgument argument = entry.getArgument(1 + i);
      auto type = cast<MemRefType>(argument.getType());
      Value memref;
      if (i >= numOperands) {
        Value workspaces = loadField(b, loc, frame, FrameLayout::workspaces, pointer());
        const int64_t at = static_cast<int64_t>(i - numOperands) * FrameLayout::memorySize;
        Value data = loadField(b, loc, workspaces, at + FrameLayout::memoryData, pointer());
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
    function.walk([&](kern::TransferOp transfer) { lowerTransfer(transfer, frame); });
    function.walk([&](kern::BranchOp branch) {
      lowerDecision(branch, "device_branch", branch.getCondition(), {}, {branch.getSides()}, frame);
    });
    function.walk([&](kern::LoopOp loop) {
      lowerDecision(loop, "device_loop", loop.getCondition(), {loop.getNumber()}, {}, frame);
    });
    function.walk([&](memref::AllocOp allocation) {
      if (int64_t space = allocations.lookup(allocation))
        lowerAllocation(allocation, space, frame);
    });
    function.setFunctionType(b.getFunctionType(pointer(), b.getI32Type()));
    auto returnOp = cast<func::ReturnOp>(entry.getTerminator());
    b.setInsertionPoint(returnOp);
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    returnOp->setOperands(zero);
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
    runGroupFunctions.clear();
    onDevice.clear();
    transfers.clear();
    allocations.clear();
    hasDevice = false;
    launched.clear();
    names.clear();
    KernelFunctions copyKernels(getOperation(), "copies");
    SmallVector<func::FuncOp> segments;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(df::DfDialect::kRoleAttr))
        segments.push_back(function);
    std::vector<SmallVector<int64_t>> workspaces;
    for (func::FuncOp function : segments) {
      for (Type type : function.getArgumentTypes())
        if (!isa<MemRefType>(type)) {
          function.emitError() << "a segment of buffers has an argument of type " << type << "; expected a memref";
          return signalPassFailure();
        }
      FailureOr<SmallVector<int64_t>> found = findWorkspaces(function);
      if (failed(found))
        return signalPassFailure();
      workspaces.push_back(std::move(*found));
    }
    resolveSpaces();
    for (auto [function, spaces] : llvm::zip_equal(segments, workspaces)) {
      bindFrame(function, spaces.size(), copyKernels);
      if (failed(runLaunches(function)))
        return signalPassFailure();
      // Buffers that only launches use need no descriptors: their pointers went to the cells.
      eraseDeadOps(function.getBody().front());
      makeWorkspaceFunctions(function, spaces);
    }
    SymbolTable symbols(getOperation());
    for (Attribute kernel : launched)
      bindKernel(symbols.lookup<func::FuncOp>(cast<FlatSymbolRefAttr>(kernel).getValue()));
  }
};

} // namespace

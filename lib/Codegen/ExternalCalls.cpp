// Calls of C functions that come with a model: mlcrt_buffers on the stack, and turns where a function needs them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExternalCalls.h"
#include "Frame.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;

namespace {

class ExternalCalls {
public:
  explicit ExternalCalls(ModuleOp module)
      : module(module), symbols(module), ptr(LLVM::LLVMPointerType::get(module.getContext())) {}

  void lower(kern::ExternalCallOp op);

private:
  /// The function, as LLVM sees it.
  LLVM::LLVMFuncOp declare(kern::ExternalFunctionOp function);
  /// The cell that is not 0 while a thread is in the function.
  LLVM::GlobalOp lockOf(kern::ExternalFunctionOp function);
  /// A function that waits for a lock and takes it.
  LLVM::LLVMFuncOp acquire();

  template <typename Op> Op insert(Op op) {
    symbols.insert(op);
    return op;
  }

  ModuleOp module;
  SymbolTable symbols;
  LLVM::LLVMPointerType ptr;
  LLVM::LLVMFuncOp acquireFunction;
};

} // namespace

static constexpr unsigned kLockAlignment = 4, kBufferAlignment = 8;

LLVM::LLVMFuncOp ExternalCalls::declare(kern::ExternalFunctionOp function) {
  const std::string name = kern::externalSymbol(function.getSymName());
  if (auto known = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return known;
  auto type = LLVM::LLVMFunctionType::get(IntegerType::get(module.getContext(), 32), {ptr, ptr});
  OpBuilder b(module.getContext());
  return insert(LLVM::LLVMFuncOp::create(b, function.getLoc(), name, type));
}

LLVM::GlobalOp ExternalCalls::lockOf(kern::ExternalFunctionOp function) {
  const std::string name = kern::externalSymbol(function.getSymName()) + ".lock";
  if (auto known = symbols.lookup<LLVM::GlobalOp>(name))
    return known;
  OpBuilder b(module.getContext());
  return insert(LLVM::GlobalOp::create(b, function.getLoc(), b.getI32Type(), /*isConstant=*/false,
                                       LLVM::Linkage::Internal, name, b.getI32IntegerAttr(0), kLockAlignment));
}

LLVM::LLVMFuncOp ExternalCalls::acquire() {
  if (acquireFunction)
    return acquireFunction;
  OpBuilder b(module.getContext());
  Location loc = b.getUnknownLoc();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), {ptr});
  acquireFunction =
      insert(LLVM::LLVMFuncOp::create(b, loc, kern::externalSymbol(".acquire"), type, LLVM::Linkage::Internal));
  Block *entry = acquireFunction.addEntryBlock(b);
  Region &body = acquireFunction.getBody();
  Block *attempt = b.createBlock(&body, body.end()), *taken = b.createBlock(&body, body.end());
  b.setInsertionPointToEnd(entry);
  LLVM::BrOp::create(b, loc, attempt);
  b.setInsertionPointToEnd(attempt);
  Value one = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value before = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg, entry->getArgument(0), one,
                                           LLVM::AtomicOrdering::acquire);
  Value isFree = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, before, zero);
  LLVM::CondBrOp::create(b, loc, isFree, taken, attempt);
  b.setInsertionPointToEnd(taken);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return acquireFunction;
}

void ExternalCalls::lower(kern::ExternalCallOp op) {
  auto function = symbols.lookup<kern::ExternalFunctionOp>(op.getCallee());
  auto caller = op->getParentOfType<func::FuncOp>();
  Location loc = op.getLoc();
  SmallVector<Value> buffers(op.getIns());
  llvm::append_range(buffers, op.getOuts().drop_back());

  OpBuilder b(&caller.getBody().front(), caller.getBody().front().begin());
  auto constant = [&](Type type, int64_t value) {
    return Value(LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value)));
  };
  // The sizes follow the buffers.
  const int64_t sizesAt = FrameLayout::bufferSize * static_cast<int64_t>(buffers.size());
  int64_t bytes = sizesAt;
  for (Value buffer : buffers)
    bytes += 8 * cast<MemRefType>(buffer.getType()).getRank();
  Value table = LLVM::AllocaOp::create(b, loc, ptr, b.getI8Type(), constant(b.getI64Type(), bytes), kBufferAlignment);
  b.setInsertionPoint(op);
  int64_t nextSize = sizesAt;
  for (auto [i, buffer, dtype] : llvm::enumerate(buffers, op.getDtypes())) {
    const int64_t at = FrameLayout::bufferSize * static_cast<int64_t>(i);
    const int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
    storeField(b, loc, pointerOf(b, loc, buffer), table, at + FrameLayout::bufferData);
    storeField(b, loc, constant(b.getI32Type(), dtype), table, at + FrameLayout::bufferDtype);
    storeField(b, loc, constant(b.getI32Type(), rank), table, at + FrameLayout::bufferRank);
    Value dims =
        LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), table, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(nextSize)});
    storeField(b, loc, dims, table, at + FrameLayout::bufferDims);
    storeField(b, loc, LLVM::ZeroOp::create(b, loc, ptr), table, at + FrameLayout::bufferStrides);
    for (int64_t d = 0; d < rank; ++d, nextSize += 8) {
      Value size = arith::IndexCastOp::create(b, loc, b.getI64Type(), memref::DimOp::create(b, loc, buffer, d));
      storeField(b, loc, size, table, nextSize);
    }
  }
  Value results = LLVM::GEPOp::create(
      b, loc, ptr, b.getI8Type(), table,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(FrameLayout::bufferSize * static_cast<int64_t>(op.getIns().size()))});
  Value lock;
  if (!function.getThreadSafe()) {
    lock = LLVM::AddressOfOp::create(b, loc, lockOf(function));
    LLVM::CallOp::create(b, loc, acquire(), lock);
  }
  Value code = LLVM::CallOp::create(b, loc, declare(function), ValueRange{table, results}).getResult();
  if (lock)
    LLVM::StoreOp::create(b, loc, constant(b.getI32Type(), 0), lock, kLockAlignment, /*isVolatile=*/false,
                          /*isNonTemporal=*/false, /*isInvariantGroup=*/false, LLVM::AtomicOrdering::release);
  storeField(b, loc, code, pointerOf(b, loc, op.getOuts().back()), 0);
  op.erase();
}

void mlc::lowerExternalCalls(ModuleOp module) {
  SmallVector<kern::ExternalCallOp> calls;
  module.walk([&](kern::ExternalCallOp op) { calls.push_back(op); });
  if (calls.empty())
    return;
  ExternalCalls lowering(module);
  for (kern::ExternalCallOp op : calls)
    lowering.lower(op);
}

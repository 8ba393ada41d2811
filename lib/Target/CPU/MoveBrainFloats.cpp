// cpu-move-bf16: memory holds bf16 as integers; narrow elements go past the caches as words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlc {
#define GEN_PASS_DEF_MOVEBRAINFLOATS
#include "lib/Target/CPU/CpuPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// i16, or a vector of it, for bf16 or a vector of that; null for other types.
static Type bitsOf(Type type) {
  Type i16 = IntegerType::get(type.getContext(), 16);
  if (type.isBF16())
    return i16;
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isBF16() ? Type(vector.clone(i16)) : Type();
}

namespace {
struct MoveBrainFloats : public mlc::impl::MoveBrainFloatsBase<MoveBrainFloats> {
  /// Stores the bits of an operand, as words if it is a vector to be stored past the caches: LLVM would make a
  /// narrowing store of it, which goes through them.
  static void rewriteOperand(Operation *op, OpOperand &operand) {
    Type bits = bitsOf(operand.get().getType());
    auto store = dyn_cast<LLVM::StoreOp>(op);
    auto vector = dyn_cast<VectorType>(operand.get().getType());
    if (store && store.getNontemporal() && vector && vector.getElementTypeBitWidth() < 32)
      bits = VectorType::get({vector.getNumElements() * vector.getElementTypeBitWidth() / 32},
                             IntegerType::get(op->getContext(), 32));
    if (!bits)
      return;
    OpBuilder b(op);
    operand.set(LLVM::BitcastOp::create(b, op->getLoc(), bits, operand.get()));
  }

  /// Loads bits and makes the number of them.
  static void rewriteResult(Operation *op) {
    OpResult result = op->getResult(0);
    Type number = result.getType(), bits = bitsOf(number);
    if (!bits)
      return;
    result.setType(bits);
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    auto back = LLVM::BitcastOp::create(b, op->getLoc(), number, result);
    result.replaceAllUsesExcept(back, back);
  }

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<LLVM::LoadOp>(op)) {
        rewriteResult(op);
      } else if (isa<LLVM::StoreOp, LLVM::MaskedStoreOp>(op)) {
        rewriteOperand(op, op->getOpOperand(0));
      } else if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op)) {
        for (OpOperand &operand : load.getPassThruMutable())
          rewriteOperand(op, operand);
        rewriteResult(op);
      } else if (isa<LLVM::InsertElementOp, LLVM::ExtractElementOp, LLVM::ShuffleVectorOp, LLVM::SelectOp>(op)) {
        // These only move elements, too: left to LLVM, a number that is repeated is widened and rounded.
        for (OpOperand &operand : op->getOpOperands())
          rewriteOperand(op, operand);
        rewriteResult(op);
      }
    });
    // There and back is nothing, for LLVM without optimization, too.
    getOperation()->walk([](LLVM::BitcastOp back) {
      auto there = back.getArg().getDefiningOp<LLVM::BitcastOp>();
      if (!there || there.getArg().getType() != back.getType())
        return;
      back.replaceAllUsesWith(there.getArg());
      back.erase();
      if (there->use_empty())
        there.erase();
    });
  }
};
} // namespace

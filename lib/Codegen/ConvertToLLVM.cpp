// codegen-convert-bodies, codegen-convert-functions: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlc {
#define GEN_PASS_DEF_CONVERTBODIES
#define GEN_PASS_DEF_CONVERTFUNCTIONS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// LLVM folds and merges what conversions leave.
static ConversionConfig withoutFolding() {
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return config;
}

namespace {

/// What converts bodies; functions are converted by several threads.
struct BodyConversion {
  LLVMTypeConverter types;
  LLVMConversionTarget target;
  FrozenRewritePatternSet patterns;

  explicit BodyConversion(MLIRContext *context) : types(context, optionsOf(context)), target(*context) {
    RewritePatternSet set(context);
    arith::populateCeilFloorDivExpandOpsPatterns(set);
    arith::populateArithToLLVMConversionPatterns(types, set);
    cf::populateControlFlowToLLVMConversionPatterns(types, set);
    index::populateIndexToLLVMConversionPatterns(types, set);
    populateMathToLLVMConversionPatterns(types, set);
    populateFinalizeMemRefToLLVMConversionPatterns(types, set);
    patterns = FrozenRewritePatternSet(std::move(set));
    target.addLegalDialect<func::FuncDialect>();
    // What needs a symbol of the module waits for codegen-convert-functions.
    target.addLegalOp<memref::AllocOp, memref::CopyOp, memref::DeallocOp, memref::GetGlobalOp>();
  }

  static LowerToLLVMOptions optionsOf(MLIRContext *context) {
    LowerToLLVMOptions options(context);
    options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
    return options;
  }
};

struct ConvertBodies : public mlc::impl::ConvertBodiesBase<ConvertBodies> {
  using ConvertBodiesBase::ConvertBodiesBase;
  ConvertBodies(const ConvertBodies &other) : ConvertBodiesBase(other), conversion(other.conversion) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertBodiesBase::getDependentDialects(registry);
    vectorConversion().getDependentDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    conversion = std::make_shared<const BodyConversion>(context);
    return success();
  }

  void runOnOperation() override {
    auto isVector = [](Type type) { return isa<VectorType>(type); };
    // Vectors are made simpler before they are converted, which looks at all that a function has.
    const WalkResult vectors = getOperation()->walk([&](Operation *op) {
      return isa_and_present<vector::VectorDialect>(op->getDialect()) || llvm::any_of(op->getResultTypes(), isVector)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    OpPassManager passes = vectorConversion();
    if (!vectors.wasInterrupted()) {
      // Blocks that are equal become one, with arguments for what they differ in.
      IRRewriter rewriter(&getContext());
      (void)simplifyRegions(rewriter, getOperation()->getRegions());
    } else if (failed(runPipeline(passes, getOperation()))) {
      return signalPassFailure();
    }
    if (failed(applyPartialConversion(getOperation(), conversion->target, conversion->patterns, withoutFolding())))
      signalPassFailure();
  }

private:
  std::shared_ptr<const BodyConversion> conversion;

  static OpPassManager vectorConversion() {
    OpPassManager passes(func::FuncOp::getOperationName());
    passes.addPass(createConvertVectorToLLVMPass());
    return passes;
  }
};

struct ConvertFunctions : public mlc::impl::ConvertFunctionsBase<ConvertFunctions> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LLVMTypeConverter types(context, LowerToLLVMOptions(context));
    RewritePatternSet patterns(context);
    SymbolTableCollection symbols;
    populateFuncToLLVMConversionPatterns(types, patterns, &symbols);
    populateFinalizeMemRefToLLVMConversionPatterns(types, patterns, &symbols);
    LLVMConversionTarget target(*context);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns), withoutFolding())))
      return signalPassFailure();
    // Signatures and bodies were converted apart.
    SmallVector<UnrealizedConversionCastOp> casts;
    getOperation()->walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
  }
};

} // namespace

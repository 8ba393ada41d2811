// Lines of a model in the code of its kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LineInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

/// A profiler opens files by their whole paths.
static LLVM::DIFileAttr fileOf(FileLineColLoc place) {
  SmallString<128> path = place.getFilename().getValue();
  llvm::sys::fs::make_absolute(path);
  llvm::sys::path::remove_dots(path);
  return LLVM::DIFileAttr::get(place.getContext(), llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
}

/// The first place that the kernel, or what is in it, is from.
static FileLineColLoc placeOf(LLVM::LLVMFuncOp kernel) {
  auto place = kernel.getLoc()->findInstanceOf<FileLineColLoc>();
  if (!place)
    kernel.walk([&](Operation *op) {
      place = op->getLoc()->findInstanceOf<FileLineColLoc>();
      return place ? WalkResult::interrupt() : WalkResult::advance();
    });
  return place;
}

void mlc::cuda::addLineInfo(ModuleOp kernels) {
  MLIRContext *context = kernels.getContext();
  OpBuilder b(context);
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>()) {
    const FileLineColLoc begin = kernel.isExternal() ? FileLineColLoc() : placeOf(kernel);
    if (!begin)
      continue;
    const LLVM::DIFileAttr file = fileOf(begin);
    auto unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(b.getUnitAttr()), llvm::dwarf::DW_LANG_C, file,
                                             b.getStringAttr("mlc"), /*isOptimized=*/true,
                                             LLVM::DIEmissionKind::DebugDirectivesOnly);
    auto subprogram = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(b.getUnitAttr()), unit, file, kernel.getNameAttr(), kernel.getNameAttr(), file,
        begin.getLine(), begin.getLine(), LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
        LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {}), /*retainedNodes=*/{},
        /*annotations=*/{});
    kernel->setLoc(FusedLoc::get(context, {begin}, subprogram));
    // A place in another file than the kernel's is a scope of its own.
    kernel.getBody().walk([&](Operation *op) {
      const auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
      if (!place)
        op->setLoc(UnknownLoc::get(context));
      else if (place.getFilename() == begin.getFilename())
        op->setLoc(place);
      else
        op->setLoc(
            FusedLoc::get(context, {place},
                          LLVM::DILexicalBlockFileAttr::get(context, subprogram, fileOf(place), /*discriminator=*/0)));
    });
  }
}

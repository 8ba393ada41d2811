// Stages of modules, and modules told apart from specs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/InputStage.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Dist/IR/Dist.h"
#include "dialects/Est/IR/Est.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "mlc/Target/Artifact/ArtifactInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlc;

/// Marks the module within a module that holds declarations of segments.

static ModuleOp findSegmentTable(ModuleOp module) {
  for (auto table : module.getOps<ModuleOp>())
    if (table->hasAttr(kSegmentsAttr))
      return table;
  return {};
}

static bool hasBinding(ArrayAttr attributes) {
  return attributes && llvm::any_of(attributes.getAsRange<DictionaryAttr>(),
                                    [](DictionaryAttr of) { return of.contains(df::FunctionOp::kBindingAttr); });
}

static bool isBound(FunctionOpInterface function) {
  return hasBinding(function.getAllArgAttrs()) || hasBinding(function.getAllResultAttrs());
}

InputStage mlc::inputStageOf(ModuleOp module) {
  if (!module.getOps<est::EstimatorOp>().empty())
    return InputStage::Est;
  if (!module.getOps<dist::ProgramOp>().empty())
    return InputStage::Placed;
  if (!module.getOps<df::FunctionOp>().empty())
    return InputStage::Graph;
  bool isSegment = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (isBound(function))
      return InputStage::Tensors;
    isSegment |= function->hasAttr(df::DfDialect::kRoleAttr);
  }
  if (isSegment)
    return InputStage::Buffers;
  if (module.getOps<LLVM::LLVMFuncOp>().empty())
    return InputStage::Nothing;
  return findSegmentTable(module) ? InputStage::Llvm : InputStage::LlvmAlone;
}

Phase mlc::firstPhaseOf(InputStage stage) {
  switch (stage) {
  case InputStage::Nothing:
  case InputStage::Est:
    return Phase::Est;
  case InputStage::Graph:
    return Phase::Df;
  case InputStage::Placed:
    return Phase::Dist;
  case InputStage::Tensors:
    return Phase::Linalg;
  case InputStage::Buffers:
  case InputStage::Llvm:
  case InputStage::LlvmAlone:
    return Phase::Llvm;
  }
  llvm_unreachable("all stages are covered");
}

llvm::StringRef mlc::nameOf(InputStage stage) {
  switch (stage) {
  case InputStage::Nothing:
    return "no stage of a model";
  case InputStage::Est:
    return "est";
  case InputStage::Graph:
    return "df";
  case InputStage::Placed:
    return "dist";
  case InputStage::Tensors:
    return "linalg and kern";
  case InputStage::Buffers:
    return "linalg and kern on buffers";
  case InputStage::Llvm:
  case InputStage::LlvmAlone:
    return "the LLVM dialect";
  }
  llvm_unreachable("all stages are covered");
}

OwningOpRef<ModuleOp> mlc::makeSegmentTable(ModuleOp module) {
  OwningOpRef<ModuleOp> table = ModuleOp::create(module.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(table->getBody());
  (*table)->setAttr(kSegmentsAttr, b.getUnitAttr());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(df::DfDialect::kRoleAttr))
      continue;
    auto declaration = cast<func::FuncOp>(function->cloneWithoutRegions());
    declaration.setPrivate();
    b.insert(declaration);
  }
  return table;
}

void mlc::addSegmentTable(ModuleOp module, OwningOpRef<ModuleOp> table) {
  module.getBody()->push_back(table.release());
}

void mlc::removeSegmentTable(ModuleOp module) {
  if (ModuleOp table = findSegmentTable(module))
    table.erase();
}

OwningOpRef<ModuleOp> mlc::declaredSegments(ModuleOp module) {
  OwningOpRef<ModuleOp> declared = findSegmentTable(module).clone();
  (*declared)->removeAttr(kSegmentsAttr);
  for (NamedAttribute attribute : module->getDiscardableAttrs())
    (*declared)->setAttr(attribute.getName(), attribute.getValue());
  OpBuilder b = OpBuilder::atBlockBegin(declared->getBody());
  for (Operation &op : *module.getBody())
    if (isa<df::DfDialect>(op.getDialect()))
      b.clone(op);
  return declared;
}

std::string mlc::planFingerprint(ModuleOp module) {
  OwningOpRef<ModuleOp> plan = module.clone();
  Builder builder(module.getContext());
  if (auto settings = module->getAttrOfType<DictionaryAttr>(df::DfDialect::kSettingsAttr)) {
    SmallVector<Attribute> paths;
    for (NamedAttribute setting : settings)
      paths.push_back(setting.getName());
    (*plan)->setAttr(df::DfDialect::kSettingsAttr, builder.getArrayAttr(paths));
  }
  plan->getOperation()->removeAttr(kSettingsAttr); // values that may change at each start
  // Of the manifest only what files look like is compiled in.
  if (auto manifest = module->getAttrOfType<StringAttr>(kManifestAttr)) {
    auto parsed = llvm::json::parse(manifest.getValue());
    const llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
    const llvm::json::Value *input = object ? object->get("input") : nullptr;
    (*plan)->setAttr(kManifestAttr, builder.getStringAttr(input ? llvm::formatv("{0}", *input).str() : std::string()));
    if (!parsed)
      llvm::consumeError(parsed.takeError());
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  plan->print(stream);
  stream << '\n';
  return fingerprint(text);
}

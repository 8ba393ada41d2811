// Images, homes of variables, and code for hosts without the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/DeviceCode.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Dist/IR/DeviceSpec.h"
#include "dialects/Dist/IR/Dist.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernErrorWord.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlc;

void mlc::addImages(ArtifactInfo &info, ModuleOp module) {
  auto images = module->getAttrOfType<ArrayAttr>(kImagesAttr);
  if (!images)
    return;
  for (auto image : images.getAsRange<DictionaryAttr>()) {
    auto text = [&](StringRef name) { return image.getAs<StringAttr>(name).str(); };
    // A text ends in a null byte, which counts.
    const int32_t flags = image.contains("chip_sums") ? MLCRT_IMAGE_CHIP_SUMS : 0;
    ImageInfo &made = info.images.emplace_back(
        ImageInfo{text("device_kind"), text("chip"), MLCRT_IMAGE_PTX, flags, text("data") + '\0'});
    if (image.contains("predict"))
      made.ofPredict = text("predict") + '\0';
  }
}

void mlc::addCode(ModuleOp module, ModuleOp other, llvm::StringRef prefix) {
  SymbolTable known(module);
  llvm::StringSet<> renamed;
  SmallVector<Operation *> added;
  for (Operation &op : llvm::make_early_inc_range(*other.getBody())) {
    if (!isa<LLVM::LLVMFuncOp, LLVM::GlobalOp>(op))
      continue;
    llvm::StringRef name = SymbolTable::getSymbolName(&op).getValue();
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    const bool isDefined = !function || !function.isExternal();
    if (isDefined)
      renamed.insert(name);
    else if (known.lookup(name))
      continue;
    op.moveBefore(module.getBody(), module.getBody()->end());
    added.push_back(&op);
  }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr symbol) -> std::optional<Attribute> {
    if (!renamed.contains(symbol.getValue()))
      return std::nullopt;
    return FlatSymbolRefAttr::get(symbol.getContext(), (prefix + symbol.getValue()).str());
  });
  for (Operation *op : added) {
    replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/false);
    if (llvm::StringRef name = SymbolTable::getSymbolName(op).getValue(); renamed.contains(name))
      SymbolTable::setSymbolName(op, (prefix + name).str());
  }
}

/// Names of variables that lie in the host's memory.
static llvm::StringSet<> variablesOnHost(ModuleOp module) {
  llvm::StringSet<> names;
  auto add = [&](DictionaryAttr attributes) {
    if (attributes && attributes.contains(df::kOnHostAttr))
      names.insert(attributes.getAs<df::BindingAttr>(df::FunctionOp::kBindingAttr).getName());
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      add(function.getArgAttrDict(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      add(function.getResultAttrDict(i));
  }
  return names;
}

/// Whether `name` is that of a GPU, as programs name it.
static bool isGpu(StringRef name) {
  llvm::Expected<dist::DeviceSpec> spec = dist::DeviceSpec::parse(name);
  if (!spec)
    llvm::consumeError(spec.takeError());
  return spec && spec->type == "GPU";
}

std::variant<std::vector<std::string>, common::Message> mlc::entriesOnHost(ModuleOp module, StringRef target) {
  auto devices = module->getAttrOfType<ArrayAttr>(dist::DistDialect::kDevicesAttr);
  auto parts = module->getAttrOfType<ArrayAttr>(dist::DistDialect::kPartsAttr);
  std::vector<std::string> onHost;
  if (!devices || !parts)
    return onHost;
  auto refuse = [&](const std::string &found, const std::string &expected) {
    common::Message message = common::makeError("E0203", ("--target=" + target + ": " + found).str());
    message.expected = expected;
    return message;
  };
  bool hasGpu = false;
  for (auto name : devices.getAsRange<StringAttr>()) {
    if (name.getValue().starts_with("/job:"))
      return refuse("the module is placed on a task of a cluster, '" + name.str() + "'",
                    "--target=cpu, or devices of one process: /device:CPU:0, /device:GPU:0");
    if (isGpu(name.getValue()) && name != "/device:GPU:0")
      return refuse("the module is placed on '" + name.str() + "'", "/device:GPU:0: a program is placed on one GPU");
    hasGpu |= isGpu(name.getValue());
  }
  if (!hasGpu)
    return refuse("the module is placed on CPUs alone", "--target=cpu, or ops on /device:GPU:0");
  for (auto part : parts.getAsRange<DictionaryAttr>()) {
    auto number = part.getAs<IntegerAttr>("device");
    auto function = part.getAs<FlatSymbolRefAttr>("part");
    if (number && function && number.getValue().ult(devices.size()) &&
        !isGpu(cast<StringAttr>(devices[number.getInt()]).getValue()))
      onHost.push_back(function.getValue().str());
  }
  return onHost;
}

/// Has the device that the GPU of a placed program is, if there is one, be number 0; kernels are asked of that.
static void makeRoom(ArtifactInfo &info, const DeviceInfo &first) {
  const auto gpu = llvm::find_if(info.devices, [](const DeviceInfo &device) { return isGpu(device.name); });
  const auto old = static_cast<int32_t>(gpu - info.devices.begin());
  if (gpu != info.devices.end())
    info.devices.erase(gpu);
  info.devices.insert(info.devices.begin(), first);
  auto renumber = [&](int32_t &device) { device = device == old ? 0 : device < old ? device + 1 : device; };
  for (mlcrt_part &part : info.parts)
    renumber(part.device);
  for (mlcrt_channel &channel : info.channels) {
    renumber(channel.from);
    renumber(channel.to);
  }
}

void mlc::addDevice(ArtifactInfo &info, const KernelDevice &kernelDevice, ModuleOp module) {
  const llvm::StringSet<> onHost = variablesOnHost(module);
  constexpr int32_t kSpace = 1, device = 0;
  makeRoom(info, {kernelDevice.name, kernelDevice.kind});
  SymbolTable symbols(module);
  info.spaces.push_back({kernelDevice.memory, device, kernelDevice.alignment});
  for (size_t i = 0; i < info.variables.size(); ++i)
    if (!onHost.contains(info.variables[i].value.name))
      info.homes.push_back({static_cast<int32_t>(i), kSpace, /*flags=*/0, /*reserved=*/0});
  for (EntryInfo &entry : info.entries)
    for (SegmentInfo &segment : entry.segments)
      if (Operation *function = symbols.lookup(segment.function);
          segment.kind != MLCRT_SEGMENT_FEATURES && !(function && function->hasAttr(df::kOnHostAttr)))
        segment.device = device;
}

/// What placeOperands reads of functions.
static constexpr StringLiteral kDeviceAttrs[] = {kern::kSpacesAttr, kern::kCapturableAttr, kern::kErrorOperandAttr,
                                                 kern::kChecksAttr};

std::string mlc::deviceTable(ModuleOp module) {
  OwningOpRef<ModuleOp> table = ModuleOp::create(module.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(table->getBody());
  if (Attribute images = module->getAttr(kImagesAttr))
    (*table)->setAttr(kImagesAttr, images);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (llvm::none_of(kDeviceAttrs, [&](StringRef name) { return function->hasAttr(name); }))
      continue;
    auto declaration = LLVM::LLVMFuncOp::create(b, b.getUnknownLoc(), function.getName(), function.getFunctionType());
    for (StringRef name : kDeviceAttrs)
      if (Attribute attribute = function->getAttr(name))
        declaration->setAttr(name, attribute);
  }
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  (void)writeBytecodeToFile(*table, stream); // of a version that is asked for alone it may fail
  return bytes;
}

LogicalResult mlc::takeDeviceTable(ArtifactInfo &info, StringRef bytes, MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> table = parseSourceString<ModuleOp>(bytes, ParserConfig(context), "code of the cache");
  if (!table || failed(placeOperands(info, *table)))
    return failure();
  addImages(info, *table);
  return success();
}

void mlc::addHostInfo(ArtifactInfo &info, std::shared_ptr<ArtifactInfo> host) {
  for (EntryInfo &entry : host->entries)
    for (SegmentInfo &segment : entry.segments)
      segment.prefix = kHostPrefix;
  info.onHost = std::move(host);
}

/// Adds the error slot to the operands of a segment whose code lowers it, and what its checks say. Returns the segment
/// that runs them on the host, if it is a new one.
static std::optional<SegmentInfo> addErrorSlot(ArtifactInfo &info, SegmentInfo &segment, LLVM::LLVMFuncOp function) {
  auto number = function->getAttrOfType<IntegerAttr>(kern::kErrorOperandAttr);
  auto checks = function->getAttrOfType<ArrayAttr>(kern::kChecksAttr);
  if (!number || !checks || number.getInt() > static_cast<int64_t>(segment.operands.size()) ||
      llvm::any_of(segment.operands, [](const mlcrt_operand &o) { return o.source == MLCRT_SOURCE_ERROR; }))
    return std::nullopt;
  auto at = segment.operands.begin() + number.getInt();
  SegmentInfo onHost{segment.function + kern::kChecksSuffix.str(),
                     MLCRT_SEGMENT_CALLED,
                     {segment.operands.begin(), at},
                     segment.device};
  for (mlcrt_operand &operand : onHost.operands) {
    operand.access = MLCRT_READ;
    operand.flags &= ~MLCRT_OPERAND_SIGNALLED;
  }
  segment.operands.insert(at, {MLCRT_SOURCE_ERROR, 0, MLCRT_READ_WRITE, 0, MLCRT_SPACE_HOST, /*reserved=*/0});
  if (checks.size() == 1) // it has none itself: others lower the slot
    return std::nullopt;
  auto next = static_cast<size_t>(cast<IntegerAttr>(checks[0]).getInt());
  info.checks.resize(std::max(info.checks.size(), next + checks.size() - 1));
  for (Attribute message : checks.getValue().drop_front())
    info.checks[next++] = {MLCRT_INVALID_ARGUMENT, cast<StringAttr>(message).str()};
  return onHost;
}

LogicalResult mlc::placeOperands(ArtifactInfo &info, ModuleOp module) {
  SymbolTable symbols(module);
  for (EntryInfo &entry : info.entries) {
    std::vector<SegmentInfo> added;
    for (SegmentInfo &segment : entry.segments)
      if (auto function = symbols.lookup<LLVM::LLVMFuncOp>(segment.function))
        if (std::optional<SegmentInfo> checks = addErrorSlot(info, segment, function))
          added.push_back(std::move(*checks));
    llvm::append_range(entry.segments, added);
  }
  for (EntryInfo &entry : info.entries)
    for (SegmentInfo &segment : entry.segments) {
      auto function = symbols.lookup<LLVM::LLVMFuncOp>(segment.function);
      auto spaces = function ? function->getAttrOfType<DenseI64ArrayAttr>(kern::kSpacesAttr) : DenseI64ArrayAttr();
      if (!spaces)
        continue;
      if (spaces.size() != static_cast<int64_t>(segment.operands.size()))
        return function.emitError("'") << kern::kSpacesAttr << "' tells of " << spaces.size() << " operands; expected "
                                       << segment.operands.size();
      for (auto [operand, space] : llvm::zip_equal(segment.operands, spaces.asArrayRef())) {
        operand.space = static_cast<int32_t>(space);
        // The runtime brings it there before the segment runs, and takes it back after: the segment waits for nothing.
        if (space != 0)
          operand.flags &= ~MLCRT_OPERAND_SIGNALLED;
      }
      if (function->hasAttr(kern::kCapturableAttr))
        segment.flags |= MLCRT_SEGMENT_CAPTURABLE;
    }
  return success();
}

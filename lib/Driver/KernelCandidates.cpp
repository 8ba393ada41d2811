// Kernels of products by each tile that there is, to be measured.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/KernelCandidates.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernTiles.h"
#include "dialects/Mlc/IR/Mlc.h"
#include "lib/Driver/DiagnosticCollector.h"
#include "mlc/Codegen/Codegen.h"
#include "mlc/Driver/Register.h"
#include "mlc/Target/CUDA/Chips.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlc/Target/CUDA/TileTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlc;
using common::KernelCandidate;
using common::Tile;

/// Tiles of a result at most of which parts of the inner dimension are tried: more of them keep a GPU busy.
static constexpr int64_t kMostTilesInParts = 64;

namespace {
/// A way to multiply.
struct Variant {
  Tile tile;
  int64_t splits;
};

/// Candidates of one kind.
struct Maker {
  const CandidateOptions &options;
  MLIRContext *context;
  common::KernelModule &made;

  /// What is compiled: a shape but for the size that launches say, which is 0.
  struct Function {
    Variant variant;
    common::ProductShape shape;
  };
  llvm::StringMap<Function> functions{};

  bool isWorth(const Variant &variant, const common::ProductShape &shape) const;
  std::string functionText(const Function &function);
  std::string programText();
  LogicalResult make();
  LogicalResult addLaunches(ModuleOp program, bool isInner, int64_t size);
  LogicalResult addCandidate(func::FuncOp host, const Function &function, bool isInner, int64_t size);
};
} // namespace

/// Whether launches say the inner dimension, else the rows.
static bool isInnerOfLaunch(const common::ProductShape &shape) {
  return common::kProductForms[shape.form].front() == 't';
}

static common::ProductShape withSize(common::ProductShape shape, int64_t size) {
  (isInnerOfLaunch(shape) ? shape.k : shape.m) = size;
  return shape;
}

/// Whether a shape may have the variant: not mostly empty tiles, parts where there are few tiles and each has chunks.
bool Maker::isWorth(const Variant &variant, const common::ProductShape &shape) const {
  constexpr int64_t kSmallest = 32;
  const Tile &tile = variant.tile;
  auto isMostlyEmpty = [](int64_t extent, int64_t size) { return extent > kSmallest && extent >= 2 * size; };
  if (isMostlyEmpty(tile.rows, shape.m) || isMostlyEmpty(tile.columns, shape.n))
    return false;
  return variant.splits == 1 ||
         (tile.blocksOf(shape) <= kMostTilesInParts && cuda::partsOf(tile, variant.splits, shape.k) == variant.splits);
}

/// A function that multiplies. Several matrices are taken apart after the size that launches say, so that no distance
/// in memory depends on it, as heads are of rows of activations.
std::string Maker::functionText(const Function &function) {
  const common::ProductShape &shape = function.shape;
  const llvm::StringRef form(common::kProductForms[shape.form].data(), 2);
  const llvm::StringRef element = made.kind == "tf32" ? "f32" : llvm::StringRef(made.kind);
  const llvm::StringRef result = made.kind == "f64" ? "f64" : "f32";
  const bool isSeveral = shape.batches > 1, isInner = isInnerOfLaunch(shape);
  auto sizeText = [](int64_t size) { return size ? std::to_string(size) : std::string("?"); };
  // Dimensions in memory: their sizes, and their loops.
  auto typeOf = [&](std::vector<std::pair<int64_t, char>> dims, llvm::StringRef type, std::string &loops) {
    if (isSeveral)
      dims.insert(dims.begin() + (dims.front().first == 0 ? 1 : 0), {shape.batches, 'b'});
    std::string text = "memref<";
    for (auto [size, loop] : dims) {
      text += sizeText(size) + "x";
      loops += (loops.empty() ? "" : ", ") + std::string(1, loop);
    }
    return text + type.str() + ", 1>";
  };
  const std::pair<int64_t, char> m(isInner ? shape.m : 0, 'm'), n(shape.n, 'n'), k(isInner ? 0 : shape.k, 'k');
  using Dims = std::vector<std::pair<int64_t, char>>;
  std::string ofX, ofW, ofY;
  const std::string x = typeOf(form[0] == 'n' ? Dims{m, k} : Dims{k, m}, element, ofX),
                    w = typeOf(form[1] == 'n' ? Dims{k, n} : Dims{n, k}, element, ofW), y = typeOf({m, n}, result, ofY);
  std::string maps;
  for (const std::string &loops : {ofX, ofW, ofY})
    maps += (maps.empty() ? "affine_map<(" : ", affine_map<(") + std::string(isSeveral ? "b, " : "") + "m, n, k) -> (" +
            loops + ")>";
  const std::string name =
      llvm::formatv("product_{0}_{1}_{2}_{3}_{4}_{5}_{6}", form, common::tileText(function.variant.tile),
                    function.variant.splits, shape.m, shape.n, shape.k, shape.batches);
  functions[name] = function;
  return llvm::formatv("func.func @{0}(%x: {1}, %w: {2}, %y: {3}) {{\n"
                       "kern.contract ins(%x, %w : {1}, {2}) outs(%y : {3}) {{\n"
                       "^bb0(%sum: {4}):\nkern.yield %sum : {4}\n} {{extra_maps = [], maps = [{5}]{6}}\nreturn\n}\n",
                       name, x, w, y, result, maps, made.kind == "tf32" ? ", kern.tf32" : "");
}

/// A module for each variant, with a function for each shape but for what launches say. Names of functions say which.
std::string Maker::programText() {
  std::string text;
  const bool hasParts = made.kind != "f32" && made.kind != "f64";
  for (const Tile &tile : cuda::tilesOf(made.kind))
    for (int64_t splits : options.splits) {
      if (splits > 1 && !hasParts)
        continue;
      const Variant variant{tile, splits};
      std::string bodies;
      auto add = [&](common::ProductShape shape, const std::vector<int64_t> &sizes) {
        if (llvm::any_of(sizes, [&](int64_t size) { return isWorth(variant, withSize(shape, size)); }))
          bodies += functionText({variant, withSize(shape, 0)});
      };
      for (size_t form : options.forms)
        for (int64_t batches : options.batches)
          for (int64_t n : options.n) {
            const bool isInner = isInnerOfLaunch({0, 0, 0, 0, form});
            for (int64_t size : isInner ? options.m : options.k)
              add(isInner ? common::ProductShape{size, n, 0, batches, form}
                          : common::ProductShape{0, n, size, batches, form},
                  isInner ? options.k : options.m);
          }
      if (bodies.empty())
        continue;
      common::KernelTable table;
      for (common::TileLine line : cuda::builtInTiles().lines)
        if (line.kind != made.kind)
          table.lines.push_back(line);
      common::TileLine &line = table.lines.emplace_back();
      line.chip = common::kAnyChip;
      line.kind = made.kind;
      line.tile = tile;
      line.splits = splits;
      text += "module attributes {" + kern::kKernelTableAttr.str() + " = \"";
      for (char c : kernelTableText(table, /*withFigures=*/false))
        text += c == '\n' ? std::string("\\0A") : std::string(1, c);
      text += "\"} {\n" + bodies + "}\n";
    }
  return text;
}

/// Has the host's code compute with `size` where a size is not known: what follows from it becomes constants.
static LogicalResult setSize(ModuleOp program, int64_t size) {
  program.walk([&](func::FuncOp function) {
    OpBuilder b(function.getBody());
    auto constant = [&](Location loc, int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value).getResult();
    };
    function.walk([&](Operation *op) {
      b.setInsertionPoint(op);
      if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
        // It is that of the first dimension, so that no distance depends on it.
        for (auto [i, known] : llvm::enumerate(metadata.getSource().getType().getShape()))
          metadata.getSizes()[i].replaceAllUsesWith(
              constant(op->getLoc(), ShapedType::isDynamic(known) ? size : static_cast<int64_t>(known)));
      } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
        dim.getResult().replaceAllUsesWith(constant(op->getLoc(), size));
      }
    });
  });
  PassManager passes(program.getContext());
  passes.addPass(createCanonicalizerPass());
  return passes.run(program);
}

/// The launches of all functions whose rows, or inner dimension, are `size`.
LogicalResult Maker::addLaunches(ModuleOp program, bool isInner, int64_t size) {
  OwningOpRef<ModuleOp> hosts = ModuleOp::create(program.getLoc());
  for (auto function : program.getOps<func::FuncOp>()) {
    const bool isKernel = function->hasAttr(kern::kGridAttr);
    auto found = functions.find(function.getName());
    if (!isKernel && (found == functions.end() || isInnerOfLaunch(found->second.shape) != isInner ||
                      !isWorth(found->second.variant, withSize(found->second.shape, size))))
      continue;
    auto copy = cast<func::FuncOp>(isKernel ? function->cloneWithoutRegions() : function->clone());
    if (isKernel)
      copy.setPrivate();
    hosts->push_back(copy);
  }
  if (failed(setSize(*hosts, size)))
    return failure();
  for (auto function : hosts->getOps<func::FuncOp>()) {
    auto found = functions.find(function.getName());
    if (found != functions.end() && failed(addCandidate(function, found->second, isInner, size)))
      return failure();
  }
  return success();
}

LogicalResult Maker::addCandidate(func::FuncOp host, const Function &function, bool isInner, int64_t size) {
  KernelCandidate candidate;
  candidate.tile = function.variant.tile;
  candidate.splits = function.variant.splits;
  candidate.shape = withSize(function.shape, size);
  // Sums of parts are in memory of the function's own.
  llvm::MapVector<Value, int64_t> buffers;
  auto bufferOf = [&](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    for (int64_t extent : type.getShape())
      bytes *= ShapedType::isDynamic(extent) ? size : extent;
    auto [it, isNew] = buffers.insert({buffer, static_cast<int64_t>(buffers.size())});
    if (isNew)
      candidate.buffers.push_back(bytes);
    return it->second;
  };
  bool isKnown = true;
  auto argumentOf = [&](Value value) -> KernelCandidate::Argument {
    while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
      value = view.getViewSource();
    if (isa<MemRefType>(value.getType()))
      return {true, bufferOf(value)};
    std::optional<int64_t> number = getConstantIntValue(value);
    isKnown &= number.has_value();
    return {false, number.value_or(0)};
  };
  host.walk([&](kern::LaunchOp op) {
    KernelCandidate::Launch &launch = candidate.launches.emplace_back();
    auto call = *op.getBody().getOps<func::CallOp>().begin();
    std::optional<int64_t> blocks = getConstantIntValue(op.getTasks());
    isKnown &= blocks.has_value();
    launch.kernel = call.getCallee().str();
    launch.blocks = blocks.value_or(0);
    launch.threads = op.getGrid()->getThreads();
    for (Value operand : call.getOperands().drop_back(2))
      launch.arguments.push_back(argumentOf(operand));
  });
  if (!isKnown || candidate.launches.empty())
    return host.emitError("its launches do not follow from ") << size << (isInner ? " numbers a sum" : " rows");
  made.candidates.push_back(std::move(candidate));
  return success();
}

LogicalResult Maker::make() {
  OwningOpRef<ModuleOp> program =
      parseSourceString<ModuleOp>("module {\n" + programText() + "}\n", ParserConfig(context), made.kind);
  if (!program)
    return failure();
  PassManager lowering(context);
  OpPassManager &ofTile = lowering.nest<ModuleOp>();
  const std::vector<std::string> chips = latestFirst(chipsOrDefault(options.chips));
  CudaLowerKernelsOptions ways;
  ways.warpgroups = haveWarpgroups(chips);
  ofTile.addNestedPass<func::FuncOp>(createCudaLowerKernels(ways));
  ofTile.addPass(createCanonicalizerPass());
  ofTile.addPass(createCSEPass());
  if (failed(lowering.run(*program)))
    return failure();
  for (auto ofTile : llvm::make_early_inc_range(program->getOps<ModuleOp>())) {
    for (auto function : llvm::make_early_inc_range(ofTile.getOps<func::FuncOp>()))
      function->moveBefore(ofTile);
    ofTile.erase();
  }
  PassManager outlining(context);
  outlining.addPass(createOutlineKernels());
  if (failed(outlining.run(*program)))
    return failure();
  for (bool isInner : {false, true})
    for (int64_t size : isInner ? options.k : options.m)
      if (failed(addLaunches(*program, isInner, size)))
        return failure();
  for (auto function : llvm::make_early_inc_range(program->getOps<func::FuncOp>()))
    if (!function->hasAttr(kern::kGridAttr))
      function.erase();
  CudaEmitKernelsOptions emission;
  emission.chips = SmallVector<std::string>(chips.begin(), chips.end());
  PassManager emitting(context);
  emitting.addPass(createCudaEmitKernels(emission));
  if (failed(emitting.run(*program)))
    return failure();
  for (auto image : (*program)->getAttrOfType<ArrayAttr>(kImagesAttr).getAsRange<DictionaryAttr>())
    made.images.emplace_back(image.getAs<StringAttr>("chip").str(), image.getAs<StringAttr>("data").str());
  return success();
}

int64_t mlc::countShapes(const CandidateOptions &options) {
  return static_cast<int64_t>(options.forms.size() * options.m.size() * options.n.size() * options.k.size() *
                              options.batches.size());
}

bool mlc::makeCandidates(const CandidateOptions &options, common::KernelCandidates &candidates,
                         common::MessageList &messages) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  DiagnosticCollector diagnostics(&context, messages);
  context.loadAllAvailableDialects();
  candidates.madeBy = "mlc " + std::string(MLC_VERSION);
  candidates.others = cuda::builtInTiles();
  for (const std::string &kind : options.kinds) {
    common::KernelModule &made = candidates.modules.emplace_back();
    made.kind = kind;
    if (failed(Maker{options, &context, made}.make())) {
      if (!messages.hasErrors())
        messages.add(common::makeError("E0702", "the kernels of " + kind + " cannot be compiled"));
      return false;
    }
  }
  return true;
}

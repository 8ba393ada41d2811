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
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlc;
using common::KernelCandidate;
using common::Tile;

namespace {
/// Candidates of one kind.
struct Maker {
  const CandidateOptions &options;
  MLIRContext *context;
  common::KernelModule &made;

  struct Function {
    Tile tile;
    int64_t n, k;
  };
  llvm::StringMap<Function> functions{};

  std::string programText();
  LogicalResult make();
  LogicalResult addLaunches(ModuleOp program, int64_t m);
};
} // namespace

/// A module for each tile, with a function for each n and k. Names of functions say which.
std::string Maker::programText() {
  const llvm::StringRef element = made.kind == "tf32" ? "f32" : llvm::StringRef(made.kind);
  const llvm::StringRef result = made.kind == "f64" ? "f64" : "f32";
  std::string text;
  for (const Tile &tile : cuda::tilesOf(made.kind)) {
    common::KernelTable table;
    for (common::TileLine line : cuda::builtInTiles().lines) {
      if (line.kind == made.kind)
        line.tile = tile;
      table.lines.push_back(line);
    }
    // One line is all that there are for.
    llvm::erase_if(table.lines, [&](const common::TileLine &line) {
      return line.kind == made.kind && !(line.blocks == common::Bounds());
    });
    text += "module attributes {" + kern::kKernelTableAttr.str() + " = \"";
    for (char c : kernelTableText(table, /*withFigures=*/false))
      text += c == '\n' ? std::string("\\0A") : std::string(1, c);
    text += "\"} {\n";
    for (int64_t n : options.n)
      for (int64_t k : options.k) {
        const std::string name = "product_" + tileText(tile) + "_" + std::to_string(n) + "_" + std::to_string(k);
        functions[name] = {tile, n, k};
        const std::string x = llvm::formatv("memref<?x{0}x{1}, 1>", k, element),
                          w = llvm::formatv("memref<{0}x{1}x{2}, 1>", k, n, element),
                          y = llvm::formatv("memref<?x{0}x{1}, 1>", n, result);
        text += llvm::formatv("func.func @{0}(%x: {1}, %w: {2}, %y: {3}) {{\n"
                              "kern.contract ins(%x, %w : {1}, {2}) outs(%y : {3}) {{\n"
                              "^bb0(%sum: {4}):\nkern.yield %sum : {4}\n} {{extra_maps = []{5}}\nreturn\n}\n",
                              name, x, w, y, result, made.kind == "tf32" ? ", kern.tf32" : "");
      }
    text += "}\n";
  }
  return text;
}

/// Has the host's code compute with `m` rows: what follows from them becomes constants.
static LogicalResult setRows(ModuleOp program, int64_t m) {
  program.walk([&](func::FuncOp function) {
    OpBuilder b(function.getBody());
    auto constant = [&](Location loc, int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value).getResult();
    };
    function.walk([&](Operation *op) {
      b.setInsertionPoint(op);
      if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
        // Rows are the first dimension, so that no distance depends on them.
        for (auto [i, size] : llvm::enumerate(metadata.getSource().getType().getShape()))
          metadata.getSizes()[i].replaceAllUsesWith(
              constant(op->getLoc(), ShapedType::isDynamic(size) ? m : static_cast<int64_t>(size)));
      } else if (auto dim = dyn_cast<memref::DimOp>(op)) {
        dim.getResult().replaceAllUsesWith(constant(op->getLoc(), m));
      }
    });
  });
  PassManager passes(program.getContext());
  passes.addPass(createCanonicalizerPass());
  return passes.run(program);
}

/// The launches of all functions for `m` rows.
LogicalResult Maker::addLaunches(ModuleOp program, int64_t m) {
  OwningOpRef<ModuleOp> hosts = ModuleOp::create(program.getLoc());
  for (auto function : program.getOps<func::FuncOp>()) {
    auto copy =
        cast<func::FuncOp>(function->hasAttr(kern::kGridAttr) ? function->cloneWithoutRegions() : function->clone());
    if (copy->hasAttr(kern::kGridAttr))
      copy.setPrivate();
    hosts->push_back(copy);
  }
  if (failed(setRows(*hosts, m)))
    return failure();
  for (auto function : hosts->getOps<func::FuncOp>()) {
    auto found = functions.find(function.getName());
    if (found == functions.end())
      continue;
    KernelCandidate candidate;
    candidate.tile = found->second.tile;
    candidate.shape = {m, found->second.n, found->second.k, 1};
    bool isKnown = false;
    auto addArgument = [&](Value value) {
      while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
        value = view.getViewSource();
      if (auto buffer = dyn_cast<BlockArgument>(value)) {
        auto type = cast<MemRefType>(buffer.getType());
        int64_t bytes = type.getElementTypeBitWidth() / 8;
        for (int64_t size : type.getShape())
          bytes *= ShapedType::isDynamic(size) ? m : size;
        candidate.arguments.push_back({true, bytes});
        return true;
      }
      std::optional<int64_t> number = getConstantIntValue(value);
      candidate.arguments.push_back({false, number.value_or(0)});
      return number.has_value();
    };
    function.walk([&](kern::LaunchOp launch) {
      auto call = *launch.getBody().getOps<func::CallOp>().begin();
      std::optional<int64_t> blocks = getConstantIntValue(launch.getTasks());
      isKnown = blocks.has_value();
      candidate.kernel = call.getCallee().str();
      candidate.blocks = blocks.value_or(0);
      candidate.threads = launch.getGrid()->getThreads();
      for (Value operand : call.getOperands().drop_back(2))
        isKnown &= addArgument(operand);
    });
    if (!isKnown)
      return function.emitError("its launch does not follow from ") << m << " rows";
    made.candidates.push_back(std::move(candidate));
  }
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
  for (int64_t m : options.m)
    if (failed(addLaunches(*program, m)))
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

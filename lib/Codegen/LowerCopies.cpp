// Copies of one kind to a launch: tables and loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerCopies.h"
#include "Frame.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <vector>

using namespace mlir;
using namespace mlc;

/// Pairs of a task: columns of f32 that are written side by side share lines of the cache, 16 of them a line.
static constexpr int64_t kPairsOfTask = 16;
/// Rows that the pairs of a task copy at a time, so that the lines that they share stay in the nearest cache.
static constexpr int64_t kRowsOfBlock = 256;
/// Rows that a batch is taken to have where its number is not known.
static constexpr int64_t kTypicalRows = 128;

namespace {
/// Where the buffers of one side of all copies are: so many bytes into a buffer of the frame, or into one of `roots`.
struct Side {
  bool isInFrame = false;
  SmallVector<Value> roots;     ///< if not in the frame
  SmallVector<int64_t> numbers; ///< of the buffer in the frame, or of the root
  SmallVector<int64_t> offsets; ///< bytes

  /// Several roots are in a table on the stack, one is captured.
  int64_t numCells() const { return isInFrame || roots.size() == 1 ? 0 : static_cast<int64_t>(roots.size()); }
};

struct CopyLowering {
  OpBuilder &b;
  kern::CopiesOp op;
  Value buffers; ///< of the frame
  Location loc;
  kern::CopiesOp::Pattern pattern;
  int64_t bytes; ///< of an element
  Type pointer, i64;
  Side source, target;
  /// The dimension of the sources' buffers in the frame that is their number of rows, where that is dynamic.
  std::optional<int64_t> rowsInFrame;
  std::map<std::vector<int64_t>, LLVM::GlobalOp> tables;

  CopyLowering(OpBuilder &b, kern::CopiesOp op, Value buffers)
      : b(b), op(op), buffers(buffers), loc(op.getLoc()), pattern(op.getPattern()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())), i64(b.getI64Type()) {
    bytes = kern::elementBytes(cast<MemRefType>(op.getSources()[0].getType()));
    source = find(op.getSources());
    target = find(op.getTargets());
    if (source.isInFrame)
      rowsInFrame = findRows();
  }

  int64_t numPairs() { return static_cast<int64_t>(op.getSources().size()); }
  bool hasDynamicRows() { return ShapedType::isDynamic(pattern.rows); }
  bool readsRows() { return hasDynamicRows() && !rowsInFrame; }
  /// Cells of the table on the stack: roots of the sources, roots of the targets, rows of each pair.
  int64_t numCells() { return source.numCells() + target.numCells() + (readsRows() ? numPairs() : 0); }

  //===-- where buffers are ------------------------------------------------------------------===//

  /// The buffer that offsets in the type of `memref` count from.
  static Value rootOf(Value memref) {
    while (isa_and_nonnull<memref::SubViewOp, memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
        memref.getDefiningOp()))
      memref = memref.getDefiningOp()->getOperand(0);
    return memref;
  }

  /// Elements from the root to the first one, as far as the type tells.
  static int64_t offsetOf(Value memref) {
    SmallVector<int64_t> strides;
    int64_t offset;
    bool isKnown = succeeded(cast<MemRefType>(memref.getType()).getStridesAndOffset(strides, offset));
    return isKnown ? offset : ShapedType::kDynamic;
  }

  static bool isOfFrame(Value root) {
    auto argument = dyn_cast<BlockArgument>(root);
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  }

  Side find(ValueRange memrefs) {
    Side side;
    llvm::SmallDenseMap<Value, int64_t> known;
    side.isInFrame = true;
    for (Value memref : memrefs) {
      Value root = rootOf(memref);
      int64_t offset = offsetOf(memref);
      // What begins at a place that only the call knows stands for itself.
      if (ShapedType::isDynamic(offset) || offsetOf(root) != 0) {
        root = memref;
        offset = 0;
      }
      side.offsets.push_back(offset * bytes);
      auto [it, isNew] = known.try_emplace(root, side.roots.size());
      if (isNew)
        side.roots.push_back(root);
      side.numbers.push_back(it->second);
      side.isInFrame &= isOfFrame(root);
    }
    if (side.roots.size() == 1)
      side.isInFrame = false;
    if (!side.isInFrame)
      return side;
    for (int64_t &number : side.numbers)
      number = static_cast<int64_t>(cast<BlockArgument>(side.roots[number]).getArgNumber()) - 1;
    return side;
  }

  /// The dimension of all buffers of the sources that is the number of rows, if there is one.
  std::optional<int64_t> findRows() {
    std::optional<int64_t> found;
    for (Value memref : op.getSources()) {
      for (Value view = memref; view != rootOf(memref); view = view.getDefiningOp()->getOperand(0))
        if (view.getDefiningOp<memref::SubViewOp>())
          return std::nullopt;
      auto type = cast<MemRefType>(memref.getType()), of = cast<MemRefType>(rootOf(memref).getType());
      auto elements = [](MemRefType t) {
        int64_t product = 1;
        for (int64_t size : t.getShape())
          product *= ShapedType::isDynamic(size) ? 1 : size;
        return product;
      };
      const auto *dynamic = llvm::find_if(of.getShape(), ShapedType::isDynamic);
      const int64_t d = dynamic - of.getShape().begin();
      if (of.getNumDynamicDims() != 1 || elements(type) != elements(of) || (found && found != d))
        return std::nullopt;
      found = d;
    }
    return found;
  }

  //===-- before the launch --------------------------------------------------------------------===//

  Value index(int64_t v) { return arith::ConstantIndexOp::create(b, loc, v); }
  Value asI64(Value v) { return arith::IndexCastOp::create(b, loc, i64, v); }
  /// A pointer as what kernels capture.
  Value asNumber(Value of) { return LLVM::PtrToIntOp::create(b, loc, i64, of); }

  Value cellAddress(Value table, int64_t cell) {
    return LLVM::GEPOp::create(b, loc, pointer, i64, pointerOf(b, loc, table),
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(cell)});
  }

  /// What a launch captures of a side: the address of the frame's buffers, of the one root, or of the table of roots,
  /// which is filled from cell `next` on.
  Value capture(const Side &side, Value table, int64_t &next) {
    if (side.isInFrame)
      return asNumber(buffers);
    if (side.roots.size() == 1)
      return asNumber(pointerOf(b, loc, side.roots.front()));
    Value begin = cellAddress(table, next);
    for (Value root : side.roots)
      LLVM::StoreOp::create(b, loc, pointerOf(b, loc, root), cellAddress(table, next++));
    return asNumber(begin);
  }

  Value captureRows(Value ofSource, Value table, int64_t &next) {
    if (!readsRows())
      return ofSource;
    Value begin = cellAddress(table, next);
    for (Value from : op.getSources()) {
      auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, from);
      LLVM::StoreOp::create(b, loc, asI64(metadata.getSizes()[*pattern.rowDimension]), cellAddress(table, next++));
    }
    return asNumber(begin);
  }

  //===-- in the kernel ------------------------------------------------------------------------===//

  /// Element `at` of a constant table of the module.
  Value loadConstant(ArrayRef<int64_t> numbers, Value at) {
    LLVM::GlobalOp &table = tables[std::vector<int64_t>(numbers.begin(), numbers.end())];
    if (!table)
      table = makeConstantTable(op->getParentOfType<ModuleOp>(), loc, numbers);
    Value address = LLVM::AddressOfOp::create(b, loc, table);
    return LLVM::LoadOp::create(b, loc, i64,
                                LLVM::GEPOp::create(b, loc, pointer, i64, address, ArrayRef<LLVM::GEPArg>{asI64(at)}));
  }

  Value loadAt(Value base, Value byte, Type type) {
    Value at = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{byte});
    return LLVM::LoadOp::create(b, loc, type, at);
  }

  /// Byte `byte` of the record of the side's buffer `pair` in the frame.
  Value loadOfFrame(const Side &side, Value frame, Value pair, int64_t byte, Type type) {
    Value record = arith::MulIOp::create(b, loc, loadConstant(side.numbers, pair),
                                         LLVM::ConstantOp::create(b, loc, i64, FrameLayout::bufferSize));
    return loadAt(frame, arith::AddIOp::create(b, loc, record, LLVM::ConstantOp::create(b, loc, i64, byte)), type);
  }

  Value loadCell(Value cells, Value cell, Type type) {
    return loadAt(cells, arith::MulIOp::create(b, loc, cell, LLVM::ConstantOp::create(b, loc, i64, int64_t{8})), type);
  }

  /// The bytes from the side's buffer to pair `pair`; null: none.
  Value offsetOf(const Side &side, Value pair) {
    ArrayRef<int64_t> offsets = side.offsets;
    if (llvm::all_of(offsets, [](int64_t offset) { return offset == 0; }))
      return {};
    const int64_t step = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
    for (size_t i = 1; i < offsets.size(); ++i)
      if (offsets[i] - offsets[i - 1] != step)
        return loadConstant(offsets, pair);
    return asI64(arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, pair, index(step)), index(offsets[0])));
  }

  Value addressOf(const Side &side, Value captured, Value pair) {
    Value base = LLVM::IntToPtrOp::create(b, loc, pointer, captured);
    if (side.isInFrame)
      base = loadOfFrame(side, base, pair, FrameLayout::bufferData, pointer);
    else if (side.roots.size() > 1)
      base = loadCell(base, loadConstant(side.numbers, pair), pointer);
    Value offset = offsetOf(side, pair);
    return offset ? LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset}) : base;
  }

  Value rowsOf(Value captured, Value pair) {
    if (!hasDynamicRows())
      return index(pattern.rows);
    Value base = LLVM::IntToPtrOp::create(b, loc, pointer, captured);
    Value rows = rowsInFrame ? loadField(b, loc, loadOfFrame(source, base, pair, FrameLayout::bufferDims, pointer),
                                         8 * *rowsInFrame, i64)
                             : loadCell(base, asI64(pair), i64);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), rows);
  }

  void forEach(Value begin, Value end, int64_t step, llvm::function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, loc, begin, end, index(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar());
  }

  /// The address `row` rows of `stride` elements after `base`.
  Value rowAt(Value base, Value row, int64_t stride) {
    Value at = arith::MulIOp::create(b, loc, row, index(stride * bytes));
    return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{asI64(at)});
  }

  void copyRow(Value from, Value to) {
    const int64_t size = pattern.width * bytes;
    constexpr int64_t kMostOfRegister = 8;
    if (size > kMostOfRegister || !llvm::isPowerOf2_64(size)) {
      LLVM::MemcpyOp::create(b, loc, to, from, LLVM::ConstantOp::create(b, loc, i64, size), /*isVolatile=*/false);
      return;
    }
    const auto alignment = static_cast<unsigned>(bytes);
    Value value = LLVM::LoadOp::create(b, loc, b.getIntegerType(size * 8), from, alignment);
    LLVM::StoreOp::create(b, loc, value, to, alignment);
  }

  void copyPairs(Value ofSource, Value ofTarget, Value ofRows, Value first, Value last) {
    if (!pattern.rowDimension) {
      forEach(first, last, 1,
              [&](Value pair) { copyRow(addressOf(source, ofSource, pair), addressOf(target, ofTarget, pair)); });
      return;
    }
    auto longest = scf::ForOp::create(b, loc, first, last, index(1), index(0));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(longest.getBody());
      Value rows = rowsOf(ofRows, longest.getInductionVar());
      scf::YieldOp::create(b, loc, Value(arith::MaxSIOp::create(b, loc, rows, longest.getRegionIterArg(0))));
    }
    forEach(index(0), longest.getResult(0), kRowsOfBlock, [&](Value begin) {
      forEach(first, last, 1, [&](Value pair) {
        Value from = addressOf(source, ofSource, pair), to = addressOf(target, ofTarget, pair);
        Value end = arith::MinSIOp::create(b, loc, arith::AddIOp::create(b, loc, begin, index(kRowsOfBlock)),
                                           rowsOf(ofRows, pair));
        forEach(begin, end, 1, [&](Value row) {
          copyRow(rowAt(from, row, pattern.sourceStride), rowAt(to, row, pattern.targetStride));
        });
      });
    });
  }

  kern::LaunchOp lower(Value table) {
    b.setInsertionPoint(op);
    int64_t next = 0;
    Value ofSource = capture(source, table, next), ofTarget = capture(target, table, next);
    Value ofRows = captureRows(ofSource, table, next);
    const int64_t rows = hasDynamicRows() ? kTypicalRows : pattern.rows;
    // A line of each row, and what lies in it.
    const int64_t cost = kPairsOfTask * rows * (1 + pattern.width * bytes / 16);
    const int64_t tasks = (numPairs() + kPairsOfTask - 1) / kPairsOfTask;
    auto launch = kern::LaunchOp::create(b, loc, index(tasks), cost, kern::GridAttr());
    Block &body = launch.getBody().emplaceBlock();
    Value task = body.addArgument(b.getIndexType(), loc);
    b.setInsertionPointToEnd(&body);
    kern::YieldOp::create(b, loc);
    b.setInsertionPointToStart(&body);
    Value first = arith::MulIOp::create(b, loc, task, index(kPairsOfTask));
    Value last =
        arith::MinSIOp::create(b, loc, arith::AddIOp::create(b, loc, first, index(kPairsOfTask)), index(numPairs()));
    copyPairs(ofSource, ofTarget, ofRows, first, last);
    op.erase();
    return launch;
  }
};
} // namespace

SmallVector<kern::LaunchOp> mlc::lowerCopies(func::FuncOp segment, Value buffers) {
  SmallVector<kern::CopiesOp> copies;
  segment.walk([&](kern::CopiesOp op) { copies.push_back(op); });
  OpBuilder b(segment.getContext());
  // One table serves all: launches run one after the other.
  int64_t most = 0;
  for (kern::CopiesOp op : copies)
    most = std::max(most, CopyLowering(b, op, buffers).numCells());
  Value table;
  if (most > 0) {
    b.setInsertionPointAfterValue(buffers);
    table = memref::AllocaOp::create(b, segment.getLoc(), MemRefType::get({most}, b.getI64Type()));
  }
  SmallVector<kern::LaunchOp> launches;
  for (kern::CopiesOp op : copies)
    launches.push_back(CopyLowering(b, op, buffers).lower(table));
  return launches;
}

// kern.contract and kern.pack: maps, types, verifiers, bytecode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernVerify.h"
#include "dialects/Support/DialectVersion.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlc::kern;
using namespace mlc::kern::detail;

bool mlc::kern::holds(Type to, Type from) {
  if (auto wide = dyn_cast<FloatType>(to)) {
    auto narrow = dyn_cast<FloatType>(from);
    return narrow && llvm::APFloat::isRepresentableBy(narrow.getFloatSemantics(), wide.getFloatSemantics());
  }
  return to.isSignlessInteger() && from.isSignlessInteger() &&
         from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
}

//===-- maps ----------------------------------------------------------------------===//

/// The loop of `loop <kind> constant`.
static std::optional<std::pair<unsigned, int64_t>> parted(AffineExpr e, AffineExprKind kind) {
  auto pair = dyn_cast<AffineBinaryOpExpr>(e);
  if (!pair || pair.getKind() != kind)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(pair.getLHS());
  auto by = dyn_cast<AffineConstantExpr>(pair.getRHS());
  if (!loop || !by)
    return std::nullopt;
  return std::pair(loop.getPosition(), by.getValue());
}

std::optional<PanelMap> PanelMap::of(AffineMap map) {
  if (map.getNumResults() < 2)
    return std::nullopt;
  auto last = parted(map.getResults().back(), AffineExprKind::Mod);
  if (!last)
    return std::nullopt;
  PanelMap result;
  std::tie(result.column, result.width) = *last;
  bool isInner = false;
  llvm::SmallDenseSet<unsigned> seen = {result.column};
  for (AffineExpr e : map.getResults().drop_back()) {
    if (parted(e, AffineExprKind::FloorDiv) == last && !isInner) {
      isInner = true;
      continue;
    }
    auto loop = dyn_cast<AffineDimExpr>(e);
    if (!loop || !seen.insert(loop.getPosition()).second)
      return std::nullopt;
    (isInner ? result.inner : result.batches).push_back(loop.getPosition());
  }
  return isInner ? std::optional(result) : std::nullopt;
}

AffineMap PanelMap::get(unsigned numLoops, MLIRContext *context) const {
  SmallVector<AffineExpr> results;
  for (unsigned loop : batches)
    results.push_back(getAffineDimExpr(loop, context));
  AffineExpr n = getAffineDimExpr(column, context);
  results.push_back(n.floorDiv(width));
  for (unsigned loop : inner)
    results.push_back(getAffineDimExpr(loop, context));
  results.push_back(n % width);
  return AffineMap::get(numLoops, 0, results, context);
}

SmallVector<AffineMap, 3> ContractOp::getLoopMaps() {
  if (auto maps = getMaps())
    return llvm::to_vector<3>(maps->getAsValueRange<AffineMapAttr>());
  Builder b(getContext());
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1), k = b.getAffineDimExpr(2);
  auto map = [&](AffineExpr x, AffineExpr y) { return AffineMap::get(3, 0, {x, y}, getContext()); };
  return {getTransposeA() ? map(k, m) : map(m, k), getTransposeB() ? map(n, k) : map(k, n), map(m, n)};
}

std::optional<int64_t> ContractOp::getPanelWidth() {
  auto panels = getMaps() ? PanelMap::of(getLoopMaps()[1]) : std::nullopt;
  return panels ? std::optional(panels->width) : std::nullopt;
}

/// Whether an expression is made of loops, sums, and products with constants.
static bool isLinear(AffineExpr e) {
  if (isa<AffineDimExpr, AffineConstantExpr>(e))
    return true;
  auto pair = dyn_cast<AffineBinaryOpExpr>(e);
  if (!pair || !isLinear(pair.getLHS()))
    return false;
  if (e.getKind() == AffineExprKind::Add)
    return isLinear(pair.getRHS());
  return e.getKind() == AffineExprKind::Mul && isa<AffineConstantExpr>(pair.getRHS());
}

//===-- verifiers -----------------------------------------------------------------===//

LogicalResult mlc::kern::detail::verifyBody(Operation *op, Region &region, SmallVector<Type> arguments, ValueRange outs,
                                            StringRef constraint) {
  Block &block = region.front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(arguments))
    return op->emitOpError() << constraint << ": the region must take (" << arguments << "); found ("
                             << block.getArgumentTypes() << ")";
  SmallVector<Type> results;
  for (Value out : outs)
    results.push_back(elementOf(out));
  auto yielded = block.getTerminator()->getOperandTypes();
  if (TypeRange(yielded) != TypeRange(results))
    return op->emitOpError() << constraint << ": the region must yield (" << results << "); found (" << yielded << ")";
  return success();
}

static unsigned loopOf(AffineExpr e) { return cast<AffineDimExpr>(e).getPosition(); }

/// (C4)
static LogicalResult verifyMaps(ContractOp op) {
  if (!op.getMaps())
    return success();
  SmallVector<AffineMap, 3> maps = op.getLoopMaps();
  auto fail = [&](StringRef what) { return op.emitOpError("(C4) ") << what << "; found " << op.getMapsAttr(); };
  if (maps.size() != 3 || op.getTransposeA() || op.getTransposeB())
    return fail("maps must be three, without transposition");
  SmallVector<Value> operands = {op.getLhs(), op.getRhs()};
  llvm::append_range(operands, op.getOuts());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    AffineMap map = maps[std::min<size_t>(i, 2)];
    if (map.getNumDims() != maps[0].getNumDims() || map.getNumSymbols() ||
        map.getNumResults() != shapedOf(operand).getRank())
      return fail("maps must go from the loops to the operands' dimensions");
  }
  AffineMap lhs = maps[0], rhs = maps[1], out = maps[2];
  if (!out.isProjectedPermutation() || !out.getNumResults())
    return fail("the outs' map must be a permutation of its loops");
  unsigned columns = 0;
  for (unsigned d = 0; d < out.getNumDims(); ++d) {
    bool inLhs = lhs.isFunctionOfDim(d), inRhs = rhs.isFunctionOfDim(d), inOut = out.isFunctionOfDim(d);
    if (inLhs + inRhs + inOut < 2)
      return fail("a loop must be of two operands at least");
    if (inRhs && !inLhs && (++columns > 1 || !out.getResults().back().isFunctionOfDim(d)))
      return fail("there must be one column loop, the outs' last dimension");
    // Its size is a dimension of rhs, or of the out for rows and batches.
    bool sized = inOut || llvm::any_of(rhs.getResults(),
                                       [&](AffineExpr e) { return e == getAffineDimExpr(d, op.getContext()); });
    if (!sized)
      return fail("an inner loop must be a dimension of rhs");
  }
  if (columns != 1)
    return fail("there must be one column loop, the outs' last dimension");
  if (auto panels = PanelMap::of(rhs)) {
    // Panels hold batches and inner loops in the order of the product.
    auto batchesOfOut = llvm::make_filter_range(llvm::map_range(out.getResults(), loopOf), [&](unsigned loop) {
      return lhs.isFunctionOfDim(loop) && rhs.isFunctionOfDim(loop);
    });
    if (!llvm::is_sorted(panels->inner) || !llvm::equal(panels->batches, batchesOfOut))
      return fail("panels must have batches and inner loops in the order of the product");
  }
  if (!llvm::all_of(lhs.getResults(), isLinear) || (!op.getPanelWidth() && !llvm::all_of(rhs.getResults(), isLinear)))
    return fail("dimensions must be linear in the loops");
  return success();
}

/// Whether `panels` of a type hold `columns`.
static bool holdsColumns(ShapedType type, const PanelMap &panels, int64_t columns) {
  int64_t count = type.getDimSize(static_cast<unsigned>(panels.batches.size()));
  return type.getShape().back() == panels.width &&
         (ShapedType::isDynamic(columns) || agree(count, llvm::divideCeil(columns, panels.width)));
}

/// Whether dimensions that one loop runs over are equally large, under a map for each operand; else an error with
/// `constraint`. `sizes` gets what is known.
static LogicalResult verifySizes(Operation *op, ArrayRef<Value> operands, ArrayRef<AffineMap> maps,
                                 StringRef constraint, SmallVector<int64_t> &sizes) {
  sizes.assign(maps[0].getNumDims(), ShapedType::kDynamic);
  for (auto [operand, map] : llvm::zip(operands, maps))
    for (auto [d, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      int64_t size = shapedOf(operand).getDimSize(d);
      if (!loop || ShapedType::isDynamic(size))
        continue;
      int64_t &known = sizes[loop.getPosition()];
      if (!agree(known, size))
        return op->emitOpError(constraint)
               << " loop " << loop.getPosition() << " has " << known << " iterations; found " << operand.getType()
               << " with " << size << " in dimension " << d;
      known = size;
    }
  return success();
}

/// (C5)
static LogicalResult verifySizes(ContractOp op) {
  SmallVector<AffineMap, 3> maps = op.getLoopMaps();
  SmallVector<Value> operands = {op.getLhs(), op.getRhs()};
  llvm::append_range(operands, op.getOuts());
  SmallVector<AffineMap> ofOperands;
  for (size_t i = 0; i < operands.size(); ++i)
    ofOperands.push_back(maps[std::min<size_t>(i, 2)]);
  SmallVector<int64_t> sizes;
  if (failed(verifySizes(op, operands, ofOperands, "(C5)", sizes)))
    return failure();
  auto panels = op.getMaps() ? PanelMap::of(maps[1]) : std::nullopt;
  if (panels && !holdsColumns(shapedOf(op.getRhs()), *panels, sizes[panels->column]))
    return op.emitOpError("(C5) panels must be as wide as their map says, and as many as hold all columns; found ")
           << op.getRhs().getType() << " for " << AffineMapAttr::get(maps[1]);
  return success();
}

/// (C6)
static LogicalResult verifyTypes(ContractOp op) {
  Type accumulator = op.getAccumulatorType();
  for (auto [operand, isUnsigned] :
       {std::pair(op.getLhs(), op.getUnsignedLhs()), std::pair(op.getRhs(), op.getUnsignedRhs())}) {
    Type element = elementOf(operand);
    if (!holds(accumulator, element))
      return op.emitOpError("(C6) the accumulator must hold every value of lhs and rhs; found ")
             << accumulator << " for " << element;
    if (isUnsigned && !isa<IntegerType>(element))
      return op.emitOpError("(C6) only integers are unsigned; found ") << element;
  }
  return success();
}

/// (C7)
static LogicalResult verifyTiling(ContractOp op) {
  TilingAttr tiling = op.getTilingAttr();
  if (!tiling)
    return success();
  auto fail = [&](const Twine &what) { return op.emitOpError("(C7) ") << what << "; found " << tiling; };
  if (tiling.getInner() && elementOf(op.getOuts()[0]) != op.getAccumulatorType())
    return fail("a cut inner dimension needs a first out of the accumulator's type");
  if (tiling.getForm() != ContractForm::Panels && shapedOf(op.getOuts()[0]).getShape().back() != 1)
    return fail("this form is of products with one column");
  if (auto width = op.getPanelWidth();
      width && (tiling.getForm() != ContractForm::Panels || tiling.getColumns() != width))
    return fail("panels are " + Twine(*width) + " columns wide");
  return success();
}

LogicalResult ContractOp::verify() {
  if (getOuts().empty())
    return emitOpError("(C1) needs an out");
  SmallVector<Value> operands = {getLhs(), getRhs()};
  llvm::append_range(operands, getOuts());
  if (!getMaps())
    for (Value matrix : operands)
      if (shapedOf(matrix).getRank() != 2)
        return emitOpError("(C1) operands must be matrices; found ") << matrix.getType();
  if (getExtraMaps().size() != getExtras().size())
    return emitOpError("(C2) needs one map for each extra; found ")
           << getExtraMaps().size() << " for " << getExtras().size();
  if (getBody().getNumArguments() == 0)
    return emitOpError("(C3): the region must take the accumulator");
  if (failed(verifyMaps(*this)) || failed(verifySizes(*this)) || failed(verifyTypes(*this)))
    return failure();
  auto outRank = static_cast<unsigned>(shapedOf(getOuts()[0]).getRank());
  SmallVector<Type> arguments = {getAccumulatorType()};
  for (auto [extra, map] : llvm::zip(getExtras(), getExtraMaps().getAsValueRange<AffineMapAttr>())) {
    if (map.getNumDims() != outRank || map.getNumResults() != shapedOf(extra).getRank() ||
        !map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return emitOpError("(C2) a map must be a projection of the outs' dimensions to the extra's; found ")
             << AffineMapAttr::get(map) << " for " << extra.getType();
    arguments.push_back(elementOf(extra));
  }
  if (failed(verifyBody(*this, getBody(), arguments, getOuts(), "(C3)")))
    return failure();
  return verifyTiling(*this);
}

LogicalResult PackOp::verify() {
  if (getOuts().size() != 1)
    return emitOpError("(C1) needs one out");
  auto fail = [&](StringRef what) { return emitOpError("(C1) ") << what << "; found " << getMapsAttr(); };
  if (getMaps().size() != 2)
    return fail("maps must be those of the source and of the panels");
  AffineMap from = getSourceMap(), to = getPanelMap();
  ShapedType source = shapedOf(getSource()), out = shapedOf(getPanels());
  if (from.getNumDims() != to.getNumDims() || from.getNumSymbols() || to.getNumSymbols() ||
      from.getNumResults() != source.getRank() || to.getNumResults() != out.getRank())
    return fail("maps must go from the same loops to the operands' dimensions");
  // The loops stand in the order of the panels: batches, columns, inner ones.
  auto panels = PanelMap::of(to);
  auto isInOrder = [&] {
    auto order =
        llvm::to_vector(llvm::concat<const unsigned>(panels->batches, ArrayRef(panels->column), panels->inner));
    return order.size() == to.getNumDims() && llvm::is_sorted(order);
  };
  if (!panels || !isInOrder())
    return fail("panels must be (b.., n floordiv w, k.., n mod w) of the loops (b.., n, k..)");
  auto column = llvm::find(from.getResults(), getAffineDimExpr(panels->column, getContext()));
  if (!llvm::all_of(from.getResults(), isLinear) || column == from.getResults().end())
    return fail("the source's dimensions must be linear in the loops, and the columns one of them");
  SmallVector<int64_t> sizes;
  if (failed(verifySizes(*this, {getSource(), getPanels()}, {from, to}, "(C2)", sizes)))
    return failure();
  if (!holdsColumns(out, *panels, sizes[panels->column]))
    return emitOpError("(C2) panels must be as wide as their map says, and as many as hold all columns; found ")
           << out << " of " << source;
  if (!holds(out.getElementType(), source.getElementType()) ||
      (getIsUnsigned() && !isa<IntegerType>(source.getElementType())))
    return emitOpError("(C3) panels must hold every value of the source, and only integers are unsigned; found ")
           << out << " of " << source;
  return success();
}

LogicalResult TilingAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ContractForm form, int64_t rows,
                                 int64_t columns, int64_t inner, int64_t taskRows, int64_t taskColumns) {
  if (std::min({rows, columns, taskRows, taskColumns}) < 1 || inner < 0)
    return emitError() << "(C1) rows, columns and tasks of a tiling must be at least 1, inner at least 0; found "
                       << rows << ", " << columns << ", " << taskRows << ", " << taskColumns << " and " << inner;
  if (form != ContractForm::Panels && (columns != 1 || inner != 0))
    return emitError() << "(C2) '" << stringifyContractForm(form)
                       << "' has one column and one block; found columns = " << columns << " and inner = " << inner;
  return success();
}

LogicalResult GridAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t threads,
                               int64_t sharedBytes) {
  if (threads < 1)
    return emitError() << "(C1) a block of a grid must have at least one thread; found " << threads;
  if (sharedBytes < 0)
    return emitError() << "(C2) shared memory must be at least 0 bytes; found " << sharedBytes;
  return success();
}

//===-- bytecode ------------------------------------------------------------------===//

LogicalResult ContractOp::readProperties(DialectBytecodeReader &reader, OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(prop.extra_maps)) || failed(reader.readOptionalAttribute(prop.maps)) ||
      failed(reader.readOptionalAttribute(prop.transpose_a)) || failed(reader.readOptionalAttribute(prop.transpose_b)))
    return failure();
  if (mlc::isWrittenBy<KernDialect>(reader, 2) &&
      (failed(reader.readOptionalAttribute(prop.unsigned_lhs)) ||
       failed(reader.readOptionalAttribute(prop.unsigned_rhs)) || failed(reader.readOptionalAttribute(prop.tiling))))
    return failure();
  return reader.readSparseArray(MutableArrayRef(prop.operandSegmentSizes));
}

void ContractOp::writeProperties(DialectBytecodeWriter &writer) {
  auto &prop = getProperties();
  writer.writeAttribute(prop.extra_maps);
  writer.writeOptionalAttribute(prop.maps);
  writer.writeOptionalAttribute(prop.transpose_a);
  writer.writeOptionalAttribute(prop.transpose_b);
  writer.writeOptionalAttribute(prop.unsigned_lhs);
  writer.writeOptionalAttribute(prop.unsigned_rhs);
  writer.writeOptionalAttribute(prop.tiling);
  writer.writeSparseArray(ArrayRef(prop.operandSegmentSizes));
}

LogicalResult LaunchOp::readProperties(DialectBytecodeReader &reader, OperationState &state) {
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(prop.cost)))
    return failure();
  return mlc::isWrittenBy<KernDialect>(reader, 2) ? reader.readOptionalAttribute(prop.grid) : success();
}

void LaunchOp::writeProperties(DialectBytecodeWriter &writer) {
  writer.writeAttribute(getProperties().cost);
  writer.writeOptionalAttribute(getProperties().grid);
}

// Gradients of df.scan, df.while and df.remat.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/LoopGradients.h"
#include "dialects/Df/Autodiff/ReverseSweep.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfIntegerOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlc::df;

/// The type of `row` stacked `rows` times.
static RankedTensorType stackedType(Type row, int64_t rows) {
  SmallVector<int64_t> shape = {rows};
  llvm::append_range(shape, shapeOf(row));
  return RankedTensorType::get(shape, elementType(row));
}

/// Whether the results of `op` are kept for the backward pass rather than computed again: what costs more than to read
/// it. Loops and branches are computed again: what they would have to keep is many times their results.
static bool isKept(Operation *op) {
  // What a function with a backward one of its own keeps is meant to be kept.
  if (isa<CustomGradientOp>(op))
    return true;
  return op->getNumRegions() == 0 && !costsLessThanKeeping(op);
}

//===-- the backward loop of a scan --------------------------------------------------------===//

BlockArgument ScanGradient::addRow(Type type, Value sequence) {
  rowSequences.push_back(sequence);
  return block->addArgument(type, op.getLoc());
}

unsigned ScanGradient::addSum(Value zeros, Value term) {
  unsigned position = startValues.size();
  BlockArgument sum = block->insertArgument(position, zeros.getType(), op.getLoc());
  startValues.push_back(zeros);
  nextValues.push_back(b.add(sum, term));
  return position;
}

unsigned ScanGradient::addStacked(Value row) {
  auto it = llvm::find(stackedRows, row);
  if (it != stackedRows.end())
    return it - stackedRows.begin();
  stackedRows.push_back(row);
  return stackedRows.size() - 1;
}

bool ScanGradient::addProduct(Value term, llvm::PointerUnion<Value, StringAttr> target) {
  auto product = term.getDefiningOp<MatmulOp>();
  if (!product || product->getBlock() != block || !product.getTransposeA() || product.getTransposeB())
    return false;
  for (Value factor : product->getOperands())
    if (!flatType(stackedType(factor.getType(), op.getNumRows())))
      return false;
  products.push_back({target, {product.getLhs(), product.getRhs()}, {}, {}});
  return true;
}

Value ScanGradient::outside(llvm::function_ref<Value()> make) {
  OpBuilder::InsertionGuard guard(builder);
  builder.restoreInsertionPoint(outer);
  Value value = make();
  outer = builder.saveInsertionPoint();
  return value;
}

LogicalResult ScanGradient::sweepBody(ArrayRef<Value> cotangents) {
  Location loc = op.getLoc();
  unsigned numCarried = op.getNumCarried();
  for (auto [k, argument] : llvm::enumerate(op.getCarriedArguments()))
    if (activity.isActive(argument)) {
      activeCarries.push_back(k);
      startValues.push_back(cotangents[k] ? cotangents[k]
                                          : outside([&, k = k] { return b.splatLike(op.getResult(k), 0); }));
      block->addArgument(argument.getType(), loc);
    }
  SmallVector<BlockArgument> rows;
  for (auto [argument, sequence] : llvm::zip(op.getRowArguments(), op.getSequences())) {
    rows.push_back(addRow(argument.getType(), sequence));
    mapping.map(argument, rows.back());
  }
  SmallVector<std::pair<Value, Value>> seeds;
  for (auto [k, row] : llvm::enumerate(op.getYield().getOperands().drop_front(numCarried)))
    if (Value cotangent = cotangents[numCarried + k]; cotangent && activity.isActive(row))
      seeds.push_back({row, addRow(row.getType(), cotangent)});
  for (BlockArgument argument : op.getCarriedArguments()) {
    carryCopies.push_back(addRow(argument.getType(), Value()));
    mapping.map(argument, carryCopies.back());
  }

  builder.setInsertionPointToEnd(block);
  for (Operation &inner : op.getBody().front().without_terminator())
    originals[builder.clone(inner, mapping)] = &inner;
  SmallVector<Operation *> copies;
  for (Operation &copy : *block)
    copies.push_back(&copy);
  activity.addCopies(mapping);

  ReverseSweep inner(builder, activity);
  for (auto [i, k] : llvm::enumerate(activeCarries))
    inner.add(mapping.lookupOrDefault(op.getYield().getOperand(k)), block->getArgument(i));
  for (auto [row, seed] : seeds)
    inner.add(mapping.lookupOrDefault(row), seed);
  for (Operation *copy : llvm::reverse(copies))
    if (failed(inner.visit(copy)))
      return failure();
  if (!inner.means.empty())
    return inner.means.front().emitOpError("must stand at the top level of its function to be differentiated");

  for (auto [i, k] : llvm::enumerate(activeCarries)) {
    Value cotangent = inner.cotangentOf(carryCopies[k]);
    nextValues.push_back(cotangent ? cotangent : b.splatLike(block->getArgument(i), 0));
  }
  for (BlockArgument row : rows) {
    Value cotangent = inner.cotangentOf(row);
    sequenceRows.push_back(cotangent ? std::optional<unsigned>(addStacked(cotangent)) : std::nullopt);
  }
  llvm::SetVector<Value> captured;
  op.getBody().walk([&](Operation *user) {
    for (Value used : user->getOperands())
      if (activity.isActive(used) && !op.getBody().isAncestor(used.getParentRegion()))
        captured.insert(used);
  });
  for (Value value : captured)
    if (Value cotangent = inner.cotangentOf(value)) {
      if (addProduct(cotangent, value))
        continue;
      Value zeros = outside([&] { return b.splatLike(value, 0); });
      invariantSums.push_back({value, addSum(zeros, cotangent)});
    }
  for (auto &[symbol, source] : inner.sources) {
    if (Value cotangent = addInProgramOrder(b, source.dense); cotangent && !addProduct(cotangent, symbol)) {
      Value zeros = outside([&] { return b.splatLike(cotangent, 0); });
      denseSums.push_back({symbol, addSum(zeros, cotangent)});
    }
    for (RowContribution &part : source.gathered) {
      // One more than the id: rows that are not reached are zeros, and no id of a row may be.
      Value next = b.add(part.ids, b.splatLike(part.ids, 1));
      unsigned ids = addStacked(next);
      gatheredRows.push_back({symbol, ids, addStacked(part.cotangents)});
    }
  }
  // The factors of products, whatever they become while residuals are kept, stand after the rest.
  SmallVector<Value> yields(nextValues);
  llvm::append_range(yields, stackedRows);
  for (Product &product : products)
    llvm::append_range(yields, product.factors);
  YieldOp::create(builder, loc, yields);
  return success();
}

bool ScanGradient::isZeroFromCountOn(Value sequence) {
  if (!op.getCount() || op.getSequences().empty())
    return true;
  auto scan = sequence.getDefiningOp<ScanOp>();
  return scan && scan.getCount() == op.getCount() && cast<OpResult>(sequence).getResultNumber() >= scan.getNumCarried();
}

void ScanGradient::resolveProducts() {
  Operation *yield = block->getTerminator();
  unsigned first = startValues.size() + stackedRows.size();
  SmallVector<Value> factors(yield->getOperands().drop_front(first));
  stackedRows.assign(yield->operand_begin() + startValues.size(), yield->operand_begin() + first);
  yield->eraseOperands(first, factors.size());
  for (auto [i, factor] : llvm::enumerate(factors)) {
    Product &product = products[i / 2];
    auto row = dyn_cast<BlockArgument>(factor);
    if (row && row.getOwner() == block && row.getArgNumber() >= startValues.size())
      if (Value sequence = rowSequences[row.getArgNumber() - startValues.size()]; isZeroFromCountOn(sequence)) {
        product.sequences[i % 2] = sequence;
        continue;
      }
    unsigned before = stackedRows.size(), at = addStacked(factor);
    product.stacked[i % 2] = at;
    if (at == before)
      yield->insertOperands(yield->getNumOperands(), factor);
  }
}

Value ScanGradient::buildProduct(size_t i, ScanOp backward) {
  Product &product = products[i];
  Value flat[2];
  for (unsigned k : {0u, 1u}) {
    Value stacked = product.stacked[k] ? Value(backward.getStacked()[*product.stacked[k]]) : product.sequences[k];
    flat[k] = flatten(stacked);
  }
  return b.matmul(flat[0], flat[1], /*transposeX=*/true, /*transposeY=*/false);
}

BlockArgument ScanGradient::keep(Value original) {
  BlockArgument row = addRow(original.getType(), Value());
  kept.push_back({original, row});
  return row;
}

void ScanGradient::keepResiduals() {
  // Users stand after their operands: whoever still uses a copy is there to stay.
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*block))) {
    if (isOpTriviallyDead(&inner)) {
      inner.erase();
      continue;
    }
    Operation *original = originals.lookup(&inner);
    if (!original || !isKept(original))
      continue;
    for (auto [copy, value] : llvm::zip(inner.getResults(), original->getResults()))
      if (!copy.use_empty())
        copy.replaceAllUsesWith(keep(value));
    inner.erase();
  }
  for (auto [copy, argument] : llvm::zip(carryCopies, op.getCarriedArguments()))
    if (!copy.use_empty())
      kept.push_back({argument, cast<BlockArgument>(copy)});
}

/// A remark of category `gradient`: what each iteration of the loop keeps for its gradient beyond what it stacks
/// anyway. Bytes are of values of static shape, and of one row of the others.
static void remarkOnKept(ScanOp op, ArrayRef<std::pair<Value, BlockArgument>> kept) {
  int64_t bytes = 0, rowBytes = 0;
  SmallVector<StringRef> makers;
  for (auto &[value, row] : kept) {
    Operation *maker = value.getDefiningOp();
    makers.push_back(maker ? maker->getName().getStringRef() : "a carried value");
    Type element = elementType(value.getType());
    int64_t size = element.isIntOrFloat() ? static_cast<int64_t>(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8))
                                          : 2 * static_cast<int64_t>(sizeof(int64_t));
    for (int64_t d : shapeOf(value.getType()))
      size *= ShapedType::isDynamic(d) ? 1 : d;
    (ShapedType::isDynamicShape(shapeOf(value.getType())) ? rowBytes : bytes) += size;
  }
  auto function = op->getParentOfType<FunctionOp>();
  remark::analysis(
      op.getLoc(),
      remark::RemarkOpts::name("KeptByLoop").category("gradient").function(function ? function.getSymName() : ""))
      << remark::metric("Values", kept.size()) << remark::metric("BytesPerIteration", bytes)
      << remark::metric("BytesPerIterationAndRow", rowBytes) << remark::metric("Of", llvm::join(makers, ", "));
}

void ScanGradient::widenForward() {
  // What the loop stacks anyway needs no second place.
  ValueRange stackedAlready = op.getYield().getOperands().drop_front(op.getNumCarried());
  SmallVector<std::pair<Value, BlockArgument>> missing;
  for (auto &[original, row] : kept) {
    auto it = llvm::find(stackedAlready, original);
    if (it == stackedAlready.end())
      missing.push_back({original, row});
    else
      rowSequences[row.getArgNumber() - startValues.size()] = op.getStacked()[it - stackedAlready.begin()];
  }
  remarkOnKept(op, missing);
  ScanOp wide = op;
  if (!missing.empty()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(op);
    SmallVector<Type> types(op.getResultTypes());
    for (auto &[original, row] : missing)
      types.push_back(stackedType(original.getType(), op.getNumRows()));
    wide = ScanOp::create(builder, op.getLoc(), types, op.getInits(), op.getSequences(), op.getCount(), op.getReverse(),
                          op.getParallelIterationsAttr());
    wide->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    IRMapping copies;
    op.getBody().cloneInto(&wide.getBody(), copies);
    for (auto &[original, row] : missing)
      wide.getYield()->insertOperands(wide.getYield().getNumOperands(), copies.lookup(original));
    ValueRange same = wide.getResults().take_front(op.getNumResults());
    copies.map(op.getResults(), same);
    activity.addCopies(copies);
    op->replaceAllUsesWith(same);
    for (Value &sequence : rowSequences)
      if (sequence && sequence.getDefiningOp() == op)
        sequence = wide.getResult(cast<OpResult>(sequence).getResultNumber());
  }
  for (auto [i, value] : llvm::enumerate(missing))
    rowSequences[value.second.getArgNumber() - startValues.size()] = wide.getResult(op.getNumResults() + i);
  resolveProducts();
  // Rows that nothing reads are not carried along; but one says how many there are, those from `count` on among them.
  bool needsRows = !op.getCount() || (!op.getSequences().empty() && !stackedRows.empty());
  for (size_t i = rowSequences.size(); i-- > 0;) {
    BlockArgument row = block->getArgument(startValues.size() + i);
    bool isLast = rowSequences.size() == 1 && needsRows;
    if (!row.use_empty() || (isLast && rowSequences[i]))
      continue;
    block->eraseArgument(row.getArgNumber());
    rowSequences.erase(rowSequences.begin() + i);
  }
}

LogicalResult ScanGradient::run(ArrayRef<Value> cotangents) {
  if (StateAccess access = getStateAccess(op); !access.writes.empty())
    return op.emitOpError("has no gradient: its body writes ") << access.writes.front();
  region.emplace(builder, op.getLoc());
  outer = builder.saveInsertionPoint();
  block = builder.createBlock(&region->get());
  if (failed(sweepBody(cotangents)))
    return failure();
  keepResiduals();
  builder.restoreInsertionPoint(outer);
  widenForward();

  int64_t rows = rowSequences.empty() ? ShapedType::kDynamic : shapeOf(rowSequences.front().getType()).front();
  SmallVector<Type> types(TypeRange{ValueRange(startValues)});
  for (Value row : stackedRows)
    types.push_back(stackedType(row.getType(), rows));
  auto backward = ScanOp::create(builder, op.getLoc(), types, startValues, rowSequences, op.getCount(),
                                 !op.getReverse(), op.getParallelIterationsAttr());
  backward->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  backward.getBody().takeBody(region->get());

  inits.resize(op.getNumCarried());
  for (auto [i, k] : llvm::enumerate(activeCarries))
    inits[k] = backward.getResult(i);
  for (std::optional<unsigned> stacked : sequenceRows)
    sequences.push_back(stacked ? backward.getStacked()[*stacked] : Value());
  for (auto [value, position] : invariantSums)
    invariants[value] = backward.getResult(position);
  for (auto [symbol, position] : denseSums)
    dense[symbol] = backward.getResult(position);
  for (size_t i = 0; i < products.size(); ++i) {
    Value product = buildProduct(i, backward);
    if (auto symbol = dyn_cast<StringAttr>(products[i].target))
      dense[symbol] = product;
    else
      invariants[cast<Value>(products[i].target)] = product;
  }
  for (const Gathered &rows : gatheredRows) {
    Value ids = flatten(backward.getStacked()[rows.ids]);
    gathered.push_back(
        {rows.symbol, {b.sub(ids, b.splatLike(ids, 1)), flatten(backward.getStacked()[rows.cotangents])}});
  }
  return success();
}

RankedTensorType ScanGradient::flatType(Type stacked) {
  SmallVector<int64_t> shape(shapeOf(stacked));
  if (shape.size() < 2 || llvm::count_if(shape, ShapedType::isDynamic) > 1 ||
      llvm::any_of(ArrayRef(shape).drop_front(2), ShapedType::isDynamic))
    return {};
  bool isDynamic = ShapedType::isDynamic(shape[0]) || ShapedType::isDynamic(shape[1]);
  // A number of rows cannot be told from no elements.
  if (isDynamic && llvm::is_contained(shape, 0))
    return {};
  shape[1] = isDynamic ? ShapedType::kDynamic : shape[0] * shape[1];
  shape.erase(shape.begin());
  return RankedTensorType::get(shape, elementType(stacked));
}

/// [T, n, ...] as [T * n, ...].
Value ScanGradient::flatten(Value stacked) {
  if (RankedTensorType type = flatType(stacked.getType()))
    return ReshapeOp::create(builder, op.getLoc(), type, stacked);
  // Neither T nor n is static; rows of a table are.
  SmallVector<int64_t> shape(shapeOf(stacked.getType()).drop_front()), sizes = shape;
  shape[0] = ShapedType::kDynamic;
  sizes[0] = -1;
  auto rank = static_cast<int64_t>(sizes.size());
  Value target = ConstantOp::create(
      builder, op.getLoc(),
      DenseElementsAttr::get(RankedTensorType::get({rank}, builder.getI64Type()), ArrayRef<int64_t>(sizes)));
  return DynamicReshapeOp::create(builder, op.getLoc(), RankedTensorType::get(shape, elementType(stacked.getType())),
                                  stacked, target);
}

//===-- the sweep ----------------------------------------------------------------------------===//

LogicalResult ReverseSweep::visitScan(ScanOp op, ArrayRef<Value> cotangents) {
  ScanGradient gradient(op, builder, activity);
  if (failed(gradient.run(cotangents)))
    return failure();
  for (auto [init, cotangent] : llvm::zip(op.getInits(), gradient.inits))
    if (cotangent)
      add(init, cotangent);
  for (auto [sequence, cotangent] : llvm::zip(op.getSequences(), gradient.sequences))
    if (cotangent)
      add(sequence, cotangent);
  for (auto &[value, cotangent] : gradient.invariants)
    add(value, cotangent);
  for (auto &[symbol, cotangent] : gradient.dense)
    sources[symbol].dense.push_back(cotangent);
  for (auto &[symbol, rows] : gradient.gathered)
    sources[symbol].gathered.push_back(rows);
  return success();
}

LogicalResult ReverseSweep::visitWhile(WhileOp op, ArrayRef<Value> cotangents) {
  if (op.hasStacked())
    return op.emitOpError("with stacked results has a gradient only after df-decompose");
  if (StateAccess access = getStateAccess(op); !access.writes.empty())
    return op.emitOpError("has no gradient: its body writes ") << access.writes.front();
  // A loop that counts the iterations, and a scan that runs as many. What the condition does not need leaves the first
  // one (df-simplify).
  Location loc = op.getLoc();
  ScanOp scan;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(op);
    ExpressionBuilder b(builder, loc);
    auto scalar = RankedTensorType::get({}, builder.getI64Type());
    SmallVector<Value> inits(op.getInits());
    inits.push_back(b.splat(scalar, 0));
    auto counter = WhileOp::create(builder, loc, TypeRange(ValueRange(inits)), inits, op.getMaxIterationsAttr(),
                                   op.getMustEndAttr());
    IRMapping mapping;
    op.getConditionRegion().cloneInto(&counter.getConditionRegion(), mapping);
    op.getBodyRegion().cloneInto(&counter.getBodyRegion(), mapping);
    counter.getConditionRegion().addArgument(scalar, loc);
    Value before = counter.getBodyRegion().addArgument(scalar, loc);
    Operation *yield = counter.getBodyRegion().front().getTerminator();
    {
      OpBuilder::InsertionGuard inBody(builder);
      builder.setInsertionPoint(yield);
      yield->insertOperands(yield->getNumOperands(), b.add(before, b.splat(scalar, 1)));
    }
    scan = ScanOp::create(builder, loc, op.getResultTypes(), op.getInits(), ValueRange(), counter.getResults().back(),
                          /*reverse=*/false, IntegerAttr());
    IRMapping copies;
    op.getBodyRegion().cloneInto(&scan.getBody(), copies);
    copies.map(op.getResults(), scan.getResults());
    activity.addCopies(copies);
    op->replaceAllUsesWith(scan.getResults());
  }
  return visitScan(scan, cotangents);
}

LogicalResult ReverseSweep::visitCheckpoint(RematOp op, ArrayRef<Value> cotangents) {
  if (StateAccess access = getStateAccess(op); !access.writes.empty())
    return op.emitOpError("has no gradient: its region writes ") << access.writes.front();
  Value anchor = *llvm::find_if(cotangents, [](Value v) { return static_cast<bool>(v); });
  IRMapping mapping;
  SmallVector<Value> captured;
  forEachUsedValue(op, [&](Value used) {
    if (mapping.contains(used) || !isa<RankedTensorType>(used.getType()))
      return;
    Operation *maker = used.getDefiningOp();
    if (maker && maker->hasTrait<OpTrait::ConstantLike>())
      return;
    mapping.map(used, OptimizationBarrierOp::create(builder, op.getLoc(), used.getType(), used, anchor).getResult());
    captured.push_back(used);
  });
  Block &body = op.getBody().front();
  SmallVector<Operation *> copies;
  for (Operation &inner : body.without_terminator())
    copies.push_back(builder.clone(inner, mapping));
  activity.addCopies(mapping);
  for (auto [yielded, cotangent] : llvm::zip(body.getTerminator()->getOperands(), cotangents))
    if (cotangent)
      add(mapping.lookupOrDefault(yielded), cotangent);
  for (Operation *copy : llvm::reverse(copies))
    if (failed(visit(copy)))
      return failure();
  for (Value value : captured)
    if (Value cotangent = cotangentOf(mapping.lookup(value)))
      add(value, cotangent);
  return success();
}

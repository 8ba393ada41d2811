// codegen-bind-segments: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfSignals.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace mlc {
#define GEN_PASS_DEF_BINDSEGMENTS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

static df::BindingAttr binding(DictionaryAttr attrs) {
  return attrs ? attrs.getAs<df::BindingAttr>(df::FunctionOp::kBindingAttr) : df::BindingAttr();
}

/// If `value` is made in a fresh destination, makes it in `destination` (the tensor of the buffer it ends in) instead.
static void giveDestination(Value value, Value destination) {
  auto result = dyn_cast<OpResult>(value);
  auto producer = result ? dyn_cast<DestinationStyleOpInterface>(result.getOwner()) : DestinationStyleOpInterface();
  if (!producer)
    return;
  OpOperand *init = producer.getTiedOpOperand(result);
  // A reduction starts from a filled destination.
  if (auto fill = init->get().getDefiningOp<linalg::FillOp>(); fill && fill->hasOneUse())
    init = fill.getDpsInitOperand(0);
  auto empty = init->get().getDefiningOp<tensor::EmptyOp>();
  if (!empty || !empty->hasOneUse() || empty.getType() != destination.getType())
    return;
  init->set(destination);
  empty.erase();
}

/// Adds the arguments whose buffers `value` may lie in.
static void addSources(Value value, llvm::SmallDenseSet<Value> &seen, llvm::SmallSetVector<BlockArgument, 4> &sources) {
  if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent)) {
      sources.insert(argument);
      return;
    }
    // Carried by a loop: what it starts with and what its regions hand on.
    for (Value operand : parent->getOperands())
      addSources(operand, seen, sources);
    for (Region &region : parent->getRegions())
      for (Value operand : region.front().getTerminator()->getOperands())
        addSources(operand, seen, sources);
    return;
  }
  Operation *maker = value.getDefiningOp();
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(maker)) {
    addSources(destination.getTiedOpOperand(cast<OpResult>(value))->get(), seen, sources);
    return;
  }
  // Views of their operands, and branches and loops of what they yield.
  for (Value operand : maker->getOperands())
    addSources(operand, seen, sources);
  for (Region &region : maker->getRegions())
    for (Value operand : region.front().getTerminator()->getOperands())
      addSources(operand, seen, sources);
}

/// Hands `value`, whose size only the call knows, to the runtime as the output that stands at `operand`.
static void publish(OpBuilder &b, Location loc, Value value, int64_t operand) {
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(value.getType());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, loc, value, d));
  // A buffer of its own: rows without gaps, and nothing else lies in it.
  Value place = tensor::EmptyOp::create(b, loc, type, sizes);
  Value own = linalg::CopyOp::create(b, loc, value, place).getResult(0);
  kern::PublishOp::create(b, loc, own, operand);
}

/// Results are put into their buffers in order. What may lie in the buffer of a variable that an earlier result
/// overwrites is copied before: two variables that swap their values.
static void separateResults(func::ReturnOp returnOp, ArrayRef<std::optional<unsigned>> shared) {
  OpBuilder b(returnOp);
  llvm::SmallDenseSet<unsigned> overwritten;
  for (auto [i, value] : llvm::enumerate(SmallVector<Value>(returnOp.getOperands()))) {
    llvm::SmallDenseSet<Value> seen;
    llvm::SmallSetVector<BlockArgument, 4> sources;
    addSources(value, seen, sources);
    bool isAtRisk =
        llvm::any_of(sources, [&](BlockArgument source) { return overwritten.contains(source.getArgNumber()); });
    if (shared[i])
      overwritten.insert(*shared[i]);
    if (!isAtRisk)
      continue;
    Location loc = returnOp.getLoc();
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(tensor::DimOp::create(b, loc, value, d));
    Value empty = tensor::EmptyOp::create(b, loc, type, sizes);
    returnOp->setOperand(i, linalg::CopyOp::create(b, loc, value, empty).getResult(0));
  }
}

namespace {
struct BindSegments : public mlc::impl::BindSegmentsBase<BindSegments> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function->hasAttr(df::DfDialect::kRoleAttr))
      return;
    Block &body = function.getBody().front();
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
      if (!isa<RankedTensorType>(type)) {
        function.emitError() << "a segment of tensors has an argument or result of type " << type
                             << "; expected a ranked tensor";
        return signalPassFailure();
      }
    auto returnOp = cast<func::ReturnOp>(body.getTerminator());
    OpBuilder b(&body, body.begin());
    Location loc = function.getLoc();
    auto memrefOf = [](Type t) {
      auto tensor = cast<RankedTensorType>(t);
      return MemRefType::get(tensor.getShape(), tensor.getElementType(), MemRefLayoutAttrInterface(),
                             tensor.getEncoding());
    };

    unsigned numArguments = body.getNumArguments();
    llvm::StringMap<unsigned> variableArguments;
    SmallVector<bool> isWritten(numArguments, false);
    for (unsigned i = 0; i < numArguments; ++i)
      if (df::BindingAttr bound = binding(function.getArgAttrDict(i));
          bound && bound.getKind() == df::BindingKind::Variable)
        variableArguments[bound.getName()] = i;
    // The dimension symbol of each dimension of each buffer, or the one whose value a scalar holds.
    SmallVector<Attribute> symbols;
    auto addSymbols = [&](DictionaryAttr attrs, Type type) {
      SmallVector<int64_t> numbers;
      if (df::BindingAttr bound = binding(attrs); bound && bound.getKind() == df::BindingKind::Dimension)
        bound.getName().getAsInteger(10, numbers.emplace_back(0)); // a number: df-verify-stage
      for (std::optional<int64_t> symbol : df::FunctionOp::symbolsOf(attrs, type))
        numbers.push_back(symbol.value_or(kNoSymbol));
      symbols.push_back(b.getDenseI64ArrayAttr(numbers));
    };
    for (unsigned i = 0; i < numArguments; ++i)
      addSymbols(function.getArgAttrDict(i), body.getArgument(i).getType());
    // What the segment waits for and tells of, of each buffer. What lies on a device is there before the segment runs,
    // and is taken from there when it has ended.
    SmallVector<int64_t> signals;
    for (unsigned i = 0; i < numArguments; ++i) {
      df::BindingAttr bound = binding(function.getArgAttrDict(i));
      signals.push_back(kern::spaceOf(body.getArgument(i).getType()) == 0 && bound &&
                                df::isSignalled(function, bound.getKind(), /*isResult=*/false)
                            ? kAwait
                            : kNoSignal);
    }
    // Which buffer each result ends in: an argument's, or one of its own after them.
    SmallVector<std::optional<unsigned>> shared;
    for (unsigned i = 0; i < returnOp.getNumOperands(); ++i) {
      df::BindingAttr bound = binding(function.getResultAttrDict(i));
      shared.push_back(std::nullopt);
      if (!bound || bound.getKind() != df::BindingKind::Variable || !variableArguments.count(bound.getName()))
        continue;
      shared.back() = variableArguments[bound.getName()];
      isWritten[*shared.back()] = true;
    }

    separateResults(returnOp, shared);
    b.setInsertionPointToStart(&body);

    SmallVector<Value> argumentTensors;
    for (unsigned i = 0; i < numArguments; ++i) {
      BlockArgument argument = body.getArgument(i);
      Type tensorType = argument.getType();
      argument.setType(memrefOf(tensorType));
      auto tensor =
          bufferization::ToTensorOp::create(b, loc, tensorType, argument, /*restrict=*/true, /*writable=*/isWritten[i]);
      argument.replaceAllUsesExcept(tensor, tensor);
      argumentTensors.push_back(tensor);
    }
    SmallVector<Value> results(returnOp.getOperands());
    for (auto [i, value] : llvm::enumerate(results)) {
      Value buffer, destination;
      auto symbol = function.getResultAttrOfType<IntegerAttr>(i, df::FunctionOp::kSymbolAttr);
      if (symbol && symbol.getInt() == df::FunctionOp::kSymbolOfCall) {
        // An argument holds its place among the buffers.
        body.addArgument(MemRefType::get({0}, b.getI8Type()), loc);
        symbols.push_back(b.getDenseI64ArrayAttr(kNoSymbol));
        b.setInsertionPoint(returnOp);
        publish(b, loc, value, body.getNumArguments() - 1);
        continue;
      }
      if (shared[i]) {
        buffer = body.getArgument(*shared[i]);
        destination = argumentTensors[*shared[i]];
      } else {
        buffer = body.addArgument(memrefOf(value.getType()), loc);
        if (df::BindingAttr bound = binding(function.getResultAttrDict(i));
            kern::spaceOf(value.getType()) == 0 && bound &&
            df::isSignalled(function, bound.getKind(), /*isResult=*/true)) {
          signals.resize(body.getNumArguments(), kNoSignal);
          signals.back() = kDone;
        }
        addSymbols(function.getResultAttrDict(i), value.getType());
        b.setInsertionPointToStart(&body);
        destination = bufferization::ToTensorOp::create(b, loc, value.getType(), buffer, true, true);
      }
      giveDestination(value, destination);
      b.setInsertionPoint(returnOp);
      bufferization::MaterializeInDestinationOp::create(b, loc, Type(), value, buffer, /*restrict=*/true,
                                                        /*writable=*/true);
      if (destination.use_empty())
        destination.getDefiningOp()->erase();
    }
    b.setInsertionPoint(returnOp);
    func::ReturnOp::create(b, returnOp.getLoc());
    returnOp.erase();
    signals.resize(body.getNumArguments(), kNoSignal);
    SmallVector<Type> types(body.getArgumentTypes());
    function->setAttr(kSymbolsAttr, b.getArrayAttr(symbols));
    if (llvm::is_contained(signals, kAwait) || llvm::is_contained(signals, kDone))
      function->setAttr(kSignalsAttr, b.getDenseI64ArrayAttr(signals));
    function->removeAttr(function.getArgAttrsAttrName());
    function->removeAttr(function.getResAttrsAttrName());
    function.setFunctionType(b.getFunctionType(types, {}));
  }
};
} // namespace

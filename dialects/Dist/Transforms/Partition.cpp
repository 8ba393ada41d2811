// dist-partition: a module in which each op has a device as programs, one for each device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "dialects/Dist/IR/DeviceSpec.h"
#include "dialects/Dist/Transforms/DistPasses.h"
#include "dialects/Dist/Transforms/Placed.h"
#include "dialects/Dist/Transforms/Plan.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlc::dist {
#define GEN_PASS_DEF_DISTPARTITIONPASS
#include "dialects/Dist/Transforms/DistPasses.h.inc"
} // namespace mlc::dist

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

namespace {

/// Makes the programs of a module. Channels are numbered by entry, block and place of sending.
class Partitioner {
public:
  explicit Partitioner(ModuleOp module) : module(module), builder(module.getContext()) {}
  void run();

private:
  ProgramOp programOn(StringAttr device);
  void cut(df::FunctionOp function);

  ModuleOp module;
  OpBuilder builder;
  int64_t nextChannel = 0;
  llvm::MapVector<StringAttr, ProgramOp> programs;

  friend class Projection;
};

/// The part of a function on one device.
class Projection {
public:
  Projection(Partitioner &owner, const Plan &plan, const df::SymbolicSizes &counts,
             const llvm::DenseMap<const Message *, int64_t> &channels, StringAttr device)
      : owner(owner), builder(owner.builder), plan(plan), counts(counts), channels(channels), device(device) {}
  void make(df::FunctionOp function);

private:
  void project(Block &from, Block &to);
  void projectCut(Operation *op);
  void projectScan(df::ScanOp scan);
  void projectRegion(Region &from, Region &to, ArrayRef<BlockArgument> arguments);
  void projectTerminator(Operation *op);
  void send(const Message &message);
  void receive(const Message &message);
  /// Results, carried values or operands `index` of `op` that are here.
  bool isHere(Operation *op, unsigned index) const { return plan.homeOf(op->getResult(index)) == device; }

  Partitioner &owner;
  OpBuilder &builder;
  const Plan &plan;
  const df::SymbolicSizes &counts;
  const llvm::DenseMap<const Message *, int64_t> &channels;
  StringAttr device;
  IRMapping mapping;
};

struct DistPartitionPass : mlc::dist::impl::DistPartitionPassBase<DistPartitionPass> {
  void runOnOperation() override {
    if (failed(verifyPlaced(getOperation())))
      return signalPassFailure();
    Partitioner(getOperation()).run();
  }
};

} // namespace

/// ps_1_cpu_0 for /job:ps/task:1/device:CPU:0.
static std::string programName(StringRef device) {
  DeviceSpec spec = llvm::cantFail(DeviceSpec::parse(device));
  std::string name = spec.job ? *spec.job + "_" + std::to_string(*spec.task) + "_" : "";
  return name + StringRef(*spec.type).lower() + "_" + std::to_string(*spec.index);
}

static void removeMarks(Operation *op) {
  op->walk([](Operation *inner) {
    inner->removeAttr(DistDialect::kDeviceAttr);
    inner->removeAttr(DistDialect::kColocateAttr);
  });
}

//===-- parts of functions ----------------------------------------------------------===//

void Projection::send(const Message &message) {
  SmallVector<Value> values;
  for (Value value : message.values)
    values.push_back(mapping.lookup(value));
  SendOp::create(builder, message.values.back().getLoc(), values,
                 FlatSymbolRefAttr::get(owner.programOn(message.to).getSymNameAttr()),
                 builder.getI64IntegerAttr(channels.at(&message)));
}

/// `sizes` of `dist.recv`; null where all is static.
static ArrayAttr sizesOf(ArrayRef<Value> values, const df::SymbolicSizes &counts) {
  Builder builder(values.front().getContext());
  bool isStatic = true;
  SmallVector<Attribute> all;
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    const int64_t rank = type ? type.getRank() : 1;
    SmallVector<Attribute> dims;
    for (int64_t d = 0; d < rank; ++d) {
      const bool isDynamic = !type || type.isDynamicDim(d);
      isStatic &= !isDynamic;
      dims.push_back(builder.getDenseI64ArrayAttr(isDynamic ? counts.get(value, d).getFactors() : ArrayRef<int64_t>()));
    }
    all.push_back(builder.getArrayAttr(dims));
  }
  return isStatic ? ArrayAttr() : builder.getArrayAttr(all);
}

void Projection::receive(const Message &message) {
  auto recv = RecvOp::create(builder, message.values.front().getLoc(), ValueRange(message.values).getTypes(),
                             FlatSymbolRefAttr::get(owner.programOn(message.from).getSymNameAttr()),
                             builder.getI64IntegerAttr(channels.at(&message)), sizesOf(message.values, counts));
  mapping.map(ValueRange(message.values), recv.getValues());
}

void Projection::projectTerminator(Operation *op) {
  SmallVector<Value> operands;
  if (isa<df::ReturnOp>(op) && device != plan.getEntry()) {
    df::ReturnOp::create(builder, op->getLoc(), operands);
    return;
  }
  Operation *parent = op->getParentOp();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (!isa<df::YieldOp>(op) || isHere(parent, i))
      operands.push_back(mapping.lookup(operand));
  OperationState state(op->getLoc(), op->getName().getStringRef());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  builder.create(state);
}

/// The ops of `from` that are here, between what is awaited before and sent after them.
void Projection::project(Block &from, Block &to) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&to);
  auto messages = plan.getMessages(&from);
  auto sendAfter = [&](int64_t position) {
    for (const Message &message : messages)
      if (message.from == device && message.sent == position)
        send(message);
  };
  sendAfter(-1);
  for (auto [i, op] : llvm::enumerate(from)) {
    auto position = static_cast<int64_t>(i);
    for (const Message &message : messages)
      if (message.to == device && message.awaited == position)
        receive(message);
    if (op.hasTrait<OpTrait::IsTerminator>())
      projectTerminator(&op);
    else if (!plan.takesPart(&op, device))
      continue;
    else if (isCut(&op))
      projectCut(&op);
    else
      removeMarks(builder.clone(op, mapping));
    sendAfter(position);
  }
}

void Projection::projectRegion(Region &from, Region &to, ArrayRef<BlockArgument> arguments) {
  Block &block = to.emplaceBlock();
  for (BlockArgument argument : arguments)
    mapping.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
  project(from.front(), block);
}

/// A loop or a branch with what of its results, carried values and sequences is here.
void Projection::projectCut(Operation *op) {
  if (auto scan = dyn_cast<df::ScanOp>(op))
    return projectScan(scan);
  OperationState state(op->getLoc(), op->getName().getStringRef());
  SmallVector<Value> here;
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    if (isHere(op, i)) {
      here.push_back(result);
      state.addTypes(result.getType());
      if (isa<df::WhileOp>(op))
        state.addOperands(mapping.lookup(op->getOperand(i)));
    }
  if (auto branch = dyn_cast<df::IfOp>(op))
    state.addOperands(mapping.lookup(branch.getCondition()));
  state.addAttributes(op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *copy = builder.create(state);
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions())) {
    SmallVector<BlockArgument> arguments;
    for (auto [i, argument] : llvm::enumerate(from.getArguments()))
      if (isHere(op, i))
        arguments.push_back(argument);
    projectRegion(from, to, arguments);
  }
  copy->removeAttr(DistDialect::kDeviceAttr);
  mapping.map(ValueRange(here), copy->getResults());
}

void Projection::projectScan(df::ScanOp scan) {
  SmallVector<Value> inits, sequences, here;
  SmallVector<BlockArgument> arguments;
  SmallVector<Type> types;
  bool hasStacked = false;
  for (auto [i, init] : llvm::enumerate(scan.getInits()))
    if (isHere(scan, i)) {
      inits.push_back(mapping.lookup(init));
      arguments.push_back(scan.getBody().getArgument(i));
    }
  for (auto [i, sequence] : llvm::enumerate(scan.getSequences()))
    if (plan.hasRows(scan, i, device)) {
      sequences.push_back(mapping.lookup(sequence));
      arguments.push_back(scan.getBody().getArgument(scan.getNumCarried() + i));
    }
  for (auto [i, result] : llvm::enumerate(scan.getResults()))
    if (isHere(scan, i)) {
      here.push_back(result);
      types.push_back(result.getType());
      hasStacked |= i >= scan.getNumCarried();
    }
  Value count = scan.getCount() ? mapping.lookup(scan.getCount()) : Value();
  const int64_t rows = scan.getNumRows();
  const bool isShort = sequences.empty() && !scan.getSequences().empty();
  RankedTensorType rowType; // of a sequence that only has the number of rows
  if (isShort && hasStacked) {
    auto type = RankedTensorType::get({rows}, builder.getI1Type());
    rowType = RankedTensorType::get({}, builder.getI1Type());
    sequences.push_back(df::ConstantOp::create(builder, scan.getLoc(), type, DenseElementsAttr::get(type, false)));
  } else if (isShort && !count) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    if (ShapedType::isDynamic(rows))
      count = mapping.lookup(plan.countOf(scan));
    else
      count = df::ConstantOp::create(builder, scan.getLoc(), type, DenseElementsAttr::get(type, rows));
  }
  auto copy = df::ScanOp::create(builder, scan.getLoc(), types, inits, sequences, count, scan.getReverseAttr(),
                                 scan.getParallelIterationsAttr());
  projectRegion(scan.getBody(), copy.getBody(), arguments);
  if (rowType)
    copy.getBody().addArgument(rowType, scan.getLoc());
  mapping.map(ValueRange(here), copy.getResults());
}

void Projection::make(df::FunctionOp function) {
  SmallVector<unsigned> here;
  SmallVector<Type> types;
  for (BlockArgument argument : function.getArguments())
    if (plan.homeOf(argument) == device) {
      here.push_back(argument.getArgNumber());
      types.push_back(argument.getType());
    }
  const bool isEntry = device == plan.getEntry();
  ProgramOp program = owner.programOn(device);
  builder.setInsertionPointToEnd(&program.getBody().front());
  auto part = df::FunctionOp::create(
      builder, function.getLoc(), function.getSymName(),
      builder.getFunctionType(types, isEntry ? function.getResultTypes() : ArrayRef<Type>()), function.getRole());
  part->setDiscardableAttrs(function->getDiscardableAttrDictionary());
  part->removeAttr(DistDialect::kDeviceAttr);
  if (function.getSegmentAttr())
    part.setSegmentAttr(function.getSegmentAttr());
  if (function.getEntryAttr())
    part.setEntryAttr(function.getEntryAttr());
  for (auto [i, number] : llvm::enumerate(here)) {
    mapping.map(function.getArgument(number), part.getArgument(i));
    NamedAttrList attributes(function.getArgAttrDict(number));
    attributes.erase(DistDialect::kDeviceAttr);
    attributes.set(DistDialect::kArgumentAttr, builder.getI64IntegerAttr(number));
    part.setArgAttrs(i, attributes.getDictionary(builder.getContext()));
  }
  if (isEntry && function.getResAttrsAttr())
    part.setResAttrsAttr(function.getResAttrsAttr());
  project(function.getBody().front(), part.getBody().front());
}

//===-- programs ----------------------------------------------------------------------===//

ProgramOp Partitioner::programOn(StringAttr device) {
  ProgramOp &program = programs[device];
  if (!program) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    program = ProgramOp::create(builder, module.getLoc(), builder.getStringAttr(programName(device)), device);
    program.getBody().emplaceBlock();
  }
  return program;
}

void Partitioner::cut(df::FunctionOp function) {
  Plan plan(function, getDevice(function));
  llvm::DenseMap<const Message *, int64_t> channels;
  for (Block *block : plan.getBlocks())
    for (const Message &message : plan.getMessages(block))
      channels[&message] = nextChannel++;
  df::SymbolicSizes counts(function);
  for (StringAttr device : plan.getDevices())
    Projection(*this, plan, counts, channels, device).make(function);
}

/// Vocabularies do not change: each program has those that it looks things up in.
static void copyTables(ProgramOp program, ModuleOp module) {
  llvm::SetVector<Operation *> tables;
  program.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](FlatSymbolRefAttr symbol) {
        if (auto table = dyn_cast_or_null<df::VocabularyOp>(SymbolTable::lookupSymbolIn(module, symbol)))
          tables.insert(table);
      });
  });
  OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
  for (Operation *table : tables)
    removeMarks(builder.clone(*table));
}

void Partitioner::run() {
  SmallVector<Operation *> done;
  for (Operation &op : *module.getBody())
    if (isPlacedSymbol(&op) || isa<df::FunctionOp, df::VocabularyOp>(op))
      done.push_back(&op);
  for (Operation *op : done)
    if (isPlacedSymbol(op)) {
      builder.setInsertionPointToEnd(&programOn(getDevice(op)).getBody().front());
      removeMarks(builder.clone(*op));
    }
  for (Operation *op : done)
    if (auto function = dyn_cast<df::FunctionOp>(op))
      cut(function);
  for (auto &[device, program] : programs)
    copyTables(program, module);
  for (Operation *op : done)
    op->erase();
}

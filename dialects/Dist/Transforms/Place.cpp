// dist-place: a device for every op, by specs, colocation and cost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Utils/DeadCode.h"
#include "dialects/Dist/IR/DeviceSpec.h"
#include "dialects/Dist/Transforms/CostModel.h"
#include "dialects/Dist/Transforms/Devices.h"
#include "dialects/Dist/Transforms/DistPasses.h"
#include "dialects/Dist/Transforms/MinCut.h"
#include "dialects/Dist/Transforms/Placed.h"
#include "dialects/Dist/Transforms/Plan.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlc::dist {
#define GEN_PASS_DEF_DISTPLACEPASS
#include "dialects/Dist/Transforms/DistPasses.h.inc"
} // namespace mlc::dist

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

namespace {

/// What the options say.
struct Machine {
  SmallVector<DeviceSpec> devices;
  SmallVector<StringAttr> names;
  SmallVector<DeviceSpeed> speeds;
  LinkSpeed link;
  AssumedSizes sizes;
  bool soft = false;

  std::string list() const {
    std::string text;
    for (StringAttr name : names)
      text += (text.empty() ? "" : ", ") + name.str();
    return text;
  }
};

/// One module. An item is what gets a device: a symbol, an op, or (by its own op) where arguments are and results go.
class Placer {
public:
  Placer(ModuleOp module, const Machine &machine) : module(module), machine(machine) {}
  LogicalResult run();

private:
  // Constraints.
  LogicalResult placeFunctions();
  FailureOr<unsigned> resolve(Operation *op, const DeviceSpec &spec);
  void collect(Block &block, const DeviceSpec &around);
  void addItem(Operation *op, const DeviceSpec &around);
  void join(Operation *op, Operation *with) { classes.unionSets(op, with); }
  LogicalResult makeNodes();
  FailureOr<SmallVector<bool>> allowedOf(Operation *op);
  LogicalResult restrict(SmallVector<bool> &allowed, Operation *op, Operation *&first);
  LogicalResult keepStrings(SmallVector<bool> &allowed, ArrayRef<Operation *> ops);

  // Costs.
  unsigned nodeOf(Operation *op) { return nodes.lookup(classes.getLeaderValue(op)); }
  unsigned fixedNode(unsigned device);
  std::optional<unsigned> nodeOf(Value value);
  void addCosts(Block &block);
  void addCrossings(Block &block);
  void use(Value value, unsigned node);
  void assign(const Placement &placement);

  ModuleOp module;
  const Machine &machine;
  SmallVector<Operation *> items; ///< in program order, symbols first
  llvm::DenseMap<Operation *, DeviceSpec> specs;
  llvm::EquivalenceClasses<Operation *> classes;
  Operation *file = nullptr; ///< the first op that saves or restores
  llvm::DenseMap<Operation *, unsigned> entries;
  llvm::DenseMap<Operation *, unsigned> nodes; ///< of leaders of classes
  llvm::DenseMap<unsigned, unsigned> fixed;    ///< nodes that stand for a device
  llvm::MapVector<Value, llvm::SetVector<unsigned>> uses;
  PlacementProblem problem;
};

struct DistPlacePass : mlc::dist::impl::DistPlacePassBase<DistPlacePass> {
  using DistPlacePassBase::DistPlacePassBase;

  void runOnOperation() override {
    Machine machine;
    if (failed(readOptions(machine)) || failed(verifyPlaceable(getOperation())) ||
        failed(Placer(getOperation(), machine).run()))
      signalPassFailure();
  }

private:
  LogicalResult readOptions(Machine &machine) {
    ModuleOp module = getOperation();
    SmallVector<std::string> texts(devices.begin(), devices.end());
    if (texts.empty())
      for (const DeviceSpec &spec : devicesOf(module))
        texts.push_back(spec.str());
    for (const std::string &text : texts) {
      llvm::Expected<DeviceSpec> spec = DeviceSpec::parse(text);
      if (!spec)
        return module.emitError("dist-place: ") << llvm::toString(spec.takeError());
      if (!spec->isConcrete())
        return module.emitError("dist-place: device '")
               << text << "' is not concrete; expected a type and a number, and a job with a task or neither";
      auto name = StringAttr::get(&getContext(), spec->str());
      if (llvm::is_contained(machine.names, name))
        return module.emitError("dist-place: device '") << name.getValue() << "' is named twice";
      machine.devices.push_back(*spec);
      machine.names.push_back(name);
    }
    const size_t count = machine.devices.size();
    auto checkSpeeds = [&](ArrayRef<double> speeds, StringRef option) -> LogicalResult {
      if (speeds.size() > 1 && speeds.size() != count)
        return module.emitError("dist-place: ")
               << option << " has " << speeds.size() << " numbers for " << count << " devices";
      if (llvm::any_of(speeds, [](double speed) { return !(speed > 0); }))
        return module.emitError("dist-place: ") << option << " must be above 0";
      return success();
    };
    if (failed(checkSpeeds(*operations, "operations-per-second")) || failed(checkSpeeds(*bytes, "bytes-per-second")))
      return failure();
    if (!(linkBytes > 0) || !(linkLatency >= 0) || rows < 1 || iterations < 1)
      return module.emitError(
          "dist-place: link-bytes-per-second must be above 0, link-latency-seconds at least 0, rows "
          "and iterations at least 1");
    for (size_t i = 0; i < count; ++i) {
      DeviceSpeed speed = machine.devices[i].type == "GPU" ? kGpuSpeed : DeviceSpeed();
      if (!operations.empty())
        speed.operationsPerSecond = operations[operations.size() > 1 ? i : 0];
      if (!bytes.empty())
        speed.bytesPerSecond = bytes[bytes.size() > 1 ? i : 0];
      machine.speeds.push_back(speed);
    }
    machine.link = {linkBytes, linkLatency};
    machine.sizes.rows = rows;
    machine.sizes.iterations = iterations;
    machine.soft = soft;
    return success();
  }
};

} // namespace

static DeviceSpec specOf(StringAttr text) {
  // The dialect has checked that it parses.
  return text ? llvm::cantFail(DeviceSpec::parse(text.getValue())) : DeviceSpec();
}

//===-- constraints -----------------------------------------------------------------===//

static SmallVector<bool> matching(const Machine &machine, const DeviceSpec &spec) {
  SmallVector<bool> found;
  for (const DeviceSpec &device : machine.devices)
    found.push_back(spec.matches(device));
  return found;
}

/// The devices that `op`'s spec leaves; with soft placement those of the longest prefix of it that any matches.
FailureOr<SmallVector<bool>> Placer::allowedOf(Operation *op) {
  DeviceSpec spec = specs.lookup(op), left = spec;
  SmallVector<bool> allowed = matching(machine, left);
  if (llvm::is_contained(allowed, true))
    return allowed;
  if (!machine.soft)
    return op->emitOpError("has the device spec '")
           << spec.str() << "', which no device matches; there are " << machine.list();
  for (int step = 0; !llvm::is_contained(allowed, true); ++step) {
    if (step == 0)
      left.index.reset();
    else if (step == 1)
      left.type.reset();
    else if (step == 2)
      left.task.reset();
    else
      left.job.reset();
    allowed = matching(machine, left);
  }
  op->emitWarning("no device matches '") << spec.str() << "'; placed as if it were '" << left.str() << "'";
  return allowed;
}

/// Leaves of `allowed`, what `first` and those after it left, what `op` leaves too.
LogicalResult Placer::restrict(SmallVector<bool> &allowed, Operation *op, Operation *&first) {
  if (specs.lookup(op).isEmpty())
    return success();
  FailureOr<SmallVector<bool>> own = allowedOf(op);
  if (failed(own))
    return failure();
  SmallVector<bool> both;
  for (auto [a, b] : llvm::zip(allowed, *own))
    both.push_back(a && b);
  if (llvm::is_contained(both, true)) {
    allowed = both;
    if (!first)
      first = op;
    return success();
  }
  if (machine.soft) {
    op->emitWarning("'") << op->getName().getStringRef() << "' op must be where an op with the device spec '"
                         << specs.lookup(first).str() << "' is; its own, '" << specs.lookup(op).str()
                         << "', is not kept";
    return success();
  }
  InFlightDiagnostic diag = op->emitOpError("has the device spec '")
                            << specs.lookup(op).str() << "' but must be where an op with the spec '"
                            << specs.lookup(first).str() << "' is";
  diag.attachNote(first->getLoc()) << "the other one";
  return diag;
}

/// Of what works on strings leaves CPUs alone, if there are any: no other memory holds strings.
LogicalResult Placer::keepStrings(SmallVector<bool> &allowed, ArrayRef<Operation *> ops) {
  auto isString = [](Type type) { return isa<df::StringType>(getElementTypeOrSelf(type)); };
  const auto *op = llvm::find_if(ops, [&](Operation *op) {
    return llvm::any_of(op->getOperandTypes(), isString) || llvm::any_of(op->getResultTypes(), isString);
  });
  SmallVector<bool> cpus, both;
  for (auto [may, device] : llvm::zip_equal(allowed, machine.devices)) {
    cpus.push_back(device.type == "CPU");
    both.push_back(may && cpus.back());
  }
  if (op == ops.end() || !llvm::is_contained(cpus, true))
    return success();
  if (llvm::is_contained(both, true)) {
    allowed = both;
    return success();
  }
  if (!machine.soft)
    return (*op)->emitOpError("works on strings, which are in the memory of CPUs alone; there are ")
           << machine.list() << ", found the device spec '" << specs.lookup(*op).str() << "'";
  (*op)->emitWarning("'") << (*op)->getName().getStringRef() << "' op works on strings: its device spec, '"
                          << specs.lookup(*op).str() << "', is not kept";
  allowed = cpus;
  return success();
}

/// The first device that matches a spec, of an entry or an argument.
FailureOr<unsigned> Placer::resolve(Operation *op, const DeviceSpec &spec) {
  specs[op] = spec;
  FailureOr<SmallVector<bool>> allowed = allowedOf(op);
  if (failed(allowed))
    return failure();
  return static_cast<unsigned>(llvm::find(*allowed, true) - allowed->begin());
}

LogicalResult Placer::placeFunctions() {
  for (auto function : module.getOps<df::FunctionOp>()) {
    DeviceSpec own = specOf(getDevice(function));
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto text = function.getArgAttrOfType<StringAttr>(i, DistDialect::kDeviceAttr);
      if (!text)
        continue;
      FailureOr<unsigned> device = resolve(function, specOf(text).within(own));
      if (failed(device))
        return failure();
      function.setArgAttr(i, DistDialect::kDeviceAttr, machine.names[*device]);
    }
    FailureOr<unsigned> device = resolve(function, own);
    if (failed(device))
      return failure();
    entries[function] = *device;
    function->setAttr(DistDialect::kDeviceAttr, machine.names[*device]);
  }
  return success();
}

void Placer::addItem(Operation *op, const DeviceSpec &around) {
  items.push_back(op);
  classes.insert(op);
  // What is with a symbol is there wherever it stands.
  DeviceSpec own = specOf(getDevice(op));
  const bool isBound = op->hasAttr(DistDialect::kColocateAttr) || (!isPlacedSymbol(op) && !placedSymbolsOf(op).empty());
  specs[op] = isBound ? own : own.within(around);
  if (auto with = op->getAttrOfType<FlatSymbolRefAttr>(DistDialect::kColocateAttr))
    join(op, SymbolTable::lookupNearestSymbolFrom(op, with));
  auto variable = dyn_cast<df::VariableOp>(op);
  if (variable && variable.getSlotOfAttr())
    join(op, SymbolTable::lookupNearestSymbolFrom(op, variable.getSlotOfAttr()));
  if (isPlacedSymbol(op))
    return;
  for (Operation *symbol : placedSymbolsOf(op))
    join(op, symbol);
  if (isa<df::SaveOp, df::RestoreOp>(op)) {
    if (file)
      join(op, file);
    else
      file = op;
  }
}

void Placer::collect(Block &block, const DeviceSpec &around) {
  for (Operation &op : block.without_terminator()) {
    if (isa<df::ConstantOp>(op))
      continue;
    addItem(&op, around);
    if (isCut(&op))
      for (Region &region : op.getRegions())
        collect(region.front(), DeviceSpec(specs[&op]));
  }
}

/// A node for each set of items that are together, with the devices it may be on.
LogicalResult Placer::makeNodes() {
  llvm::MapVector<Operation *, SmallVector<Operation *>> members;
  for (Operation *item : items)
    members[classes.getLeaderValue(item)].push_back(item);
  bool ok = true;
  for (auto &[leader, ops] : members) {
    SmallVector<bool> allowed(machine.devices.size(), true);
    Operation *first = nullptr;
    for (Operation *op : ops)
      ok &= succeeded(restrict(allowed, op, first));
    ok &= succeeded(keepStrings(allowed, ops));
    nodes[leader] = problem.costs.size();
    std::vector<int64_t> costs;
    for (bool may : allowed)
      costs.push_back(may ? 0 : PlacementProblem::kNever);
    problem.costs.push_back(std::move(costs));
  }
  return success(ok);
}

//===-- costs ---------------------------------------------------------------------------===//

/// Picoseconds; a cost beyond a quarter of an hour is as bad as that.
static int64_t cost(double seconds, double times) {
  constexpr double kMost = 1e15;
  return static_cast<int64_t>(std::min(seconds * times * 1e12, kMost));
}

unsigned Placer::fixedNode(unsigned device) {
  auto [it, isNew] = fixed.try_emplace(device, problem.costs.size());
  if (isNew) {
    std::vector<int64_t> costs(machine.devices.size(), PlacementProblem::kNever);
    costs[device] = 0;
    problem.costs.push_back(std::move(costs));
  }
  return it->second;
}

/// Where a value is made, as far as one node says: what Plan::homeOf will make of it. Nothing for what is wherever it
/// is used.
std::optional<unsigned> Placer::nodeOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *op = argument.getOwner()->getParentOp();
    if (auto function = dyn_cast<df::FunctionOp>(op)) {
      auto device = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), DistDialect::kDeviceAttr);
      return fixedNode(device ? static_cast<unsigned>(llvm::find(machine.names, device) - machine.names.begin())
                              : entries.lookup(function));
    }
    auto scan = dyn_cast<df::ScanOp>(op);
    if (scan && argument.getArgNumber() >= scan.getNumCarried())
      return std::nullopt;
    return nodeOf(op->getResult(argument.getArgNumber()));
  }
  Operation *op = value.getDefiningOp();
  if (isa<df::ConstantOp>(op))
    return std::nullopt;
  if (!isCut(op))
    return nodeOf(op);
  SmallVector<Value, 2> made = madeInside(op, cast<OpResult>(value).getResultNumber());
  std::optional<unsigned> node;
  for (Value inner : made) {
    std::optional<unsigned> of = nodeOf(inner);
    if (node && node != of)
      return nodeOf(op);
    node = of;
  }
  return node ? node : nodeOf(op);
}

void Placer::use(Value value, unsigned node) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto scan = argument ? dyn_cast<df::ScanOp>(argument.getOwner()->getParentOp()) : df::ScanOp();
  if (scan && argument.getArgNumber() >= scan.getNumCarried())
    return use(scan.getSequences()[argument.getArgNumber() - scan.getNumCarried()], node);
  if (nodeOf(value))
    uses[value].insert(node);
}

void Placer::addCosts(Block &block) {
  const double executions = executionsOf(&block, machine.sizes);
  for (Operation &op : block.without_terminator()) {
    if (isa<df::ConstantOp>(op))
      continue;
    if (isCut(&op)) {
      for (Region &region : op.getRegions())
        addCosts(region.front());
      continue;
    }
    OpCost own = costOf(&op, machine.sizes);
    for (auto [device, total] : llvm::enumerate(problem.costs[nodeOf(&op)]))
      if (total != PlacementProblem::kNever)
        total += cost(secondsOf(own, machine.speeds[device]), executions);
  }
}

void Placer::addCrossings(Block &block) {
  for (Operation &op : block) {
    if (auto result = dyn_cast<df::ReturnOp>(op)) {
      unsigned entry = fixedNode(entries.lookup(op.getParentOp()));
      for (Value value : op.getOperands())
        use(value, entry);
    }
    if (op.hasTrait<OpTrait::IsTerminator>() || isa<df::ConstantOp>(op))
      continue;
    if (!isCut(&op)) {
      df::forEachUsedValue(&op, [&](Value value) { use(value, nodeOf(&op)); });
      continue;
    }
    for (Region &region : op.getRegions())
      addCrossings(region.front());
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      unsigned home = *nodeOf(result);
      for (Region &region : op.getRegions())
        if (auto yield = dyn_cast<df::YieldOp>(region.front().getTerminator()))
          use(yield.getOperand(i), home);
      auto scan = dyn_cast<df::ScanOp>(op);
      if (isa<df::WhileOp>(op) || (scan && i < scan.getNumCarried()))
        use(op.getOperand(i), home);
    }
    // Whoever takes part needs to know where it goes.
    Value decides;
    if (auto branch = dyn_cast<df::IfOp>(op))
      decides = branch.getCondition();
    else if (auto loop = dyn_cast<df::WhileOp>(op))
      decides = loop.getConditionRegion().front().getTerminator()->getOperand(0);
    else if (auto scan = dyn_cast<df::ScanOp>(op))
      decides = scan.getCount();
    if (decides)
      op.walk([&](Operation *inner) {
        if (inner != &op && classes.contains(inner) && !isCut(inner))
          use(decides, nodeOf(inner));
      });
  }
}

void Placer::assign(const Placement &placement) {
  for (Operation *item : items) {
    item->setAttr(DistDialect::kDeviceAttr, machine.names[placement[nodeOf(item)]]);
    item->removeAttr(DistDialect::kColocateAttr);
  }
  for (auto function : module.getOps<df::FunctionOp>())
    function.walk([&](df::ConstantOp constant) {
      constant->setAttr(DistDialect::kDeviceAttr, machine.names[entries.lookup(function)]);
      constant->removeAttr(DistDialect::kColocateAttr);
    });
}

LogicalResult Placer::run() {
  if (failed(placeFunctions()))
    return failure();
  for (Operation &op : *module.getBody())
    if (isPlacedSymbol(&op))
      addItem(&op, {});
  for (auto function : module.getOps<df::FunctionOp>())
    collect(function.getBody().front(), {});
  if (failed(makeNodes()))
    return failure();
  for (auto function : module.getOps<df::FunctionOp>()) {
    addCosts(function.getBody().front());
    addCrossings(function.getBody().front());
  }
  for (auto &[value, users] : uses)
    problem.crossings.push_back({*nodeOf(value),
                                 {users.begin(), users.end()},
                                 cost(secondsOf(bytesOf(value.getType(), machine.sizes), machine.link),
                                      executionsOf(value.getParentBlock(), machine.sizes))});
  auto choice = devicesOfChoice(problem);
  assign(choice ? placeByMinCut(problem, *choice) : placeGreedily(problem));
  return success();
}

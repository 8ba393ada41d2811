// dist-join: programs of one module as functions of df that talk over queues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Dist/IR/DeviceSpec.h"
#include "dialects/Dist/Transforms/DistPasses.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace mlc::dist {
#define GEN_PASS_DEF_DISTJOINPASS
#include "dialects/Dist/Transforms/DistPasses.h.inc"
} // namespace mlc::dist

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

/// Messages of a channel that may be on their way at once. One is enough for progress; more let a loop run ahead.
static constexpr int64_t kChannelCapacity = 4;

namespace {

/// Joins the programs of a module.
class Joiner {
public:
  /// `types`: those of devices that code is made for.
  Joiner(ModuleOp module, ArrayRef<std::string> types) : module(module), types(types), builder(module.getContext()) {}
  LogicalResult run();

private:
  /// The parts of one entry, by device.
  using Parts = SmallVector<std::pair<int64_t, df::FunctionOp>, 2>;

  LogicalResult collect();
  void joinParts(StringAttr entry, Parts &parts);
  void makeChannel(SendOp send, RecvOp recv);
  void replaceSend(SendOp send, FlatSymbolRefAttr queue);
  void replaceRecv(RecvOp recv, FlatSymbolRefAttr queue);

  ModuleOp module;
  ArrayRef<std::string> types;
  OpBuilder builder;
  SmallVector<ProgramOp> programs;
  llvm::StringMap<int64_t> numbers; ///< of programs, by name
  llvm::MapVector<StringAttr, Parts> entries;
  SmallVector<Attribute> placed, channels;
};

struct DistJoinPass : mlc::dist::impl::DistJoinPassBase<DistJoinPass> {
  using DistJoinPassBase::DistJoinPassBase;

  void runOnOperation() override {
    SmallVector<std::string> known(types.begin(), types.end());
    if (known.empty())
      known.push_back("CPU");
    if (failed(Joiner(getOperation(), known).run()))
      signalPassFailure();
  }
};

} // namespace

LogicalResult Joiner::collect() {
  for (auto program : module.getOps<ProgramOp>()) {
    DeviceSpec spec = llvm::cantFail(DeviceSpec::parse(program.getDevice()));
    if (!llvm::is_contained(types, *spec.type))
      return program.emitOpError("is on ") << program.getDeviceAttr() << "; code is made for devices of type "
                                           << llvm::join(types, " and ") << " alone";
    numbers[program.getSymName()] = programs.size();
    for (auto function : program.getOps<df::FunctionOp>())
      entries[function.getSymNameAttr()].emplace_back(programs.size(), function);
    programs.push_back(program);
  }
  return success();
}

/// The tensors that a value of `type` goes as: itself, or the parts of sparse rows.
static SmallVector<Type> partsOf(Type type) {
  auto rows = dyn_cast<df::RowsType>(type);
  if (!rows)
    return {type};
  Builder b(type.getContext());
  SmallVector<int64_t> shape(rows.getType().getShape());
  shape[0] = ShapedType::kDynamic;
  return {RankedTensorType::get({ShapedType::kDynamic}, b.getI64Type()),
          RankedTensorType::get(shape, rows.getType().getElementType()), RankedTensorType::get({}, b.getI64Type())};
}

void Joiner::replaceSend(SendOp send, FlatSymbolRefAttr queue) {
  builder.setInsertionPoint(send);
  SmallVector<Value> components;
  for (Value value : send.getValues()) {
    if (isa<df::RowsType>(value.getType()))
      llvm::append_range(
          components, df::UnpackRowsOp::create(builder, send.getLoc(), partsOf(value.getType()), value).getResults());
    else
      components.push_back(value);
  }
  df::EnqueueOp::create(builder, send.getLoc(), queue, components);
  send.erase();
}

void Joiner::replaceRecv(RecvOp recv, FlatSymbolRefAttr queue) {
  builder.setInsertionPoint(recv);
  SmallVector<Type> types;
  SmallVector<Attribute> sizes;
  for (auto [i, value] : llvm::enumerate(recv.getValues())) {
    llvm::append_range(types, partsOf(value.getType()));
    if (!recv.getSizes())
      continue;
    auto own = cast<ArrayAttr>(recv.getSizesAttr()[i]);
    sizes.push_back(own);
    if (auto rows = dyn_cast<df::RowsType>(value.getType())) {
      // Ids and rows are as many as there are rows; the number of those that count is a scalar.
      SmallVector<Attribute> dims(rows.getType().getRank(), builder.getDenseI64ArrayAttr({}));
      dims[0] = own[0];
      sizes.push_back(builder.getArrayAttr(dims));
      sizes.push_back(builder.getArrayAttr({}));
    }
  }
  auto dequeue = df::DequeueOp::create(builder, recv.getLoc(), types, queue,
                                       recv.getSizes() ? builder.getArrayAttr(sizes) : ArrayAttr());
  ValueRange left = dequeue.getComponents();
  for (Value value : recv.getValues()) {
    const size_t size = partsOf(value.getType()).size();
    Value whole = left.front();
    if (size != 1)
      whole = df::PackRowsOp::create(builder, recv.getLoc(), value.getType(), left[0], left[1], left[2]);
    left = left.drop_front(size);
    value.replaceAllUsesWith(whole);
  }
  recv.erase();
}

void Joiner::makeChannel(SendOp send, RecvOp recv) {
  SmallVector<Attribute> types;
  bool isStatic = true;
  for (Type type : send.getValues().getTypes())
    for (Type part : partsOf(type)) {
      types.push_back(TypeAttr::get(part));
      isStatic &= cast<RankedTensorType>(part).hasStaticShape();
    }
  auto entry = send->getParentOfType<df::FunctionOp>().getSymNameAttr();
  auto from = send->getParentOfType<ProgramOp>(), to = recv->getParentOfType<ProgramOp>();
  const std::string name = "channel." + std::to_string(send.getChannel());
  builder.setInsertionPoint(programs.front());
  df::QueueOp::create(builder, send.getLoc(), isStatic ? df::QueueKind::Fifo : df::QueueKind::PaddingFifo, name,
                      kChannelCapacity, builder.getArrayAttr(types), /*min_after_dequeue=*/0, /*seed=*/0,
                      /*channel=*/true);
  channels.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("queue", FlatSymbolRefAttr::get(builder.getContext(), name)),
       builder.getNamedAttr("entry", entry),
       builder.getNamedAttr("from", builder.getI64IntegerAttr(numbers.lookup(from.getSymName()))),
       builder.getNamedAttr("to", builder.getI64IntegerAttr(numbers.lookup(to.getSymName())))}));
  auto queue = FlatSymbolRefAttr::get(builder.getContext(), name);
  replaceSend(send, queue);
  replaceRecv(recv, queue);
}

/// Names the parts, and says where they run; the one with the results, or the first, keeps the entry's name and role.
void Joiner::joinParts(StringAttr entry, Parts &parts) {
  auto main = llvm::find_if(parts, [](auto &part) { return part.second.getNumResults() != 0; });
  if (main == parts.end())
    main = parts.begin();
  std::rotate(parts.begin(), main, std::next(main));
  for (auto &[device, function] : parts) {
    const bool isMain = function == parts.front().second;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, builder.getStringAttr(DistDialect::kArgumentAttr));
    // A step on several devices is not cut into parts over shards of the batch.
    function.walk([&](df::AllReduceOp sum) {
      if (parts.size() == 1)
        return;
      sum->replaceAllUsesWith(ValueRange(sum.getOperand()));
      sum.erase();
    });
    function->moveBefore(module.getBody(), module.getBody()->end());
    if (!isMain) {
      function.setSymName((entry.getValue() + "." + programs[device].getSymName()).str());
      function.setRole(df::Role::Other);
    }
    placed.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("part", FlatSymbolRefAttr::get(function.getSymNameAttr())),
         builder.getNamedAttr("entry", entry), builder.getNamedAttr("device", builder.getI64IntegerAttr(device))}));
  }
}

LogicalResult Joiner::run() {
  if (failed(collect()))
    return failure();
  llvm::MapVector<int64_t, std::pair<SendOp, RecvOp>> ends;
  module.walk([&](Operation *op) {
    if (auto send = dyn_cast<SendOp>(op))
      ends[send.getChannel()].first = send;
    else if (auto recv = dyn_cast<RecvOp>(op))
      ends[recv.getChannel()].second = recv;
  });
  for (auto &[number, pair] : ends)
    makeChannel(pair.first, pair.second);
  // Vocabularies that programs have copies of become one again; what else they hold is of one alone.
  llvm::StringSet<> tables;
  for (ProgramOp program : programs)
    for (Operation &op : llvm::make_early_inc_range(program.getBody().front())) {
      auto table = dyn_cast<df::VocabularyOp>(op);
      if (isa<df::FunctionOp>(op) || (table && !tables.insert(table.getSymName()).second))
        continue;
      op.moveBefore(module.getBody(), module.getBody()->end());
    }
  for (auto &[entry, parts] : entries)
    joinParts(entry, parts);
  SmallVector<Attribute> devices;
  for (ProgramOp program : programs) {
    devices.push_back(program.getDeviceAttr());
    program.erase();
  }
  module->setAttr(DistDialect::kDevicesAttr, builder.getArrayAttr(devices));
  module->setAttr(DistDialect::kPartsAttr, builder.getArrayAttr(placed));
  module->setAttr(DistDialect::kChannelsAttr, builder.getArrayAttr(channels));
  return success();
}

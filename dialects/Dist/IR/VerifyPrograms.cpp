// What programs say to each other: each channel has two ends, and nobody waits for ever.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Dist/IR/Dist.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

namespace {

/// The ends of a channel.
struct Channel {
  SendOp send;
  RecvOp recv;
};

/// By number, in the order in which they were met. Any may be a channel's, those that a hash table keeps for itself,
/// too.
using Channels = llvm::MapVector<int64_t, Channel, std::map<int64_t, unsigned>>;

} // namespace

/// Fails if `slot` is taken: a channel has one end of each kind.
template <typename Op> static LogicalResult addEnd(Op op, Op &slot) {
  if (slot) {
    InFlightDiagnostic diag = op.emitOpError("(C2) channel ") << op.getChannel() << " has another one";
    diag.attachNote(slot.getLoc()) << "the other one";
    return diag;
  }
  slot = op;
  return success();
}

/// The ops around `op` within its function, with the number of the region, from the outside in.
static std::string nestOf(Operation *op) {
  std::string nest;
  for (Region *region = op->getParentRegion(); !isa<df::FunctionOp>(region->getParentOp());
       region = region->getParentRegion())
    nest = region->getParentOp()->getName().getStringRef().str() + "." + std::to_string(region->getRegionNumber()) +
           (nest.empty() ? "" : " ") + nest;
  return nest.empty() ? "the function" : nest;
}

static LogicalResult verifyMatch(int64_t number, Channel channel) {
  if (!channel.recv)
    return channel.send.emitOpError("(C2) channel ") << number << " has no dist.recv";
  if (!channel.send)
    return channel.recv.emitOpError("(C2) channel ") << number << " has no dist.send";
  auto sender = channel.send->getParentOfType<ProgramOp>(), receiver = channel.recv->getParentOfType<ProgramOp>();
  auto from = channel.send->getParentOfType<df::FunctionOp>(), to = channel.recv->getParentOfType<df::FunctionOp>();
  if (channel.send.getTo() != receiver.getSymName() || to.getSymName() != from.getSymName() || sender == receiver)
    return channel.send.emitOpError("(C2) channel ")
           << number << " goes to program " << channel.send.getToAttr() << "; its dist.recv is in function @"
           << to.getSymName() << " of @" << receiver.getSymName();
  if (channel.recv.getFrom() != sender.getSymName())
    return channel.recv.emitOpError("(C2) channel ") << number << " comes from program " << channel.recv.getFromAttr()
                                                     << "; its dist.send is in @" << sender.getSymName();
  if (channel.send.getValues().getTypes() != channel.recv.getValues().getTypes())
    return channel.recv.emitOpError("(C2) channel ")
           << number << " gives (" << channel.recv.getValues().getTypes() << "); its dist.send sends ("
           << channel.send.getValues().getTypes() << ")";
  std::string inner = nestOf(channel.recv), outer = nestOf(channel.send);
  if (inner != outer)
    return channel.recv.emitOpError("(C2) channel ")
           << number << " stands in " << inner << "; its dist.send in " << outer;
  return success();
}

/// (C3): Sends and recvs of all parts of one entry, taken where they can be: a send as soon as all recvs before it in
/// its part were, a recv once its send was too. What is left waits in a cycle.
static LogicalResult verifyProgress(ArrayRef<df::FunctionOp> parts, const Channels &channels) {
  SmallVector<SmallVector<Operation *>> ends(parts.size());
  for (auto [i, list] : llvm::enumerate(ends))
    df::FunctionOp(parts[i])->walk<WalkOrder::PreOrder>([&list = list](Operation *op) {
      if (isa<SendOp, RecvOp>(op))
        list.push_back(op);
    });
  SmallVector<size_t> next(parts.size(), 0);
  llvm::DenseSet<Operation *> done;
  for (bool moved = true; moved;) {
    moved = false;
    for (auto [list, place] : llvm::zip(ends, next))
      for (; place < list.size(); ++place, moved = true) {
        auto recv = dyn_cast<RecvOp>(list[place]);
        if (recv && !done.contains(channels.lookup(recv.getChannel()).send))
          break;
        done.insert(list[place]);
      }
  }
  for (auto [list, place] : llvm::zip(ends, next))
    if (place < list.size()) {
      auto recv = cast<RecvOp>(list[place]);
      Operation *send = channels.lookup(recv.getChannel()).send;
      InFlightDiagnostic diag = recv.emitOpError("(C3) waits for ever: channel ")
                                << recv.getChannel() << " is sent after what waits for this program";
      diag.attachNote(send->getLoc()) << "sent here";
      return diag;
    }
  return success();
}

LogicalResult mlc::dist::verifyPrograms(ModuleOp module) {
  llvm::SmallDenseMap<StringAttr, ProgramOp> devices;
  for (auto program : module.getOps<ProgramOp>()) {
    auto [it, isNew] = devices.try_emplace(program.getDeviceAttr(), program);
    if (!isNew)
      return program.emitOpError("(C1) is on ")
             << program.getDeviceAttr() << ", as program @" << it->second.getSymName() << " is";
  }
  Channels channels;
  llvm::MapVector<StringAttr, SmallVector<df::FunctionOp>> entries;
  for (auto program : module.getOps<ProgramOp>())
    for (auto function : program.getOps<df::FunctionOp>()) {
      entries[function.getSymNameAttr()].push_back(function);
      WalkResult result = function.walk([&](Operation *op) {
        LogicalResult added = success();
        if (auto send = dyn_cast<SendOp>(op))
          added = addEnd(send, channels[send.getChannel()].send);
        else if (auto recv = dyn_cast<RecvOp>(op))
          added = addEnd(recv, channels[recv.getChannel()].recv);
        return failed(added) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (result.wasInterrupted())
        return failure();
    }
  for (auto [number, channel] : channels)
    if (failed(verifyMatch(number, channel)))
      return failure();
  for (auto &[name, parts] : entries)
    if (failed(verifyProgress(parts, channels)))
      return failure();
  return success();
}

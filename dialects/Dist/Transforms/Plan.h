// How a placed function is cut: where each value is, which devices take part in a loop or branch, and the messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_TRANSFORMS_PLAN_H
#define DIALECTS_DIST_TRANSFORMS_PLAN_H

#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Dist/IR/Dist.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlc::dist {

/// Whether the regions of `op` are cut: df.if, df.while, df.scan, df.remat. Other ops with regions are whole: updates
/// of rows, and a df.while that stacks values, whose number of iterations no part of it would tell another.
bool isCut(mlir::Operation *op);

/// The symbols of a module that are placed: variables and queues.
bool isPlacedSymbol(mlir::Operation *op);

/// The variables and queues that `op` names, in the symbol table around it. Those of regions that are cut are not among
/// them.
llvm::SmallVector<mlir::Operation *> placedSymbolsOf(mlir::Operation *op);

/// `dist.device` of an op, or null.
mlir::StringAttr getDevice(mlir::Operation *op);

/// Where the carried value or result `index` of a `df.if`, `df.while`, `df.scan` or `df.remat` is made: the values
/// that its regions yield for it, but for those that come from outside or are arguments of a region.
llvm::SmallVector<mlir::Value, 2> madeInside(mlir::Operation *op, unsigned index);

/// Values that go from one device to another as one message.
struct Message {
  mlir::StringAttr from, to;
  llvm::SmallVector<mlir::Value> values;
  /// Positions of ops in the block of the values: sent after the first one (-1: at the block's begin), awaited before
  /// the second one.
  int64_t sent = -1, awaited = 0;
};

/// The plan of one function whose ops all have concrete devices. Devices are the texts of `dist.device`.
class Plan {
public:
  /// `entry` is the function's device. Inserts ops where a part of a df.scan has nothing to tell sizes from: the number
  /// of iterations, or, where there may be none, the shape of rows that another device makes.
  Plan(df::FunctionOp function, mlir::StringAttr entry);

  mlir::StringAttr getEntry() const { return entry; }
  /// All devices that have a part of the function, the entry's first.
  llvm::ArrayRef<mlir::StringAttr> getDevices() const { return devices.getArrayRef(); }
  /// The device of a value that is neither a constant nor a row of a scan's sequence: these are wherever they are used.
  mlir::StringAttr homeOf(mlir::Value value) const;
  /// Whether `device` has a copy of `op`.
  bool takesPart(mlir::Operation *op, mlir::StringAttr device) const;
  /// Whether `device` has the rows of sequence `index` of `scan`.
  bool hasRows(df::ScanOp scan, unsigned index, mlir::StringAttr device) const;
  /// The number of iterations of `scan`, where devices need it and no type tells it; or null.
  mlir::Value countOf(df::ScanOp scan) const { return counts.lookup(scan); }
  /// Messages of values of `block`, by the positions where they are sent.
  llvm::ArrayRef<Message> getMessages(mlir::Block *block) const;
  /// All blocks with messages, in program order.
  llvm::ArrayRef<mlir::Block *> getBlocks() const { return blocks; }

private:
  using Devices = llvm::SetVector<mlir::StringAttr>;
  void collectParts(mlir::Block &block, Devices &parts);
  void addCounts(mlir::Block &block);
  void addShapes(mlir::Block &block);
  void addShape(df::ScanOp scan, unsigned index);
  mlir::Value addSize(mlir::OpBuilder &builder, mlir::Value value, int64_t dimension, mlir::StringAttr other);
  void collectUses(mlir::Block &block);
  void collectUses(df::ScanOp scan);
  void use(mlir::Value value, mlir::StringAttr device, mlir::Operation *user);
  void makeMessages();

  df::FunctionOp function;
  mlir::StringAttr entry;
  Devices devices;
  llvm::DenseMap<mlir::Operation *, Devices> partsOf;
  llvm::DenseMap<mlir::Operation *, Devices> constants;                     ///< where constants are used
  llvm::DenseMap<mlir::Value, Devices> rows;                                ///< where rows of sequences are used
  llvm::DenseMap<mlir::Operation *, mlir::Value> counts;                    ///< of scans
  llvm::MapVector<std::pair<mlir::Value, mlir::StringAttr>, int64_t> first; ///< position of the first use elsewhere
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::SmallVector<mlir::Block *> blocks;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<Message>> messages;
};

} // namespace mlc::dist

#endif // DIALECTS_DIST_TRANSFORMS_PLAN_H

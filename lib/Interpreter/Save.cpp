// Rules of df.save and df.restore. Files lie in the state: a run of the interpreter touches no disk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfSaveOps.h"
#include "dialects/Df/IR/DfStateOps.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

static LogicalResult evaluateSave(df::SaveOp op, Frame &frame) {
  State::File file;
  if (op.getNames()) {
    for (auto [name, value] : llvm::zip(op.getNames()->getAsValueRange<StringAttr>(), op.getValues()))
      file[name.str()] = frame.tensor(value);
  } else {
    for (df::VariableOp variable : df::matchingVariables(op, op.getPattern())) {
      const Tensor *value = frame.variable(op, variable.getSymName());
      if (!value)
        return failure();
      file[variable.getSymName().str()] = *value;
    }
  }
  frame.state.files[frame.tensor(op.getPath()).getString(0)] = std::move(file);
  return success();
}

static LogicalResult evaluateRestore(df::RestoreOp op, Frame &frame) {
  const std::string &path = frame.tensor(op.getPath()).getString(0);
  auto file = frame.state.files.find(path);
  if (file == frame.state.files.end())
    return op.emitOpError("there is no file '") << path << "'";
  SmallVector<std::pair<StringRef, RankedTensorType>> wanted;
  if (op.getNames()) {
    for (auto [name, value] : llvm::zip(op.getNames()->getAsValueRange<StringAttr>(), op.getValues()))
      wanted.emplace_back(name, cast<RankedTensorType>(value.getType()));
  } else {
    for (df::VariableOp variable : df::matchingVariables(op, op.getPattern()))
      wanted.emplace_back(variable.getSymName(), variable.getTensorType());
  }
  // All are right before any is taken.
  for (auto [name, type] : wanted) {
    auto found = file->second.find(name.str());
    if (found == file->second.end())
      return op.emitOpError("file '") << path << "' has no tensor '" << name << "'";
    if (!isOfType(found->second, type))
      return op.emitOpError("tensor '") << name << "' of file '" << path << "' is not a " << type;
  }
  for (auto [i, entry] : llvm::enumerate(wanted)) {
    const Tensor &value = file->second.at(entry.first.str());
    if (!op.getNames())
      frame.state.set(entry.first, value);
    else if (failed(frame.set(op.getValues()[i], value)))
      return failure();
  }
  return success();
}

void mlc::interp::addSaveRules(RuleTable &table) {
  table.add<df::SaveOp>(evaluateSave);
  table.add<df::RestoreOp>(evaluateRestore);
}

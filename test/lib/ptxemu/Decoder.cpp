// Decoding of kernels: functions get places for their registers and variables, then statements become instructions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Decoder.h"

#include <algorithm>
#include <set>

namespace ptxemu {

static uint64_t alignTo(uint64_t value, uint64_t align) { return align ? (value + align - 1) / align * align : value; }

const OpTable &opTable() {
  static const OpTable table = [] {
    OpTable made;
    for (auto add : {addIntegerOps, addBitOps, addFloatOps, addApproximateOps, addCompareOps, addConvertOps, addMoveOps,
                     addMemoryOps, addAtomicOps, addControlOps, addWarpOps, addMatrixOps, addAsyncOps, addWgmmaOps})
      add(made);
    return made;
  }();
  return table;
}

void Decoder::fail(const std::string &what) {
  if (error_.empty())
    error_ = "line " + std::to_string(statement_ ? statement_->line : kernel_.entry->line) + ": " + what;
}

uint32_t Decoder::scratch(unsigned size) {
  const uint32_t at = kernel_.registerBytes;
  kernel_.registerBytes += size == 0 ? 64 : 32 * size;
  return at;
}

uint32_t Decoder::constant(uint64_t bits, unsigned size) {
  if (size && size < 4)
    bits &= (1ull << (8 * size)) - 1;
  if (size && size < 8)
    bits &= 0xffffffffull;
  const unsigned slot = size == 0 ? 0 : size < 8 ? 4 : 8;
  auto [at, isNew] = constants_.try_emplace({bits, slot}, 0);
  if (isNew) {
    at->second = scratch(slot);
    kernel_.constants.push_back({at->second, static_cast<uint8_t>(slot), bits});
  }
  return at->second;
}

const Function *Decoder::functionNamed(const std::string &name) const {
  for (const std::shared_ptr<Function> &function : module_.syntax.functions)
    if (function->name == name)
      return function.get();
  return nullptr;
}

Decoder::Placed *Decoder::placedOf(const Function *function) {
  for (std::unique_ptr<Placed> &placed : functions_)
    if (placed->function == function)
      return placed.get();
  return nullptr;
}

/// The function that a call names: the first symbol among its operands that is no variable.
static const Operand *calleeOf(const Statement &statement) {
  for (const Operand &operand : statement.operands)
    if (operand.kind == Operand::Symbol)
      return &operand;
  return nullptr;
}

void Decoder::checkRecursion(const Function &function, std::vector<const Function *> &path) {
  if (std::find(path.begin(), path.end(), &function) != path.end())
    return fail("recursion through function '" + function.name + "' is not supported");
  path.push_back(&function);
  for (const Statement &statement : function.statements)
    if (statement.opcode == "call" && !failed()) {
      statement_ = &statement;
      const Operand *callee = calleeOf(statement);
      if (!callee)
        return fail("indirect calls are not supported");
      const Function *called = functionNamed(callee->name);
      if (!called)
        return fail("call of unknown function '" + callee->name + "'");
      if (!called->defined)
        return fail("unresolved extern function '" + callee->name + "'");
      checkRecursion(*called, path);
    }
  path.pop_back();
}

void Decoder::place(const Function &function) {
  if (placedOf(&function))
    return;
  auto placed = std::make_unique<Placed>();
  placed->function = &function;
  placed->firstNumber = kernel_.registerCount;
  kernel_.registerCount += static_cast<uint32_t>(function.registers.size());
  for (size_t i = 0; i < function.registers.size(); ++i) {
    const unsigned size = function.registers[i] == Type::Pred ? 0 : sizeOf(function.registers[i]) == 8 ? 8 : 4;
    placed->places.push_back(scratch(size));
    kernel_.registerNames.push_back(function.registerNames[i]);
  }
  auto inFrame = [&](const Variable &variable) {
    kernel_.localBytes = alignTo(kernel_.localBytes, variable.align);
    placed->addresses[&variable] = kernel_.localBytes;
    kernel_.localBytes += variable.size;
  };
  for (const std::shared_ptr<Variable> &variable : function.variables)
    if (variable->space == Space::Local || variable->space == Space::Param)
      inFrame(*variable);
  if (!function.entry) {
    placed->returnSlot = scratch(4);
    for (const auto *list : {&function.results, &function.parameters})
      for (const Function::Parameter &parameter : *list)
        if (parameter.variable)
          inFrame(*parameter.variable);
  }
  functions_.push_back(std::move(placed));
  for (const Statement &statement : function.statements)
    if (statement.opcode == "call")
      place(*functionNamed(calleeOf(statement)->name));
}

static void collectShared(const Operand &operand, std::vector<const Variable *> &into) {
  if (operand.variable && operand.variable->space == Space::Shared)
    into.push_back(operand.variable.get());
  for (const Operand &part : operand.parts)
    collectShared(part, into);
}

/// Shared variables that the kernel names, and those of its functions; the dynamic part comes last.
void Decoder::layoutShared() {
  std::vector<const Variable *> used;
  for (std::unique_ptr<Placed> &placed : functions_) {
    for (const std::shared_ptr<Variable> &variable : placed->function->variables)
      if (variable->space == Space::Shared)
        used.push_back(variable.get());
    for (const Statement &statement : placed->function->statements)
      for (const Operand &operand : statement.operands)
        collectShared(operand, used);
  }
  std::vector<const Variable *> dynamic;
  uint64_t size = 0, dynamicAlign = 16;
  for (const Variable *variable : used) {
    if (shared_.count(variable))
      continue;
    if (variable->external || variable->size == 0) {
      dynamic.push_back(variable);
      shared_[variable] = 0;
      dynamicAlign = std::max(dynamicAlign, variable->align);
      continue;
    }
    size = alignTo(size, variable->align);
    shared_[variable] = size;
    size += variable->size;
  }
  kernel_.staticShared = size;
  kernel_.dynamicOffset = alignTo(size, dynamicAlign);
  for (const Variable *variable : dynamic)
    shared_[variable] = kernel_.dynamicOffset;
}

uint64_t Decoder::addressOf(const Variable &variable) {
  if (variable.space == Space::Shared)
    return shared_[&variable];
  if (variable.space == Space::Param && variable.ofKernel) {
    for (size_t i = 0; i < kernel_.entry->parameters.size(); ++i)
      if (kernel_.entry->parameters[i].variable.get() == &variable)
        return kernel_.parameters[i].offset;
  }
  if (variable.space == Space::Local || variable.space == Space::Param)
    return current_->addresses[&variable];
  auto at = module_.variables.find(variable.name);
  if (at == module_.variables.end()) {
    fail("unresolved extern variable '" + variable.name + "'");
    return 0;
  }
  return at->second.first;
}

std::string Decoder::run() {
  const Function &entry = *kernel_.entry;
  std::vector<const Function *> path;
  checkRecursion(entry, path);
  if (failed())
    return error_;
  statement_ = nullptr;
  for (const Function::Parameter &parameter : entry.parameters) {
    kernel_.parameterBytes = alignTo(kernel_.parameterBytes, parameter.variable->align);
    kernel_.parameters.push_back({kernel_.parameterBytes, parameter.variable->size, parameter.variable->align});
    kernel_.parameterBytes += parameter.variable->size;
  }
  // From version 8.1 on there may be more.
  if (const uint64_t most = module_.syntax.version < 81 ? 4352 : 32764; kernel_.parameterBytes > most)
    fail("parameters of " + std::to_string(kernel_.parameterBytes) + " bytes, expected at most " +
         std::to_string(most));
  if (entry.clusterShape[0] * entry.clusterShape[1] * entry.clusterShape[2] > 1)
    fail("clusters of several blocks are not supported");
  place(entry);
  layoutShared();
  for (size_t i = 0; i < functions_.size() && !failed(); ++i)
    decode(*functions_[i]);
  for (const Fix &fix : fixes_)
    kernel_.code[fix.inst].target = placedOf(fix.function)->begin;
  for (Type type : entry.registers)
    kernel_.registersEstimate += type == Type::Pred ? 0 : sizeOf(type) == 8 ? 2 : 1;
  kernel_.registersEstimate = std::clamp(kernel_.registersEstimate, 16u, 255u);
  if (entry.maxRegisters)
    kernel_.registersEstimate = std::min(kernel_.registersEstimate, entry.maxRegisters);
  return error_;
}

void Decoder::decode(Placed &placed) {
  current_ = &placed;
  placed.begin = static_cast<uint32_t>(kernel_.code.size());
  for (const Statement &statement : placed.function->statements) {
    placed.instOf.push_back(static_cast<uint32_t>(kernel_.code.size()));
    decodeStatement(statement);
    if (failed())
      return;
  }
  placed.instOf.push_back(static_cast<uint32_t>(kernel_.code.size()));
  Inst last;
  last.line = placed.function->statements.empty() ? placed.function->line : placed.function->statements.back().line;
  last.control = placed.function->entry ? Control::Exit : Control::Return;
  last.a = placed.returnSlot;
  kernel_.code.push_back(last);
  // Labels: branches know statements until here.
  for (size_t i = placed.begin; i < kernel_.code.size(); ++i) {
    Inst &made = kernel_.code[i];
    if (made.control == Control::Branch)
      made.target = placed.instOf[made.target];
    else if (made.control == Control::BranchIndexed)
      for (uint32_t k = 0; k < made.target; ++k)
        kernel_.operands[made.first + k] = placed.instOf[kernel_.operands[made.first + k]];
    else if (made.control == Control::Return)
      made.a = placed.returnSlot;
  }
}

void Decoder::decodeStatement(const Statement &statement) {
  statement_ = &statement;
  auto begin = [&] {
    inst = Inst();
    inst.line = statement.line;
    uses_.clear();
    carried_.clear();
    defs_.clear();
    if (statement.guard >= 0) {
      inst.guarded = true;
      inst.guardNegated = statement.guardNegated;
      inst.guard = current_->places[statement.guard];
    }
  };
  begin();
  known_.assign(statement.modifiers.size(), false);
  const OpTable &table = opTable();
  auto op = table.find(statement.opcode);
  if (op == table.end())
    return fail("unknown instruction '" + statement.opcode + "'");
  if (statement.opcode == "call") {
    has("uni");
    call();
    return;
  }
  op->second(*this);
  if (inst.control == Control::Return && current_->function->entry)
    inst.control = Control::Exit;
  for (size_t i = 0; i < known_.size(); ++i)
    if (!known_[i])
      fail("unknown modifier '." + statement.modifiers[i] + "' of '" + statement.opcode + "'");
  if (!inst.run && inst.control == Control::Plain)
    fail("'" + statement.opcode + "' does not exist for this type");
  inst.uses = static_cast<uint32_t>(kernel_.numbers.size());
  // What guards is read by all lanes, which the executor looks at itself: it comes first.
  if (statement.guard >= 0)
    kernel_.numbers.push_back(current_->firstNumber + statement.guard);
  kernel_.numbers.insert(kernel_.numbers.end(), uses_.begin(), uses_.end());
  kernel_.numbers.insert(kernel_.numbers.end(), carried_.begin(), carried_.end());
  inst.defs = static_cast<uint32_t>(kernel_.numbers.size());
  kernel_.numbers.insert(kernel_.numbers.end(), defs_.begin(), defs_.end());
  if (uses_.size() > 250 || carried_.size() > 250 || defs_.size() > 250)
    return fail("too many operands");
  inst.numUses = static_cast<uint8_t>(uses_.size());
  inst.numCarried = static_cast<uint8_t>(carried_.size());
  inst.numDefs = static_cast<uint8_t>(defs_.size());
  kernel_.code.push_back(inst);
}

void Decoder::noteUse(uint32_t number, bool carried) {
  (carried ? carried_ : uses_).push_back(current_->firstNumber + number);
}
void Decoder::noteDefinition(uint32_t number) { defs_.push_back(current_->firstNumber + number); }

} // namespace ptxemu

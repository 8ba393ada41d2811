// Modifiers and operands of statements.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Decoder.h"
#include "test/lib/ptxemu/LocalCopy.h"

namespace ptxemu {

bool Decoder::has(std::string_view name) {
  for (size_t i = 0; i < known_.size(); ++i)
    if (!known_[i] && statement_->modifiers[i] == name) {
      known_[i] = true;
      return true;
    }
  return false;
}

std::string_view Decoder::modifier(size_t index) const {
  return index < statement_->modifiers.size() ? std::string_view(statement_->modifiers[index]) : std::string_view();
}

Type Decoder::typeIfAny() {
  for (size_t i = 0; i < known_.size(); ++i)
    if (!known_[i])
      if (const Type type = typeNamed(statement_->modifiers[i]); type != Type::None) {
        known_[i] = true;
        return type;
      }
  return Type::None;
}

Type Decoder::type() {
  const Type type = typeIfAny();
  if (type == Type::None) {
    fail("'" + statement_->opcode + "' without a type");
    return Type::B32;
  }
  return type;
}

int Decoder::oneOf(std::initializer_list<std::string_view> names, bool optional) {
  int index = 0;
  std::string all;
  for (std::string_view name : names) {
    if (has(name))
      return index;
    all += (index++ ? ", ." : ".") + std::string(name);
  }
  if (!optional)
    fail("expected one of " + all + " in '" + statement_->opcode + "'");
  return -1;
}

Rounding Decoder::rounding(Rounding fallback) {
  switch (oneOf({"rn", "rz", "rm", "rp"}, true)) {
  case 0:
    return Rounding::Nearest;
  case 1:
    return Rounding::Zero;
  case 2:
    return Rounding::Down;
  case 3:
    return Rounding::Up;
  default:
    return fallback;
  }
}

Space Decoder::space() {
  switch (oneOf(
      {"global", "shared", "shared::cta", "local", "param", "const", "shared::cluster", "param::entry", "param::func"},
      true)) {
  case 0:
    return Space::Global;
  case 1:
  case 2:
  case 6:
    return Space::Shared;
  case 3:
    return Space::Local;
  case 4:
  case 7:
  case 8:
    return Space::Param;
  case 5:
    return Space::Const;
  default:
    return Space::Generic;
  }
}

bool Decoder::cacheModifiers() {
  bool operand = false;
  for (size_t i = 0; i < known_.size(); ++i) {
    const std::string &name = statement_->modifiers[i];
    if (name.compare(0, 4, "L1::") == 0 || name.compare(0, 4, "L2::") == 0) {
      known_[i] = true;
      operand |= name == "L2::cache_hint";
    }
  }
  oneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"}, true);
  return operand;
}

void Decoder::orderModifiers() {
  switch (oneOf({"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"}, true)) {
  case 1:
  case 2:
    inst.flag = true;
    break;
  case 3:
    inst.flag = true;
    inst.mode2 = 1;
    break;
  case 4:
    inst.flag = true;
    inst.mode2 = 2;
    break;
  case 5:
    inst.flag = true;
    inst.mode2 = 3;
    break;
  default:
    break;
  }
  oneOf({"cta", "cluster", "gpu", "sys"}, true);
}

void Decoder::expectOperands(size_t least, size_t most) {
  if (count() < least || count() > most)
    fail("'" + statement_->opcode + "' with " + std::to_string(count()) + " operands, expected " +
         std::to_string(least) + (most > least ? " to " + std::to_string(most) : ""));
}

const Operand &Decoder::operand(size_t index) {
  static const Operand none;
  if (index < count())
    return statement_->operands[index];
  fail("'" + statement_->opcode + "' lacks operand " + std::to_string(index + 1));
  return none;
}

Type Decoder::registerType(const Operand &operand) const {
  return operand.kind == Operand::Register ? current_->function->registers[operand.number] : Type::None;
}

bool Decoder::isWide(const Operand &operand) const { return sizeOf(registerType(operand)) == 8; }

/// Whether a register of type `has` may stand where an instruction of type `wants` reads or writes one.
static bool fits(Type has, Type wants, bool wider) {
  if (has == Type::Pred || wants == Type::Pred)
    return has == wants;
  if (wider ? sizeOf(has) < sizeOf(wants) : sizeOf(has) != sizeOf(wants))
    return false;
  if (isBits(has) || isBits(wants) || wider)
    return true;
  return isFloat(has) == isFloat(wants);
}

uint64_t Decoder::immediate(const Operand &operand, Type type) {
  if (operand.kind != Operand::Immediate) {
    fail("expected a constant");
    return 0;
  }
  if (type == Type::F32 || type == Type::F64) {
    if (operand.literal == Operand::Integer)
      fail("an integer constant, expected one of type ." + std::string(nameOf(type)));
    if (type == Type::F32 && operand.literal == Operand::Double)
      return bitCast<uint32_t>(static_cast<float>(bitCast<double>(operand.bits)));
    if (type == Type::F64 && operand.literal == Operand::Single)
      return bitCast<uint64_t>(static_cast<double>(bitCast<float>(static_cast<uint32_t>(operand.bits))));
    return operand.bits;
  }
  if (operand.literal == Operand::Double && sizeOf(type) < 8)
    fail("a constant of 64 bits, expected one of type ." + std::string(nameOf(type)));
  if (operand.literal == Operand::Single && sizeOf(type) != 4)
    fail("a constant of type .f32, expected one of type ." + std::string(nameOf(type)));
  return operand.bits;
}

uint32_t Decoder::source(const Operand &operand, Type type, bool wider, bool carried) {
  switch (operand.kind) {
  case Operand::Register: {
    const Type has = registerType(operand);
    if (!fits(has, type, wider))
      fail("register '" + operand.name + "' of type ." + std::string(nameOf(has)) + ", expected one of type ." +
           std::string(nameOf(type)));
    if (operand.negated || operand.offset)
      fail("unexpected '" + std::string(operand.negated ? "!" : "+") + "' at '" + operand.name + "'");
    noteUse(static_cast<uint32_t>(operand.number), carried);
    return current_->places[operand.number];
  }
  case Operand::Immediate:
    return constant(immediate(operand, type), type == Type::Pred ? 0 : sizeOf(type));
  case Operand::Special:
    return special(operand.name, type);
  case Operand::Symbol:
    if (!operand.variable) {
      fail("unknown name '" + operand.name + "'");
      return 0;
    }
    if (sizeOf(type) < 4 || type == Type::Pred)
      fail("the address of '" + operand.name + "' as ." + std::string(nameOf(type)));
    return constant(addressOf(*operand.variable) + static_cast<uint64_t>(operand.offset), sizeOf(type));
  default:
    fail("unexpected kind of operand");
    return 0;
  }
}

uint32_t Decoder::destination(const Operand &operand, Type type, bool wider) {
  if (operand.kind == Operand::Sink)
    return scratch(type == Type::Pred ? 0 : sizeOf(type) == 8 ? 8 : 4);
  if (operand.kind != Operand::Register) {
    fail("expected a register as destination");
    return 0;
  }
  const Type has = registerType(operand);
  if (!fits(has, type, wider))
    fail("register '" + operand.name + "' of type ." + std::string(nameOf(has)) + ", expected one of type ." +
         std::string(nameOf(type)));
  noteDefinition(static_cast<uint32_t>(operand.number));
  return current_->places[operand.number];
}

uint32_t Decoder::quietPlace(const Operand &operand, Type type, uint32_t &number) {
  if (operand.kind != Operand::Register || !fits(registerType(operand), type, false)) {
    fail("expected a register of type ." + std::string(nameOf(type)));
    return 0;
  }
  number = current_->firstNumber + static_cast<uint32_t>(operand.number);
  return current_->places[operand.number];
}

uint32_t Decoder::predicate(const Operand &operand, bool *negated) {
  if (operand.kind == Operand::Immediate)
    return constant(operand.bits ? ~0ull : 0, 0);
  if (operand.kind != Operand::Register || registerType(operand) != Type::Pred || (operand.negated && !negated)) {
    fail("expected a predicate");
    return 0;
  }
  if (negated)
    *negated = operand.negated;
  noteUse(static_cast<uint32_t>(operand.number), false);
  return current_->places[operand.number];
}

uint32_t Decoder::predicateDestination(const Operand &operand) { return destination(operand, Type::Pred); }

Space Decoder::address(const Operand &operand, Space space, uint32_t &place, int64_t &offset) {
  place = constant(0, 8);
  if (operand.kind != Operand::Memory) {
    fail("expected an address in brackets");
    return space;
  }
  const Operand &base = operand.parts[0];
  offset = operand.offset;
  if (base.kind == Operand::Symbol && base.variable) {
    const Variable &variable = *base.variable;
    const Space real = variable.space == Space::Param && !variable.ofKernel ? Space::Local : variable.space;
    uint64_t address = addressOf(variable);
    if (space == Space::Generic)
      space = real; // the name says where it lies
    else if (space != variable.space)
      fail("'" + variable.name + "' lies in ." + std::string(nameOf(variable.space)) + ", expected a variable in ." +
           std::string(nameOf(space)));
    place = constant(address, 8);
    return real;
  }
  if (base.kind == Operand::Immediate) {
    place = constant(base.bits, 8);
    return space;
  }
  if (base.kind != Operand::Register || base.negated || registerType(base) == Type::Pred ||
      sizeOf(registerType(base)) < 4) {
    fail("expected a register of 32 or 64 bits, or a variable, as address");
    return space;
  }
  noteUse(static_cast<uint32_t>(base.number), false);
  place = current_->places[base.number] | (isWide(base) ? 0 : 1); // places are even: the bit says 32 bits
  return space;
}

uint32_t Decoder::addOperands(const std::vector<uint32_t> &places) {
  const uint32_t first = static_cast<uint32_t>(kernel_.operands.size());
  kernel_.operands.insert(kernel_.operands.end(), places.begin(), places.end());
  return first;
}

/// The index of a statement; it becomes that of an instruction when all are decoded.
uint32_t Decoder::label(const Operand &operand) {
  for (int scope = statement_->scope; scope >= 0; scope = current_->function->scopeParents[scope])
    if (auto at = current_->function->labels.find({scope, operand.name}); at != current_->function->labels.end())
      return static_cast<uint32_t>(at->second);
  fail("unknown label '" + operand.name + "'");
  return 0;
}

const std::vector<std::string> *Decoder::branchTargets(const Operand &operand) {
  for (int scope = statement_->scope; scope >= 0; scope = current_->function->scopeParents[scope])
    if (auto at = current_->function->branchTargets.find({scope, operand.name});
        at != current_->function->branchTargets.end())
      return &at->second;
  fail("unknown list of branch targets '" + operand.name + "'");
  return nullptr;
}

uint32_t Decoder::special(const std::string &name, Type type) {
  static const std::map<std::string, Special> names = {
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::TidY},
      {"%tid.z", Special::TidZ},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::NtidY},
      {"%ntid.z", Special::NtidZ},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::CtaidY},
      {"%ctaid.z", Special::CtaidZ},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::NctaidY},
      {"%nctaid.z", Special::NctaidZ},
      {"%laneid", Special::LaneId},
      {"%warpid", Special::WarpId},
      {"%nwarpid", Special::NwarpId},
      {"%smid", Special::SmId},
      {"%nsmid", Special::NsmId},
      {"%gridid", Special::GridId},
      {"%lanemask_eq", Special::LaneMaskEq},
      {"%lanemask_le", Special::LaneMaskLe},
      {"%lanemask_lt", Special::LaneMaskLt},
      {"%lanemask_ge", Special::LaneMaskGe},
      {"%lanemask_gt", Special::LaneMaskGt},
      {"%dynamic_smem_size", Special::DynamicSharedSize},
      {"%total_smem_size", Special::TotalSharedSize},
      {"%cluster_ctarank", Special::ClusterCtaRank},
      {"%cluster_nctarank", Special::ClusterNctaRank},
      {"%cluster_ctaid.x", Special::ClusterCtaidX},
      {"%cluster_ctaid.y", Special::ClusterCtaidY},
      {"%cluster_ctaid.z", Special::ClusterCtaidZ},
      {"%cluster_nctaid.x", Special::ClusterNctaidX},
      {"%cluster_nctaid.y", Special::ClusterNctaidY},
      {"%cluster_nctaid.z", Special::ClusterNctaidZ},
      {"%clusterid.x", Special::ClusterIdX},
      {"%clusterid.y", Special::ClusterIdY},
      {"%clusterid.z", Special::ClusterIdZ},
      {"%nclusterid.x", Special::NclusterIdX},
      {"%nclusterid.y", Special::NclusterIdY},
      {"%nclusterid.z", Special::NclusterIdZ},
      {"%is_explicit_cluster", Special::IsExplicitCluster},
      {"%tid.w", Special::Zero},
      {"%ctaid.w", Special::Zero},
  };
  auto which = names.find(name);
  if (which == names.end()) {
    fail("unknown special register '" + name + "'");
    return 0;
  }
  const unsigned size = type == Type::Pred ? 0 : sizeOf(type) == 8 ? 8 : 4;
  if ((which->second == Special::IsExplicitCluster) != (size == 0))
    fail("special register '" + name + "' as ." + std::string(nameOf(type)));
  auto [at, isNew] = specials_.try_emplace({which->second, size}, 0);
  if (isNew) {
    at->second = scratch(size);
    kernel_.specials.push_back({at->second, static_cast<uint8_t>(size), which->second});
  }
  return at->second;
}

/// A call: parameters are copied to where the function has them, then lanes go there, then results are copied back.
void Decoder::call() {
  const Statement &statement = *statement_;
  const Operand *name = nullptr, *results = nullptr, *arguments = nullptr;
  for (const Operand &operand : statement.operands) {
    if (operand.kind == Operand::Symbol)
      name = &operand;
    else if (operand.kind == Operand::List)
      (name ? arguments : results) = &operand;
    else
      return fail("unexpected kind of operand of a call");
  }
  const Function *function = functionNamed(name->name);
  Placed &callee = *placedOf(function);
  const std::vector<Operand> none;
  const std::vector<Operand> &given = arguments ? arguments->parts : none, &wanted = results ? results->parts : none;
  if (given.size() != function->parameters.size() || wanted.size() != function->results.size())
    return fail("call of '" + function->name + "' with " + std::to_string(given.size()) + " parameters and " +
                std::to_string(wanted.size()) + " results, expected " + std::to_string(function->parameters.size()) +
                " and " + std::to_string(function->results.size()));
  const Inst blank = inst;
  auto emit = [&] {
    inst.uses = static_cast<uint32_t>(kernel_.numbers.size());
    if (statement.guard >= 0)
      kernel_.numbers.push_back(current_->firstNumber + statement.guard);
    kernel_.numbers.insert(kernel_.numbers.end(), carried_.begin(), carried_.end());
    inst.numCarried = static_cast<uint8_t>(carried_.size());
    inst.defs = static_cast<uint32_t>(kernel_.numbers.size());
    kernel_.numbers.insert(kernel_.numbers.end(), defs_.begin(), defs_.end());
    inst.numDefs = static_cast<uint8_t>(defs_.size());
    kernel_.code.push_back(inst);
    carried_.clear();
    defs_.clear();
    inst = blank;
  };
  // From the caller's operand to the function's parameter, or back.
  auto transfer = [&](const Operand &operand, const Function::Parameter &parameter, bool back) {
    if (parameter.variable) {
      if (operand.kind != Operand::Symbol || !operand.variable || operand.variable->space != Space::Param ||
          operand.variable->ofKernel)
        return fail("expected a variable in .param for parameter '" + parameter.variable->name + "'");
      if (operand.variable->size != parameter.variable->size)
        return fail("'" + operand.name + "' of " + std::to_string(operand.variable->size) + " bytes, expected " +
                    std::to_string(parameter.variable->size));
      const uint32_t mine = static_cast<uint32_t>(current_->addresses[operand.variable.get()]);
      const uint32_t theirs = static_cast<uint32_t>(callee.addresses[parameter.variable.get()]);
      inst.run = copyLocal;
      inst.dst = back ? mine : theirs;
      inst.a = back ? theirs : mine;
      inst.imm = parameter.variable->size;
      return emit();
    }
    const Type type = function->registers[parameter.number];
    const uint32_t place = callee.places[parameter.number], number = callee.firstNumber + parameter.number;
    if (back) {
      inst.dst = destination(operand, type);
      inst.a = place;
      carried_.push_back(number);
    } else {
      inst.a = source(operand, type, false, true);
      inst.dst = place;
      defs_.push_back(number);
    }
    inst.run = type == Type::Pred ? copyPredicate : sizeOf(type) == 8 ? copyWide : copyNarrow;
    emit();
  };
  for (size_t i = 0; i < given.size(); ++i)
    transfer(given[i], function->parameters[i], false);
  inst.control = Control::Call;
  inst.b = callee.returnSlot;
  fixes_.push_back({static_cast<uint32_t>(kernel_.code.size()), function, statement.line});
  emit();
  for (size_t i = 0; i < wanted.size(); ++i)
    transfer(wanted[i], function->results[i], true);
}

} // namespace ptxemu

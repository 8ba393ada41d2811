// The parser of PTX: bodies of functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Parser.h"

#include <cctype>

namespace ptxemu {

void Parser::openScope() {
  const int number = static_cast<int>(function_->scopeParents.size());
  function_->scopeParents.push_back(scopes_.empty() ? -1 : scopes_.back().number);
  scopes_.push_back({number, {}, {}});
}

bool Parser::declareRegister(const std::string &name, Type type, int line) {
  const int number = static_cast<int>(function_->registers.size());
  if (!scopes_.back().registers.emplace(name, number).second)
    return fail("register '" + name + "' is declared twice", line);
  function_->registers.push_back(type);
  function_->registerNames.push_back(name);
  return true;
}

bool Parser::registers() {
  const Type type = typeNamed(token_.text);
  if (token_.kind != Token::Dot || type == Type::None)
    return fail("expected the type of registers, found '" + std::string(token_.text) + "'");
  advance();
  do {
    if (token_.kind != Token::Word)
      return fail("expected a register, found '" + std::string(token_.text) + "'");
    const std::string name(token_.text);
    const int line = token_.line;
    advance();
    if (takePunct('<')) {
      uint64_t count = 0;
      if (!expectInteger(count) || !expectPunct('>'))
        return false;
      if (count > 1u << 20)
        return fail("too many registers");
      for (uint64_t i = 0; i < count; ++i)
        if (!declareRegister(name + std::to_string(i), type, line))
          return false;
    } else if (!declareRegister(name, type, line)) {
      return false;
    }
  } while (takePunct(','));
  return expectPunct(';');
}

bool Parser::directive() {
  if (takeDot("reg"))
    return registers();
  for (Space space : {Space::Local, Space::Shared, Space::Param})
    if (takeDot(nameOf(space)))
      return variables(space, false, function_->variables, scopes_.back().variables) && expectPunct(';');
  if (isDot("loc"))
    return skipLine();
  if (takeDot("pragma")) {
    advance();
    return expectPunct(';');
  }
  return fail("unknown directive '." + std::string(token_.text) + "' in a function");
}

bool Parser::branchTargets(const std::string &label) {
  std::vector<std::string> &targets = function_->branchTargets[{scopes_.back().number, label}];
  do {
    if (token_.kind != Token::Word)
      return fail("expected a label, found '" + std::string(token_.text) + "'");
    targets.emplace_back(token_.text);
    advance();
  } while (takePunct(','));
  return expectPunct(';');
}

bool Parser::body() {
  if (!expectPunct('{'))
    return false;
  const size_t outside = scopes_.size();
  openScope();
  while (scopes_.size() > outside) {
    if (token_.kind == Token::End)
      return fail("expected '}', found the end");
    if (takePunct('{')) {
      openScope();
    } else if (takePunct('}')) {
      scopes_.pop_back();
    } else if (takePunct(';')) {
      continue;
    } else if (token_.kind == Token::Dot) {
      if (!directive())
        return false;
    } else if (token_.kind == Token::Word && ahead_.kind == Token::Punct && ahead_.text == ":") {
      const std::string label(token_.text);
      advance();
      advance();
      if (takeDot("branchtargets")) {
        if (!branchTargets(label))
          return false;
      } else if (isDot("callprototype")) {
        return fail("indirect calls are not supported");
      } else if (!function_->labels.emplace(std::make_pair(scopes_.back().number, label), function_->statements.size())
                      .second) {
        return fail("label '" + label + "' is declared twice");
      }
    } else if (!statement()) {
      return false;
    }
  }
  return true;
}

bool Parser::statement() {
  Statement statement;
  statement.line = token_.line;
  statement.scope = scopes_.back().number;
  if (takePunct('@')) {
    Operand guard;
    guard.negated = takePunct('!');
    if (!word(guard))
      return false;
    if (guard.kind != Operand::Register || function_->registers[guard.number] != Type::Pred)
      return fail("expected a predicate after '@'", statement.line);
    statement.guard = guard.number;
    statement.guardNegated = guard.negated;
  }
  if (token_.kind != Token::Word)
    return fail("expected an instruction, found '" + std::string(token_.text) + "'");
  statement.opcode = token_.text;
  advance();
  while (token_.kind == Token::Dot) {
    statement.modifiers.emplace_back(token_.text);
    advance();
  }
  while (!isPunct(';')) {
    Operand next;
    if (!operand(next))
      return false;
    statement.operands.push_back(std::move(next));
    if (!isPunct(';') && !expectPunct(','))
      return false;
  }
  advance();
  function_->statements.push_back(std::move(statement));
  return true;
}

bool Parser::list(std::vector<Operand> &parts, char close) {
  while (!takePunct(close)) {
    parts.emplace_back();
    if (!primary(parts.back()))
      return false;
    if (!isPunct(close) && !expectPunct(','))
      return false;
  }
  return true;
}

/// `+ 4`, `+-4` or `- 4`.
bool Parser::offset(int64_t &offset) {
  bool negative = false;
  if (!takePunct('+') && takePunct('-'))
    negative = true;
  if (takePunct('-'))
    negative = !negative;
  uint64_t value = 0;
  if (!expectInteger(value))
    return false;
  offset = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return true;
}

bool Parser::operand(Operand &operand) {
  if (!primary(operand))
    return false;
  if (!takePunct('|'))
    return true;
  Operand pair;
  pair.kind = Operand::Pair;
  pair.parts.push_back(std::move(operand));
  pair.parts.emplace_back();
  if (!primary(pair.parts.back()))
    return false;
  operand = std::move(pair);
  return true;
}

bool Parser::primary(Operand &operand) {
  if (takePunct('{')) {
    operand.kind = Operand::Vector;
    return list(operand.parts, '}');
  }
  if (takePunct('(')) {
    operand.kind = Operand::List;
    return list(operand.parts, ')');
  }
  if (takePunct('[')) {
    operand.kind = Operand::Memory;
    operand.parts.emplace_back();
    if (!primary(operand.parts.back()))
      return false;
    operand.offset = operand.parts.back().offset;
    operand.parts.back().offset = 0;
    if (takePunct(','))
      return list(operand.parts, ']');
    return expectPunct(']');
  }
  if (takePunct('!')) {
    operand.negated = true;
    return word(operand);
  }
  const bool negative = takePunct('-');
  if (token_.kind == Token::Integer || token_.kind == Token::Single || token_.kind == Token::Double) {
    operand.kind = Operand::Immediate;
    operand.bits = token_.bits;
    operand.literal = token_.kind == Token::Single   ? Operand::Single
                      : token_.kind == Token::Double ? Operand::Double
                                                     : Operand::Integer;
    if (negative)
      operand.bits = operand.literal == Operand::Integer  ? ~operand.bits + 1
                     : operand.literal == Operand::Single ? operand.bits ^ 0x80000000u
                                                          : operand.bits ^ (1ull << 63);
    advance();
    return true;
  }
  if (negative)
    return fail("expected a number, found '" + std::string(token_.text) + "'");
  return word(operand);
}

/// A register, a special register, a variable, or a name to look up later; with an offset.
bool Parser::word(Operand &operand) {
  if (token_.kind != Token::Word)
    return fail("expected an operand, found '" + std::string(token_.text) + "'");
  operand.name = token_.text;
  const int line = token_.line;
  advance();
  if (operand.name == "_") {
    operand.kind = Operand::Sink;
    return true;
  }
  operand.kind = Operand::Symbol;
  bool found = false;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && !found; ++scope) {
    if (auto reg = scope->registers.find(operand.name); reg != scope->registers.end()) {
      operand.kind = Operand::Register;
      operand.number = reg->second;
      found = true;
    } else if (auto variable = scope->variables.find(operand.name); variable != scope->variables.end()) {
      operand.variable = variable->second;
      found = true;
    }
  }
  if (!found) {
    if (auto global = globals_.find(operand.name); global != globals_.end()) {
      operand.variable = global->second;
    } else if (operand.name[0] == '%') {
      operand.kind = Operand::Special;
      if (token_.kind == Token::Dot && token_.glued) {
        operand.name += "." + std::string(token_.text);
        advance();
      }
      if (operand.name.size() > 1 && (operand.name[1] == 'r' || operand.name[1] == 'f' || operand.name[1] == 'p') &&
          operand.name.size() < 7)
        if (isdigit(static_cast<unsigned char>(operand.name.back())))
          return fail("unknown register '" + operand.name + "'", line);
    }
  }
  if (isPunct('+') || isPunct('-'))
    return offset(operand.offset);
  return true;
}

} // namespace ptxemu

// The parser of PTX: modules, variables, and heads of functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Parser.h"

#include <cstring>

namespace ptxemu {

Syntax parseText(std::string_view text) {
  Syntax syntax;
  Parser(text, syntax).module();
  return syntax;
}

Parser::Parser(std::string_view text, Syntax &syntax) : syntax_(syntax), lexer_(text) {
  ahead_ = lexer_.next();
  advance();
}

bool Parser::fail(const std::string &what, int line) {
  if (syntax_.error.empty())
    syntax_.error = "line " + std::to_string(line ? line : token_.line) + ": " + what;
  return false;
}

void Parser::advance() {
  token_ = ahead_;
  ahead_ = lexer_.next();
}

bool Parser::takePunct(char c) {
  if (!isPunct(c))
    return false;
  advance();
  return true;
}

bool Parser::takeDot(std::string_view name) {
  if (!isDot(name))
    return false;
  advance();
  return true;
}

bool Parser::expectPunct(char c) {
  if (takePunct(c))
    return true;
  return fail(std::string("expected '") + c + "', found '" + std::string(token_.text) + "'");
}

bool Parser::expectInteger(uint64_t &value) {
  if (token_.kind != Token::Integer)
    return fail("expected a number, found '" + std::string(token_.text) + "'");
  value = token_.bits;
  advance();
  return true;
}

bool Parser::skipLine() {
  for (const int line = token_.line; token_.line == line && token_.kind != Token::End;)
    advance();
  return true;
}

bool Parser::skipBraces() {
  if (!expectPunct('{'))
    return false;
  for (int depth = 1; depth; advance()) {
    if (token_.kind == Token::End)
      return fail("expected '}', found the end");
    depth += isPunct('{') - isPunct('}');
  }
  return true;
}

bool Parser::header() {
  if (!takeDot("version"))
    return fail("expected '.version', found '" + std::string(token_.text) + "'");
  // 8.0 is lexed as a decimal fraction.
  double version = 0;
  if (token_.kind != Token::Double)
    return fail("expected a version such as 8.0, found '" + std::string(token_.text) + "'");
  memcpy(&version, &token_.bits, sizeof version);
  syntax_.version = static_cast<unsigned>(version * 10 + 0.5);
  advance();
  if (!takeDot("target"))
    return fail("expected '.target', found '" + std::string(token_.text) + "'");
  if (token_.kind != Token::Word || token_.text.substr(0, 3) != "sm_")
    return fail("expected a target such as sm_80, found '" + std::string(token_.text) + "'");
  std::string target(token_.text.substr(3));
  if (!target.empty() && (target.back() == 'a' || target.back() == 'f')) {
    syntax_.targetSuffix = target.back();
    target.pop_back();
  }
  syntax_.target = static_cast<unsigned>(std::strtoul(target.c_str(), nullptr, 10));
  if (syntax_.target < 20)
    return fail("expected a target such as sm_80, found '" + std::string(token_.text) + "'");
  advance();
  while (takePunct(','))
    advance(); // debug, texmode_independent
  uint64_t bits = 0;
  if (takeDot("address_size") && (!expectInteger(bits) || bits != 64))
    return fail("addresses of " + std::to_string(bits) + " bits, expected 64");
  return true;
}

bool Parser::module() {
  if (!header())
    return false;
  while (token_.kind != Token::End)
    if (!declaration())
      return false;
  return true;
}

bool Parser::declaration() {
  if (takePunct(';'))
    return true;
  if (isDot("file"))
    return skipLine();
  if (takeDot("section")) {
    while (token_.kind != Token::End && !isPunct('{'))
      advance();
    return skipBraces();
  }
  if (takeDot("pragma")) {
    advance();
    return expectPunct(';');
  }
  bool external = false;
  for (;;) {
    if (takeDot("extern"))
      external = true;
    else if (!takeDot("visible") && !takeDot("weak") && !takeDot("common"))
      break;
  }
  if (takeDot("entry"))
    return function(true);
  if (takeDot("func"))
    return function(false);
  for (Space space : {Space::Global, Space::Shared, Space::Const})
    if (takeDot(nameOf(space)))
      return variables(space, external, syntax_.variables, globals_) && expectPunct(';');
  return fail("unknown directive '" + std::string(token_.text) + "'");
}

bool Parser::variables(Space space, bool external, std::vector<std::shared_ptr<Variable>> &into, Names &names) {
  uint64_t align = 0, lanes = 1;
  Type type = Type::None;
  while (token_.kind == Token::Dot) {
    if (takeDot("align")) {
      if (!expectInteger(align))
        return false;
    } else if (takeDot("v2")) {
      lanes = 2;
    } else if (takeDot("v4")) {
      lanes = 4;
    } else if (takeDot("attribute")) {
      while (token_.kind != Token::End && !isPunct(')'))
        advance();
      advance();
    } else if ((type = typeNamed(token_.text)) != Type::None) {
      advance();
    } else {
      return fail("unknown attribute '." + std::string(token_.text) + "' of a variable");
    }
  }
  if (type == Type::None || type == Type::Pred)
    return fail("expected the type of a variable");
  do {
    auto variable = std::make_shared<Variable>();
    if (token_.kind != Token::Word)
      return fail("expected the name of a variable, found '" + std::string(token_.text) + "'");
    variable->name = token_.text;
    variable->line = token_.line;
    variable->space = space;
    variable->type = type;
    variable->external = external;
    variable->align = align ? align : sizeOf(type) * lanes;
    variable->size = sizeOf(type) * lanes;
    advance();
    while (takePunct('[')) {
      uint64_t count = 0;
      if (!isPunct(']') && !expectInteger(count))
        return false;
      variable->size *= count;
      if (!expectPunct(']'))
        return false;
    }
    if (takePunct('=') && !initializer(*variable))
      return false;
    if (!names.emplace(variable->name, variable).second && !external)
      return fail("variable '" + variable->name + "' is declared twice", variable->line);
    into.push_back(std::move(variable));
  } while (takePunct(','));
  return true;
}

/// What follows the equals sign: a value, or values in braces, nested as the array is.
bool Parser::initializer(Variable &variable) {
  const unsigned size = sizeOf(variable.type);
  int depth = 0;
  do {
    while (takePunct('{'))
      ++depth;
    if (isPunct('}')) // {}
      continue;
    const bool negative = takePunct('-');
    uint64_t bits = 0;
    if (token_.kind == Token::Word) {
      Variable::Address address{variable.init.size(), std::string(token_.text), 0, false};
      advance();
      if (address.of == "generic" && takePunct('(')) {
        address.of = token_.text;
        address.generic = true;
        advance();
        if (!expectPunct(')'))
          return false;
      }
      if ((isPunct('+') || isPunct('-')) && !offset(address.add))
        return false;
      if (size != 8)
        return fail("an address in a variable of type ." + std::string(nameOf(variable.type)) + ", expected .u64");
      variable.addresses.push_back(address);
    } else if (token_.kind == Token::Integer || token_.kind == Token::Single || token_.kind == Token::Double) {
      bits = token_.bits;
      if (token_.kind == Token::Double && size == 4) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        const float narrow = static_cast<float>(wide);
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
      }
      if (negative)
        bits = token_.kind == Token::Integer ? ~bits + 1 : bits ^ (1ull << (size * 8 - 1));
      advance();
    } else {
      return fail("expected a value, found '" + std::string(token_.text) + "'");
    }
    for (unsigned i = 0; i < size; ++i)
      variable.init.push_back(static_cast<uint8_t>(bits >> (8 * i)));
    while (depth && takePunct('}'))
      --depth;
  } while (depth && takePunct(','));
  while (depth && takePunct('}'))
    --depth;
  if (depth)
    return fail("expected '}', found '" + std::string(token_.text) + "'");
  if (variable.size == 0)
    variable.size = variable.init.size();
  if (variable.init.size() > variable.size)
    return fail("more initial values than variable '" + variable.name + "' has elements");
  return true;
}

/// Parameters in parentheses; the opening one is taken.
bool Parser::parameters(std::vector<Function::Parameter> &into, bool ofKernel) {
  while (!takePunct(')')) {
    if (takeDot("reg")) {
      const Type type = typeNamed(token_.text);
      advance();
      if (token_.kind != Token::Word || type == Type::None)
        return fail("expected a register, found '" + std::string(token_.text) + "'");
      if (!declareRegister(std::string(token_.text), type, token_.line))
        return false;
      advance();
      into.push_back({nullptr, static_cast<int>(function_->registers.size()) - 1});
    } else {
      if (!takeDot("param"))
        return fail("expected '.param', found '" + std::string(token_.text) + "'");
      auto variable = std::make_shared<Variable>();
      uint64_t align = 0, ignored = 0;
      variable->type = Type::None;
      variable->space = Space::Param;
      variable->ofKernel = ofKernel;
      while (token_.kind == Token::Dot) {
        if (takeDot("align")) {
          if (!expectInteger(align))
            return false;
        } else if (takeDot("ptr")) { // what a pointer points to
          for (const char *space : {"global", "shared", "local", "const"})
            takeDot(space);
          if (takeDot("align") && !expectInteger(ignored))
            return false;
        } else if ((variable->type = typeNamed(token_.text)) != Type::None) {
          advance();
        } else {
          return fail("unknown attribute '." + std::string(token_.text) + "' of a parameter");
        }
      }
      if (token_.kind != Token::Word && !ofKernel && (isPunct(',') || isPunct(')')))
        variable->name = "_";
      else if (token_.kind != Token::Word || variable->type == Type::None)
        return fail("expected a parameter, found '" + std::string(token_.text) + "'");
      else
        variable->name = token_.text;
      variable->line = token_.line;
      variable->size = sizeOf(variable->type);
      variable->align = align ? align : variable->size;
      if (token_.kind == Token::Word)
        advance();
      if (takePunct('[')) {
        uint64_t count = 0;
        if (!isPunct(']') && !expectInteger(count))
          return false;
        variable->size *= count;
        if (!expectPunct(']'))
          return false;
      }
      scopes_.back().variables[variable->name] = variable;
      into.push_back({variable, -1});
    }
    if (!isPunct(')') && !expectPunct(','))
      return false;
  }
  return true;
}

bool Parser::limits(Function &function) {
  uint64_t value = 0;
  while (token_.kind == Token::Dot) {
    const std::string name(token_.text);
    advance();
    if (name == "noreturn" || name == "explicitcluster")
      continue;
    uint64_t shape[3] = {1, 1, 1};
    for (unsigned i = 0; i < 3; ++i) {
      if (!expectInteger(shape[i]))
        return false;
      if (!takePunct(','))
        break;
    }
    value = shape[0] * shape[1] * shape[2];
    if (name == "maxntid") {
      function.maxThreads = static_cast<unsigned>(value);
    } else if (name == "reqntid") {
      function.requiredThreads = static_cast<unsigned>(value);
      for (unsigned i = 0; i < 3; ++i)
        function.requiredShape[i] = static_cast<unsigned>(shape[i]);
    } else if (name == "minnctapersm") {
      function.minBlocks = static_cast<unsigned>(value);
    } else if (name == "maxnreg") {
      function.maxRegisters = static_cast<unsigned>(value);
    } else if (name == "reqnctapercluster") {
      for (unsigned i = 0; i < 3; ++i)
        function.clusterShape[i] = static_cast<unsigned>(shape[i]);
    } else if (name != "maxnctapersm" && name != "maxclusterrank") {
      return fail("unknown directive '." + name + "' of a function");
    }
  }
  return true;
}

bool Parser::function(bool entry) {
  function_ = std::make_shared<Function>();
  function_->entry = entry;
  function_->line = token_.line;
  scopes_.clear();
  openScope();
  if (takeDot("attribute"))
    while (token_.kind != Token::Word && token_.kind != Token::End)
      advance();
  if (takePunct('(') && (entry || !parameters(function_->results, false)))
    return fail("unexpected results");
  if (token_.kind != Token::Word)
    return fail("expected the name of a function, found '" + std::string(token_.text) + "'");
  function_->name = token_.text;
  advance();
  if (takePunct('(') && !parameters(function_->parameters, entry))
    return false;
  if (!limits(*function_))
    return false;
  if (!takePunct(';')) {
    function_->defined = true;
    if (!body())
      return false;
  }
  for (std::shared_ptr<Function> &known : syntax_.functions)
    if (known->name == function_->name) {
      if (known->defined && function_->defined)
        return fail("function '" + known->name + "' is defined twice", function_->line);
      if (function_->defined)
        known = function_;
      return true;
    }
  syntax_.functions.push_back(function_);
  return true;
}

} // namespace ptxemu

// The parser of PTX: one class, whose parts stand in Parser.cpp (modules, variables) and ParserBody.cpp (functions).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_PARSER_H
#define MLC_TEST_LIB_PTXEMU_PARSER_H

#include "test/lib/ptxemu/Lexer.h"
#include "test/lib/ptxemu/Syntax.h"

namespace ptxemu {

/// Reads one module. A method that returns bool is false after an error, the first of which `syntax.error` keeps.
class Parser {
public:
  Parser(std::string_view text, Syntax &syntax);
  bool module();

private:
  using Names = std::map<std::string, std::shared_ptr<Variable>>;

  bool fail(const std::string &what, int line = 0);
  void advance();
  bool isPunct(char c) const { return token_.kind == Token::Punct && token_.text[0] == c; }
  bool isDot(std::string_view name) const { return token_.kind == Token::Dot && token_.text == name; }
  bool takePunct(char c);
  bool takeDot(std::string_view name);
  bool expectPunct(char c);
  bool expectInteger(uint64_t &value);
  bool skipLine();
  bool skipBraces();

  bool header();
  bool declaration();
  bool variables(Space space, bool external, std::vector<std::shared_ptr<Variable>> &into, Names &names);
  bool initializer(Variable &variable);
  bool parameters(std::vector<Function::Parameter> &into, bool ofKernel);
  bool function(bool entry);
  bool limits(Function &function);

  bool body();
  bool directive();
  bool registers();
  bool statement();
  bool operand(Operand &operand);
  bool primary(Operand &operand);
  bool word(Operand &operand);
  bool list(std::vector<Operand> &parts, char close);
  bool offset(int64_t &offset);
  bool branchTargets(const std::string &label);
  bool declareRegister(const std::string &name, Type type, int line);
  void openScope();

  Syntax &syntax_;
  Lexer lexer_;
  Token token_, ahead_;
  Names globals_;
  std::shared_ptr<Function> function_;
  /// Names by scope, the innermost last.
  struct Scope {
    int number;
    std::map<std::string, int> registers;
    Names variables;
  };
  std::vector<Scope> scopes_;
};

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_PARSER_H

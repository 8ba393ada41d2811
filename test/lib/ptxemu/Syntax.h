// What the text of a PTX module says: variables, functions and statements, with names of registers and variables
// resolved.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_SYNTAX_H
#define MLC_TEST_LIB_PTXEMU_SYNTAX_H

#include "test/lib/ptxemu/Types.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptxemu {

/// A variable of a module or a function, or a parameter.
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint64_t align = 1;    ///< in bytes
  uint64_t size = 0;     ///< in bytes; 0 for an array without bounds
  bool external = false; ///< an extern array in shared memory is the dynamic part of it
  bool ofKernel = false; ///< a parameter of an entry, or of what an entry calls
  int line = 0;
  /// Initial bytes; shorter than the variable where the rest is zero.
  std::vector<uint8_t> init;
  /// An address within the initial bytes: at `at`, that of `of` plus `add`; generic or in its own space.
  struct Address {
    uint64_t at;
    std::string of;
    int64_t add;
    bool generic;
  };
  std::vector<Address> addresses;
};

/// An operand of an instruction.
struct Operand {
  enum Kind : uint8_t {
    Register,  ///< `number` is a register of the function
    Immediate, ///< `bits`; a float literal says so by `literal`
    Special,   ///< `name`, e.g. %tid.x
    Symbol,    ///< `name` of a variable, function or label plus `offset`; `variable` if it is one
    Memory,    ///< [base + offset], base is `parts[0]`; further parts are coordinates or barriers
    Vector,    ///< {parts}
    Pair,      ///< parts[0] | parts[1]
    List,      ///< (parts), of a call
    Sink,      ///< _
  } kind = Immediate;
  enum Literal : uint8_t { Integer, Single, Double } literal = Integer;
  bool negated = false; ///< !p
  int number = -1;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::string name;
  std::shared_ptr<Variable> variable;
  std::vector<Operand> parts;
};

/// An instruction as it is written.
struct Statement {
  int line = 0;
  std::string opcode;                 ///< before the first dot
  std::vector<std::string> modifiers; ///< without dots
  int guard = -1;                     ///< register of the predicate; -1: none
  bool guardNegated = false;
  std::vector<Operand> operands;
  int scope = 0; ///< where its labels are looked up
};

/// A function or an entry.
struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;
  int line = 0;
  /// Parameters in order: variables, or registers of the function where `registers` is not -1.
  struct Parameter {
    std::shared_ptr<Variable> variable;
    int number = -1;
  };
  std::vector<Parameter> results, parameters;
  std::vector<Type> registers;                      ///< types by number
  std::vector<std::string> registerNames;           ///< names by number
  std::vector<std::shared_ptr<Variable>> variables; ///< local, shared and parameters of calls
  std::vector<Statement> statements;
  std::map<std::pair<int, std::string>, size_t> labels; ///< scope and name to index of a statement
  std::map<std::pair<int, std::string>, std::vector<std::string>> branchTargets;
  std::vector<int> scopeParents; ///< scope to the one around it; -1 for the outermost
  unsigned maxThreads = 0, requiredThreads = 0, minBlocks = 0, maxRegisters = 0;
  unsigned requiredShape[3] = {0, 0, 0};
  unsigned clusterShape[3] = {0, 0, 0};
};

/// A module as it is written.
struct Syntax {
  unsigned version = 0;  ///< ISA times 10: 80 is 8.0
  unsigned target = 0;   ///< 80 for sm_80
  char targetSuffix = 0; ///< 'a' or 'f'
  std::vector<std::shared_ptr<Variable>> variables;
  std::vector<std::shared_ptr<Function>> functions;
  std::string error; ///< empty, or "line N: ..."
};

/// Reads a module. `error` of the result is set if the text is no PTX.
Syntax parseText(std::string_view text);

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_SYNTAX_H

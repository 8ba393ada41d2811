// Cases of strings, and the form of cases of one op that they share with those of features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_STRINGCASES_H
#define MLC_TEST_EXECUTE_STRINGCASES_H

#include "OpCases.h"

namespace mlc::execute {

/// A function of one op: `line` is the op on %x0, ... less its type.
void addLine(std::vector<OpCase> &cases, const std::string &op, const std::string &variant,
             std::vector<Argument> arguments, const std::string &line, const std::string &result,
             const std::string &state = "");

void addStringCases(std::vector<OpCase> &cases);

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_STRINGCASES_H

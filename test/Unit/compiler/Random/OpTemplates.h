// Ops of random programs that traits do not tell the operands of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_RANDOM_OPTEMPLATES_H
#define MLC_TEST_RANDOM_OPTEMPLATES_H

#include <vector>

namespace mlc::random {

enum TemplateFlags : unsigned {
  kPlain = 0,
  /// Adds elements up, in an order of its own in compiled code: operands are made small integers first.
  kSums = 1,
  /// Has another rounding in compiled code even of small integers: not for exact programs.
  kApproximate = 2,
  /// Smooth in its float operands.
  kSmooth = 4,
  /// Written with the type of its result alone.
  kTypeOnly = 8
};

/// `text` with $0, $1, ... for operands. A pattern is a kind, ':' and a letter for each dimension: equal letters are
/// equal sizes, an upper-case letter is a static size, a digit that size. Kinds: F float, S float or signed, N number,
/// T any, B i1, I i64, X i64 within the size of the last dimension, = that of operand 0. In results '?' is a size that
/// data decides, "!a" says that elements lie in [0, a).
struct OpTemplate {
  const char *text;
  std::vector<const char *> operands, results;
  unsigned flags;
};

const std::vector<OpTemplate> &opTemplates();

} // namespace mlc::random

#endif // MLC_TEST_RANDOM_OPTEMPLATES_H

// The table of ops of random programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTemplates.h"

using namespace mlc::random;

const std::vector<OpTemplate> &mlc::random::opTemplates() {
  static const std::vector<OpTemplate> table = {
      // Layout.
      {"df.transpose $0 {permutation = array<i64: 1, 0>}", {"T:ab"}, {"=:ba"}, kSmooth},
      {"df.transpose $0 {permutation = array<i64: 0, 2, 1>}", {"T:abc"}, {"=:acb"}, kSmooth},
      {"df.transpose $0 {permutation = array<i64: 0, 1>}", {"T:ab"}, {"=:ab"}, kSmooth},
      {"df.transpose $0 {permutation = array<i64: 0, 1, 2>}", {"T:abc"}, {"=:abc"}, kSmooth},
      {"df.transpose $0 {permutation = array<i64: 2, 0, 1>}", {"T:abc"}, {"=:cab"}, kSmooth},
      {"df.reshape $0", {"T:a6"}, {"=:a23"}, kSmooth},
      {"df.reshape $0", {"T:a23"}, {"=:a6"}, kSmooth},
      {"df.reshape $0", {"T:6"}, {"=:23"}, kSmooth},
      {"df.slice $0 {starts = array<i64: 0, 2>, sizes = array<i64: -1, 3>}", {"T:a6"}, {"=:a3"}, kSmooth},
      {"df.slice $0 {starts = array<i64: 1>, sizes = array<i64: 4>}", {"T:6"}, {"=:4"}, kSmooth},
      {"df.slice $0 {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 2>}",
       {"T:a6"},
       {"=:a2"},
       kPlain}, // its gradient asks for static sizes
      {"df.slice $0 {starts = array<i64: 0, 1>, sizes = array<i64: -1, 3>, strides = array<i64: 1, 2>}",
       {"T:A6"},
       {"=:A3"},
       kSmooth},
      {"df.diag_part $0", {"N:aBB"}, {"=:aB"}, kPlain},
      {"df.slice $0 {starts = array<i64: 0, 2>, sizes = array<i64: -1, 1>}", {"T:a6"}, {"=:a1"}, kSmooth},
      {"df.slice $0 {starts = array<i64: 0, 2>, sizes = array<i64: -1, 0>}", {"T:a6"}, {"=:a0"}, kSmooth},
      {"df.concat $0, $1 {axis = 1 : i64}", {"T:a0", "=:a6"}, {"=:a6"}, kSmooth},
      {"df.concat $0, $1 {axis = 1 : i64}", {"T:a3", "=:a3"}, {"=:a6"}, kSmooth},
      {"df.concat $0, $1 {axis = 1 : i64}", {"T:a2", "=:a4"}, {"=:a6"}, kSmooth},
      {"df.pad $0 {low = array<i64: 0, 1>, high = array<i64: 0, 2>}", {"N:a3"}, {"=:a6"}, kSmooth},
      {"df.reverse $0 {axes = array<i64: 0>}", {"T:ab"}, {"=:ab"}, kSmooth | kTypeOnly},
      {"df.roll $0 {axis = 1 : i64, shift = 2 : i64}", {"T:aB"}, {"=:aB"}, kSmooth | kTypeOnly},
      {"df.tile $0 {multiples = array<i64: 1, 2>}", {"T:a3"}, {"=:a6"}, kSmooth},
      {"df.split $0 {axis = 1 : i64}", {"T:a6"}, {"=:a2", "=:a4"}, kSmooth},
      {"df.stack $0, $1 {axis = 1 : i64}", {"T:ab", "=:ab"}, {"=:a2b"}, kSmooth},
      {"df.unstack $0 {axis = 1 : i64}", {"T:a2b"}, {"=:ab", "=:ab"}, kSmooth},
      {"df.band_part $0 {lower = -1 : i64, upper = 0 : i64}", {"N:ABC"}, {"=:ABC"}, kSmooth | kTypeOnly},
      {"df.diag $0", {"N:aB"}, {"=:aBB"}, kSmooth},
      {"df.iota {axis = 0 : i64}", {}, {"I:6!6"}, kPlain},
      {"df.shape $0", {"T:ab"}, {"I:2"}, kPlain},
      {"df.size $0 {dimensions = array<i64: 0>}", {"T:ab"}, {"I:"}, kPlain},
      // Reductions.
      {"df.reduce_max $0 {axes = array<i64: 0>}", {"N:ab"}, {"=:b"}, kPlain},
      {"df.reduce_max $0 {axes = array<i64: 1>}", {"N:ab"}, {"=:a"}, kPlain},
      {"df.reduce_min $0 {axes = array<i64: 0>}", {"N:ab"}, {"=:b"}, kPlain},
      {"df.reduce_min $0 {axes = array<i64: 0, 1>}", {"N:ab"}, {"=:"}, kPlain},
      {"df.reduce_sum $0 {axes = array<i64: 0>}", {"N:ab"}, {"=:b"}, kSums | kSmooth},
      {"df.reduce_sum $0 {axes = array<i64: 1>}", {"N:ab"}, {"=:a"}, kSums | kSmooth},
      {"df.reduce_sum $0 {axes = array<i64: 0>}", {"N:a"}, {"=:"}, kSums | kSmooth},
      {"df.reduce_sum $0 {axes = array<i64: 0, 2>}", {"N:abc"}, {"=:b"}, kSums | kSmooth},
      {"df.reduce_prod $0 {axes = array<i64: 1>}", {"N:a6"}, {"=:a"}, kSums | kSmooth},
      {"df.reduce_all $0 {axes = array<i64: 0>}", {"B:ab"}, {"=:b"}, kPlain},
      {"df.reduce_any $0 {axes = array<i64: 1>}", {"B:ab"}, {"=:a"}, kPlain},
      {"df.reduce_any $0 {axes = array<i64: 0>}", {"B:a"}, {"=:"}, kPlain},
      {"df.reduce_mean $0 {axes = array<i64: 1>}", {"F:a6"}, {"=:a"}, kApproximate | kSmooth},
      {"df.reduce_logsumexp $0 {axes = array<i64: 1>}", {"F:aB"}, {"=:a"}, kApproximate | kSmooth},
      {"df.reduce_l2 $0 {axes = array<i64: 1>}", {"F:aB"}, {"=:a"}, kApproximate},
      {"df.reduce_variance $0 {axes = array<i64: 1>, correction = 1 : i64}", {"F:a6"}, {"=:a"}, kApproximate | kSmooth},
      {"df.argmax $0 {axis = 1 : i64}", {"N:aB"}, {"I:a!B"}, kPlain},
      {"df.argmin $0 {axis = 1 : i64}", {"N:aB"}, {"I:a!B"}, kPlain},
      {"df.softmax $0 {axis = 1 : i64}", {"F:aB"}, {"=:aB"}, kApproximate | kSmooth},
      {"df.log_softmax $0 {axis = 1 : i64}", {"F:aB"}, {"=:aB"}, kApproximate | kSmooth},
      // Products.
      {"df.matmul $0, $1", {"F:ab", "=:bC"}, {"=:aC"}, kSums | kSmooth},
      {"df.matmul $0, $1 {transpose_a}", {"F:aB", "=:aC"}, {"=:BC"}, kSums | kSmooth},
      {"df.matmul $0, $1 {transpose_b}", {"F:aB", "=:CB"}, {"=:aC"}, kSums | kSmooth},
      {"df.dot_general $0, $1 {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 1>, "
       "rhs_contracting = array<i64: 1>}",
       {"S:aBC", "=:aBD"},
       {"=:aCD"},
       kSums | kSmooth},
      {"df.einsum $0, $1 {equation = \"ij,kj->ik\"}", {"S:aB", "=:CB"}, {"=:aC"}, kSums | kSmooth},
      {"df.batch_matmul $0, $1 {transpose_a}", {"S:aBC", "=:aBD"}, {"=:aCD"}, kSums | kSmooth},
      // Orders.
      {"df.sort $0 {axis = 1 : i64}", {"N:aB"}, {"=:aB"}, kPlain},
      {"df.sort $0 {axis = 0 : i64, descending}", {"N:ab"}, {"=:ab"}, kPlain},
      {"df.argsort $0", {"N:B"}, {"I:B!B"}, kPlain},
      {"df.argsort $0 {axis = 1 : i64}", {"N:aB"}, {"I:aB!B"}, kPlain},
      {"df.top_k $0 {k = 2 : i64}", {"N:a6"}, {"=:a2", "I:a2"}, kPlain},
      {"df.cumsum $0 {axis = 0 : i64}", {"N:ab"}, {"=:ab"}, kSums | kSmooth},
      {"df.cumsum $0 {axis = 1 : i64, reverse}", {"N:ab"}, {"=:ab"}, kSums | kSmooth},
      {"df.cummax $0 {axis = 0 : i64}", {"N:ab"}, {"=:ab"}, kPlain},
      {"df.linear_scan $0, $1 {axis = 0 : i64}", {"F:ab", "=:ab"}, {"=:ab"}, kApproximate},
      {"df.linear_scan $0, $1 {axis = 1 : i64, reverse}", {"F:a6", "=:a6"}, {"=:a6"}, kApproximate | kSmooth},
      // Places and sizes that data decides.
      {"df.nonzero $0", {"B:a"}, {"I:?1"}, kPlain},
      {"df.boolean_mask $0, $1", {"T:ab", "B:a"}, {"=:?b"}, kPlain},
      {"df.boolean_mask $0, $1", {"T:a", "B:a"}, {"=:?"}, kPlain},
      {"df.unique $0", {"I:a"}, {"I:?", "I:a", "I:?"}, kPlain},
      {"df.take_along_axis $0, $1 {axis = 1 : i64}", {"T:aB", "X:aB"}, {"=:aB"}, kPlain},
      // Tests.
      {"df.is_nan $0", {"F:ab"}, {"B:ab"}, kPlain},
      {"df.is_finite $0", {"F:a"}, {"B:a"}, kPlain},
      {"df.is_inf $0", {"F:"}, {"B:"}, kPlain},
      // Cells.
      {"df.rnn_cell $0, $1, $2, $3, $4", {"F:a6", "=:a6", "=:66", "=:66", "=:6"}, {"=:a6"}, kApproximate | kSmooth},
  };
  return table;
}

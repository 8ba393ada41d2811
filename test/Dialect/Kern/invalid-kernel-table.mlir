// RUN: mlc-opt %s --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expected-error @+1 {{has 'kern.kernel_table' = 1 : i64; expected a text}}
module attributes {kern.kernel_table = 1} {
}

// -----

// expected-error @+1 {{has 'kern.kernel_table', which only modules have}}
func.func @f() attributes {kern.kernel_table = "mlc-kernel-table 1"} {
  return
}

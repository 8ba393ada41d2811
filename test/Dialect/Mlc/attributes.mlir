// Attributes of programs: where they stand and what they hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: mlc.name = "m"
module attributes {mlc.name = "m", mlc.manifest = "{}", mlc.settings = {train.batch_size = 64 : i64}, mlc.columns = {age = "numeric"}, mlc.spec = "", mlc.plan = "0", mlc.eval_sets = ["test"], mlc.vocabularies = [{variable = @w, axis = 1 : i64, table = @t}], mlc.signatures = {serving_default = {method = "predict", outputs = {p = "x"}}}} {
  // CHECK: mlc.symbols = [array<i64: -1, 0>, array<i64>]
  func.func @f(%x: memref<3x?xf32>, %y: memref<4xf32>) attributes {mlc.symbols = [array<i64: -1, 0>, array<i64>], mlc.signals = array<i64: 0, 2>, mlc.workspace = array<i64: 1, 4, 0, 0, 64>, mlc.workspace.1 = array<i64: 1, 0, 64>} {
    return
  }
  module attributes {mlc.segments, mlc.note = 1 : i64} {}
}

// -----

// expected-error @+2 {{has 'mlc.nmae', which is no attribute of mlc}}
// expected-note @+1 {{there are mlc.name, mlc.manifest, mlc.settings,}}
module attributes {mlc.nmae = "m"} {}

// -----

// expected-error @+1 {{'mlc.name' must be a string; found 1 : i64}}
module attributes {mlc.name = 1 : i64} {}

// -----

// expected-error @+1 {{'mlc.manifest' must be a string; found unit}}
module attributes {mlc.manifest} {}

// -----

// expected-error @+1 {{'mlc.settings' must be a dictionary {train.batch_size = 64, ...}; found "x"}}
module attributes {mlc.settings = "x"} {}

// -----

// expected-error @+1 {{'mlc.columns' must be a dictionary of strings; found {age = 1 : i64}}}
module attributes {mlc.columns = {age = 1 : i64}} {}

// -----

// expected-error @+1 {{has 'mlc.plan' where only modules have it}}
func.func private @plan() attributes {mlc.plan = "0"}

// -----

// expected-error @+1 {{has 'mlc.symbols' where only functions have it}}
module attributes {mlc.symbols = []} {}

// -----

// expected-error @+1 {{'mlc.symbols' must be an array of arrays of i64, symbols or -1; found [array<i64: -2>]}}
func.func private @symbols(memref<?xf32>) attributes {mlc.symbols = [array<i64: -2>]}

// -----

// expected-error @+1 {{'mlc.signals' must be an array of i64, each 0, 1 or 2; found array<i64: 3>}}
func.func private @signals(memref<?xf32>) attributes {mlc.signals = array<i64: 3>}

// -----

// expected-error @+1 {{'mlc.workspace' must be an array of i64; found [1]}}
func.func private @workspace() attributes {mlc.workspace = [1]}

// -----

// expected-error @+1 {{'mlc.service_call' must be a unit attribute; found 1 : i64}}
func.func private @call() attributes {mlc.service_call = 1 : i64}

// -----

// expected-error @+1 {{'mlc.unroll' must be an i64 of at least 0; found -1 : i64}}
func.func private @unroll() attributes {mlc.unroll = -1 : i64}

// -----

// expected-error @+1 {{'mlc.carried' must be an i64 of at least 0; found "x"}}
func.func private @carried() attributes {mlc.carried = "x"}

// -----

func.func private @matrix(tensor<?x3xf32> {mlc.matrix = ["a", tensor<?xf32>, "b", tensor<?x2xf32>]})

// -----

// expected-error @below {{'mlc.matrix' of argument 0 must be an array of names, each with the type of its tensor; found ["a", "b"]}}
func.func private @matrix(tensor<?x3xf32> {mlc.matrix = ["a", "b"]})

// -----

// expected-error @below {{argument 0 has 'mlc.matrx', which is no attribute of mlc; there is mlc.matrix}}
func.func private @matrix(tensor<?x3xf32> {mlc.matrx = 1 : i64})

// -----

// expected-error @+1 {{'mlc.eval_sets' must be an array of strings; found [1]}}
module attributes {mlc.eval_sets = [1]} {}

// -----

// expected-error @+1 {{'mlc.vocabularies' must be an array of dictionaries {variable = @name, axis = 0 or 1 : i64, table = @name}; found}}
module attributes {mlc.vocabularies = [{variable = @w, axis = 2 : i64, table = @t}]} {}

// -----

// expected-error @+1 {{'mlc.vocabularies' must be an array}}
module attributes {mlc.vocabularies = [{variable = "w", axis = 0 : i64, table = @t}]} {}

// -----

// expected-error @+1 {{'mlc.signatures' must be a dictionary of {method = "classify", "regress" or "predict", outputs = a dictionary of strings}; found}}
module attributes {mlc.signatures = {a = {method = "cluster", outputs = {}}}} {}

// -----

// expected-error @+1 {{'mlc.signatures' must be}}
module attributes {mlc.signatures = {a = {method = "predict", outputs = {p = 1}}}} {}

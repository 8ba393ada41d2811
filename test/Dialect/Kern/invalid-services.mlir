// Calls of services that do not fit the C function, and buffers that cannot be published.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @elements(%s: tensor<?x2xf32>, %o: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @+1 {{operand #0 must be tensor or memref of strings: pairs of i64 along the last dimension, but got 'tensor<?x2xf32>'}}
  %h = kern.fingerprint_strings in(%s : tensor<?x2xf32>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}

// -----

func.func @cells(%s: tensor<?xi64>, %o: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @+1 {{operand #0 must be tensor or memref of strings: pairs of i64 along the last dimension, but got 'tensor<?xi64>'}}
  %h = kern.fingerprint_strings in(%s : tensor<?xi64>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}

// -----

func.func @written(%s: tensor<?x2xi64>, %o: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error @+1 {{operand #1 must be tensor or memref of i64, but got 'tensor<?xi32>'}}
  %h = kern.fingerprint_strings in(%s : tensor<?x2xi64>) outs(%o : tensor<?xi32>) -> tensor<?xi32>
  return %h : tensor<?xi32>
}

// -----

func.func @doubles(%k: memref<?xf32>, %w: memref<?xf32>, %b: memref<256xf64>) {
  // expected-error @+1 {{operand #1 must be tensor or memref of f64, but got 'memref<?xf32>'}}
  kern.add_to_bins keys(%k : memref<?xf32>) weights(%w : memref<?xf32>) bits = 8 outs(%b : memref<256xf64>)
  return
}

// -----

func.func @bytes(%c: memref<i16>) {
  // expected-error @+1 {{operand #0 must be tensor or memref of i8 or i1, but got 'memref<i16>'}}
  kern.queue_is_closed queue = 0 outs(%c : memref<i16>)
  return
}

// -----

func.func @number(%m: memref<?xi64>) {
  // expected-error @+1 {{operand #0 must be tensor or memref of one i64, but got 'memref<?xi64>'}}
  kern.arena_release mark(%m : memref<?xi64>)
  return
}

// -----

func.func @optional(%w: memref<?xf64>, %g: memref<?xf32>, %n: memref<i64>, %r: memref<?xf64>) {
  // expected-error @+1 {{operand #0 must be tensor or memref of i64, but got 'memref<?xf32>'}}
  kern.mid_ranks groups(%g : memref<?xf32>) weights(%w : memref<?xf64>) count(%n : memref<i64>) outs(%r : memref<?xf64>)
  return
}

// -----

func.func @missing(%s: tensor<?x2xi64>, %o: tensor<?xi64>) {
  // expected-error @+1 {{expected 'outs'}}
  %h = kern.fingerprint_strings in(%s : tensor<?x2xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @constant(%i: memref<?xi64>) {
  // expected-error @+1 {{expected 'high'}}
  kern.check_ids ids(%i : memref<?xi64>) low = 0 dtype = 8 table = -1 what = "label"
  return
}

// -----

func.func @narrow() {
  // expected-error @+1 {{attribute 'operand' failed to satisfy constraint: 64-bit integer}}
  "kern.await_operand"() {operand = 1 : i32} : () -> ()
  return
}

// -----

func.func @result(%s: tensor<?x2xi64>, %o: tensor<?xi64>) -> tensor<4xi64> {
  // expected-error @+1 {{expected type of operand #1 ('tensor<?xi64>') to match type of corresponding result ('tensor<4xi64>')}}
  %h = kern.fingerprint_strings in(%s : tensor<?x2xi64>) outs(%o : tensor<?xi64>) -> tensor<4xi64>
  return %h : tensor<4xi64>
}

// -----

func.func @columns(%i: memref<?x3xi64, strided<[7, 1]>>, %o: memref<?x3xi64>) {
  // expected-error @+1 {{takes elements that lie one after another; operand 0 is 'memref<?x3xi64, strided<[7, 1]>>'}}
  kern.fingerprint_ints in(%i : memref<?x3xi64, strided<[7, 1]>>) outs(%o : memref<?x3xi64>)
  return
}

// -----

func.func @published_number(%m: memref<?xi64>) {
  // expected-error @+1 {{(C1) the number of a buffer is at least 0; found -1}}
  kern.publish %m as -1 : memref<?xi64>
  return
}

// -----

func.func @published_columns(%m: memref<?x3xf32, strided<[7, 1]>>) {
  // expected-error @+1 {{(C2) elements must lie one after another}}
  kern.publish %m as 0 : memref<?x3xf32, strided<[7, 1]>>
  return
}

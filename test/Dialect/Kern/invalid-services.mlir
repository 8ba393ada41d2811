// Calls of services that do not fit the C function, and buffers that cannot be published.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @letters(%s: tensor<?x2xi64>, %o: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @+1 {{(C1) signature 'bnbb' does not match 2 buffers, 0 constants, 0 texts}}
  %h = kern.service "fingerprint_strings" "bnbb" ins(%s : tensor<?x2xi64>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}

// -----

func.func @unknown(%s: tensor<?x2xi64>, %o: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @+1 {{(C2) 'fingerprints' is no service of mlcrt/services.def}}
  %h = kern.service "fingerprints" "bnb" ins(%s : tensor<?x2xi64>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}

// -----

func.func @few(%s: tensor<?x2xi64>, %o: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @+1 {{(C3) service 'fingerprint_strings' takes 3 arguments; signature 'bb' gives 2}}
  %h = kern.service "fingerprint_strings" "bb" ins(%s : tensor<?x2xi64>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}

// -----

func.func @order(%s: tensor<?x2xi64>, %o: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @+1 {{(C3) argument 1 of service 'fingerprint_strings' cannot be what the letter 'b' of signature 'bbn' gives}}
  %h = kern.service "fingerprint_strings" "bbn" ins(%s : tensor<?x2xi64>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}

// -----

func.func @narrow() {
  // expected-error @+1 {{(C3) argument 0 of service 'await_operand' cannot be what the letter 'i' of signature 'i!' gives}}
  kern.service "await_operand" "i!" {constants = array<i64: 1>}
  return
}

// -----

func.func @elements(%s: tensor<?x2xf32>, %o: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @+1 {{(C3) argument 0 of service 'fingerprint_strings' has other elements than 'tensor<?x2xf32>'}}
  %h = kern.service "fingerprint_strings" "bnb" ins(%s : tensor<?x2xf32>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}

// -----

func.func @cells(%s: tensor<?xi64>, %o: tensor<?xi64>) -> tensor<?xi64> {
  // expected-error @+1 {{(C3) argument 0 of service 'fingerprint_strings' has other elements than 'tensor<?xi64>'}}
  %h = kern.service "fingerprint_strings" "bnb" ins(%s : tensor<?xi64>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}

// -----

func.func @direction(%s: tensor<?x2xi64>, %o: tensor<?xi64>) {
  // expected-error @+1 {{(C3) argument 2 of service 'fingerprint_strings' must be one of outs}}
  kern.service "fingerprint_strings" "bnb" ins(%s, %o : tensor<?x2xi64>, tensor<?xi64>)
  return
}

// -----

func.func @number(%m: memref<?xi64>) {
  // expected-error @+1 {{(C3) argument 0 of service 'arena_release' is a number; expected one of ins that holds an i64, found 'memref<?xi64>'}}
  kern.service "arena_release" "v" ins(%m : memref<?xi64>)
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

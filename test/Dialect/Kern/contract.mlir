// Products of tensors of any rank, and what their verifier refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @window(%x: tensor<?x9x3xf32>, %w: tensor<2x3x4xf32>, %y: tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  %r = kern.contract ins(%x, %w : tensor<?x9x3xf32>, tensor<2x3x4xf32>) outs(%y : tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(b, p, o, k, c) -> (b, p * 2 + k, c)>, affine_map<(b, p, o, k, c) -> (k, c, o)>, affine_map<(b, p, o, k, c) -> (b, p, o)>]}
  return %r : tensor<?x4x4xf32>
}

// -----

func.func @two_maps(%x: tensor<4x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error @+1 {{(C4) maps must be three, without transposition}}
  %r = kern.contract ins(%x, %x : tensor<4x3xf32>, tensor<4x3xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>]}
  return
}

// -----

func.func @ranks(%x: tensor<4x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error @+1 {{(C4) maps must go from the loops to the operands' dimensions}}
  %r = kern.contract ins(%x, %x : tensor<4x3xf32>, tensor<4x3xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

func.func @columns(%x: tensor<4xf32>, %w: tensor<4x2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @+1 {{(C4) there must be one column loop, the outs' last dimension}}
  %r = kern.contract ins(%x, %w : tensor<4xf32>, tensor<4x2x3xf32>) outs(%y : tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, m, n)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

func.func @alone(%x: tensor<4x3x2xf32>, %w: tensor<4x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error @+1 {{(C4) a loop must be of two operands at least}}
  %r = kern.contract ins(%x, %w : tensor<4x3x2xf32>, tensor<4x3xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n, k)>, affine_map<(m, n, k, l) -> (m, n)>]}
  return
}

// -----

func.func @inner(%x: tensor<9xf32>, %w: tensor<9x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+1 {{(C4) an inner loop must be a dimension of rhs}}
  %r = kern.contract ins(%x, %w : tensor<9xf32>, tensor<9x3xf32>) outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m + k)>, affine_map<(m, n, k) -> (k * 2, n)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

func.func @linear(%x: tensor<9x4xf32>, %w: tensor<4x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+1 {{(C4) dimensions must be linear in the loops}}
  %r = kern.contract ins(%x, %w : tensor<9x4xf32>, tensor<4x3xf32>) outs(%y : tensor<4x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m floordiv 2, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

// Sums are of the type that the region takes; operands may be narrower, of either sign.
func.func @types(%h: tensor<?x4xbf16>, %v: tensor<4x8xbf16>, %e: tensor<?x8xf32>, %u: tensor<?x4xi8>, %w: tensor<4x8xi8>, %zero: tensor<8xi32>, %y: tensor<?x8xi32>, %p: tensor<4x8xf8E4M3FN>, %q: tensor<8x8xf8E5M2>, %r: tensor<4x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xi32>, tensor<4x8xf32>) {
  %a = kern.contract ins(%h, %v : tensor<?x4xbf16>, tensor<4x8xbf16>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  // What the zero point of lhs adds is an extra: a multiple of the columns' sums.
  %b = kern.contract ins(%u, %w : tensor<?x4xi8>, tensor<4x8xi8>) extras(%zero : tensor<8xi32>) outs(%y : tensor<?x8xi32>) -> tensor<?x8xi32> {
  ^bb0(%acc: i32, %z: i32):
    %d = arith.subi %acc, %z : i32
    kern.yield %d : i32
  } {extra_maps = [affine_map<(m, n) -> (n)>], unsigned_lhs}
  %c = kern.contract ins(%p, %q : tensor<4x8xf8E4M3FN>, tensor<8x8xf8E5M2>) outs(%r : tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], tiling = #kern.tiling<panels, rows = 6, columns = 16, inner = 256, task_rows = 8, task_columns = 1>}
  return %a, %b, %c : tensor<?x8xf32>, tensor<?x8xi32>, tensor<4x8xf32>
}

// -----

func.func @narrow_sum(%x: tensor<4x4xf32>, %e: tensor<4x4xbf16>) {
  // expected-error @+1 {{(C6) the accumulator must hold every value of lhs and rhs; found 'bf16' for 'f32'}}
  %r = kern.contract ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  ^bb0(%acc: bf16):
    kern.yield %acc : bf16
  } {extra_maps = []}
  return
}

// -----

func.func @mixed_sum(%x: tensor<4x4xbf16>, %w: tensor<4x4xf16>, %e: tensor<4x4xbf16>) {
  // expected-error @+1 {{(C6) the accumulator must hold every value of lhs and rhs; found 'bf16' for 'f16'}}
  %r = kern.contract ins(%x, %w : tensor<4x4xbf16>, tensor<4x4xf16>) outs(%e : tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  ^bb0(%acc: bf16):
    kern.yield %acc : bf16
  } {extra_maps = []}
  return
}

// -----

func.func @float_of_integers(%x: tensor<4x4xi8>, %e: tensor<4x4xf32>) {
  // expected-error @+1 {{(C6) the accumulator must hold every value of lhs and rhs; found 'f32' for 'i8'}}
  %r = kern.contract ins(%x, %x : tensor<4x4xi8>, tensor<4x4xi8>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = []}
  return
}

// -----

func.func @unsigned_float(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{(C6) only integers are unsigned; found 'f32'}}
  %r = kern.contract ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], unsigned_rhs}
  return
}

// -----

func.func @cut(%x: tensor<4x4xf32>, %e: tensor<4x4xf16>) {
  // expected-error @+1 {{(C7) a cut inner dimension needs a first out of the accumulator's type; found #kern.tiling<panels, rows = 6, columns = 16, inner = 256, task_rows = 8, task_columns = 1>}}
  %r = kern.contract ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf16>) -> tensor<4x4xf16> {
  ^bb0(%acc: f32):
    %t = arith.truncf %acc : f32 to f16
    kern.yield %t : f16
  } {extra_maps = [], tiling = #kern.tiling<panels, rows = 6, columns = 16, inner = 256, task_rows = 8, task_columns = 1>}
  return
}

// -----

func.func @one_column(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{(C7) this form is of products with one column}}
  %r = kern.contract ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], tiling = #kern.tiling<dots, rows = 1, columns = 1, inner = 0, task_rows = 8, task_columns = 1>}
  return
}

// -----

// The right side in panels.
func.func @panels(%x: tensor<?x4xf32>, %p: tensor<2x4x16xf32>, %e: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %r = kern.contract ins(%x, %p : tensor<?x4xf32>, tensor<2x4x16xf32>) outs(%e : tensor<?x20xf32>) -> tensor<?x20xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>]}
  return %r : tensor<?x20xf32>
}

// -----

func.func @too_few_panels(%x: tensor<?x4xf32>, %p: tensor<1x4x16xf32>, %e: tensor<?x20xf32>) {
  // expected-error @+1 {{(C5) panels must be as wide as their map says, and as many as hold all columns; found 'tensor<1x4x16xf32>' for affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2, d1 mod 16)>}}
  %r = kern.contract ins(%x, %p : tensor<?x4xf32>, tensor<1x4x16xf32>) outs(%e : tensor<?x20xf32>) -> tensor<?x20xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

// -----

func.func @panels_out_of_order(%x: tensor<?x4x3xf32>, %p: tensor<2x3x4x16xf32>, %e: tensor<?x20xf32>) {
  // expected-error @+1 {{(C4) panels must have batches and inner loops in the order of the product}}
  %r = kern.contract ins(%x, %p : tensor<?x4x3xf32>, tensor<2x3x4x16xf32>) outs(%e : tensor<?x20xf32>) -> tensor<?x20xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n floordiv 16, l, k, n mod 16)>, affine_map<(m, n, k, l) -> (m, n)>]}
  return
}

// -----

func.func @other_panels(%x: tensor<?x4xf32>, %p: tensor<2x4x16xf32>, %e: tensor<?x20xf32>) {
  // expected-error @+1 {{(C7) panels are 16 columns wide; found #kern.tiling<panels, rows = 6, columns = 8,}}
  %r = kern.contract ins(%x, %p : tensor<?x4xf32>, tensor<2x4x16xf32>) outs(%e : tensor<?x20xf32>) -> tensor<?x20xf32> {
  ^bb0(%acc: f32):
    kern.yield %acc : f32
  } {extra_maps = [], tiling = #kern.tiling<panels, rows = 6, columns = 8, inner = 0, task_rows = 8, task_columns = 1>,
     maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>, affine_map<(m, n, k) -> (m, n)>]}
  return
}

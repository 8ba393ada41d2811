// RUN: mlc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of random ops, samplers and sampled losses refuse.
df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.random' op (C3) step comes with 'like' or 'each_step' only, row with 'like'}}
  %r = df.random uniform "r" each_step row %n : (tensor<i64>) -> tensor<4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.random' op (C1) 'like' must have the result's shape, and a dynamic result needs it; found 'tensor<?xf32>'}}
  %r = df.random uniform "r" each_step : () -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.random_exponential' op (C1) 'like' must have the result's shape, and a dynamic result needs it; found 'tensor<?xf32>'}}
  %r = df.random_exponential "r" : () -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.random_gumbel' op (C2) the name must not be empty}}
  %r = df.random_gumbel "" : () -> tensor<2xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.random_integers' op (C3) 'low' must be below 'high' by less than 2^52; found 6 and 6}}
  %r = df.random_integers "r" {low = 6 : i64, high = 6 : i64} : () -> tensor<2xi64>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.random_bernoulli' op (C1) the result must have the shape of the operands; expected 'tensor<?x4xi1>', found 'tensor<2xi1>'}}
  %r = df.random_bernoulli "r" %x : (tensor<?x4xf32>) -> tensor<2xi1>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.random_categorical' op (C1) logits must be [n, classes] and the result [n, samples], the samples static: found 'tensor<?x4xf32>' and 'tensor<?xi64>'}}
  %r = df.random_categorical "r" %x : (tensor<?x4xf32>) -> tensor<?xi64>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.random_shuffle' op (C1) the operand must have rank >= 1; found 'tensor<i64>'}}
  %r = df.random_shuffle "r" %n : tensor<i64>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.dropout' op (C1) 'rate' must be in [0, 1); found 1}}
  %r = df.dropout "r" %x {rate = 1.0 : f64} : tensor<?x4xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.candidate_sampler' op (C1) sampled and its expected counts must be [n], n > 0: found 'tensor<8xi64>' and 'tensor<7xf32>'}}
  %r:3 = df.candidate_sampler uniform "r" %y {num_classes = 9 : i64} : (tensor<?x1xi64>) -> (tensor<8xi64>, tensor<?x1xf32>, tensor<7xf32>)
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.candidate_sampler' op (C1) the expected counts of true classes must have their shape: found 'tensor<?x1xi64>' and 'tensor<?xf32>'}}
  %r:3 = df.candidate_sampler uniform "r" %y {num_classes = 9 : i64} : (tensor<?x1xi64>) -> (tensor<8xi64>, tensor<?xf32>, tensor<8xf32>)
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.candidate_sampler' op (C2) 'num_classes' must be positive, with 'all' the number of samples, with 'unique' at least that; found 7 for 8 samples}}
  %r:3 = df.candidate_sampler uniform "r" %y {num_classes = 7 : i64, unique} : (tensor<?x1xi64>) -> (tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>)
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.candidate_sampler' op (C3) weights must be [num_classes] for 'unigram' and are for it only}}
  %r:3 = df.candidate_sampler unigram "r" %y {num_classes = 9 : i64} : (tensor<?x1xi64>) -> (tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>)
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.candidate_sampler' op (C4) the name must not be empty}}
  %r:3 = df.candidate_sampler uniform "" %y {num_classes = 9 : i64} : (tensor<?x1xi64>) -> (tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>)
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.candidate_sampler' op (C5) 'distortion' is for 'unigram' only}}
  %r:3 = df.candidate_sampler uniform "r" %y {num_classes = 9 : i64, distortion = 0.5 : f64} : (tensor<?x1xi64>) -> (tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>)
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.sampled_softmax_loss' op (C1) inputs must be [n, d] and labels [n, t], t > 0: found 'tensor<?x4xf32>' and 'tensor<8xi64>'}}
  %r = df.sampled_softmax_loss %x, %s, %tw, %te, %sw, %se, %s, %te, %se : (tensor<?x4xf32>, tensor<8xi64>, tensor<?x1x4xf32>, tensor<?x1xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.sampled_softmax_loss' op (C2) true_weights must be [n, t, d], true_biases and true_expected [n, t]; found 'tensor<8x4xf32>', 'tensor<?x1xf32>' and 'tensor<?x1xf32>'}}
  %r = df.sampled_softmax_loss %x, %y, %sw, %te, %sw, %se, %s, %te, %se : (tensor<?x4xf32>, tensor<?x1xi64>, tensor<8x4xf32>, tensor<?x1xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.nce_loss' op (C3) sampled_weights must be [s, d], sampled_biases and sampled_expected [s]; found 'tensor<8x4xf32>', 'tensor<?x1xf32>' and 'tensor<8xf32>'}}
  %r = df.nce_loss %x, %y, %tw, %te, %sw, %te, %s, %te, %se : (tensor<?x4xf32>, tensor<?x1xi64>, tensor<?x1x4xf32>, tensor<?x1xf32>, tensor<8x4xf32>, tensor<?x1xf32>, tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.nce_loss' op (C4) the result must be [n] of the inputs' element type; expected 'tensor<?xf32>', found 'tensor<?x1xf32>'}}
  %r = df.nce_loss %x, %y, %tw, %te, %sw, %se, %s, %te, %se : (tensor<?x4xf32>, tensor<?x1xi64>, tensor<?x1x4xf32>, tensor<?x1xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>) -> tensor<?x1xf32>
  df.return
}

// -----

df.function @f(%x: tensor<?x4xf32>, %n: tensor<i64>, %y: tensor<?x1xi64>, %tw: tensor<?x1x4xf32>, %te: tensor<?x1xf32>, %sw: tensor<8x4xf32>, %se: tensor<8xf32>, %s: tensor<8xi64>, %ds: tensor<?xi64>) {
  // expected-error @+1 {{'df.nce_loss' op (C5) d, t and the number of samples must be static; found 'tensor<?x4xf32>', 'tensor<?x1xi64>' and 'tensor<?xi64>'}}
  %r = df.nce_loss %x, %y, %tw, %te, %sw, %se, %ds, %te, %se : (tensor<?x4xf32>, tensor<?x1xi64>, tensor<?x1x4xf32>, tensor<?x1xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<?xi64>, tensor<?x1xf32>, tensor<8xf32>) -> tensor<?xf32>
  df.return
}

// -----

df.function @gamma(%x: tensor<?xf32>) {
  // expected-error @+1 {{'df.random_gamma' op (C1) the name must not be empty}}
  %r = df.random_gamma "" %x : tensor<?xf32>
  df.return
}

// -----

df.function @learned(%y: tensor<?x1xi64>, %c: tensor<7xf32>) {
  // expected-error @+1 {{'df.learned_unigram_sampler' op (C1) sampled and its expected counts must be [n], n > 0: found 'tensor<8xi64>' and 'tensor<7xf32>'}}
  %r:4 = df.learned_unigram_sampler "r" %y, %c : (tensor<?x1xi64>, tensor<7xf32>) -> (tensor<8xi64>, tensor<?x1xf32>, tensor<7xf32>, tensor<7xf32>)
  df.return
}

// -----

df.function @learned(%y: tensor<?x1xi64>, %c: tensor<7xf32>) {
  // expected-error @+1 {{'df.learned_unigram_sampler' op (C2) counts must be [classes], with 'unique' as many as are sampled; found 'tensor<7xf32>' for 8 samples}}
  %r:4 = df.learned_unigram_sampler "r" %y, %c {unique} : (tensor<?x1xi64>, tensor<7xf32>) -> (tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>, tensor<7xf32>)
  df.return
}

// -----

df.function @learned(%y: tensor<?x1xi64>, %c: tensor<7xf32>) {
  // expected-error @+1 {{'df.learned_unigram_sampler' op (C3) the name must not be empty}}
  %r:4 = df.learned_unigram_sampler "" %y, %c : (tensor<?x1xi64>, tensor<7xf32>) -> (tensor<8xi64>, tensor<?x1xf32>, tensor<8xf32>, tensor<7xf32>)
  df.return
}

// -----

df.function @learned(%y: tensor<?x?xi64>, %c: tensor<7xf32>) {
  // expected-error @+1 {{'df.learned_unigram_sampler' op (C4) at most one dimension of the true classes may be dynamic; found 'tensor<?x?xi64>'}}
  %r:4 = df.learned_unigram_sampler "r" %y, %c : (tensor<?x?xi64>, tensor<7xf32>) -> (tensor<8xi64>, tensor<?x?xf32>, tensor<8xf32>, tensor<7xf32>)
  df.return
}

// What is drawn at random: anew in each iteration of a loop, within its bounds; samplers of classes and their expected counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret='seed=7 step=3' -o /dev/null > %t.composite
// RUN: FileCheck %s < %t.composite
// Numbering the iterations in the IR changes nothing.
// RUN: mlc-opt %s --df-decompose --df-interpret='seed=7 step=3' -o /dev/null > %t.decomposed
// RUN: diff %t.composite %t.decomposed
// The next step draws other numbers.
// RUN: mlc-opt %s --df-interpret='seed=7 step=4' -o /dev/null | not diff %t.composite -

// Six iterations of two loops: six different numbers, and none that the op draws outside of a loop.
// CHECK-LABEL: @iterations
// CHECK-NEXT: 0: tensor<i64> 7
// CHECK-NEXT: 1: tensor<3x2xf64>
df.function @iterations() -> (tensor<i64>, tensor<3x2xf64>) {
  %x = df.constant dense<0.0> : tensor<3x2x1xf64>
  %all = df.scan () over (%x) {reverse} : (tensor<3x2x1xf64>) -> tensor<3x2x1xf64> {
  ^bb0(%block: tensor<2x1xf64>):
    %rows = df.scan () over (%block) : (tensor<2x1xf64>) -> tensor<2x1xf64> {
    ^bb0(%row: tensor<1xf64>):
      %u = df.random uniform "u" each_step : () -> tensor<1xf64>
      df.yield %u : tensor<1xf64>
    }
    df.yield %rows : tensor<2x1xf64>
  }
  %outside = df.random uniform "u" each_step : () -> tensor<1xf64>
  %six = df.reshape %all : (tensor<3x2x1xf64>) -> tensor<6xf64>
  %seven = df.concat %six, %outside {axis = 0 : i64} : (tensor<6xf64>, tensor<1xf64>) -> tensor<7xf64>
  %large = df.constant dense<9007199254740992.0> : tensor<7xf64>
  %scaled = df.mul %seven, %large : tensor<7xf64>
  %ids = df.cast %scaled : (tensor<7xf64>) -> tensor<7xi64>
  %v, %i, %c = df.unique %ids : (tensor<7xi64>) -> (tensor<?xi64>, tensor<7xi64>, tensor<?xi64>)
  %n = df.size %v {dimensions = array<i64: 0>} : (tensor<?xi64>) -> tensor<i64>
  %r = df.reshape %all : (tensor<3x2x1xf64>) -> tensor<3x2xf64>
  df.return %n, %r : tensor<i64>, tensor<3x2xf64>
}

// Iterations that are told are the ones of the loop.
// CHECK-LABEL: @told
// CHECK-NEXT: 0: tensor<i1> true
df.function @told() -> tensor<i1> {
  %x = df.constant dense<[[0], [1]]> : tensor<2x1xi64>
  %a, %b = df.scan () over (%x) : (tensor<2x1xi64>) -> (tensor<2xf64>, tensor<2xf64>) {
  ^bb0(%row: tensor<1xi64>):
    %k = df.reshape %row : (tensor<1xi64>) -> tensor<i64>
    %u = df.random uniform "u" each_step : () -> tensor<f64>
    %v = df.random uniform "u" each_step iteration(%k) : (tensor<i64>) -> tensor<f64>
    df.yield %u, %v : tensor<f64>, tensor<f64>
  }
  %same = df.compare eq, %a, %b : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  %all = df.reduce_all %same {axes = array<i64: 0>} : (tensor<2xi1>) -> tensor<i1>
  df.return %all : tensor<i1>
}

// Means of 20000 numbers lie within five deviations of those of the distributions: 1, Euler's 0.5772, 9.5, 0.25.
// CHECK-LABEL: @means
// CHECK-NEXT: 0: tensor<4xi1> [true, true, true, true]
df.function @means() -> tensor<4xi1> {
  %e = df.random_exponential "e" each_step : () -> tensor<20000xf64>
  %g = df.random_gumbel "g" each_step : () -> tensor<20000xf64>
  %i = df.random_integers "i" each_step {low = 0 : i64, high = 20 : i64} : () -> tensor<20000xi64>
  %if = df.cast %i : (tensor<20000xi64>) -> tensor<20000xf64>
  %quarter = df.constant dense<0.25> : tensor<20000xf64>
  %b = df.random_bernoulli "b" each_step %quarter : (tensor<20000xf64>) -> tensor<20000xi1>
  %bf = df.cast %b : (tensor<20000xi1>) -> tensor<20000xf64>
  %all = df.stack %e, %g, %if, %bf {axis = 0 : i64} : (tensor<20000xf64>, tensor<20000xf64>, tensor<20000xf64>, tensor<20000xf64>) -> tensor<4x20000xf64>
  %mean = df.reduce_mean %all {axes = array<i64: 1>} : (tensor<4x20000xf64>) -> tensor<4xf64>
  %expected = df.constant dense<[1.0, 0.57721566490153287, 9.5, 0.25]> : tensor<4xf64>
  %bound = df.constant dense<[0.0354, 0.0454, 0.204, 0.0154]> : tensor<4xf64>
  %d = df.sub %mean, %expected : tensor<4xf64>
  %a = df.abs %d : tensor<4xf64>
  %ok = df.compare lt, %a, %bound : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  df.return %ok : tensor<4xi1>
}

// The gamma distribution of concentration a has mean and variance a; of 20000 numbers both lie within five deviations.
// CHECK-LABEL: @gamma
// CHECK-NEXT: 0: tensor<2xi1> [true, true]
// CHECK-NEXT: 1: tensor<2xi1> [true, true]
// CHECK-NEXT: 2: tensor<4xf64> [inf, nan, nan, nan]
df.function @gamma() -> (tensor<2xi1>, tensor<2xi1>, tensor<4xf64>) {
  %each = df.constant dense<[0.25, 4.0]> : tensor<2xf64>
  %a = df.broadcast %each dimensions = [0] : (tensor<2xf64>) -> tensor<2x20000xf64>
  %g = df.random_gamma "g" each_step %a : tensor<2x20000xf64>
  %mean, %variance = df.moments %g {axes = array<i64: 1>} : (tensor<2x20000xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  // The deviations: sqrt(a / n) and sqrt((2 a^2 + 6 a) / n).
  %mean_bound = df.constant dense<[0.0177, 0.0708]> : tensor<2xf64>
  %variance_bound = df.constant dense<[0.0451, 0.265]> : tensor<2xf64>
  %d0 = df.absolute_difference %mean, %each : tensor<2xf64>
  %d1 = df.absolute_difference %variance, %each : tensor<2xf64>
  %ok0 = df.compare lt, %d0, %mean_bound : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  %ok1 = df.compare lt, %d1, %variance_bound : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  // Infinity, NaN, 0 and -1.
  %odd = df.constant dense<[0x7FF0000000000000, 0x7FF8000000000000, 0.0, -1.0]> : tensor<4xf64>
  %none = df.random_gamma "none" each_step %odd : tensor<4xf64>
  df.return %ok0, %ok1, %none : tensor<2xi1>, tensor<2xi1>, tensor<4xf64>
}

// Class 1 has all the weight.
// CHECK-LABEL: @categorical
// CHECK-NEXT: 0: tensor<2x4xi64> {{\[}}[1, 1, 1, 1], [1, 1, 1, 1]]
df.function @categorical() -> tensor<2x4xi64> {
  %x = df.constant dense<[[0.0, 60.0, 0.0], [-60.0, 0.0, -60.0]]> : tensor<2x3xf32>
  %c = df.random_categorical "c" %x : (tensor<2x3xf32>) -> tensor<2x4xi64>
  df.return %c : tensor<2x4xi64>
}

// A permutation that is not the identity.
// CHECK-LABEL: @shuffle
// CHECK-NEXT: 0: tensor<i1> true
// CHECK-NEXT: 1: tensor<i1> false
df.function @shuffle() -> (tensor<i1>, tensor<i1>) {
  %x = df.iota {axis = 0 : i64} : () -> tensor<52xi64>
  %y = df.random_shuffle "deal" %x : tensor<52xi64>
  %z = df.sort %y : (tensor<52xi64>) -> tensor<52xi64>
  %same = df.compare eq, %z, %x : (tensor<52xi64>, tensor<52xi64>) -> tensor<52xi1>
  %all = df.reduce_all %same {axes = array<i64: 0>} : (tensor<52xi1>) -> tensor<i1>
  %still = df.compare eq, %y, %x : (tensor<52xi64>, tensor<52xi64>) -> tensor<52xi1>
  %identity = df.reduce_all %still {axes = array<i64: 0>} : (tensor<52xi1>) -> tensor<i1>
  df.return %all, %identity : tensor<i1>, tensor<i1>
}

// Without rejections the expected counts of all classes add up to the number of samples.
// CHECK-LABEL: @independent
// CHECK-NEXT: 0: tensor<3xi1> [true, true, true]
df.function @independent() -> tensor<3xi1> {
  %all = df.iota {axis = 0 : i64} : () -> tensor<50xi64>
  %w = df.constant dense<2.0> : tensor<50xf32>
  %u:3 = df.candidate_sampler uniform "u" %all {num_classes = 50 : i64} : (tensor<50xi64>) -> (tensor<20xi64>, tensor<50xf32>, tensor<20xf32>)
  %l:3 = df.candidate_sampler log_uniform "l" %all {num_classes = 50 : i64} : (tensor<50xi64>) -> (tensor<20xi64>, tensor<50xf32>, tensor<20xf32>)
  %g:3 = df.candidate_sampler unigram "g" %all weights %w {num_classes = 50 : i64} : (tensor<50xi64>, tensor<50xf32>) -> (tensor<20xi64>, tensor<50xf32>, tensor<20xf32>)
  %e = df.stack %u#1, %l#1, %g#1 {axis = 0 : i64} : (tensor<50xf32>, tensor<50xf32>, tensor<50xf32>) -> tensor<3x50xf32>
  %s = df.reduce_sum %e {axes = array<i64: 1>} : (tensor<3x50xf32>) -> tensor<3xf32>
  %n = df.constant dense<20.0> : tensor<3xf32>
  %d = df.sub %s, %n : tensor<3xf32>
  %a = df.abs %d : tensor<3xf32>
  %bound = df.constant dense<1.0e-4> : tensor<3xf32>
  %ok = df.compare lt, %a, %bound : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  df.return %ok : tensor<3xi1>
}

// All 40 classes of 40: each once, after many rejected draws. 1 - (1 - p)^t grows with p, and the first classes are the likely ones.
// CHECK-LABEL: @unique
// CHECK-NEXT: 0: tensor<i1> true
// CHECK-NEXT: 1: tensor<i1> true
df.function @unique() -> (tensor<i1>, tensor<i1>) {
  %all = df.iota {axis = 0 : i64} : () -> tensor<40xi64>
  %s, %t, %e = df.candidate_sampler log_uniform "negatives" %all {num_classes = 40 : i64, unique} : (tensor<40xi64>) -> (tensor<40xi64>, tensor<40xf32>, tensor<40xf32>)
  %sorted = df.sort %s : (tensor<40xi64>) -> tensor<40xi64>
  %same = df.compare eq, %sorted, %all : (tensor<40xi64>, tensor<40xi64>) -> tensor<40xi1>
  %each = df.reduce_all %same {axes = array<i64: 0>} : (tensor<40xi1>) -> tensor<i1>
  %ranked = df.sort %t {descending} : (tensor<40xf32>) -> tensor<40xf32>
  %order = df.compare eq, %ranked, %t : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>
  %grows = df.reduce_all %order {axes = array<i64: 0>} : (tensor<40xi1>) -> tensor<i1>
  df.return %each, %grows : tensor<i1>, tensor<i1>
}

// A class without weight is never drawn, nor expected. Here no draw was rejected: the expected counts are 3 p.
// CHECK-LABEL: @weights
// CHECK-NEXT: 0: tensor<3xi64> [0, 2, 3]
// CHECK-NEXT: 1: tensor<4xf32> [1.3333334, 0, 1, 0.6666667]
df.function @weights() -> (tensor<3xi64>, tensor<4xf32>) {
  %all = df.iota {axis = 0 : i64} : () -> tensor<4xi64>
  %w = df.constant dense<[4.0, 0.0, 3.0, 2.0]> : tensor<4xf32>
  %s, %t, %e = df.candidate_sampler unigram "w" %all weights %w {num_classes = 4 : i64, unique} : (tensor<4xi64>, tensor<4xf32>) -> (tensor<3xi64>, tensor<4xf32>, tensor<3xf32>)
  %sorted = df.sort %s : (tensor<3xi64>) -> tensor<3xi64>
  df.return %sorted, %t : tensor<3xi64>, tensor<4xf32>
}

// The sampler draws by the counts it is given, and counts the true classes after: class 3 twice.
// CHECK-LABEL: @learned
// CHECK-NEXT: 0: tensor<3xi64> [1, 1, 1]
// CHECK-NEXT: 1: tensor<3x1xf32> {{\[}}[0], [3], [0]]
// CHECK-NEXT: 2: tensor<4xf32> [0, 8, 0, 2]
df.function @learned() -> (tensor<3xi64>, tensor<3x1xf32>, tensor<4xf32>) {
  %y = df.constant dense<[[3], [1], [3]]> : tensor<3x1xi64>
  %c = df.constant dense<[0.0, 7.0, 0.0, 0.0]> : tensor<4xf32>
  %s, %t, %e, %new = df.learned_unigram_sampler "l" %y, %c : (tensor<3x1xi64>, tensor<4xf32>) -> (tensor<3xi64>, tensor<3x1xf32>, tensor<3xf32>, tensor<4xf32>)
  df.return %s, %t, %new : tensor<3xi64>, tensor<3x1xf32>, tensor<4xf32>
}

// With the sampler of all classes and accidental hits removed, sampled softmax is softmax over all classes.
// CHECK-LABEL: @full
// CHECK-NEXT: 0: tensor<i1> true
df.function @full(%x: tensor<2x3xf64> {df.value = dense<[[0.5, -1.0, 0.25], [1.5, 0.75, -0.5]]> : tensor<2x3xf64>},
                  %w: tensor<4x3xf64> {df.value = dense<[[0.1, 0.2, 0.3], [-0.4, 0.5, 0.6], [0.7, -0.8, 0.9], [1.0, 1.1, -1.2]]> : tensor<4x3xf64>}) -> tensor<i1> {
  %y = df.constant dense<[[3], [1]]> : tensor<2x1xi64>
  %label = df.reshape %y : (tensor<2x1xi64>) -> tensor<2xi64>
  %b = df.constant dense<[0.1, -0.2, 0.3, -0.4]> : tensor<4xf64>
  %s, %te, %se = df.candidate_sampler all "all" %y {num_classes = 4 : i64} : (tensor<2x1xi64>) -> (tensor<4xi64>, tensor<2x1xf32>, tensor<4xf32>)
  %rows = df.gather %w, %label {axes = array<i64: 0>, skip_negative} : (tensor<4x3xf64>, tensor<2xi64>) -> tensor<2x3xf64>
  %tw = df.reshape %rows : (tensor<2x3xf64>) -> tensor<2x1x3xf64>
  %tb = df.gather %b, %y {axes = array<i64: 0>} : (tensor<4xf64>, tensor<2x1xi64>) -> tensor<2x1xf64>
  %l = df.sampled_softmax_loss %x, %y, %tw, %tb, %w, %b, %s, %te, %se {remove_accidental_hits}
      : (tensor<2x3xf64>, tensor<2x1xi64>, tensor<2x1x3xf64>, tensor<2x1xf64>, tensor<4x3xf64>, tensor<4xf64>, tensor<4xi64>, tensor<2x1xf32>, tensor<4xf32>) -> tensor<2xf64>
  %xw = df.matmul %x, %w {transpose_b} : (tensor<2x3xf64>, tensor<4x3xf64>) -> tensor<2x4xf64>
  %bs = df.broadcast %b dimensions = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
  %logits = df.add %xw, %bs : tensor<2x4xf64>
  %full = df.softmax_cross_entropy %logits, %label : (tensor<2x4xf64>, tensor<2xi64>) -> tensor<2xf64>
  %d = df.sub %l, %full : tensor<2xf64>
  %a = df.abs %d : tensor<2xf64>
  %bound = df.constant dense<1.0e-14> : tensor<2xf64>
  %near = df.compare lt, %a, %bound : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  %all = df.reduce_all %near {axes = array<i64: 0>} : (tensor<2xi1>) -> tensor<i1>
  df.return %all : tensor<i1>
}

// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of random numbers, of what is drawn with them, and of sampled losses.

// CHECK-LABEL: df.function @random
df.function @random(%x: tensor<?x4xf32>, %p: tensor<3xf64>, %i: tensor<i64>) {
  // CHECK: df.random uniform "a" each_step : () -> tensor<5xf64>
  %r0 = df.random uniform "a" each_step : () -> tensor<5xf64>
  // CHECK: df.random normal "b" each_step like %{{.*}} iteration(%{{.*}}, %{{.*}}) : (tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<?x4xf32>
  %r1 = df.random normal "b" each_step like %x iteration(%i, %i) : (tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<?x4xf32>
  // CHECK: df.random_exponential "c" like %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %r2 = df.random_exponential "c" like %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: df.random_gumbel "d" each_step : () -> tensor<3xf64>
  %r3 = df.random_gumbel "d" each_step : () -> tensor<3xf64>
  // CHECK: df.random_integers "e" like %{{.*}} {high = 6 : i64, low = -6 : i64} : (tensor<?x4xf32>) -> tensor<?x4xi64>
  %r4 = df.random_integers "e" like %x {low = -6 : i64, high = 6 : i64} : (tensor<?x4xf32>) -> tensor<?x4xi64>
  // CHECK: df.random_bernoulli "f" each_step %{{.*}} : (tensor<3xf64>) -> tensor<3xi1>
  %r5 = df.random_bernoulli "f" each_step %p : (tensor<3xf64>) -> tensor<3xi1>
  // CHECK: df.random_categorical "g" %{{.*}} : (tensor<?x4xf32>) -> tensor<?x2xi64>
  %r6 = df.random_categorical "g" %x : (tensor<?x4xf32>) -> tensor<?x2xi64>
  // CHECK: df.random_shuffle "h" %{{.*}} : tensor<?x4xf32>
  %r7 = df.random_shuffle "h" %x : tensor<?x4xf32>
  // CHECK: df.dropout "i" %{{.*}} {rate = 1.000000e-01 : f64} : tensor<?x4xf32>
  %r8 = df.dropout "i" %x {rate = 0.1 : f64} : tensor<?x4xf32>
  // CHECK: df.random_gamma "j" %{{.*}} : tensor<?x4xf32>
  %r9 = df.random_gamma "j" %x : tensor<?x4xf32>
  // CHECK: df.random_gamma "k" each_step %{{.*}} : tensor<3xf64>
  %r10 = df.random_gamma "k" each_step %p : tensor<3xf64>
  df.return
}

// CHECK-LABEL: df.function @sampled
df.function @sampled(%x: tensor<?x8xf32>, %y: tensor<?x2xi64>, %w: tensor<50xf32>, %tw: tensor<?x2x8xf32>, %tb: tensor<?x2xf32>, %sw: tensor<16x8xf32>,
                     %sb: tensor<16xf32>) {
  // CHECK: df.candidate_sampler log_uniform "a" %{{.*}} {num_classes = 50 : i64, unique} : (tensor<?x2xi64>) -> (tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>)
  %s, %te, %se = df.candidate_sampler log_uniform "a" %y {num_classes = 50 : i64, unique} : (tensor<?x2xi64>) -> (tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>)
  // CHECK: df.candidate_sampler unigram "b" %{{.*}} weights %{{.*}} {distortion = 7.500000e-01 : f64, num_classes = 50 : i64} :
  %u:3 = df.candidate_sampler unigram "b" %y weights %w {num_classes = 50 : i64, distortion = 0.75 : f64} : (tensor<?x2xi64>, tensor<50xf32>) -> (tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>)
  // CHECK: df.learned_unigram_sampler "c" %{{.*}}, %{{.*}} {unique} : (tensor<?x2xi64>, tensor<50xf32>) -> (tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>, tensor<50xf32>)
  %v:4 = df.learned_unigram_sampler "c" %y, %w {unique} : (tensor<?x2xi64>, tensor<50xf32>) -> (tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>, tensor<50xf32>)
  // CHECK: df.sampled_softmax_loss {{.*}} {remove_accidental_hits} : (tensor<?x8xf32>, tensor<?x2xi64>, tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>) -> tensor<?xf32>
  %l0 = df.sampled_softmax_loss %x, %y, %tw, %tb, %sw, %sb, %s, %te, %se {remove_accidental_hits} : (tensor<?x8xf32>, tensor<?x2xi64>, tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>) -> tensor<?xf32>
  // CHECK: df.nce_loss {{.*}} : (tensor<?x8xf32>, tensor<?x2xi64>, tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>) -> tensor<?xf32>
  %l1 = df.nce_loss %x, %y, %tw, %tb, %sw, %sb, %s, %te, %se : (tensor<?x8xf32>, tensor<?x2xi64>, tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>) -> tensor<?xf32>
  df.return
}

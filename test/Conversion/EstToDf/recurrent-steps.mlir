// Recurrent layers over steps of several values, and outputs of each step: ids are joined for each step, logits are made after
// each of them, those of steps that there are stand beside labels, and predictions are padded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --cse | FileCheck %s
//
// Rows of the steps ({0, 1}, {}, {2}), ({2}) and (); kernels are 1, the recurrent kernel is 0.5, the bias of the logits is
// 10: tanh(2) = 0.964, tanh(0.5 * 0.964) = 0.448, tanh(1 + 0.5 * 0.448) = 0.8408; tanh(1) = 0.7616.
// RUN: mlc-opt %s --convert-est-to-df | sed -e 's/df.name = "t"/&, df.value = dense<[0, 1, 2, 2]> : tensor<4xi64>/' \
// RUN:         -e 's/df.name = "t.ends"/&, df.value = dense<[3, 4, 4]> : tensor<3xi64>/' \
// RUN:         -e 's/df.name = "n"/&, df.value = dense<[2, 0, 1, 1]> : tensor<4xi64>/' \
// RUN:         -e 's/df.name = "n.ends"/&, df.value = dense<[3, 4, 4]> : tensor<3xi64>/' \
// RUN:         -e '/simple_rnn_cell.kernel" :/s/#df.*> {/#df.constant<1.0> {/' \
// RUN:         -e '/recurrent_kernel" :/s/#df.*> {/#df.constant<0.5> {/' \
// RUN:         -e '/logits.kernel" :/s/#df.*> {/#df.constant<1.0> {/' -e '/logits.bias" :/s/#df.*> {/#df.constant<10.0> {/' \
// RUN:   | mlc-opt --df-interpret=functions=predict -o /dev/null | FileCheck %s --check-prefix=VALUES

est.estimator @columns compat(tf2) {
  %t = est.feature "t" categorical : !est.feature<?xint64>
  %n = est.feature "n" categorical : !est.feature<?xint64>
  %w = est.feature "w" role(weight) : !est.feature<?xfloat32>
  %y = est.feature "y" role(label) : !est.feature<?xfloat32>
  %c = est.identity "t" of %t : !est.feature<?xint64> -> !est.categorical<3>
  %s = est.steps "t_in_steps" of %c lengths %n : !est.categorical<3>, !est.feature<?xint64> -> !est.categorical<3>
  %i = est.indicator "t_indicator" of %s : !est.categorical<3> -> !est.sequence<3>
  %l = est.rnn (%i) units [1] cell(simple_rnn) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.sequence<3>) -> !est.step_logits<1>
  est.regression_head "y" (%l) label %y weight %w reduction(sum)
    : (!est.step_logits<1>), !est.feature<?xfloat32>, !est.feature<?xfloat32>
}

// CHECK-LABEL: df.function @train(
// CHECK: %[[N:.*]] = df.check_ids %{{.*}} ends(%[[NENDS:.*]]) {feature = "n", high = 2147483647 : i64, low = 0 : i64, what = "number of values of 't' in a step"}
// CHECK: df.ragged_reduce sum %[[N]], %[[NENDS]]
// CHECK: df.check_ids %{{.*}} {feature = "t", high = 1 : i64, low = 0 : i64, what = "values of 't', of which 'n' tells how many each step has: they add up to all of the row"}
// CHECK: %[[ENDS:.*]] = df.cumsum %[[N]]
// CHECK: %[[STEPS:.*]] = df.ragged_reduce sum %{{.*}}, %[[ENDS]] : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
// CHECK: %{{.*}}, %[[LENGTHS:.*]] = df.ragged_to_dense %[[STEPS]], %[[NENDS]]
// CHECK: df.scan
// CHECK: what = "labels of 'y', which are as many as those of 'n' in each row"
// CHECK: what = "weights of 'w', which are as many as those of 'n' in each row"
// CHECK: %[[PLACES:.*]] = df.add %{{.*}}, %{{.*}} : tensor<?xi64>
// CHECK: df.gather %{{.*}}, %[[PLACES]] {axes = array<i64: 0>} : (tensor<?x1xf32>, tensor<?xi64>) -> tensor<?x1xf32>
// CHECK-LABEL: df.function @predict(
// CHECK-SAME: -> (tensor<?x?x1xf32> {df.name = "predictions"}, tensor<?x?xi1> {df.name = "sequence_mask"})

// VALUES-LABEL: @predict
// VALUES: 0: tensor<3x3x1xf32> {{\[\[\[10.9640[0-9]*\], \[10.4478[0-9]*\], \[10.8408[0-9]*\]\], \[\[10.7615[0-9]*\], \[10.7615[0-9]*\], \[10.7615[0-9]*\]\], \[\[10\], \[10\], \[10\]\]\]}}
// VALUES: 1: tensor<3x3xi1> {{\[\[true, true, true\], \[true, false, false\], \[false, false, false\]\]}}

// Recurrent layers over sequences: what is of one feature is padded together, others must be as long; a row that has ended
// keeps its state, and one without steps has an output of zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --cse | FileCheck %s
//
// Rows of the steps (1, 2), () and (3), whose words are no values; kernels are 1, the recurrent kernel is 0.5, the bias of
// the logits is 10: tanh(2 + 0.5 tanh(1)) + 10, 10 and tanh(3) + 10.
// RUN: mlc-opt %s --convert-est-to-df | sed -e 's/df.name = "p"/&, df.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>/' \
// RUN:         -e 's/df.name = "p.ends"/&, df.value = dense<[2, 2, 3]> : tensor<3xi64>/' \
// RUN:         -e 's/df.name = "w"/&, df.value = dense<[-1, -1, -1]> : tensor<3xi64>/' \
// RUN:         -e 's/df.name = "w.ends"/&, df.value = dense<[2, 2, 3]> : tensor<3xi64>/' \
// RUN:         -e 's/df.name = "a"/&, df.value = dense<0.0> : tensor<3xf32>/' \
// RUN:         -e '/simple_rnn_cell.kernel" :/s/#df.*> {/#df.constant<1.0> {/' \
// RUN:         -e '/recurrent_kernel" :/s/#df.*> {/#df.constant<0.5> {/' \
// RUN:         -e '/logits.kernel" :/s/#df.*> {/#df.constant<1.0> {/' -e '/logits.bias" :/s/#df.*> {/#df.constant<10.0> {/' \
// RUN:   | mlc-opt --df-interpret=functions=predict -o /dev/null | FileCheck %s --check-prefix=VALUES

est.estimator @columns compat(tf2) {
  %p = est.feature "p" : !est.feature<?xfloat32>
  %w = est.feature "w" categorical : !est.feature<?xint64>
  %a = est.feature "a" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.sequence_numeric "p" of %p : !est.feature<?xfloat32> -> !est.sequence<1>
  %c = est.identity "w" of %w : !est.feature<?xint64> -> !est.categorical<4>
  %e = est.embedding "w_embedding" of %c combiner(mean) initializer(#est.constant<value = 1.0>) sparse_update(exact)
    : !est.categorical<4> -> !est.sequence<2>
  %x = est.numeric "a" of %a : !est.feature<float32> -> !est.dense<1>
  %l = est.rnn (%n, %e) context (%x) units [1] cell(simple_rnn) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.sequence<1>, !est.sequence<2>) context (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK: df.variable @"sequence_features/w_embedding/embedding_weights" : tensor<4x2xf32>
// CHECK: df.variable @"rnn_model/rnn/simple_rnn_cell/kernel" : tensor<4x1xf32>
// CHECK: df.variable @"rnn_model/rnn/simple_rnn_cell/recurrent_kernel" : tensor<1x1xf32>
// CHECK: df.variable @"rnn_model/rnn/simple_rnn_cell/bias" : tensor<1xf32>
// CHECK: df.variable @"rnn_model/logits/kernel" : tensor<1x1xf32>
// CHECK-LABEL: df.function @predict(
// CHECK-SAME: %[[P:[^:]*]]: tensor<?xf32> {df.name = "p", df.symbol = 1 : i64}
// CHECK-SAME: %[[ENDS:[^:]*]]: tensor<?xi64> {df.name = "p.ends"}, %[[WENDS:[^:]*]]: tensor<?xi64> {df.name = "w.ends"})
// CHECK: %[[ROWS:.*]] = df.read_rows @"sequence_features/w_embedding/embedding_weights"
// CHECK: %[[A:.*]] = df.ragged_repeat %{{.*}}, %[[ENDS]] like
// CHECK: %[[FIRST:.*]], %[[LENGTHS:.*]] = df.ragged_to_dense %{{.*}}, %[[ENDS]], %{{.*}} : (tensor<?x1xf32>, tensor<?xi64>, tensor<f32>)
// CHECK: %[[SECOND:.*]], %{{.*}} = df.ragged_to_dense %[[ROWS]], %[[ENDS]]
// CHECK: %[[OWN:.*]] = df.ragged_reduce sum %{{.*}}, %[[WENDS]]
// CHECK: %[[MORE:.*]] = df.sub %[[OWN]], %[[LENGTHS]]
// CHECK: df.check_ids %[[MORE]], %[[OWN]] {feature = "w", high = 1 : i64, low = 0 : i64, what = "steps of 'w', which are as many as those of 'p' in each row"}
// CHECK: %[[THIRD:.*]], %{{.*}} = df.ragged_to_dense %[[A]], %[[ENDS]]
// CHECK: df.concat %[[FIRST]], %[[SECOND]], %[[THIRD]] {axis = 2 : i64}
// CHECK: df.scan
// CHECK: %[[GOES:.*]] = df.compare lt
// CHECK: %[[NEXT:.*]] = df.rnn_cell
// CHECK: %[[MASK:.*]] = df.broadcast %[[GOES]] like %[[NEXT]]
// CHECK: df.select %[[MASK]], %[[NEXT]]

// VALUES-LABEL: @predict
// VALUES: 0: tensor<3x1xf32> {{\[\[10.9830[0-9]*\], \[10\], \[10.9950[0-9]*\]\]}}

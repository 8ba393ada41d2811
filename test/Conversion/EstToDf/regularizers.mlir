// Two steps under regularizers: of kernels, of a whole table (sparse_update exact), of the step's rows (lazy), and of a linear
// model's weights; biases are free of them. With clip_by_value the rule sees the cut sum of both gradients. The numbers were
// computed apart in double precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: sed -e 's/CLIP//' %s | mlc-opt --convert-est-to-df -o %t.df
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.df
// RUN: mlc-opt %t.df --df-expand-gradients | sed -f %S/Inputs/batch.sed \
// RUN:   | mlc-opt --df-interpret=functions=train,train,eval_update,eval_result -o /dev/null | FileCheck %s
// RUN: sed -e 's/CLIP/, clip_by_value = <"c" = 0.2 : f64>/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train -o /dev/null | FileCheck %s --check-prefix=CLIP
// The loss of a batch of an evaluation, for who asks for it, is that of training: with what all regularizers add.
// RUN: sed -e 's/CLIP//' -e 's/compat(tf2)/& attributes {est.tells_loss}/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -f %S/Inputs/batch.sed | mlc-opt --df-interpret=functions=train,train,eval_update -o /dev/null | FileCheck %s --check-prefix=TOLD

est.estimator @rules compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %s = est.feature "s" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %i = est.identity "s" of %s : !est.feature<int64> -> !est.categorical<4>
  %e = est.embedding "exact" of %i combiner(mean) initializer(#est.constant<value = 0.5>) sparse_update(exact)
    regularizer(<l1 = <"el1" = 0.1 : f64>, l2 = <"el2" = 0.05 : f64>>) : !est.categorical<4> -> !est.dense<1>
  %f = est.embedding "lazy" of %i combiner(mean) initializer(#est.constant<value = -0.5>) sparse_update(lazy)
    regularizer(<l1 = <"fl1" = 0.1 : f64>, l2 = <"fl2" = 0.05 : f64>>) : !est.categorical<4> -> !est.dense<1>
  %l = est.linear (%n, %i) sparse_combiner(sum) regularizer(<l1 = <"ll1" = 0.0 : f64>, l2 = <"ll2" = 0.5 : f64>>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.25 : f64>>CLIP>) : (!est.dense<1>, !est.categorical<4>) -> !est.logits<1>
  %d = est.dnn (%n, %e, %f) hidden_units [2] activation(linear) kernel_initializer(#est.constant<value = 0.25>)
    regularizer(<l1 = <"dl1" = 0.0 : f64>, l2 = <"dl2" = 0.01 : f64>>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.25 : f64>>CLIP>)
    : (!est.dense<1>, !est.dense<1>, !est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%l, %d) label %y reduction(sum_over_batch_size) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// Whole tables are dense gradients; rows stay rows, whose undefined ids are hidden before weights are gathered.
// IR: df.densify_rows %{{.*}}#1 : (!df.rows<tensor<4x1xf32>>)
// IR: df.densify_rows %{{.*}}#3 : (!df.rows<tensor<4x1xf32>>)
// IR: %[[IDS:ids.*]], %[[ROWS:rows.*]], %[[COUNT:count.*]] = df.unpack_rows %{{.*}}#4
// IR: df.ragged_repeat
// IR: df.read_rows @"dnn/input_from_feature_columns/input_layer/lazy/embedding_weights"
// IR: %[[SUM:.*]] = df.pack_rows %[[IDS]], %{{.*}}, %[[COUNT]]
// IR-NOT: df.apply_rows {{.*}}exact
// IR: df.apply_rows [@"dnn/input_from_feature_columns/input_layer/lazy/embedding_weights"], %[[SUM]]

// CHECK: @train
// CHECK-NEXT: 0: tensor<f32> 4.91125
// CHECK-NEXT: 1: tensor<f32> 0.38
// CHECK: @train
// CHECK-NEXT: 0: tensor<f32> 2.85675
// CHECK-NEXT: 1: tensor<f32> 0.635626
// CHECK-NEXT: hiddenlayer_0/bias = tensor<2xf32> [0.096841{{[0-9]*}}, 0.096841
// CHECK-NEXT: hiddenlayer_0/kernel = tensor<3x2xf32> {{\[\[}}0.038800{{[0-9]*}}, 0.038800{{[0-9]*}}], [0.291626{{[0-9]*}}, 0.291626{{[0-9]*}}], [0.185277
// CHECK-NEXT: exact/embedding_weights = tensor<4x1xf32> {{\[\[}}0.4259{{[0-9]*}}], [0.446645{{[0-9]*}}], [0.4259{{[0-9]*}}], [0.416813
// CHECK-NEXT: lazy/embedding_weights = tensor<4x1xf32> {{\[\[}}-0.5], [-0.365872{{[0-9]*}}], [-0.5], [-0.406021
// CHECK-NEXT: logits/bias = tensor<1xf32> [0.483845
// CHECK-NEXT: logits/kernel = tensor<2x1xf32> {{\[\[}}-0.142428{{[0-9]*}}], [-0.142428
// CHECK-NEXT: @global_step
// CHECK-NEXT: bias_weights = tensor<1xf32> [0.483845
// CHECK-NEXT: s/weights = tensor<4x1xf32> {{\[\[}}0], [0.22696{{[0-9]*}}], [0], [0.017294
// CHECK-NEXT: x/weights = tensor<1x1xf32> {{\[\[}}-0.7097
// Evaluation takes whole tables, those of sparse_update lazy too, and leaves average_loss alone.
// CHECK: @eval_result
// CHECK-NEXT: 0: tensor<f64> 2.61352
// CHECK-NEXT: 1: tensor<f64> 2
// CHECK-NEXT: 2: tensor<f64> 3.31960
// CHECK: 5: tensor<f64> 0.706081

// TOLD: @eval_update
// TOLD-NEXT: 0: tensor<f32> 3.31960

// CLIP: @train
// CLIP-NEXT: 0: tensor<f32> 4.91125
// CLIP: @train
// CLIP-NEXT: 0: tensor<f32> 4.06119
// CLIP-NEXT: 1: tensor<f32> 0.365914
// CLIP-NEXT: hiddenlayer_0/bias = tensor<2xf32> [0.1, 0.1]
// CLIP-NEXT: hiddenlayer_0/kernel = tensor<3x2xf32> {{\[\[}}0.307918{{[0-9]*}}, 0.307918{{[0-9]*}}], [0.35{{[0-9]*}}, 0.35{{[0-9]*}}], [0.15
// CLIP-NEXT: exact/embedding_weights = tensor<4x1xf32> {{\[\[}}0.4259{{[0-9]*}}], [0.595833{{[0-9]*}}], [0.4259{{[0-9]*}}], [0.50121
// CLIP-NEXT: lazy/embedding_weights = tensor<4x1xf32> {{\[\[}}-0.5], [-0.{{4|39999[0-9]*}}], [-0.5], [-0.{{4|39999[0-9]*}}]

// A baseline model: one bias that all rows share, whatever the column that tells their number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients -o %t
// RUN: FileCheck %s --check-prefix=IR --input-file=%t
// RUN: sed -e 's/df.name = "y"/&, df.value = dense<[0, 2, 2]> : tensor<3xi64>/' \
// RUN:     -e 's/df.name = "x"/&, df.value = dense<["a", "", "b"]> : tensor<3x!df.string>/' %t \
// RUN:   | mlc-opt --df-interpret=functions=train,predict -o /dev/null | FileCheck %s

est.estimator @baseline compat(tf2) {
  %x = est.feature "x" : !est.feature<string>
  %y = est.feature "y" role(label) : !est.feature<int64>
  %l = est.baseline rows %x optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : !est.feature<string> -> !est.logits<3>
  est.multi_class_head "y" (%l) label %y reduction(sum) : (!est.logits<3>), !est.feature<int64>
}

// IR: df.variable @"baseline/bias" : tensor<3xf32> = #df.constant<0.000000e+00> {trainable}
// IR-LABEL: df.function @predict
// IR-SAME: (%{{.*}}: tensor<?x!df.string> {df.name = "x"})

// The gradient is the sum over the rows of softmax - one-hot: 0, 1 and -1.
// CHECK-LABEL: @train
// CHECK: baseline/bias = tensor<3xf32> {{\[[-+.e0-9]+, -(1|0\.99999[0-9]*|1\.00000[0-9]*), (1|0\.99999[0-9]*|1\.00000[0-9]*)\]}}
// CHECK-LABEL: @predict
// CHECK-NEXT: 0: tensor<3x3xf32> {{\[\[[-+.e0-9]+, -(1|0\.9|1\.0)}}

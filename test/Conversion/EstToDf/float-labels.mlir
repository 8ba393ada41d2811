// Labels of a binary head without a vocabulary are the classes 0 and 1, of floats their share (soft-labels.mlir); predictions name them so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df -o %t
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[1.0, 0.0]> : tensor<2xf32>/' \
// RUN:     -e 's,\(model/x/weights".*constant\)<0.0*e+00>,\1<1.0>,' -e 's/df.name = "y"/&, df.value = dense<[1.0, 0.0]> : tensor<2xf64>/' %t \
// RUN:   | mlc-opt --df-interpret=functions=eval_update,eval_result,predict -o /dev/null | FileCheck %s
// RUN: sed -e 's/df.name = "x"/&, df.value = dense<[1.0, 0.0]> : tensor<2xf32>/' \
// RUN:     -e 's/df.name = "y"/&, df.value = dense<[1.0, 1.5]> : tensor<2xf64>/' %t \
// RUN:   | not mlc-opt --df-interpret=functions=eval_update -o /dev/null 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: sed -e 's/float64/bool/' %s | mlc-opt --convert-est-to-df | FileCheck %s --check-prefix=BOOL

est.estimator @labels compat(tf2) input "{\22columns\22: [1, 2.5]}" settings "[]" {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float64>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %l = est.linear (%n) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.dense<1>) -> !est.logits<1>
  est.binary_class_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float64>
}

// CHECK-LABEL: @eval_result
// accuracy 1, label/mean 0.5
// CHECK-NEXT: 0: tensor<f64> 1{{$}}
// CHECK: 6: tensor<f64> 0.5{{$}}
// CHECK-LABEL: @predict
// CHECK-NEXT: 0: tensor<2x1xf32> {{\[\[1\], \[0\]\]}}
// CHECK-NEXT: 1: tensor<2x1xf32> {{\[\[0.73105[0-9]*\], \[0.5\]\]}}
// CHECK-NEXT: 2: tensor<2x2xf32> {{\[\[0.26894[0-9]*, 0.73105[0-9]*\], \[0.5, 0.5\]\]}}
// CHECK-NEXT: 3: tensor<2x1xi64> {{\[\[1\], \[0\]\]}}
// CHECK-NEXT: 4: tensor<2x1x!df.string> {{\[\["1"\], \["0"\]\]}}

// HALF: error: {{.*}}row 1: label 'y', a number from 0 to 1: 1.5 is out of range

// BOOL: module attributes {mlc.columns = {{[{].*[}]}}, mlc.manifest = "{\22columns\22:{{.*}},\22compat\22:\22tf2\22,\22eval\22:[],\22head\22:{\22classes\22:[\220\22,\221\22],\22kind\22:\22binary_class\22,\22label\22:\22y\22,\22name\22:\22y\22},\22input\22:{\22columns\22:[1,2.5]},\22name\22:\22labels\22,\22prediction_constants\22:{\22all_class_ids\22:[0,1],\22all_classes\22:[\220\22,\221\22]},\22settings\22:[]}", mlc.name = "labels"}
// BOOL: df.vocabulary @class_names ["0", "1"]
// BOOL: df.cast %{{.*}} : (tensor<?xi1>) -> tensor<?xi64>

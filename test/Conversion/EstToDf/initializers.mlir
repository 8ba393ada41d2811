// The variances that Keras' initializers give a kernel of 3 x 5: of scale / fan, a truncated normal by 0.87962566 less of it.
// DEFINE: %{initializer} =
// DEFINE: %{convert} = sed -e 's/#est.glorot_uniform/#est.%{initializer}/' %s | mlc-opt --convert-est-to-df | FileCheck %s --check-prefix
// RUN: mlc-opt %s --convert-est-to-df | FileCheck %s --check-prefix GLOROT
// sqrt(6 / 8)
// GLOROT: df.variable @"dnn/hiddenlayer_0/kernel" : tensor<3x5xf32> = #df.uniform<-0.8660254{{[0-9]*}}, 0.8660254
// he_normal: sqrt(2 / 3) / 0.87962566
// REDEFINE: %{initializer} = variance_scaling<scale = 2.0, mode = fan_in, distribution = truncated_normal>
// RUN: %{convert} HE
// HE: df.variable @"dnn/hiddenlayer_0/kernel" : tensor<3x5xf32> = #df.truncated_normal<{{0.0*(e\+00)?}}, 0.928231
// lecun_uniform: sqrt(3 * 1 / 3)
// REDEFINE: %{initializer} = variance_scaling<scale = 1.0, mode = fan_in, distribution = uniform>
// RUN: %{convert} LECUN
// LECUN: df.variable @"dnn/hiddenlayer_0/kernel" : tensor<3x5xf32> = #df.uniform<-1.0{{0*(e\+00)?}}, 1.0
// sqrt(3 / 5), sqrt(3 / 4)
// REDEFINE: %{initializer} = variance_scaling<scale = 3.0, mode = fan_out, distribution = untruncated_normal>
// RUN: %{convert} OUT
// OUT: df.variable @"dnn/hiddenlayer_0/kernel" : tensor<3x5xf32> = #df.normal<{{0.0*(e\+00)?}}, 0.774596
// REDEFINE: %{initializer} = variance_scaling<scale = 3.0, mode = fan_avg, distribution = untruncated_normal>
// RUN: %{convert} AVERAGE
// AVERAGE: df.variable @"dnn/hiddenlayer_0/kernel" : tensor<3x5xf32> = #df.normal<{{0.0*(e\+00)?}}, 0.866025
// REDEFINE: %{initializer} = identity<gain = 2.0>
// RUN: %{convert} IDENTITY
// IDENTITY: df.variable @"dnn/hiddenlayer_0/kernel" : tensor<3x5xf32> = #df.constant<
// IDENTITY: df.function @init() attributes {role = #df.role<init>}
// IDENTITY: df.compare eq
// IDENTITY: df.assign @"dnn/hiddenlayer_0/kernel"
// IDENTITY: df.assign @"dnn/logits/kernel"
// More rows than columns: their transpose is made.
// REDEFINE: %{initializer} = orthogonal<gain = 2.0>
// RUN: %{convert} ORTHOGONAL
// ORTHOGONAL: df.function @init() attributes {role = #df.role<init>}
// ORTHOGONAL: df.random normal "dnn/hiddenlayer_0/kernel" {{.*}}tensor<3x5xf32>
// ORTHOGONAL: df.scan
// ORTHOGONAL-NOT: df.transpose
// ORTHOGONAL: df.assign @"dnn/hiddenlayer_0/kernel"
// ORTHOGONAL: df.random normal "dnn/logits/kernel" {{.*}}tensor<1x5xf32>
// ORTHOGONAL: df.transpose
// ORTHOGONAL: df.assign @"dnn/logits/kernel"

est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<3xfloat32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<3xfloat32> -> !est.dense<3>
  %d = est.dnn (%n) hidden_units [5] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.25 : f64>>>) : (!est.dense<3>) -> !est.logits<1>
  est.regression_head "y" (%d) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

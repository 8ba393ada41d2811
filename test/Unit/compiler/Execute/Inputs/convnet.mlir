// A convolutional classifier in the manner of LeNet and its training step: convolution, bias, relu, max pool, convolution, relu, mean pool, two dense
// layers, softmax cross-entropy, gradient descent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "convnet"} {
  df.variable @c0 : tensor<3x3x1x6xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.variable @b0 : tensor<6xf32> = #df.constant<0.1> {trainable}
  df.variable @c1 : tensor<3x3x6x17xf32> = #df.uniform<-0.25, 0.25> {trainable}
  df.variable @d0 : tensor<68x12xf32> = #df.uniform<-0.25, 0.25> {trainable}
  df.variable @d1 : tensor<12x5xf32> = #df.uniform<-0.5, 0.5> {trainable}
  df.function @train(%image: tensor<?x12x12x1xf32> {df.name = "image"}, %label: tensor<?xi64> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %c0 = df.read @c0 : tensor<3x3x1x6xf32>
    %b0 = df.read @b0 : tensor<6xf32>
    %c1 = df.read @c1 : tensor<3x3x6x17xf32>
    %d0 = df.read @d0 : tensor<68x12xf32>
    %d1 = df.read @d1 : tensor<12x5xf32>
    %p = df.conv %image, %c0 {padding = array<i64: 1, 1, 1, 1>} : (tensor<?x12x12x1xf32>, tensor<3x3x1x6xf32>) -> tensor<?x12x12x6xf32>
    %b = df.broadcast %b0 like %p dimensions = [3] : (tensor<6xf32>, tensor<?x12x12x6xf32>) -> tensor<?x12x12x6xf32>
    %s = df.add %p, %b : tensor<?x12x12x6xf32>
    %h = df.relu %s : tensor<?x12x12x6xf32>
    %m = df.max_pool %h {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x12x12x6xf32>) -> tensor<?x6x6x6xf32>
    %q = df.conv %m, %c1 : (tensor<?x6x6x6xf32>, tensor<3x3x6x17xf32>) -> tensor<?x4x4x17xf32>
    %r = df.relu %q : tensor<?x4x4x17xf32>
    %a = df.avg_pool %r {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x4x4x17xf32>) -> tensor<?x2x2x17xf32>
    %f = df.reshape %a : (tensor<?x2x2x17xf32>) -> tensor<?x68xf32>
    %x = df.matmul %f, %d0 : (tensor<?x68xf32>, tensor<68x12xf32>) -> tensor<?x12xf32>
    %y = df.tanh %x : tensor<?x12xf32>
    %z = df.matmul %y, %d1 : (tensor<?x12xf32>, tensor<12x5xf32>) -> tensor<?x5xf32>
    %each = df.softmax_cross_entropy %z, %label : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %gc0, %gb0, %gc1, %gd0, %gd1 = df.gradients %loss wrt [@c0, @b0, @c1, @d0, @d1]
      : (tensor<f32>) -> (tensor<3x3x1x6xf32>, tensor<6xf32>, tensor<3x3x6x17xf32>, tensor<68x12xf32>, tensor<12x5xf32>)
    %rc0 = df.constant dense<0.25> : tensor<3x3x1x6xf32>
    %sc0 = df.mul %gc0, %rc0 : tensor<3x3x1x6xf32>
    df.assign_sub @c0, %sc0 : tensor<3x3x1x6xf32>
    %rb0 = df.constant dense<0.25> : tensor<6xf32>
    %sb0 = df.mul %gb0, %rb0 : tensor<6xf32>
    df.assign_sub @b0, %sb0 : tensor<6xf32>
    %rc1 = df.constant dense<0.25> : tensor<3x3x6x17xf32>
    %sc1 = df.mul %gc1, %rc1 : tensor<3x3x6x17xf32>
    df.assign_sub @c1, %sc1 : tensor<3x3x6x17xf32>
    %rd0 = df.constant dense<0.25> : tensor<68x12xf32>
    %sd0 = df.mul %gd0, %rd0 : tensor<68x12xf32>
    df.assign_sub @d0, %sd0 : tensor<68x12xf32>
    %rd1 = df.constant dense<0.25> : tensor<12x5xf32>
    %sd1 = df.mul %gd1, %rd1 : tensor<12x5xf32>
    df.assign_sub @d1, %sd1 : tensor<12x5xf32>
    df.return %loss : tensor<f32>
  }
}

// 784-500-200-100-10 with ReLU, softmax cross-entropy and Adagrad: what a spec of a DNN classifier becomes in df, the
// training step alone. benchmarks/README.md says how it is measured.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {mlc.name = "mlp"} {
  df.variable @"dnn/hiddenlayer_0/kernel" : tensor<784x500xf32> = #df.uniform<-0.068359375, 0.068359375> {trainable}
  df.variable @"dnn/hiddenlayer_0/bias" : tensor<500xf32> = #df.constant<0.000000e+00> {trainable}
  df.variable @"dnn/hiddenlayer_1/kernel" : tensor<500x200xf32> = #df.uniform<-0.092582009977255145, 0.092582009977255145> {trainable}
  df.variable @"dnn/hiddenlayer_1/bias" : tensor<200xf32> = #df.constant<0.000000e+00> {trainable}
  df.variable @"dnn/hiddenlayer_2/kernel" : tensor<200x100xf32> = #df.uniform<-0.1414213562373095, 0.1414213562373095> {trainable}
  df.variable @"dnn/hiddenlayer_2/bias" : tensor<100xf32> = #df.constant<0.000000e+00> {trainable}
  df.variable @"dnn/logits/kernel" : tensor<100x10xf32> = #df.uniform<-0.23354968324845687, 0.23354968324845687> {trainable}
  df.variable @"dnn/logits/bias" : tensor<10xf32> = #df.constant<0.000000e+00> {trainable}
  df.variable @global_step : tensor<i64> = #df.constant<0.000000e+00>
  df.variable @"dnn/hiddenlayer_0/kernel/Adagrad" : tensor<784x500xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"dnn/hiddenlayer_0/kernel"}
  df.variable @"dnn/hiddenlayer_0/bias/Adagrad" : tensor<500xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"dnn/hiddenlayer_0/bias"}
  df.variable @"dnn/hiddenlayer_1/kernel/Adagrad" : tensor<500x200xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"dnn/hiddenlayer_1/kernel"}
  df.variable @"dnn/hiddenlayer_1/bias/Adagrad" : tensor<200xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"dnn/hiddenlayer_1/bias"}
  df.variable @"dnn/hiddenlayer_2/kernel/Adagrad" : tensor<200x100xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"dnn/hiddenlayer_2/kernel"}
  df.variable @"dnn/hiddenlayer_2/bias/Adagrad" : tensor<100xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"dnn/hiddenlayer_2/bias"}
  df.variable @"dnn/logits/kernel/Adagrad" : tensor<100x10xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"dnn/logits/kernel"}
  df.variable @"dnn/logits/bias/Adagrad" : tensor<10xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @"dnn/logits/bias"}
  df.function @train(%image: tensor<?x784xf32> {df.name = "image"}, %label: tensor<?xi64> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %0 = df.read @"dnn/hiddenlayer_0/kernel" : tensor<784x500xf32>
    %1 = df.read @"dnn/hiddenlayer_0/bias" : tensor<500xf32>
    %2 = df.matmul %image, %0 : (tensor<?x784xf32>, tensor<784x500xf32>) -> tensor<?x500xf32>
    %3 = df.broadcast %1 like %2 dimensions = [1] : (tensor<500xf32>, tensor<?x500xf32>) -> tensor<?x500xf32>
    %4 = df.add %2, %3 : tensor<?x500xf32>
    %5 = df.relu %4 : tensor<?x500xf32>
    %6 = df.read @"dnn/hiddenlayer_1/kernel" : tensor<500x200xf32>
    %7 = df.read @"dnn/hiddenlayer_1/bias" : tensor<200xf32>
    %8 = df.matmul %5, %6 : (tensor<?x500xf32>, tensor<500x200xf32>) -> tensor<?x200xf32>
    %9 = df.broadcast %7 like %8 dimensions = [1] : (tensor<200xf32>, tensor<?x200xf32>) -> tensor<?x200xf32>
    %10 = df.add %8, %9 : tensor<?x200xf32>
    %11 = df.relu %10 : tensor<?x200xf32>
    %12 = df.read @"dnn/hiddenlayer_2/kernel" : tensor<200x100xf32>
    %13 = df.read @"dnn/hiddenlayer_2/bias" : tensor<100xf32>
    %14 = df.matmul %11, %12 : (tensor<?x200xf32>, tensor<200x100xf32>) -> tensor<?x100xf32>
    %15 = df.broadcast %13 like %14 dimensions = [1] : (tensor<100xf32>, tensor<?x100xf32>) -> tensor<?x100xf32>
    %16 = df.add %14, %15 : tensor<?x100xf32>
    %17 = df.relu %16 : tensor<?x100xf32>
    %18 = df.read @"dnn/logits/kernel" : tensor<100x10xf32>
    %19 = df.read @"dnn/logits/bias" : tensor<10xf32>
    %20 = df.matmul %17, %18 : (tensor<?x100xf32>, tensor<100x10xf32>) -> tensor<?x10xf32>
    %21 = df.broadcast %19 like %20 dimensions = [1] : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %22 = df.add %20, %21 : tensor<?x10xf32>
    %23 = df.check_ids %label {high = 10 : i64, low = 0 : i64, what = "label 'label'"} : (tensor<?xi64>) -> tensor<?xi64>
    %24 = df.softmax_cross_entropy %22, %23 : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<?xf32>
    %25 = df.batch_mean %24 : (tensor<?xf32>) -> tensor<f32>
    %26:8 = df.gradients %25 wrt [@"dnn/hiddenlayer_0/kernel", @"dnn/hiddenlayer_0/bias", @"dnn/hiddenlayer_1/kernel", @"dnn/hiddenlayer_1/bias", @"dnn/hiddenlayer_2/kernel", @"dnn/hiddenlayer_2/bias", @"dnn/logits/kernel", @"dnn/logits/bias"] : (tensor<f32>) -> (tensor<784x500xf32>, tensor<500xf32>, tensor<500x200xf32>, tensor<200xf32>, tensor<200x100xf32>, tensor<100xf32>, tensor<100x10xf32>, tensor<10xf32>)
    %27 = df.read @global_step : tensor<i64>
    %28 = df.cast %27 : (tensor<i64>) -> tensor<f32>
    %29 = df.setting "model.dnn.optimizer.adagrad.learning_rate" = 5.000000e-02 : f64 -> tensor<f32>
    %30 = df.setting "model.dnn.optimizer.adagrad.epsilon" = 9.9999999999999995E-8 : f64 -> tensor<f32>
    %31 = df.read @"dnn/hiddenlayer_0/kernel" : tensor<784x500xf32>
    %32 = df.read @"dnn/hiddenlayer_0/kernel/Adagrad" : tensor<784x500xf32>
    %33 = df.square %26#0 : tensor<784x500xf32>
    %34 = df.add %32, %33 : tensor<784x500xf32>
    %35 = df.broadcast %29 dimensions = [] : (tensor<f32>) -> tensor<784x500xf32>
    %36 = df.mul %35, %26#0 : tensor<784x500xf32>
    %37 = df.sqrt %34 : tensor<784x500xf32>
    %38 = df.broadcast %30 dimensions = [] : (tensor<f32>) -> tensor<784x500xf32>
    %39 = df.add %37, %38 : tensor<784x500xf32>
    %40 = df.div %36, %39 : tensor<784x500xf32>
    %41 = df.sub %31, %40 : tensor<784x500xf32>
    df.assign @"dnn/hiddenlayer_0/kernel", %41 : tensor<784x500xf32>
    df.assign @"dnn/hiddenlayer_0/kernel/Adagrad", %34 : tensor<784x500xf32>
    %42 = df.read @"dnn/hiddenlayer_0/bias" : tensor<500xf32>
    %43 = df.read @"dnn/hiddenlayer_0/bias/Adagrad" : tensor<500xf32>
    %44 = df.square %26#1 : tensor<500xf32>
    %45 = df.add %43, %44 : tensor<500xf32>
    %46 = df.broadcast %29 dimensions = [] : (tensor<f32>) -> tensor<500xf32>
    %47 = df.mul %46, %26#1 : tensor<500xf32>
    %48 = df.sqrt %45 : tensor<500xf32>
    %49 = df.broadcast %30 dimensions = [] : (tensor<f32>) -> tensor<500xf32>
    %50 = df.add %48, %49 : tensor<500xf32>
    %51 = df.div %47, %50 : tensor<500xf32>
    %52 = df.sub %42, %51 : tensor<500xf32>
    df.assign @"dnn/hiddenlayer_0/bias", %52 : tensor<500xf32>
    df.assign @"dnn/hiddenlayer_0/bias/Adagrad", %45 : tensor<500xf32>
    %53 = df.read @"dnn/hiddenlayer_1/kernel" : tensor<500x200xf32>
    %54 = df.read @"dnn/hiddenlayer_1/kernel/Adagrad" : tensor<500x200xf32>
    %55 = df.square %26#2 : tensor<500x200xf32>
    %56 = df.add %54, %55 : tensor<500x200xf32>
    %57 = df.broadcast %29 dimensions = [] : (tensor<f32>) -> tensor<500x200xf32>
    %58 = df.mul %57, %26#2 : tensor<500x200xf32>
    %59 = df.sqrt %56 : tensor<500x200xf32>
    %60 = df.broadcast %30 dimensions = [] : (tensor<f32>) -> tensor<500x200xf32>
    %61 = df.add %59, %60 : tensor<500x200xf32>
    %62 = df.div %58, %61 : tensor<500x200xf32>
    %63 = df.sub %53, %62 : tensor<500x200xf32>
    df.assign @"dnn/hiddenlayer_1/kernel", %63 : tensor<500x200xf32>
    df.assign @"dnn/hiddenlayer_1/kernel/Adagrad", %56 : tensor<500x200xf32>
    %64 = df.read @"dnn/hiddenlayer_1/bias" : tensor<200xf32>
    %65 = df.read @"dnn/hiddenlayer_1/bias/Adagrad" : tensor<200xf32>
    %66 = df.square %26#3 : tensor<200xf32>
    %67 = df.add %65, %66 : tensor<200xf32>
    %68 = df.broadcast %29 dimensions = [] : (tensor<f32>) -> tensor<200xf32>
    %69 = df.mul %68, %26#3 : tensor<200xf32>
    %70 = df.sqrt %67 : tensor<200xf32>
    %71 = df.broadcast %30 dimensions = [] : (tensor<f32>) -> tensor<200xf32>
    %72 = df.add %70, %71 : tensor<200xf32>
    %73 = df.div %69, %72 : tensor<200xf32>
    %74 = df.sub %64, %73 : tensor<200xf32>
    df.assign @"dnn/hiddenlayer_1/bias", %74 : tensor<200xf32>
    df.assign @"dnn/hiddenlayer_1/bias/Adagrad", %67 : tensor<200xf32>
    %75 = df.read @"dnn/hiddenlayer_2/kernel" : tensor<200x100xf32>
    %76 = df.read @"dnn/hiddenlayer_2/kernel/Adagrad" : tensor<200x100xf32>
    %77 = df.square %26#4 : tensor<200x100xf32>
    %78 = df.add %76, %77 : tensor<200x100xf32>
    %79 = df.broadcast %29 dimensions = [] : (tensor<f32>) -> tensor<200x100xf32>
    %80 = df.mul %79, %26#4 : tensor<200x100xf32>
    %81 = df.sqrt %78 : tensor<200x100xf32>
    %82 = df.broadcast %30 dimensions = [] : (tensor<f32>) -> tensor<200x100xf32>
    %83 = df.add %81, %82 : tensor<200x100xf32>
    %84 = df.div %80, %83 : tensor<200x100xf32>
    %85 = df.sub %75, %84 : tensor<200x100xf32>
    df.assign @"dnn/hiddenlayer_2/kernel", %85 : tensor<200x100xf32>
    df.assign @"dnn/hiddenlayer_2/kernel/Adagrad", %78 : tensor<200x100xf32>
    %86 = df.read @"dnn/hiddenlayer_2/bias" : tensor<100xf32>
    %87 = df.read @"dnn/hiddenlayer_2/bias/Adagrad" : tensor<100xf32>
    %88 = df.square %26#5 : tensor<100xf32>
    %89 = df.add %87, %88 : tensor<100xf32>
    %90 = df.broadcast %29 dimensions = [] : (tensor<f32>) -> tensor<100xf32>
    %91 = df.mul %90, %26#5 : tensor<100xf32>
    %92 = df.sqrt %89 : tensor<100xf32>
    %93 = df.broadcast %30 dimensions = [] : (tensor<f32>) -> tensor<100xf32>
    %94 = df.add %92, %93 : tensor<100xf32>
    %95 = df.div %91, %94 : tensor<100xf32>
    %96 = df.sub %86, %95 : tensor<100xf32>
    df.assign @"dnn/hiddenlayer_2/bias", %96 : tensor<100xf32>
    df.assign @"dnn/hiddenlayer_2/bias/Adagrad", %89 : tensor<100xf32>
    %97 = df.read @"dnn/logits/kernel" : tensor<100x10xf32>
    %98 = df.read @"dnn/logits/kernel/Adagrad" : tensor<100x10xf32>
    %99 = df.square %26#6 : tensor<100x10xf32>
    %100 = df.add %98, %99 : tensor<100x10xf32>
    %101 = df.broadcast %29 dimensions = [] : (tensor<f32>) -> tensor<100x10xf32>
    %102 = df.mul %101, %26#6 : tensor<100x10xf32>
    %103 = df.sqrt %100 : tensor<100x10xf32>
    %104 = df.broadcast %30 dimensions = [] : (tensor<f32>) -> tensor<100x10xf32>
    %105 = df.add %103, %104 : tensor<100x10xf32>
    %106 = df.div %102, %105 : tensor<100x10xf32>
    %107 = df.sub %97, %106 : tensor<100x10xf32>
    df.assign @"dnn/logits/kernel", %107 : tensor<100x10xf32>
    df.assign @"dnn/logits/kernel/Adagrad", %100 : tensor<100x10xf32>
    %108 = df.read @"dnn/logits/bias" : tensor<10xf32>
    %109 = df.read @"dnn/logits/bias/Adagrad" : tensor<10xf32>
    %110 = df.square %26#7 : tensor<10xf32>
    %111 = df.add %109, %110 : tensor<10xf32>
    %112 = df.broadcast %29 dimensions = [] : (tensor<f32>) -> tensor<10xf32>
    %113 = df.mul %112, %26#7 : tensor<10xf32>
    %114 = df.sqrt %111 : tensor<10xf32>
    %115 = df.broadcast %30 dimensions = [] : (tensor<f32>) -> tensor<10xf32>
    %116 = df.add %114, %115 : tensor<10xf32>
    %117 = df.div %113, %116 : tensor<10xf32>
    %118 = df.sub %108, %117 : tensor<10xf32>
    df.assign @"dnn/logits/bias", %118 : tensor<10xf32>
    df.assign @"dnn/logits/bias/Adagrad", %111 : tensor<10xf32>
    %119 = df.constant dense<1> : tensor<i64>
    df.assign_add @global_step, %119 : tensor<i64>
    df.return %25 : tensor<f32>
  }
}

// RUN: mlc-opt %s --mlc-df-pipeline | FileCheck %s --check-prefix=SYMBOL
// RUN: mlc-opt %s --mlc-df-pipeline --convert-df-to-linalg --mlc-fuse --mlc-bufferize --mlc-kernels | FileCheck %s

// The values of a multi-valued feature have a symbol of their own, also where they cross into the step; the workspace is a
// formula of both symbols.
// SYMBOL-LABEL: df.function @predict.features
// SYMBOL-SAME: (%{{.*}}: tensor<?x!df.string> {df.binding = #df.binding<feature, "tags">, df.symbol = 1 : i64}) -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">, df.symbol = 1 : i64})
// SYMBOL-LABEL: df.function @predict.step
// SYMBOL-SAME: tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">, df.names_rows, df.symbol = 1 : i64}
// CHECK: func.func @predict.step.workspace(%[[SYMBOLS:.*]]: !llvm.ptr, %{{.*}}: i64) -> i64
// CHECK: llvm.getelementptr %[[SYMBOLS]][0]
// CHECK: llvm.getelementptr %[[SYMBOLS]][1]
df.variable @table : tensor<50x8xf32> = #df.constant<0.0> {trainable}
df.function @predict(%tags: tensor<?x!df.string> {df.name = "tags", df.symbol = 1 : i64}, %ends: tensor<?xi64> {df.name = "tags.ends"})
    -> (tensor<?x8xf32> {df.name = "sum"}) attributes {role = #df.role<predict>} {
  %hash = df.fingerprint %tags : (tensor<?x!df.string>) -> tensor<?xi64>
  %ids = df.hash_bucket %hash {buckets = 50 : i64} : tensor<?xi64>
  %rows = df.read_rows @table[%ids] : (tensor<?xi64>) -> tensor<?x8xf32>
  %sum = df.segment_sum %rows, %ends : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  df.return %sum : tensor<?x8xf32>
}

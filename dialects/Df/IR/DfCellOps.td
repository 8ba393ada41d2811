// Cells of recurrent networks: one step each, for the body of a loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_CELL_OPS_TD
#define DF_CELL_OPS_TD

include "dialects/Df/IR/DfBase.td"

def Df_RnnCellOp : Df_PlainOp<"rnn_cell", [Df_Work<"Contraction">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "step of a simple recurrent network";
  let description = [{
    tanh(x kernel + h recurrent + bias). Composite.
    Constraints: (C1) x is [n, i], h [n, u], kernel [i, u], recurrent [u, u], bias [u], with i and u static, of one element type; (C2) the result has the type of h.

    Example:
    ```mlir
    %h1 = df.rnn_cell %x, %h, %w, %u, %b : (tensor<?x3xf32>, tensor<?x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Df_FloatTensor:$x, Df_FloatTensor:$h, Df_FloatTensor:$kernel, Df_FloatTensor:$recurrent, Df_FloatTensor:$bias);
  let results = (outs Df_FloatTensor:$result);
  let extraClassDefinition = Df_Dimensions<"map.all(getH(), getResult()); map.rows(getH(), getX());">.definition;
}

def Df_LstmCellOp : Df_PlainOp<"lstm_cell", [Df_Work<"Contraction">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "step of a long short-term memory";
  let description = [{
    [i, f, g, o] = x kernel + h recurrent + bias, four blocks of u columns; next_c = sigmoid(f + forget_bias) c + sigmoid(i) tanh(g); next_h = sigmoid(o) tanh(next_c). Composite.
    Constraints: (C1) x is [n, i], h and c [n, u], kernel [i, 4u], recurrent [u, 4u], bias [4u], with i and u static, of one element type; (C2) the results have the type of h.

    Example:
    ```mlir
    %h1, %c1 = df.lstm_cell %x, %h, %c, %w, %u, %b
      : (tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<3x16xf32>, tensor<4x16xf32>, tensor<16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
    ```
  }];
  let arguments = (ins Df_FloatTensor:$x, Df_FloatTensor:$h, Df_FloatTensor:$c, Df_FloatTensor:$kernel, Df_FloatTensor:$recurrent, Df_FloatTensor:$bias,
                       DefaultValuedAttr<F64Attr, "0.0">:$forget_bias);
  let results = (outs Df_FloatTensor:$next_h, Df_FloatTensor:$next_c);
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getH(), getNextH());
    map.all(getH(), getC());
    map.all(getC(), getNextC());
    map.rows(getH(), getX());
  }]>.definition;
}

def Df_GruCellOp : Df_PlainOp<"gru_cell", [Df_Work<"Contraction">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "step of a gated recurrent unit";
  let description = [{
    [az, ar, ag] = x kernel + bias and [bz, br, bg] = h recurrent + recurrent_bias, three blocks of u columns each; z = sigmoid(az + bz), r = sigmoid(ar + br). The gate follows the product:
    g = tanh(ag + r bg); next h = z h + (1 - z) g. Composite.
    Constraints: (C1) x is [n, i], h [n, u], kernel [i, 3u], recurrent [u, 3u], bias and recurrent_bias [3u], with i and u static, of one element type; (C2) the result has the type of h.

    Example:
    ```mlir
    %h1 = df.gru_cell %x, %h, %w, %u, %b, %d
      : (tensor<?x3xf32>, tensor<?x4xf32>, tensor<3x12xf32>, tensor<4x12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Df_FloatTensor:$x, Df_FloatTensor:$h, Df_FloatTensor:$kernel, Df_FloatTensor:$recurrent, Df_FloatTensor:$bias, Df_FloatTensor:$recurrent_bias);
  let results = (outs Df_FloatTensor:$result);
  let extraClassDefinition = Df_Dimensions<"map.all(getH(), getResult()); map.rows(getH(), getX());">.definition;
}

#endif // DF_CELL_OPS_TD

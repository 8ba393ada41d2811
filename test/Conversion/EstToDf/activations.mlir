// What each activation gives: one unit whose kernel and bias are 1 and 0, before logits of the same. Values are of
// tf.keras.activations and tf.nn of TensorFlow 2.15, in float32, at -4, -1, -0.5, 0, 0.5, 2 and 7.
// DEFINE: %{name} =
// DEFINE: %{units} = 1
// DEFINE: %{predict} = sed -e 's/activation(relu)/activation(%{name})/; s/hidden_units \[1\]/hidden_units [%{units}]/' %s | mlc-opt --convert-est-to-df \
// DEFINE:   | sed -e 's/df.name = "x"/&, df.value = dense<[-4.0, -1.0, -0.5, 0.0, 0.5, 2.0, 7.0]> : tensor<7xf32>/' \
// DEFINE:   | mlc-opt --df-interpret=functions=predict -o /dev/null | FileCheck %s --check-prefix
// REDEFINE: %{name} = elu
// RUN: %{predict} ELU
// ELU: 0: tensor<7x1xf32> {{\[\[-0.98168[0-9]*\], \[-0.63212[0-9]*\], \[-0.39346[0-9]*\], \[0\], \[0.5\], \[2\], \[7\]\]}}
// REDEFINE: %{name} = selu
// RUN: %{predict} SELU
// SELU: 0: tensor<7x1xf32> {{\[\[-1.72589[0-9]*\], \[-1.11133[0-9]*\], \[-0.69175[0-9]*\], \[0\], \[0.52535[0-9]*\], \[2.10140[0-9]*\], \[7.35490[0-9]*\]\]}}
// REDEFINE: %{name} = exponential
// RUN: %{predict} EXPONENTIAL
// EXPONENTIAL: 0: tensor<7x1xf32> {{\[\[0.018315[0-9]*\], \[0.367879[0-9]*\], \[0.60653[0-9]*\], \[1\], \[1.64872[0-9]*\], \[7.38905[0-9]*\], \[1096.63[0-9]*\]\]}}
// REDEFINE: %{name} = gelu
// RUN: %{predict} GELU
// GELU: 0: tensor<7x1xf32> {{\[\[-(0.0001266|0.0001267|0.0001268|1.2668|1.2669|1.2670|1.267)[0-9e-]*\], \[-0.15865[0-9]*\], \[-0.15426[0-9]*\], \[-?0\], \[0.34573[0-9]*\], \[1.9544[0-9]*|1.9545[0-9]*\], \[7|6.99999[0-9]*\]\]}}
// REDEFINE: %{name} = hard_sigmoid
// RUN: %{predict} HARDSIGMOID
// HARDSIGMOID: 0: tensor<7x1xf32> {{\[\[0\], \[0.3[0-9]*\], \[0.4[0-9]*\], \[0.5\], \[0.6[0-9]*\], \[0.9[0-9]*\], \[1\]\]}}
// REDEFINE: %{name} = mish
// RUN: %{predict} MISH
// MISH: 0: tensor<7x1xf32> {{\[\[-0.07259[0-9]*\], \[-0.30340[0-9]*\], \[-0.22074[0-9]*\], \[0\], \[0.37524[0-9]*\], \[1.94395[0-9]*\], \[6.99998[0-9]*\]\]}}
// REDEFINE: %{name} = softplus
// RUN: %{predict} SOFTPLUS
// SOFTPLUS: 0: tensor<7x1xf32> {{\[\[0.018149[0-9]*\], \[0.313261[0-9]*\], \[0.474077[0-9]*|0.474076[0-9]*\], \[0.693147[0-9]*\], \[0.974077[0-9]*|0.974076[0-9]*\], \[2.12692[0-9]*\], \[7.00091[0-9]*\]\]}}
// REDEFINE: %{name} = softsign
// RUN: %{predict} SOFTSIGN
// SOFTSIGN: 0: tensor<7x1xf32> {{\[\[-0.8[0-9]*\], \[-0.5\], \[-0.33333[0-9]*\], \[0\], \[0.33333[0-9]*\], \[0.66666[0-9]*\], \[0.875\]\]}}
// REDEFINE: %{name} = swish
// RUN: %{predict} SWISH
// SWISH: 0: tensor<7x1xf32> {{\[\[-0.07194[0-9]*\], \[-0.26894[0-9]*\], \[-0.18877[0-9]*\], \[0\], \[0.31122[0-9]*|0.31123[0-9]*\], \[1.76159[0-9]*\], \[6.99362[0-9]*\]\]}}
// REDEFINE: %{name} = relu6
// RUN: %{predict} RELU6
// RELU6: 0: tensor<7x1xf32> {{\[\[0\], \[0\], \[0\], \[0\], \[0.5\], \[2\], \[6\]\]}}
// REDEFINE: %{name} = leaky_relu
// RUN: %{predict} LEAKYRELU
// LEAKYRELU: 0: tensor<7x1xf32> {{\[\[-0.8[0-9]*\], \[-0.2[0-9]*\], \[-0.1[0-9]*\], \[0\], \[0.5\], \[2\], \[7\]\]}}
// Over the units of a row: equal ones share 1 among them, whatever the row. Without a hidden layer the columns are the logits' input.
// REDEFINE: %{name} = softmax
// REDEFINE: %{units} = 4
// RUN: %{predict} SOFTMAX
// SOFTMAX: 0: tensor<7x1xf32> {{\[\[1\], \[1\], \[1\], \[1\], \[1\], \[1\], \[1\]\]}}
// REDEFINE: %{units} =
// RUN: %{predict} NONE
// NONE: 0: tensor<7x1xf32> {{\[\[-4\], \[-1\], \[-0.5\], \[0\], \[0.5\], \[2\], \[7\]\]}}

est.estimator @m compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n = est.numeric "x" of %x : !est.feature<float32> -> !est.dense<1>
  %d = est.dnn (%n) hidden_units [1] activation(relu) kernel_initializer(#est.constant<value = 1.0>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.25 : f64>>>) : (!est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%d) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

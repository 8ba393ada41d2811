// A row of the batch without a value gives row 0 of a table a gradient of zeros, as in tf: Ftrl, whose sums are still fresh, makes it 0.
// LAZY tables, and optimizers that stand still at a gradient of zeros, leave it as it is. Ids are [2, -1] and, of any number of values,
// [1] and none: no row of the batch has id 0.
// DEFINE: %{edit} =
// DEFINE: %{train} = sed -e 's/sparse_update(exact)/sparse_update(%{edit})/' %s | mlc-opt --convert-est-to-df --df-expand-gradients \
// DEFINE:   | sed -e 's/df.name = "i"/&, df.value = dense<[2, -1]> : tensor<2xi64>/' -e 's/df.name = "m"/&, df.value = dense<[1]> : tensor<1xi64>/' \
// DEFINE:         -e 's/df.name = "m.ends"/&, df.value = dense<[1, 1]> : tensor<2xi64>/' -e 's/df.name = "y"/&, df.value = dense<-0.5> : tensor<2xf32>/' \
// DEFINE:   | mlc-opt --df-interpret=functions=train -o /dev/null | FileCheck %s --check-prefix
// REDEFINE: %{edit} = exact
// RUN: %{train} EXACT
// REDEFINE: %{edit} = lazy
// RUN: %{train} LAZY
// Those whose slots such a gradient changes get it, too: by one gather more.
// RUN: sed -e 's/#est.ftrl<.*>>>)/#est.adadelta<learning_rate = <"lr" = 1.0 : f64>, rho = <"rho" = 0.9 : f64>, epsilon = <"e" = 0.1 : f64>>>)/' %s \
// RUN:   | mlc-opt --convert-est-to-df | FileCheck %s --check-prefix=READ
// RUN: sed -e 's/#est.ftrl<.*>>>)/#est.adamax<learning_rate = <"lr" = 1.0 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.9 : f64>, epsilon = <"e" = 0.1 : f64>>>)/' %s \
// RUN:   | mlc-opt --convert-est-to-df | FileCheck %s --check-prefix=READ
// RUN: sed -e 's/#est.ftrl<.*>>>)/#est.nadam<learning_rate = <"lr" = 1.0 : f64>, beta1 = <"b1" = 0.9 : f64>, beta2 = <"b2" = 0.9 : f64>, epsilon = <"e" = 0.1 : f64>, schedule_decay = <"d" = 0.1 : f64>>>)/' %s \
// RUN:   | mlc-opt --convert-est-to-df | FileCheck %s --check-prefix=READ
// RUN: sed -e 's/#est.ftrl<.*>>>)/#est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)/' %s > %t && mlc-opt %t --convert-est-to-df | FileCheck %s --check-prefix=SGD

est.estimator @absent compat(tf2) {
  %i = est.feature "i" categorical : !est.feature<int64>
  %m = est.feature "m" categorical : !est.feature<?xint64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %ci = est.identity "i" of %i : !est.feature<int64> -> !est.categorical<3>
  %cm = est.identity "m" of %m : !est.feature<?xint64> -> !est.categorical<3>
  %ei = est.embedding "i_embedding" of %ci combiner(mean) initializer(#est.constant<value = 1.0>) sparse_update(exact) : !est.categorical<3> -> !est.dense<1>
  %em = est.embedding "m_embedding" of %cm combiner(mean) initializer(#est.constant<value = 1.0>) sparse_update(exact) : !est.categorical<3> -> !est.dense<1>
  %d = est.dnn (%ei, %em) hidden_units [] activation(relu) kernel_initializer(#est.constant<value = 1.0>)
    optimizer(<rule = #est.ftrl<learning_rate = <"lr" = 0.1 : f64>, learning_rate_power = -0.5, initial_accumulator_value = 0.1, l1 = <"l1" = 0.0 : f64>, l2 = <"l2" = 0.0 : f64>, l2_shrinkage = <"s" = 0.0 : f64>>>)
    : (!est.dense<1>, !est.dense<1>) -> !est.logits<1>
  est.regression_head "y" (%d) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// EXACT: i_embedding/embedding_weights = tensor<3x1xf32> {{\[\[-?0\], \[1\], \[-?[0-9.]+\]\]}}
// EXACT: m_embedding/embedding_weights = tensor<3x1xf32> {{\[\[-?0\], \[-?[0-9.]+\], \[1\]\]}}
// LAZY: i_embedding/embedding_weights = tensor<3x1xf32> {{\[\[1\], \[1\], \[-?[0-9.]+\]\]}}
// LAZY: m_embedding/embedding_weights = tensor<3x1xf32> {{\[\[1\], \[-?[0-9.]+\], \[1\]\]}}
// READ-LABEL: df.function @train
// READ-COUNT-3: df.read_rows
// READ-LABEL: df.function @eval_update
// One gather for each column.
// SGD-LABEL: df.function @train
// SGD-COUNT-2: df.read_rows
// SGD-NOT: df.read_rows
// SGD-LABEL: df.function @eval_update

//===- The est dialect: what an estimator is to learn. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_DIALECT
#define MLC_EST_DIALECT

include "mlir/IR/OpBase.td"

def Est_Dialect : Dialect {
  let name = "est";
  let cppNamespace = "::mlc::est";
  let summary = "What an estimator is to learn, and nothing of how";
  let description = [{
    One `est.estimator` op holds the columns of the input (`est.feature`), the feature columns made of them
    (`est.numeric`, `est.vocabulary`, `est.embedding`, ...) as SSA values, the body of the model (`est.linear`,
    `est.dnn`; both together are a wide and deep model) and one head or several. Names, defaults and meaning are those of
    `tf.estimator`; every default is written out, so nothing depends on a profile any more.

    Three kinds of values flow: `!est.feature` (a column as it was read), `!est.categorical<n>` (an id in [0, n) or no
    value) and `!est.dense<n>` (n numbers per row). What a layer takes is a matter of these types.

    Numbers that may change when a trainer starts (learning rates, decay steps, ...) are `#est.setting` attributes: a
    path into the spec and the value compiled in. They become arguments of the training step.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Adds the attributes; they live in a file of their own.
    void registerAttributes();
  }];
}

#endif // MLC_EST_DIALECT

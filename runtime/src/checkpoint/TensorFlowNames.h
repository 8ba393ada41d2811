// Names of variables and slots in checkpoints of TensorFlow, and here. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of an Estimator have the same names. Slots of Keras' optimizers, which the Estimators of TensorFlow 2 use,
// do not: training/Adam/VARIABLE/m there, VARIABLE/Adam here; those of tf.compat.v1.train have ours.
#ifndef MLCRT_CHECKPOINT_TENSORFLOWNAMES_H
#define MLCRT_CHECKPOINT_TENSORFLOWNAMES_H

#include <functional>
#include <string>
#include <string_view>

namespace mlcrt {

/// Whether there is a tensor of a name.
using HasTensor = std::function<bool(std::string_view name)>;

/// Our name of a tensor that TensorFlow calls `name`: of a slot whose variable `has` knows, else the same.
std::string nameFromTensorFlow(const std::string &name, const HasTensor &has);
/// The other way. `slot` is what the optimizer calls it, if that is known: RMSProp's second slot may be either of two.
std::string nameInTensorFlow(const std::string &name, const HasTensor &has, std::string_view slot = {});

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_TENSORFLOWNAMES_H

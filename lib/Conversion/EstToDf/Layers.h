// What bodies are made of: trained variables, fully connected layers, what a summary shows of them. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_LAYERS_H
#define LIB_CONVERSION_ESTTODF_LAYERS_H

#include "lib/Conversion/EstToDf/Columns.h"

namespace mlc::est2df {

/// Reads `variable`, which `part` trains, under `regularizer` if there is one.
mlir::Value readTrained(Entry &entry, df::VariableOp variable, Part &part, est::RegularizerAttr regularizer = {});

/// Declares a variable of f32 that `part` trains, under `regularizer` if there is one, and reads it. `initializer` is
/// an attribute of df.
mlir::Value readTrained(Entry &entry, llvm::StringRef name, llvm::ArrayRef<int64_t> shape, mlir::Attribute initializer,
                        Part &part, est::RegularizerAttr regularizer = {});

/// The same of a matrix of weights; `initializer` is an attribute of est.
mlir::Value readWeights(Entry &entry, llvm::StringRef name, llvm::ArrayRef<int64_t> shape, mlir::Attribute initializer,
                        Part &part, est::RegularizerAttr regularizer = {});

/// The sum of `x` and, in each row, `bias`.
mlir::Value addBias(GraphBuilder &b, mlir::Value x, mlir::Value bias);

/// x kernel + bias: [n, units] of [n, width]. The variables are `<name>/kernel` and `<name>/bias`, which starts at 0;
/// `regularizer` acts on the kernel.
mlir::Value denseLayer(Entry &entry, llvm::StringRef name, mlir::Value x, int64_t units, mlir::Attribute initializer,
                       Part &part, est::RegularizerAttr regularizer = {});

/// Notes, if there is more than one logit, that the outputs of the layer `name` stand for the classes of the label.
void noteClasses(ModuleState &state, llvm::StringRef name, int64_t units);

/// The share of zeros among the elements of `values`, which have a fixed number of elements in all, or per row.
mlir::Value fractionOfZeros(GraphBuilder &b, llvm::ArrayRef<mlir::Value> values);

/// What a summary shows of a layer; nothing without `summaries`.
void summarizeLayer(GraphBuilder &b, const llvm::Twine &name, mlir::Value activation,
                    llvm::SmallVectorImpl<Output> *summaries);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_LAYERS_H

//===- Enumerations of the est dialect. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_ENUMS
#define MLC_EST_ENUMS

include "mlir/IR/EnumAttr.td"
include "dialects/Est/IR/EstDialect.td"

class Est_Enum<string name, string summary, list<I32EnumCase> cases> : I32Enum<name, summary, cases> {
  let cppNamespace = "::mlc::est";
}

def Est_DTypeEnum : Est_Enum<"DType", "type of the cells of a column", [
    I32EnumCase<"Float32", 0, "float32">, I32EnumCase<"Float64", 1, "float64">, I32EnumCase<"Int32", 2, "int32">,
    I32EnumCase<"Int64", 3, "int64">, I32EnumCase<"Bool", 4, "bool">, I32EnumCase<"String", 5, "string">]>;

def Est_RoleEnum : Est_Enum<"Role", "what a column of the input is for", [
    I32EnumCase<"Feature", 0, "feature">, I32EnumCase<"Label", 1, "label">, I32EnumCase<"Weight", 2, "weight">]>;

def Est_CompatEnum : Est_Enum<"Compat", "profile of defaults and update rules", [
    I32EnumCase<"TF2", 0, "tf2">, I32EnumCase<"TF1", 1, "tf1">]>;

def Est_CombinerEnum : Est_Enum<"Combiner", "how several ids of a row become one", [
    I32EnumCase<"Sum", 0, "sum">, I32EnumCase<"Mean", 1, "mean">, I32EnumCase<"Sqrtn", 2, "sqrtn">]>;

def Est_ActivationEnum : Est_Enum<"Activation", "activation of a hidden layer", [
    I32EnumCase<"Relu", 0, "relu">, I32EnumCase<"Sigmoid", 1, "sigmoid">, I32EnumCase<"Tanh", 2, "tanh">,
    I32EnumCase<"Linear", 3, "linear">]>;

def Est_LossReductionEnum : Est_Enum<"LossReduction", "how the losses of a batch become one number", [
    I32EnumCase<"SumOverBatchSize", 0, "sum_over_batch_size">, I32EnumCase<"Sum", 1, "sum">,
    I32EnumCase<"Mean", 2, "mean">]>;

def Est_SparseUpdateEnum : Est_Enum<"SparseUpdate", "which rows of a table an update touches", [
    I32EnumCase<"Exact", 0, "exact">, I32EnumCase<"Lazy", 1, "lazy">]>;

class Est_EnumAttr<Est_Enum enum, string mnemonic> : EnumAttr<Est_Dialect, enum, mnemonic> {
  let summary = enum.summary;
  let assemblyFormat = "$value";
}
def Est_RoleAttr : Est_EnumAttr<Est_RoleEnum, "role">;
def Est_CompatAttr : Est_EnumAttr<Est_CompatEnum, "compat">;
def Est_CombinerAttr : Est_EnumAttr<Est_CombinerEnum, "combiner">;
def Est_ActivationAttr : Est_EnumAttr<Est_ActivationEnum, "activation">;
def Est_LossReductionAttr : Est_EnumAttr<Est_LossReductionEnum, "loss_reduction">;
def Est_SparseUpdateAttr : Est_EnumAttr<Est_SparseUpdateEnum, "sparse_update">;

#endif // MLC_EST_ENUMS

//===- Enumerations of the est dialect. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_ENUMS
#define MLC_EST_ENUMS

include "mlir/IR/EnumAttr.td"
include "dialects/Est/IR/EstDialect.td"

/// An enumeration as an attribute of ops.
class Est_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlc::est";
}

/// A parameter of a type, and no attribute.
def Est_DTypeEnum : I32Enum<"DType", "type of the cells of a column", [
    I32EnumCase<"Float32", 0, "float32">, I32EnumCase<"Float64", 1, "float64">, I32EnumCase<"Int32", 2, "int32">,
    I32EnumCase<"Int64", 3, "int64">, I32EnumCase<"Bool", 4, "bool">, I32EnumCase<"String", 5, "string">]> {
  let cppNamespace = "::mlc::est";
}

def Est_RoleAttr : Est_Enum<"Role", "what a column of the input is for", [
    I32EnumAttrCase<"Feature", 0, "feature">, I32EnumAttrCase<"Label", 1, "label">, I32EnumAttrCase<"Weight", 2, "weight">]>;

def Est_CompatAttr : Est_Enum<"Compat", "profile of defaults and update rules", [
    I32EnumAttrCase<"TF2", 0, "tf2">, I32EnumAttrCase<"TF1", 1, "tf1">]>;

def Est_PrecisionAttr : Est_Enum<"Precision", "what elements of the factors of products are rounded to", [
    I32EnumAttrCase<"BF16Mixed", 1, "bf16_mixed">, I32EnumAttrCase<"TF32", 2, "tf32">,
    I32EnumAttrCase<"F16Mixed", 3, "f16_mixed">]>;

def Est_CombinerAttr : Est_Enum<"Combiner", "how several ids of a row become one", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Sqrtn", 2, "sqrtn">]>;

def Est_ActivationAttr : Est_Enum<"Activation", "activation of a hidden layer", [
    I32EnumAttrCase<"Relu", 0, "relu">, I32EnumAttrCase<"Sigmoid", 1, "sigmoid">, I32EnumAttrCase<"Tanh", 2, "tanh">,
    I32EnumAttrCase<"Linear", 3, "linear">, I32EnumAttrCase<"Elu", 4, "elu">, I32EnumAttrCase<"Selu", 5, "selu">,
    I32EnumAttrCase<"Exponential", 6, "exponential">, I32EnumAttrCase<"Gelu", 7, "gelu">,
    I32EnumAttrCase<"HardSigmoid", 8, "hard_sigmoid">, I32EnumAttrCase<"Mish", 9, "mish">,
    I32EnumAttrCase<"Softmax", 10, "softmax">, I32EnumAttrCase<"Softplus", 11, "softplus">,
    I32EnumAttrCase<"Softsign", 12, "softsign">, I32EnumAttrCase<"Swish", 13, "swish">,
    I32EnumAttrCase<"Relu6", 14, "relu6">, I32EnumAttrCase<"LeakyRelu", 15, "leaky_relu">]>;

def Est_CellAttr : Est_Enum<"Cell", "what a recurrent layer does in a step", [
    I32EnumAttrCase<"SimpleRnn", 0, "simple_rnn">, I32EnumAttrCase<"Lstm", 1, "lstm">, I32EnumAttrCase<"Gru", 2, "gru">]>;

def Est_FanModeAttr : Est_Enum<"FanMode", "what a variance is scaled by", [
    I32EnumAttrCase<"FanIn", 0, "fan_in">, I32EnumAttrCase<"FanOut", 1, "fan_out">,
    I32EnumAttrCase<"FanAvg", 2, "fan_avg">]>;

def Est_FanDistributionAttr : Est_Enum<"FanDistribution", "distribution of a scaled variance", [
    I32EnumAttrCase<"TruncatedNormal", 0, "truncated_normal">,
    I32EnumAttrCase<"UntruncatedNormal", 1, "untruncated_normal">, I32EnumAttrCase<"Uniform", 2, "uniform">]>;

def Est_LossReductionAttr : Est_Enum<"LossReduction", "how the losses of a batch become one number", [
    I32EnumAttrCase<"SumOverBatchSize", 0, "sum_over_batch_size">, I32EnumAttrCase<"Sum", 1, "sum">,
    I32EnumAttrCase<"Mean", 2, "mean">]>;

def Est_SparseUpdateAttr : Est_Enum<"SparseUpdate", "which rows of a table an update touches", [
    I32EnumAttrCase<"Exact", 0, "exact">, I32EnumAttrCase<"Lazy", 1, "lazy">]>;

#endif // MLC_EST_ENUMS

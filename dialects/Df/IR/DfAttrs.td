// Attributes and enums of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_ATTRS_TD
#define DF_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/Df/IR/DfDialect.td"

class Df_Attr<string attrName, string attrMnemonic> : AttrDef<Df_Dialect, attrName> {
  let mnemonic = attrMnemonic;
}

// Numbers of initializers are IEEE doubles, printed so that they read back the same.

//===-- initializers of variables ---------------------------------------------===//

def Df_ConstantInitAttr : Df_Attr<"ConstantInit", "constant"> {
  let summary = "every element is `value`";
  let description = [{ Example: `#df.constant<1.000000e-01>`. }];
  let parameters = (ins APFloatParameter<"">:$value);
  let assemblyFormat = "`<` custom<Double>($value) `>`";
}
def Df_UniformInitAttr : Df_Attr<"UniformInit", "uniform"> {
  let summary = "uniform on [low, high)";
  let parameters = (ins APFloatParameter<"">:$low, APFloatParameter<"">:$high);
  let assemblyFormat = "`<` custom<Double>($low) `,` custom<Double>($high) `>`";
}
def Df_NormalInitAttr : Df_Attr<"NormalInit", "normal"> {
  let summary = "normal with mean and standard deviation";
  let parameters = (ins APFloatParameter<"">:$mean, APFloatParameter<"">:$stddev);
  let assemblyFormat = "`<` custom<Double>($mean) `,` custom<Double>($stddev) `>`";
}
def Df_TruncatedNormalInitAttr : Df_Attr<"TruncatedNormalInit", "truncated_normal"> {
  let summary = "normal, redrawn beyond two standard deviations";
  let parameters = (ins APFloatParameter<"">:$mean, APFloatParameter<"">:$stddev);
  let assemblyFormat = "`<` custom<Double>($mean) `,` custom<Double>($stddev) `>`";
}
// Rows of a variable that is several tensors, one after another.
def Df_NamedRowsAttr : Df_Attr<"NamedRows", "named_rows"> {
  let summary = "the next `rows` rows of a variable, which are the tensor `name`";
  let description = [{ Example: `#df.named_rows<"C0/weights", 1000>`. }];
  let parameters = (ins StringRefParameter<"">:$name, "int64_t":$rows);
  let assemblyFormat = "`<` $name `,` $rows `>`";
}
// A column of ids that `df.check_ids` looks at.
def Df_IdColumnAttr : Df_Attr<"IdColumn", "id_column"> {
  let summary = "ids that were read as feature `feature` and are below `high`";
  let description = [{ Example: `#df.id_column<"zip", 1000>`. }];
  let parameters = (ins StringRefParameter<"">:$feature, "int64_t":$high);
  let assemblyFormat = "`<` $feature `,` $high `>`";
}
def Df_InitializerAttr : AnyAttrOf<[Df_ConstantInitAttr, Df_UniformInitAttr, Df_NormalInitAttr, Df_TruncatedNormalInitAttr]>;

//===-- enums -----------------------------------------------------------------===//

class Df_Enum<string enumName, string what, list<I32EnumAttrCase> cases> : I32EnumAttr<enumName, what, cases> {
  let cppNamespace = "::mlc::df";
  let genSpecializedAttr = 0;
}
// `#df.role<train>` where an attribute stands for itself; ops print the bare word.
class Df_EnumAttr<EnumAttrInfo info, string attrMnemonic> : EnumAttr<Df_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Df_Lifetime : Df_Enum<"Lifetime", "which runs a variable lives through", [
  I32EnumAttrCase<"Train", 0, "train">, I32EnumAttrCase<"Eval", 1, "eval">]>;
def Df_LifetimeAttr : Df_EnumAttr<Df_Lifetime, "lifetime">;

def Df_Role : Df_Enum<"Role", "what the runtime runs a function as", [
  I32EnumAttrCase<"Other", 0, "other">, I32EnumAttrCase<"Init", 1, "init">, I32EnumAttrCase<"Train", 2, "train">,
  I32EnumAttrCase<"TrainGrad", 3, "train_grad">, I32EnumAttrCase<"TrainCombine", 4, "train_combine">,
  I32EnumAttrCase<"TrainApply", 5, "train_apply">, I32EnumAttrCase<"EvalReset", 6, "eval_reset">,
  I32EnumAttrCase<"EvalUpdate", 7, "eval_update">, I32EnumAttrCase<"EvalResult", 8, "eval_result">,
  I32EnumAttrCase<"Predict", 9, "predict">, I32EnumAttrCase<"Summary", 10, "summary">,
  I32EnumAttrCase<"TrainPartial", 11, "train_partial">, I32EnumAttrCase<"TrainShared", 12, "train_shared">,
  I32EnumAttrCase<"TrainUpdate", 13, "train_update">]>;
def Df_RoleAttr : Df_EnumAttr<Df_Role, "role">;

def Df_Precision : Df_Enum<"Precision", "what elements of the factors of products are rounded to", [
  I32EnumAttrCase<"F32", 0, "f32">, I32EnumAttrCase<"BF16Mixed", 1, "bf16_mixed">,
  I32EnumAttrCase<"TF32", 2, "tf32">, I32EnumAttrCase<"F16Mixed", 3, "f16_mixed">]>;
def Df_PrecisionAttr : Df_EnumAttr<Df_Precision, "precision">;

def Df_SegmentKind : Df_Enum<"SegmentKind", "kind of a segment", [
  I32EnumAttrCase<"Step", 0, "step">, I32EnumAttrCase<"Features", 1, "features">, I32EnumAttrCase<"Called", 2, "called">]>;
def Df_SegmentKindAttr : Df_EnumAttr<Df_SegmentKind, "segment">;

def Df_BindingKind : Df_Enum<"BindingKind", "where the buffer of a segment's operand comes from", [
  I32EnumAttrCase<"Feature", 1, "feature">, I32EnumAttrCase<"Variable", 2, "variable">,
  I32EnumAttrCase<"Setting", 3, "setting">, I32EnumAttrCase<"Context", 4, "context">,
  I32EnumAttrCase<"Intermediate", 5, "intermediate">, I32EnumAttrCase<"Output", 6, "output">,
  I32EnumAttrCase<"SumA", 7, "sum_a">, I32EnumAttrCase<"SumB", 8, "sum_b">, I32EnumAttrCase<"SumOut", 9, "sum_out">,
  I32EnumAttrCase<"Dimension", 10, "dimension">, I32EnumAttrCase<"Shared", 11, "shared">]>;

def Df_BindingAttr : Df_Attr<"Binding", "binding"> {
  let summary = "what an argument or a result of a function is to the runtime";
  let description = [{
    Attribute `df.binding` of arguments and results. Kinds as mlcrt_source in `mlcrt/abi.h`; context names are `seed`,
    `step`, `first_row`, that of a dimension is its symbol; shared values cross between the functions of `df-split-update`. Example: `%w: tensor<4xf32> {df.binding = #df.binding<variable, "w">}`.
  }];
  let parameters = (ins EnumParameter<Df_BindingKind>:$kind, StringRefParameter<"name">:$name);
  let assemblyFormat = "`<` $kind `,` $name `>`";
}

def Df_DimensionKind : Df_Enum<"DimensionKind", "how a dimension symbol follows from others; as mlcrt_dimension_kind", [
  I32EnumAttrCase<"Sum", 1, "sum">, I32EnumAttrCase<"Product", 2, "product">]>;
def Df_DimensionKindAttr : EnumAttr<Df_Dialect, Df_DimensionKind, "dimension_kind">;

def Df_BatchReduction : Df_Enum<"BatchReduction", "denominator of a batch_mean", [
  I32EnumAttrCase<"SumOverBatchSize", 0, "sum_over_batch_size">, I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Sum", 2, "sum">]>;
def Df_BatchReductionAttr : Df_EnumAttr<Df_BatchReduction, "batch_reduction">;

def Df_LossReduction : Df_Enum<"LossReduction", "what a loss per element is reduced to", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Sum", 1, "sum">, I32EnumAttrCase<"SumOverSize", 2, "sum_over_size">,
  I32EnumAttrCase<"SumOverWeights", 3, "sum_over_weights">, I32EnumAttrCase<"SumOverNonzeroWeights", 4, "sum_over_nonzero_weights">]>;
def Df_LossReductionAttr : EnumAttr<Df_Dialect, Df_LossReduction, "loss_reduction"> {
  let assemblyFormat = "`<` $value `>`";
}

def Df_Comparison : Df_Enum<"Comparison", "comparison; unordered is false but for ne", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
  I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Df_ComparisonAttr : EnumAttr<Df_Dialect, Df_Comparison, "comparison">;

def Df_Distribution : Df_Enum<"Distribution", "distribution of random numbers", [
  I32EnumAttrCase<"Uniform", 0, "uniform">, I32EnumAttrCase<"Normal", 1, "normal">,
  I32EnumAttrCase<"TruncatedNormal", 2, "truncated_normal">]>;
def Df_DistributionAttr : EnumAttr<Df_Dialect, Df_Distribution, "distribution">;

def Df_Sampler : Df_Enum<"Sampler", "distribution of the classes of a sampled loss", [
  I32EnumAttrCase<"Uniform", 0, "uniform">, I32EnumAttrCase<"LogUniform", 1, "log_uniform">,
  I32EnumAttrCase<"Unigram", 2, "unigram">, I32EnumAttrCase<"All", 3, "all">]>;
def Df_SamplerAttr : EnumAttr<Df_Dialect, Df_Sampler, "sampler">;

def Df_GridIndexing : Df_Enum<"GridIndexing", "which dimension of a grid is of its first coordinate: the second one (xy), or the first one (ij)", [
  I32EnumAttrCase<"XY", 0, "xy">, I32EnumAttrCase<"IJ", 1, "ij">]>;
def Df_GridIndexingAttr : EnumAttr<Df_Dialect, Df_GridIndexing, "grid_indexing">;

def Df_ScatterKind : Df_Enum<"ScatterKind", "how an update combines with what is there", [
  I32EnumAttrCase<"Set", 0, "set">, I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Max", 4, "max">]>;
def Df_ScatterKindAttr : EnumAttr<Df_Dialect, Df_ScatterKind, "scatter_kind">;

def Df_RowReduction : Df_Enum<"RowReduction", "reduction of the rows that belong together", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Prod", 2, "prod">,
  I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Max", 4, "max">]>;
def Df_RowReductionAttr : EnumAttr<Df_Dialect, Df_RowReduction, "row_reduction">;

def Df_PadMode : Df_Enum<"PadMode", "how an axis continues beyond its ends", [
  I32EnumAttrCase<"Reflect", 0, "reflect">, I32EnumAttrCase<"Symmetric", 1, "symmetric">,
  I32EnumAttrCase<"Edge", 2, "edge">]>;
def Df_PadModeAttr : EnumAttr<Df_Dialect, Df_PadMode, "pad_mode">;

def Df_QuantileInterpolation : Df_Enum<"QuantileInterpolation", "what a quantile between two elements is", [
  I32EnumAttrCase<"Linear", 0, "linear">, I32EnumAttrCase<"Lower", 1, "lower">, I32EnumAttrCase<"Higher", 2, "higher">,
  I32EnumAttrCase<"Midpoint", 3, "midpoint">, I32EnumAttrCase<"Nearest", 4, "nearest">]>;
def Df_QuantileInterpolationAttr : EnumAttr<Df_Dialect, Df_QuantileInterpolation, "quantile_interpolation">;

def Df_Interpolation : Df_Enum<"Interpolation", "what is between the elements of an image", [
  I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">,
  I32EnumAttrCase<"Cubic", 2, "cubic">]>;
def Df_InterpolationAttr : EnumAttr<Df_Dialect, Df_Interpolation, "interpolation">;

def Df_QueueKind : I32EnumAttr<"QueueKind", "which element of a queue leaves first", [
  I32EnumAttrCase<"Fifo", 0, "fifo">, I32EnumAttrCase<"RandomShuffle", 1, "random_shuffle">,
  I32EnumAttrCase<"PaddingFifo", 2, "padding_fifo">, I32EnumAttrCase<"Priority", 3, "priority">]> {
  let cppNamespace = "::mlc::df";
}

#endif // DF_ATTRS_TD

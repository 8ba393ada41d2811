//===- Types of the est dialect. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_TYPES
#define MLC_EST_TYPES

include "mlir/IR/AttrTypeBase.td"
include "dialects/Est/IR/EstEnums.td"

class Est_Type<string name, string typeMnemonic> : TypeDef<Est_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Est_FeatureType : Est_Type<"Feature", "feature"> {
  let summary = "One column of the input: a cell per row";
  let description = [{
    A cell is a number, a truth value or a string, or, with `shape`, a fixed number of them; a categorical column's cell
    may also be missing. With `?` a row has any number of values.

    Example: `!est.feature<float32>`, `!est.feature<string>`, `!est.feature<28x28xfloat32>`, `!est.feature<?xstring>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, EnumParameter<Est_DTypeEnum>:$dtype);
  let assemblyFormat = "`<` custom<ShapedDType>($shape, $dtype) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether cells are float32 or float64.
    bool isFloat() const { return getDtype() == DType::Float32 || getDtype() == DType::Float64; }
    /// Whether cells are int32 or int64.
    bool isInteger() const { return getDtype() == DType::Int32 || getDtype() == DType::Int64; }
    /// Whether cells are strings.
    bool isString() const { return getDtype() == DType::String; }
    /// Whether a cell is one value.
    bool isScalar() const { return getShape().empty(); }
    /// Whether a row has any number of values.
    bool isMultiValued() const { return getShape() == ::llvm::ArrayRef<int64_t>(::mlir::ShapedType::kDynamic); }
    /// Values in a cell: the product of the shape. Not of a multi-valued feature.
    int64_t getNumElements() const;
  }];
}

def Est_CategoricalType : Est_Type<"Categorical", "categorical"> {
  let summary = "Ids in [0, num_buckets): one per row or none, or as many as the feature has values";
  let description = "Example: `!est.categorical<1000>`.";
  let parameters = (ins "int64_t":$numBuckets);
  let assemblyFormat = "`<` $numBuckets `>`";
  let genVerifyDecl = 1;
}

def Est_DenseType : Est_Type<"Dense", "dense"> {
  let summary = "A fixed number of float32 values per row";
  let description = "Example: `!est.dense<8>`.";
  let parameters = (ins "int64_t":$dimension);
  let assemblyFormat = "`<` $dimension `>`";
  let genVerifyDecl = 1;
}

def Est_SequenceType : Est_Type<"Sequence", "sequence"> {
  let summary = "A fixed number of float32 values for each step of a row, which has any number of steps";
  let description = [{
    A step stands for one value of a multi-valued feature.

    Example: `!est.sequence<8>`.
  }];
  let parameters = (ins "int64_t":$dimension);
  let assemblyFormat = "`<` $dimension `>`";
  let genVerifyDecl = 1;
}

def Est_LogitsType : Est_Type<"Logits", "logits"> {
  let summary = "What a body hands to a head: a fixed number of float32 values per row";
  let description = "Example: `!est.logits<3>`.";
  let parameters = (ins "int64_t":$dimension);
  let assemblyFormat = "`<` $dimension `>`";
  let genVerifyDecl = 1;
}

def Est_StepLogitsType : Est_Type<"StepLogits", "step_logits"> {
  let summary = "What a body hands to a head of steps: a fixed number of float32 values for each step of a row";
  let description = "Example: `!est.step_logits<3>`.";
  let parameters = (ins "int64_t":$dimension);
  let assemblyFormat = "`<` $dimension `>`";
  let genVerifyDecl = 1;
}

#endif // MLC_EST_TYPES

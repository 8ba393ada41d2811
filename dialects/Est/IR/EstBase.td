//===- What all est ops share: base class, type constraints. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_BASE
#define MLC_EST_BASE

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Est/IR/EstAttrs.td"
include "dialects/Est/IR/EstTypes.td"

class Est_Op<string mnemonic, list<Trait> traits = []> : Op<Est_Dialect, mnemonic, traits>;

class Est_FeatureOf<string condition, string what>
    : Type<And<[Est_FeatureType.predicate, CPred<"::llvm::cast<::mlc::est::FeatureType>($_self)." # condition>]>, what,
           "::mlc::est::FeatureType">;
/// Of one value per row, or of any number.
class Est_ScalarOrMultiOf<Type feature, string what>
    : Type<And<[feature.predicate, Or<[CPred<"::llvm::cast<::mlc::est::FeatureType>($_self).isScalar()">,
                                       CPred<"::llvm::cast<::mlc::est::FeatureType>($_self).isMultiValued()">]>]>, what,
           "::mlc::est::FeatureType">;
class Est_ScalarOf<Type feature, string what>
    : Type<And<[feature.predicate, CPred<"::llvm::cast<::mlc::est::FeatureType>($_self).isScalar()">]>, what,
           "::mlc::est::FeatureType">;
def Est_NumericFeature
    : Est_FeatureOf<"isString() == false && !::llvm::cast<::mlc::est::FeatureType>($_self).isMultiValued()",
                    "feature of numbers or truth values">;
def Est_NumberListFeature
    : Est_FeatureOf<"isFloat() && ::llvm::cast<::mlc::est::FeatureType>($_self).isMultiValued()",
                    "feature of any number of floats per row">;
def Est_NumberFeature : Est_ScalarOf<Est_NumericFeature, "feature of one number or truth value per row">;
def Est_IntegerFeature
    : Est_ScalarOrMultiOf<Est_FeatureOf<"isInteger()", "">, "feature of one int32 or int64 per row, or of any number">;
def Est_DiscreteFeature
    : Est_ScalarOrMultiOf<Est_FeatureOf<"isFloat() == false && ::llvm::cast<::mlc::est::FeatureType>($_self).getDtype()"
                                 " != ::mlc::est::DType::Bool", "">, "feature of one string or integer per row, or of any number">;

def Est_WeightFeature
    : Type<Or<[Est_NumberFeature.predicate, Est_NumberListFeature.predicate]>,
           "feature of one number or truth value per row, or of any number of floats", "::mlc::est::FeatureType">;
def Est_IntegerListFeature
    : Est_FeatureOf<"isInteger() && ::llvm::cast<::mlc::est::FeatureType>($_self).isMultiValued()",
                    "feature of any number of int32 or int64 per row">;

/// A count, or an id where -1 is no value.
def Est_IdAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;

/// Terms of a vocabulary: all strings or all int64.
def Est_TermsAttr : Attr<CPred<"::llvm::isa<::mlir::ArrayAttr>($_self) && "
                               "(::llvm::all_of(::llvm::cast<::mlir::ArrayAttr>($_self), "
                               "[](::mlir::Attribute a) { return ::llvm::isa<::mlir::StringAttr>(a); }) || "
                               "::llvm::all_of(::llvm::cast<::mlir::ArrayAttr>($_self), [](::mlir::Attribute a) { "
                               "auto i = ::llvm::dyn_cast<::mlir::IntegerAttr>(a); "
                               "return i && i.getType().isSignlessInteger(64); }))">,
                         "array of strings or of int64"> {
  let storageType = "::mlir::ArrayAttr";
  let returnType = "::mlir::ArrayAttr";
  let convertFromStorage = "$_self";
}

class Est_OneOf<list<string> attrs, string what>
    : Attr<CPred<"::llvm::isa<" # !interleave(!foreach(a, attrs, "::mlc::est::" # a), ", ") # ">($_self)">, what> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}
def Est_NormalizerAttr : Est_OneOf<["ZScoreAttr", "MinMaxAttr", "Log1pAttr"],
                                   "normalizer (#est.z_score, #est.min_max or #est.log1p)">;
def Est_NumericNormalizerAttr
    : Attr<CPred<"::llvm::isa<::mlc::est::ZScoreAttr, ::mlc::est::MinMaxAttr, ::mlc::est::Log1pAttr, "
                 "::mlir::FlatSymbolRefAttr>($_self)">,
           "normalizer (#est.z_score, #est.min_max, #est.log1p or a function)"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}
def Est_LabelTransformAttr : Est_OneOf<["ZScoreAttr", "Log1pAttr"], "label transform (#est.z_score or #est.log1p)">;
def Est_InitializerAttr
    : Est_OneOf<["ConstantAttr", "UniformAttr", "NormalAttr", "TruncatedNormalAttr", "GlorotUniformAttr",
                 "GlorotNormalAttr", "VarianceScalingAttr", "IdentityAttr", "OrthogonalAttr"], "initializer">;

#endif // MLC_EST_BASE

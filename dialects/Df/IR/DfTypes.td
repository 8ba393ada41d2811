// Types of the df dialect and the constraints its ops use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_TYPES_TD
#define DF_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "dialects/Df/IR/DfDialect.td"

class Df_Type<string typeName, string typeMnemonic> : TypeDef<Df_Dialect, typeName> {
  let mnemonic = typeMnemonic;
}

def Df_StringType : Df_Type<"String", "string"> {
  let summary = "a byte string, the element type of string tensors";
  let description = [{ Lowered before bufferization to {pointer, length}; valid for the step. Example: `tensor<?x!df.string>`. }];
}

def Df_RowsType : Df_Type<"Rows", "rows"> {
  let summary = "rows of a table's gradient";
  let description = [{
    A sparse gradient: ascending distinct ids, one row of `type`'s shape (without the leading dimension) for each, and their count.
    Example: `!df.rows<tensor<1000x8xf32>>` is a gradient of a table of 1000 rows of 8.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$type);
  let assemblyFormat = "`<` $type `>`";
}

def Df_IsString : CPred<"::llvm::isa<::mlc::df::StringType>($_self)">;
def Df_String : Type<Df_IsString, "df string">;
def Df_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
// Signless integers are signed.
def Df_Int : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Df_Number : AnyTypeOf<[F16, BF16, F32, F64, I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Df_NumberOrBool : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Df_Element : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64, Df_String]>;

def Df_Tensor : RankedTensorOf<[Df_Element]>;
def Df_FloatTensor : RankedTensorOf<[Df_Float]>;
def Df_IntTensor : RankedTensorOf<[Df_Int]>;
def Df_NumberTensor : RankedTensorOf<[Df_Number]>;
def Df_SignedTensor : RankedTensorOf<[F16, BF16, F32, F64, I8, I16, I32, I64]>;
def Df_NumberOrBoolTensor : RankedTensorOf<[Df_NumberOrBool]>;
def Df_BoolTensor : RankedTensorOf<[I1]>;
def Df_IdTensor : RankedTensorOf<[I64]>;
def Df_OrderedTensor : RankedTensorOf<[F16, BF16, F32, F64, I8, I16, I32, I64, UI8, UI16, UI32, UI64, Df_String]>;
def Df_StringTensor : RankedTensorOf<[Df_String]>;
def Df_CellTensor : RankedTensorOf<[F32, F64, I64, Df_String]>;
def Df_ScalarFloat : 0DTensorOf<[Df_Float]>;
def Df_ScalarId : 0DTensorOf<[I64]>;
def Df_ScalarBool : 0DTensorOf<[I1]>;

#endif // DF_TYPES_TD

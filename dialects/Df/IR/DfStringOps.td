// Ops on strings of the df dialect: bytes in, bytes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_STRING_OPS_TD
#define DF_STRING_OPS_TD

include "dialects/Df/IR/DfBase.td"

// Generated on their own (DfStringOps.h): few files know them. A string is a sequence of bytes, any of which may be 0; what an op says of letters and
// blanks is of ASCII, all other bytes stay as they are. None has a gradient.

class Df_StringMapOp<string opMnemonic, string what, string formula> : Df_Op<opMnemonic, [Df_EffectFree, Df_NeverFails, Df_JoinsTypes, Df_Elementwise]> {
  let summary = what;
  let description = formula # [{

    Example: `%t = df.}] # opMnemonic # [{ %s : tensor<?x!df.string>`
  }];
  let arguments = (ins Df_StringTensor:$operand);
  let results = (outs Df_StringTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
}
def Df_StringLowerOp : Df_StringMapOp<"string_lower", "lower case", "A to Z become a to z; other bytes, those of UTF-8 beyond ASCII too, stay.">;
def Df_StringUpperOp : Df_StringMapOp<"string_upper", "upper case", "a to z become A to Z; other bytes, those of UTF-8 beyond ASCII too, stay.">;
def Df_StringStripOp : Df_StringMapOp<"string_strip", "strings without blanks around them",
  "Without the blanks (space, \\t, \\n, \\v, \\f, \\r) at both ends; those within stay.">;

def Df_StringLengthOp : Df_PlainOp<"string_length", [Df_NeverFails, Df_Elementwise, Df_SameShape<"infer.i64()">]> {
  let summary = "number of bytes";
  let description = [{
    Constraints: (C1) shapes are equal.

    Example: `%n = df.string_length %s : (tensor<?x!df.string>) -> tensor<?xi64>`
  }];
  let arguments = (ins Df_StringTensor:$operand);
  let results = (outs Df_IdTensor:$result);
}

def Df_SubstrOp : Df_PlainOp<"substr", [Df_NeverFails, Df_Elementwise, Df_SameShape<"infer.string()">]> {
  let summary = "a range of bytes";
  let description = [{
    Up to `length` bytes from `start` on; a negative start counts from the end. What lies outside of the string is cut off, so that every start and length is right: from
    b = clamp(start < 0 ? start + n : start, 0, n) to min(n, b + max(length, 0)), n the string's length.
    Constraints: (C1) starts, lengths and result have the operand's shape.

    Example: `%t = df.substr %s, %start, %length : (tensor<?x!df.string>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x!df.string>`
  }];
  let arguments = (ins Df_StringTensor:$operand, Df_IdTensor:$start, Df_IdTensor:$length);
  let results = (outs Df_StringTensor:$result);
}

def Df_AsStringOp : Df_PlainOp<"as_string", [Df_NeverFails, Df_Elementwise, Df_SameShape<"infer.string()">]> {
  let summary = "text of numbers";
  let description = [{
    Of an integer its decimal digits; of a truth value `true` or `false`; of a float the shortest decimal text that reads back as it, with an exponent where that is shorter (`0.1`, `1e+20`),
    `inf`, `-inf`, `nan`; of f16 and bf16 the text of that number as f32. With `precision` a float has just so many digits after the point, rounded to nearest even.
    Constraints: (C1) shapes are equal; (C2) `precision` is in [0, 60] and of floats alone.

    Example: `%s = df.as_string %x : (tensor<?xf32>) -> tensor<?x!df.string>`
  }];
  let arguments = (ins Df_NumberOrBoolTensor:$operand, OptionalAttr<I64Attr>:$precision);
  let results = (outs Df_StringTensor:$result);
  let hasVerifier = 1;
}

def Df_StringToNumberOp : Df_PlainOp<"string_to_number", [Df_Elementwise, Df_FreeResultType<"its element type is what is read">]> {
  let summary = "numbers of their text";
  let description = [{
    Decimal digits with a sign; of floats also a point, an exponent, `inf`, `infinity` and `nan` in any case, rounded once to nearest even. Blanks around it do not matter. Another text, the
    empty one too, or a number that the type does not have, is an error of the step that names the row and the text.
    Constraints: (C1) shapes are equal; (C2) the result is of f32, f64 or integers.

    Example: `%x = df.string_to_number %s : (tensor<?x!df.string>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_StringTensor:$operand);
  let results = (outs Df_NumberTensor:$result);
  let hasVerifier = 1;
}

def Df_StringSplitOp : Df_PlainOp<"string_split", [Df_Work<"Movement">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "strings cut at a delimiter: as many parts as there are";
  let description = [{
    Row r has the parts values[ends[r-1]] (0 for r = 0) to values[ends[r]], in their order: a multi-valued feature. The whole `delimiter` separates, or with `any_byte` each byte of it does. A string without
    it is one part, the empty string one empty part. `skip_empty` leaves out parts without bytes. Parts are not copied.
    Constraints: (C1) the operand is [n], ends are [n], values [m] with m known only to the call; (C2) `delimiter` is not empty.

    Example: `%values, %ends = df.string_split %s {delimiter = " ", skip_empty} : (tensor<?x!df.string>) -> (tensor<?x!df.string>, tensor<?xi64>)`
  }];
  let arguments = (ins Df_StringTensor:$operand, StrAttr:$delimiter, UnitAttr:$any_byte, UnitAttr:$skip_empty);
  let results = (outs Df_StringTensor:$values, Df_IdTensor:$ends);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<"map.all(getOperand(), getEnds());">.definition;
}

def Df_StringJoinOp : Df_PlainOp<"string_join", [Df_NeverFails, Df_Elementwise, Df_JoinsTypes]> {
  let summary = "strings of several tensors, one after the other";
  let description = [{
    result[i] = operands[0][i] separator operands[1][i] separator ... Composite. Constraints: (C1) at least one operand, all of the result's type.

    Example: `%t = df.string_join %a, %b {separator = "-"} : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?x!df.string>`
  }];
  let arguments = (ins Variadic<Df_StringTensor>:$operands, DefaultValuedAttr<StrAttr, "\"\"">:$separator);
  let results = (outs Df_StringTensor:$result);
}

def Df_ReduceJoinOp : Df_PlainOp<"reduce_join", [Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "strings along an axis, one after the other";
  let description = [{
    As df.string_join of the slices of `axis`, which is dropped; the empty string where it has none. Constraints: (C1) `axis` is a dimension of the operand; (C2) the result has the others.

    Example: `%t = df.reduce_join %s {axis = 1 : i64, separator = " "} : (tensor<?x3x!df.string>) -> tensor<?x!df.string>`
  }];
  let arguments = (ins Df_StringTensor:$operand, I64Attr:$axis, DefaultValuedAttr<StrAttr, "\"\"">:$separator);
  let results = (outs Df_StringTensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    map.without(getOperand(), {static_cast<int64_t>(getAxis())}, getResult());
  }]>.definition;
}

def Df_SegmentJoinOp : Df_PlainOp<"segment_join", [Df_Work<"Reduction">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "strings of each row of a multi-valued feature, one after the other";
  let description = [{
    The inverse of df.string_split: result[r] joins values[ends[r-1]] (0 for r = 0) to values[ends[r]]; the empty string for a row without values. Ends that do not ascend within the values are an
    error of the step. Constraints: (C1) values are [n], ends [m] and the result [m].

    Example: `%t = df.segment_join %values, %ends {separator = ","} : (tensor<?x!df.string>, tensor<?xi64>) -> tensor<?x!df.string>`
  }];
  let arguments = (ins Df_StringTensor:$values, Df_IdTensor:$ends, DefaultValuedAttr<StrAttr, "\"\"">:$separator);
  let results = (outs Df_StringTensor:$result);
  let extraClassDefinition = Df_DimensionsOf<"Ends">.definition;
}

def Df_StringFormatOp : Df_PlainOp<"string_format", [Df_NeverFails, Df_Elementwise, Df_SameShape<"infer.string()">]> {
  let summary = "a text with values in it";
  let description = [{
    `pattern` with the text of operand k, as df.as_string makes it, for the k-th `{}`; `{{` and `}}` stand for a brace. Composite.
    Constraints: (C1) at least one operand, all of the result's shape; (C2) `pattern` has a `{}` for each operand and no brace else.

    Example: `%t = df.string_format %i, %x {pattern = "{}: {}"} : (tensor<?xi64>, tensor<?xf32>) -> tensor<?x!df.string>`
  }];
  let arguments = (ins Variadic<Df_Tensor>:$operands, StrAttr:$pattern);
  let results = (outs Df_StringTensor:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What stands before, between and after the operands; fails if `pattern` is not well formed.
    ::mlir::FailureOr<::llvm::SmallVector<std::string>> getLiterals();
  }];
}

#endif // DF_STRING_OPS_TD

// Ops that C functions compute, right and wrong ones. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "dialects/Df/IR/DfBase.td"
include "dialects/Df/IR/DfExternalCall.td"

def Probe_Dialect : Dialect {
  let name = "probe";
  let cppNamespace = "::probe";
  let dependentDialects = ["::mlc::df::DfDialect"];
}

class Probe_Op<string opMnemonic, list<Trait> traits> : Op<Probe_Dialect, opMnemonic,
    !listconcat([DeclareOpInterfaceMethods<ExternalCallOpInterface>, DimensionsOpInterface], traits)> {
  let arguments = (ins Variadic<AnyType>:$operands, StrAttr:$function, UnitAttr:$other_code);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$function `(` operands `)` attr-dict `:` functional-type(operands, results)";
}

// Effect-free, with a function that is said to be deterministic, or, with `random`, not to be.
def Probe_CallOp : Probe_Op<"call", [Df_EffectFree]> {
  let arguments = (ins Variadic<AnyType>:$operands, StrAttr:$function, UnitAttr:$other_code, UnitAttr:$random,
                       DefaultValuedAttr<ArrayAttr, "{}">:$passed);
  let extraClassDeclaration = "::llvm::SmallVector<::mlir::Attribute> getParameters();";
}

// With memory effects, as a function needs that is not deterministic.
def Probe_DrawOp : Probe_Op<"draw", [MemoryEffects<[MemWrite]>]>;

// Saving and restoring a part of the state from within a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_SAVE_OPS_TD
#define DF_SAVE_OPS_TD

include "dialects/Df/IR/DfBase.td"

// Generated on their own (DfSaveOps.h): few files know them.
class Df_StateFileOp<string opMnemonic, list<Trait> traits = []> : Df_Op<opMnemonic, !listconcat([Df_Work<"Update">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<StateOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)>;

def Df_SaveOp : Df_StateFileOp<"save"> {
  let summary = "writes variables to a file";
  let description = [{
    Writes the variables whose names match `pattern` (`*` stands for any characters, `?` for one), as they are at this place of the program, to one safetensors file under their names. The file
    is whole or not there: it is written beside, made durable and renamed. It holds what df.restore takes back, and what --fetch of `mlc run`, --train_files and other programs read. An error of
    writing fails the step. After `df-state-to-values` `values` are those of the variables `names`.
    Constraints: (C1) `pattern` matches a variable; (C2) it stands in a function of no part of a training step (role train), for it would be written once for each shard, and of no predict or summary;
    (C3) there are as many values as names, if any.

    Example: `df.save "encoder*" to %path : tensor<!df.string>`
  }];
  let arguments = (ins StrAttr:$pattern, 0DTensorOf<[Df_String]>:$path, Variadic<AnyRankedTensor>:$values, OptionalAttr<StrArrayAttr>:$names);
  let assemblyFormat = "$pattern `to` $path (`values` `(` $values^ `)`)? attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

def Df_RestoreOp : Df_StateFileOp<"restore", [Df_FreeResultType<"they are the variables that the pattern names">]> {
  let summary = "sets variables to what a file holds";
  let description = [{
    Sets the variables whose names match `pattern` (as df.save's) to the tensors of these names in a safetensors file, which may hold others. A file that is missing or damaged, and a tensor that is
    missing or of another dtype or shape, fail the step with an error that names both; nothing has changed then. After `df-state-to-values` `values` are what the variables `names` become.
    Constraints: (C1) `pattern` matches a variable; (C2) it stands in a function of role init or of none; (C3) there are as many values as names.

    Example: `df.restore "encoder*" from %path : (tensor<!df.string>) -> ()`
  }];
  let arguments = (ins StrAttr:$pattern, 0DTensorOf<[Df_String]>:$path, OptionalAttr<StrArrayAttr>:$names);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "$pattern `from` $path attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // DF_SAVE_OPS_TD

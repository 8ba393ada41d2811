// The dist dialect: programs, one for each device, that talk over channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIST_OPS_TD
#define DIST_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::mlc::dist";
  let summary = "Graphs of df over devices: placement, and programs that talk";
  let description = [{
    Three stages. *Placed*: a module of df whose ops carry attributes of this dialect:

    - `dist.device`, a string: a device spec (`/job:ps/task:1/device:CPU:0`, each part optional) of an op of df, of a variable or a queue, of a function (the entry's device) or of an argument
      of one. A spec on a `df.if`, `df.while`, `df.scan` or `df.remat` holds for what is in its regions, where that says nothing else. After `dist-place` all specs are concrete;
    - `dist.colocate_with`, a symbol: the op, variable or queue is where that variable or queue is.

    *Partitioned*: after `dist-partition` the module holds `dist.program`s, one for each device, with the variables, queues and functions that are there. Functions of one name are the parts of one
    entry: they run at once and exchange values by `dist.send` and `dist.recv`. `dist.argument` of an argument (i64) is its place among those of the entry; the part that has results has all of them.

    *Joined*: after `dist-join` the programs are functions of one module of df again, and channels are queues. Attributes of the module say what was what: `dist.devices`, the devices by their numbers; `dist.parts`, the
    functions that are parts of entries (`{part = @train.cpu_1, entry = "train", device = 1}`), those of an entry in a row, the one of its name first; `dist.channels`, the queues that parts of an entry talk over
    (`{queue = @channel.0, entry = "train", from = 0, to = 1}`).

    Checked of every module with programs: each channel has one send and one recv, in parts of one entry, in the programs that each other names, with the same types and in the same nest of
    regions; and with an edge from each op that waits to what stands after it, and from each send to its recv, there is no cycle. So no run waits for ever, as long as the copies of a loop or of a branch agree on where they go.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kDeviceAttr = "dist.device";
    static constexpr ::llvm::StringLiteral kColocateAttr = "dist.colocate_with";
    static constexpr ::llvm::StringLiteral kArgumentAttr = "dist.argument";
    static constexpr ::llvm::StringLiteral kDevicesAttr = "dist.devices";
    static constexpr ::llvm::StringLiteral kPartsAttr = "dist.parts";
    static constexpr ::llvm::StringLiteral kChannelsAttr = "dist.channels";
  }];
}

class Dist_Op<string opMnemonic, list<Trait> traits = []> : Op<Dist_Dialect, opMnemonic, traits>;

/// What programs say to each other: keeps passes from moving or dropping it.
def Dist_Channels : Resource<"::mlc::dist::ChannelResource">;

def Dist_ProgramOp : Dist_Op<"program", [IsolatedFromAbove, NoRegionArguments, SymbolTable, Symbol, HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>] # GraphRegionNoTerminator.traits> {
  let summary = "what runs on one device";
  let description = [{
    Variables, queues, vocabularies and functions of df. Constraints: (C1) `device` is concrete and canonical, and of no other program; (C2) each channel is matched; (C3) there is no cycle of
    waiting (see the dialect).

    Example:
    ```mlir
    dist.program @ps_0_cpu_0 on "/job:ps/task:0/device:CPU:0" {
      df.variable @w : tensor<4xf32> = #df.constant<0.0>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$device);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `on` $device attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Dist_SendOp : Dist_Op<"send", [MemoryEffects<[MemWrite<Dist_Channels>]>]> {
  let summary = "gives values to another program";
  let description = [{
    One message of all its values; does not wait for the other side. In a loop there is one message for each iteration. Constraints: (C1) it has values; (C2) of its channel there is one `dist.recv`
    with the same types, in the function of the same name of program `to`; (C3) it is in a `dist.program`.

    Example: `dist.send %x, %n to @ps_0_cpu_0 channel 3 : tensor<4xf32>, tensor<i64>`
  }];
  let arguments = (ins Variadic<AnyType>:$values, FlatSymbolRefAttr:$to, I64Attr:$channel);
  let assemblyFormat = "$values `to` $to `channel` $channel attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Dist_RecvOp : Dist_Op<"recv", [MemoryEffects<[MemRead<Dist_Channels>, MemWrite<Dist_Channels>]>]> {
  let summary = "waits for a message of another program";
  let description = [{
    The values of the next message of the channel. `sizes` tells their dynamic dimensions, as that of `df.dequeue`. Constraints: (C1) it has values; (C2) of its channel there is one `dist.send` with the same
    types, in the function of the same name of program `from`; `sizes` fits the values; (C3) it is in a `dist.program`.

    Example: `%x, %n = dist.recv from @worker_0_cpu_0 channel 3 : tensor<4xf32>, tensor<i64>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$from, I64Attr:$channel, OptionalAttr<ArrayAttr>:$sizes);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = "`from` $from `channel` $channel attr-dict `:` type($values)";
  let hasVerifier = 1;
}

#endif // DIST_OPS_TD

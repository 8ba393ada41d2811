// Passes of the dist dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIST_PASSES_TD
#define DIST_PASSES_TD

include "mlir/Pass/PassBase.td"

def DistPlacePass : Pass<"dist-place", "::mlir::ModuleOp"> {
  let summary = "gives every op of a df module a device";
  let description = [{
    Sets `dist.device` of every variable, queue, function and op to one of `devices`, the entry's first. What rules:

    - the op's own spec, completed by those of the loops and branches around it unless the op is with a symbol; all parts that it gives must match;
    - colocation: an op is where the variables and queues are that it names, a slot where its variable is, and an op or symbol with `dist.colocate_with` where that is. Ops that save or restore state
      are together, as they share files;
    - what works on strings is on a CPU, if there is one: no other memory holds strings;
    - a function's spec says where its arguments (but those with a `dist.device` of their own) are and its results go; without one that is the first device.

    A spec that no device matches is an error that names the devices there are. With `soft` it loses its last parts (the number, the type, the task, the job) until a device matches, and of specs of ops that
    must be together but contradict each other the first one wins; both with a warning.

    What is free then is placed where the sum of all computing times and of all messages is least (CostModel.h): exactly, by a minimum cut, where two devices are left to choose from; else one after
    another, improved by single moves. `df.constant`s are free of all this: they are wherever they are used.

    Precondition: stage 2 of df (gradients are expanded), state by symbol. Postcondition: each variable, queue, function and op has a concrete `dist.device`; no `dist.colocate_with` is left.
  }];
  let options = [
    ListOption<"devices", "devices", "std::string", "the concrete devices there are, as /job:worker/task:0/device:CPU:0; none: those that the specs name">,
    Option<"soft", "soft", "bool", "false", "place ops whose spec no device matches elsewhere, with a warning">,
    ListOption<"operations", "operations-per-second", "double", "of each device, or of all (default: 5e10 of a CPU, 1e13 of a GPU)">,
    ListOption<"bytes", "bytes-per-second", "double", "of each device's memory, or of all (default: 1e10 of a CPU, 8e11 of a GPU)">,
    Option<"linkBytes", "link-bytes-per-second", "double", "2e9", "of a link between two devices">,
    Option<"linkLatency", "link-latency-seconds", "double", "5e-5", "of a message">,
    Option<"rows", "rows", "int64_t", "128", "assumed size of dynamic dimensions">,
    Option<"iterations", "iterations", "int64_t", "16", "assumed number of iterations of loops whose types do not tell">,
  ];
  let dependentDialects = ["::mlc::dist::DistDialect"];
}

def DistPrintPlacementPass : Pass<"dist-print-placement", "::mlir::ModuleOp"> {
  let summary = "prints what each device computes and what crosses";
  let description = [{
    To standard output, for each function the ops, operations and bytes of each device, and the messages, values and bytes of each direction, as `dist-partition` will send them:

    ```
    @train
      /job:worker/task:0/device:CPU:0: 12 ops, 1.31e+06 operations, 8.2e+04 bytes
      /job:ps/task:0/device:CPU:0: 3 ops, 256 operations, 3072 bytes
      /job:worker/task:0/device:CPU:0 -> /job:ps/task:0/device:CPU:0: 1 messages, 2 values, 1024 bytes
    ```

    Sizes and iterations that types do not tell are assumed. Precondition: as of `dist-partition`. Postcondition: the module is unchanged.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "128", "assumed size of dynamic dimensions">,
    Option<"iterations", "iterations", "int64_t", "16", "assumed number of iterations of loops whose types do not tell">,
  ];
}

def DistPartitionPass : Pass<"dist-partition", "::mlir::ModuleOp"> {
  let summary = "cuts a placed module into programs, one for each device";
  let description = [{
    Each variable and queue goes to the program of its device, each function becomes one function of its name in every program that has a part of it. Arguments are where their device says (the function's, if
    none), results come from the function's device.

    A value that is used elsewhere is sent once to each device that uses it, at the level of its block: sent after its definition, awaited before its first use. Values of one direction whose times overlap
    go as one message: there are as few messages as there can be in each block and direction. A message is sent before it is awaited in the order of the uncut function, which all programs keep, so none waits
    for ever.

    A `df.if`, `df.while`, `df.scan` or `df.remat` whose regions use several devices stands in all their programs. The condition of a branch or of the next iteration is computed once and sent to the others; the
    number of iterations of a scan goes ahead. A carried value or a result is where the regions compute it, if that is one device, else on the op's own; rows of a sequence are read from a copy of the sequence on each device that
    uses them.

    Precondition: as `dist-place` leaves a module. Postcondition: `dist.program`s and `df.dimension`s alone; no `dist.device` is left on ops of df. A run of all programs gives the bits of a run of the uncut module.
  }];
  let dependentDialects = ["::mlc::dist::DistDialect"];
}

def DistJoinPass : Pass<"dist-join", "::mlir::ModuleOp"> {
  let summary = "makes programs functions of one df module that talk over queues";
  let description = [{
    For code: the part of an entry on each device becomes a `df.function` that runs at once with the others, each channel a `df.queue` (a padding one where sizes are dynamic) with room for 4 messages, `dist.send` a `df.enqueue`,
    `dist.recv` a `df.dequeue`; sparse rows go as ids, rows and count. A send waits where 4 messages of its channel are on their way: with room for one at least that delays a program but stops none, for in the order of the uncut
    function each message is awaited before the next one of its channel is sent. Of an entry with several parts the one with the results, or the first, keeps name and role; the others are `entry.program`. Such a train function is not
    cut at its sums over the batch.

    Errors: a program on a device of a type that is none of `types`. Precondition: as `dist-partition` leaves a module. Postcondition: a module of df at stage 2, with `dist.devices`, `dist.parts` and `dist.channels`; no op of this dialect.
  }];
  let options = [ListOption<"types", "types", "std::string", "types of devices that code is made for (default CPU)">];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

#endif // DIST_PASSES_TD

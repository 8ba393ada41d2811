// Queues of the df dialect: bounded buffers of elements between entry functions that run at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_QUEUE_OPS_TD
#define DF_QUEUE_OPS_TD

include "dialects/Df/IR/DfBase.td"

def Df_QueueOp : Df_Op<"queue", [Df_Work<"Free">, Symbol]> {
  let summary = "a bounded queue of elements that entry functions share";
  let description = [{
    Holds at most `capacity` elements, each a tuple of tensors of `types`. `kind` says which element leaves first: `fifo` the oldest; `padding_fifo` the oldest, and elements may
    differ in dynamic dimensions; `priority` the one whose first component, a scalar i64, is least, the oldest of equals; `random_shuffle` a random one, drawn from `seed` and the
    number of draws before, and while the queue is open `min_after_dequeue` elements stay behind.

    A queue is closed once and for good by `df.queue_close`. All ops on one queue that an entry runs take place in its program order; ops of several entries are served in the order in which
    they came, those that put in and those that take out each in a line of their own.

    A `channel` is one over which the parts of one entry talk; the runtime empties it where a run fails. Functions of all roles may use it.

    Constraints: (C1) `capacity` >= 1; (C2) at least one component, ranked tensors of numbers, truth values or strings; (C3) components are static, of a padding_fifo they need not be;
    (C4) the first component of a priority queue is a scalar i64; (C5) `min_after_dequeue` and `seed` are of a random_shuffle alone, and 0 <= `min_after_dequeue` < `capacity`.

    Example: `df.queue random_shuffle @q capacity 64 : [tensor<4xf32>, tensor<i64>] {min_after_dequeue = 16 : i64, seed = 7 : i64}`
  }];
  let arguments = (ins Df_QueueKind:$kind, SymbolNameAttr:$sym_name, I64Attr:$capacity, TypeArrayAttr:$types,
                       DefaultValuedAttr<I64Attr, "0">:$min_after_dequeue, DefaultValuedAttr<I64Attr, "0">:$seed,
                       UnitAttr:$channel);
  let assemblyFormat = "$kind $sym_name `capacity` $capacity `:` $types attr-dict";
  let hasVerifier = 1;
}

class Df_OnQueueOp<string opMnemonic, list<Trait> traits = []> : Df_Op<opMnemonic,
    !listconcat([Df_Work<"Movement">, DeclareOpInterfaceMethods<SymbolUserOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)>;

def Df_EnqueueOp : Df_OnQueueOp<"enqueue"> {
  let summary = "puts one element into a queue";
  let description = [{
    Waits while the queue is full. Fails as cancelled if the queue is closed, or is closed with `cancel_pending` while the op waits. No gradient.
    Constraints: (C1) one operand for each component of the queue, of its element type and a shape that agrees with its own.

    Example: `df.enqueue @q, %x, %n : tensor<4xf32>, tensor<i64>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$queue, Variadic<AnyRankedTensor>:$components);
  let assemblyFormat = "$queue `,` $components attr-dict `:` type($components)";
}

def Df_EnqueueManyOp : Df_OnQueueOp<"enqueue_many"> {
  let summary = "puts a batch of elements into a queue, one for each row";
  let description = [{
    Element i is row i of each component. The elements go in one after the other, with no other entry's between them; the op waits whenever the queue is full. Fails as df.enqueue; elements
    that went in before stay. No gradient.
    Constraints: (C1) one operand for each component of the queue, [n, the component's shape], of its element type.

    Example: `df.enqueue_many @q, %xs, %ns : tensor<8x4xf32>, tensor<8xi64>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$queue, Variadic<AnyRankedTensor>:$components);
  let assemblyFormat = "$queue `,` $components attr-dict `:` type($components)";
}

def Df_DequeueOp : Df_OnQueueOp<"dequeue", [Df_FreeResultType<"they are the components of the queue, a symbol">]> {
  let summary = "takes one element out of a queue";
  let description = [{
    Waits while the queue has none to give. Fails as out of range if it is closed and empty. What the gradient of a loss is taken of ends here: no gradient.

    `sizes`, where it is known what puts in, tells the dynamic dimensions: for each result an array with one entry for each dimension, factors of the dimension symbols from symbol 0 on whose sum it is; none where
    it is static or nothing is known.

    Constraints: (C1) one result for each component of the queue, of its type; (C2) `sizes` has an array of `array<i64>` for each result, of as many as it has dimensions.

    Example: `%x, %n = df.dequeue @q {sizes = [[array<i64>], []]} : tensor<4xf32>, tensor<i64>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$queue, OptionalAttr<ArrayAttr>:$sizes);
  let results = (outs Variadic<AnyRankedTensor>:$components);
  let assemblyFormat = "$queue attr-dict `:` type($components)";
}

def Df_DequeueManyOp : Df_OnQueueOp<"dequeue_many", [Df_FreeResultType<"they are the components of the queue, a symbol">]> {
  let summary = "takes `count` elements out of a queue at once";
  let description = [{
    Row i of each result is element i; elements of a padding_fifo are padded with zeros to the largest of the batch. Waits until the queue has `count` elements to give; fails as out of range if it is
    closed with less, which stay. No gradient.
    Constraints: (C1) one result for each component of the queue, [`count`, the component's shape], of its element type; (C2) 1 <= `count` <= `capacity` - `min_after_dequeue`.

    Example: `%xs, %ns = df.dequeue_many @q count 8 : tensor<8x4xf32>, tensor<8xi64>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$queue, I64Attr:$count);
  let results = (outs Variadic<AnyRankedTensor>:$components);
  let assemblyFormat = "$queue `count` $count attr-dict `:` type($components)";
}

def Df_DequeueUpToOp : Df_OnQueueOp<"dequeue_up_to", [Df_FreeResultType<"they are the components of the queue, a symbol">]> {
  let summary = "takes `count` elements out of a queue, or what is left of a closed one";
  let description = [{
    As df.dequeue_many, but gives the rest of a queue that is closed with less than `count`. Fails as out of range if it is closed and empty. No gradient.
    Constraints: (C1) one result for each component of the queue, [?, the component's shape], of its element type; (C2) 1 <= `count` <= `capacity` - `min_after_dequeue`.

    Example: `%xs, %ns = df.dequeue_up_to @q count 8 : tensor<?x4xf32>, tensor<?xi64>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$queue, I64Attr:$count);
  let results = (outs Variadic<AnyRankedTensor>:$components);
  let assemblyFormat = "$queue `count` $count attr-dict `:` type($components)";
}

def Df_QueueCloseOp : Df_OnQueueOp<"queue_close"> {
  let summary = "closes a queue: nothing goes in any more";
  let description = [{
    Elements in the queue can still be taken out. What waits to go in may still do so, or fails as cancelled at once with `cancel_pending`. Closing a closed queue changes nothing but that.

    Example: `df.queue_close @q {cancel_pending}`
  }];
  let arguments = (ins FlatSymbolRefAttr:$queue, UnitAttr:$cancel_pending);
  let assemblyFormat = "$queue attr-dict";
}

def Df_QueueSizeOp : Df_OnQueueOp<"queue_size", [Df_InfersTypesBy<"return ::mlc::df::inferScalar(infer, infer.i64());">]> {
  let summary = "the number of elements in a queue at this moment";
  let description = [{
    Constraints: none. Example: `%n = df.queue_size @q : tensor<i64>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$queue);
  let results = (outs Df_ScalarId:$size);
  let assemblyFormat = "$queue attr-dict `:` type($size)";
}

def Df_QueueIsClosedOp : Df_OnQueueOp<"queue_is_closed", [Df_InfersTypesBy<"return ::mlc::df::inferScalar(infer, infer.i1());">]> {
  let summary = "whether a queue is closed at this moment";
  let description = [{
    Constraints: none. Example: `%c = df.queue_is_closed @q : tensor<i1>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$queue);
  let results = (outs 0DTensorOf<[I1]>:$closed);
  let assemblyFormat = "$queue attr-dict `:` type($closed)";
}

#endif // DF_QUEUE_OPS_TD

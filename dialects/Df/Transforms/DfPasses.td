// Passes of the df dialect, in the order of the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_PASSES_TD
#define DF_PASSES_TD

include "mlir/Pass/PassBase.td"

def DfDecomposePass : Pass<"df-decompose", "::mlir::ModuleOp"> {
  let summary = "replaces composite ops by what they stand for";
  let description = [{
    Replaces each op of `DecomposableOpInterface` by its decomposition, until none is left, and a `df.while` with stacked results by a `df.scan` over the iterations that there may be. With `keep-differentiable` an op that has a gradient rule of its own stays: so it is run
    before df-expand-gradients. A `df.random` in a loop that has no `iterations` gets them: the loops around it carry one value more, which counts.
    With `keep-attention` a `df.attention` stays, and a `df.attention_grad`, that targets have kernels of which store no scores (`convert-df-to-linalg`): of f32, of 1 to 128 numbers for each query, key and value, and at least one query and key. Where the module's precision, or `df.factors`, rounds factors of products, attention stays that has more than one of each; gradients of `tf32` whose key and value have more than 128 numbers together are decomposed unless each has a multiple of 4. Without it `df.attention` is decomposed before gradients, too.
    Holds at every stage. Postcondition: no composite op is left but those kept, no `df.while` has stacked results, and every `df.random` in a loop has its iterations.
  }];
  let options = [Option<"keepDifferentiable", "keep-differentiable", "bool", "false", "leave ops that have a gradient rule">,
                 Option<"keepAttention", "keep-attention", "bool", "false", "leave attention that has kernels of its own">];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfNumberSymbolsPass : Pass<"df-number-symbols", "::mlir::ModuleOp"> {
  let summary = "numbers the dynamic dimensions of features";
  let description = [{
    A feature whose dimensions after the first are dynamic and that has no `df.symbols` gets them: those that another function gives it, else a symbol of its own for each of these dimensions,
    the same in all functions that read the feature. Precondition: stage 1 of the dialect's invariants, which stays true.
  }];
}

def DfVerifyProgramPass : Pass<"df-verify-program", "::mlir::ModuleOp"> {
  let summary = "checks that a module can be run by the roles of its functions";
  let description = [{
    What the runtime asks of a program, written by hand or made (docs/df-programs.md); changes nothing. All that is wrong is told:
    - functions are as built: no binding, no segment, no part of a training step; one of each role but other;
    - arguments and results have names (`df.name`), distinct within the function; a feature has one type in all functions;
    - features of functions that read files are [?, ...]: rows, and after them static dimensions or dynamic ones of symbols that are no numbers of rows or values; those of multi-valued features are
      static; init, eval_reset and eval_result have none;
    - train returns the scalar float 'loss'; predict something for each row; eval_update and eval_result come together; init, eval_reset and eval_update
      return nothing, but eval_update what observers get, results whose names begin with `fetch/`; such results of predict may be of any shape;
    - eval_reset, eval_update and eval_result write variables of lifetime eval only, predict and summary none;
    - the values of a multi-valued feature come with their ends.

    Precondition: stage 1 of the dialect's invariants, which stays true.
  }];
  let options = [Option<"needsRole", "needs-role", "bool", "false", "an error if there is neither train nor eval_update nor predict">];
}

def DfCutGraphPass : Pass<"df-cut-graph", "::mlir::ModuleOp"> {
  let summary = "keeps the part of a graph between values that are fed and values that are fetched";
  let description = [{
    Replaces all functions but those of role init by @fetch, which returns the values `fetches` and holds the ops that they need, assignments that their reads follow included. The values
    `feeds` are arguments; the other arguments are those features of the function that are needed still. `entry` names the function that the values are of; it may be left out where only one has all of them.

    A value's name is its `df.name` (of an argument, a result, an op) or the name of its location; of several results of an op `name:1` is the second.

    Errors: a name that no value or several values have, a value in a region of another op, a feed that no fetch needs or whose shape is not that of a feature, a name that is given twice.

    Precondition: a module as built (before stage 1 of the dialect's invariants). Postcondition: the same; the results of @fetch are in the order of `fetches`, its fed arguments after the features.
  }];
  let options = [
    Option<"entry", "entry", "std::string", "", "the function that the values are of">,
    ListOption<"fetches", "fetches", "std::string", "names of the values that @fetch returns">,
    ListOption<"feeds", "feeds", "std::string", "names of the values that are its arguments">,
  ];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfExpandGradientsPass : Pass<"df-expand-gradients", "::mlir::ModuleOp"> {
  let summary = "expands df.gradients and df.batch_mean";
  let description = [{
    Random ops in loops get the numbers of their iterations first, as by df-decompose: the backward pass draws again what the forward pass drew.
    Reverse-mode differentiation through the rules of `DifferentiableOpInterface`, through both branches of `df.if` and by the backward functions of `df.custom_gradient`, of which the forward ones stand in their places after this pass.

    A `df.batch_mean` of losses l and weights w becomes (sum of w*l) / denominator; its denominator is the number of elements or the sum of
    weights, and a mean over nothing is 0. In a function of role train both sums pass through a `df.all_reduce`. Gradients
    are those of the *sum*: each variable's passes through a `df.all_reduce` named for the variable (in a train function) and is multiplied after it by
    1/denominator and by what stands between the mean and the loss. Terms of the loss outside any mean (regularization) are added after that. A
    loss without a mean is differentiated as it stands. With `df.scaled_by` losses of the batch, or else the loss, have cotangents times that variable, and gradients are divided by it after the `df.all_reduce`.

    The gradient of a variable that is only gathered is made of the gathers' ids and cotangents by `df.group_ids`, `df.group_sum` and
    `df.pack_rows`. Rows of ids whose shape is static, which all shards share, pass through a `df.all_reduce` of their own as they lie and are grouped and merged after it. Contributions are added in program order. No path from a variable to the loss gives zeros, with a warning.

    Precondition: stage 1 of the dialect's invariants; `df.gradients` and `df.batch_mean` stand at the top level of functions.
    Postcondition: stage 2, which the pass checks.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfScaleLossPass : Pass<"df-scale-loss", "::mlir::ModuleOp"> {
  let summary = "scales losses of precision f16_mixed, and skips steps whose gradients are not finite";
  let description = [{
    Numbers below 6e-8 are 0 in f16, and above 65504 infinite. So a module with `df.precision = #df.precision<f16_mixed>` gets a variable @loss_scale (f32, at first 2^15), by which its `df.gradients` are scaled (`df.scaled_by`). A step whose gradients, the sums over the whole batch, are not all finite
    changes no variable of floats: writes at the top level of a function with gradients become choices between the new value and the old one, those that stand before the gradients go after them. Integers count on: such a step is one, too. It halves the scale, down to 2^-30; 2,000 good steps in a row
    (@"loss_scale/good_steps") double it, up to 2^30. A training function puts the scale of the step out, by the name of the variable. All scales are powers of 2, so that gradients that fit have the bits that they would have without.

    Considered instead: a scale that the user sets. One that is right at first is too large or too small later, and infinities in the weights end a run.

    Precondition: stage 1 of the dialect's invariants. Postcondition: the same. Errors: a variable of one of these names; writes of floats in regions, and ones before the gradients that are read before them.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfRoundProductsPass : Pass<"df-round-products", "::mlir::ModuleOp"> {
  let summary = "rounds the factors of products as the module's precision says";
  let description = [{
    A module with `df.precision = #df.precision<bf16_mixed>` (`f16_mixed`) has factors of products in bf16 (f16): the first two operands of each op of contraction or convolution
    (`WorkOpInterface`) on f32 become casts to that type and back. Products are added in f32, and all other ops, variables and gradients stay as they are, those of products having
    rounded factors, too. Where each factor is used once nothing is gained, and nothing is rounded: contractions where an operand has no dimension of its own, or one of size 1 alone, and those over one product.
    `convert-df-to-linalg` takes the casts into the product. So interpreter, CPU and GPU mean the same. With `#df.precision<tf32>` factors stay f32, rounded to the nearest number (ties to even) of 10 bits after the point, and the product gets
    `df.factors = #df.precision<tf32>`, which tells that tensor cores may multiply them as they are.

    Attention that `df-decompose` kept gets its query, key and value, and the gradient of its result, rounded, and in any of these precisions `df.factors`, which is part of what it means: shares, and the scaled gradients of scores, are rounded as factors, too.

    Precondition: no composite ops but attention (`df-decompose`). Postcondition: the module has no `df.precision`.

    Considered instead: casts around all ops but a list of those that need f32, as graph rewriters of TensorFlow and autocasts of PyTorch have them. They halve what element-wise ops read and write; here an
    activation that products alone read is stored in bf16 all the same, because the cast becomes part of what makes it, and sums, residuals and gradients of weights are never rounded.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfMaterializeInitializersPass : Pass<"df-materialize-initializers", "::mlir::ModuleOp"> {
  let summary = "makes the functions that initialize variables";
  let description = [{
    Adds @init of role init, which assigns each variable of lifetime train what its initializer says, and, where there is a function of role eval_update,
    @eval_reset of role eval_reset for those of lifetime eval, which @init assigns too where there is none. Where a function of the role is there already,
    variables that it does not write get their values at its beginning. A `df.random` is named for its variable.

    Precondition: stage 1, 2 or 3 of the dialect's invariants, which stays true.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfSplitStepPass : Pass<"df-split-step", "::mlir::ModuleOp"> {
  let summary = "cuts train functions at their sums over the batch";
  let description = [{
    A function @f of role train with `df.all_reduce`s gets three siblings (docs/architecture.md, One training step, three parts):
    - @f_grad (train_grad) computes the operands of the sums, and checks the data: results bound to (sum_out, name);
    - @f_combine (train_combine) adds two sets of sums: arguments (sum_a, name) and (sum_b, name), results (sum_out, name);
    - @f_apply (train_apply) is the rest: arguments (sum_a, name), the results of @f.

    A sum of `!df.rows` is three: `<name>.ids`, `<name>.rows`, `<name>.count`. In @f itself the sums become the identity. Results whose names begin with `fetch/` are no part of @f_apply:
    @f_grad returns those that are computed of its rows and of what its sums are computed from, and no part has the others, as no task has them alone. Errors: a sum that depends
    on another; a use of rows after the sums; a read for a sum after a write of the same variable. In a module with `df.optional_parts` they are a remark (category `parts`), and
    the function stays whole, for one process.

    Precondition: stage 2 of the dialect's invariants. Postcondition: stage 3, which the pass checks.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfOutlineCalledPass : Pass<"df-outline-called", "::mlir::ModuleOp"> {
  let summary = "makes what uses variables between the waits of a region a segment that is called";
  let description = [{
    A queue op may wait for another entry, and nobody may hold a variable's lock meanwhile. In a region that holds a queue op and uses variables, the ops from the first that uses one to the next that may wait, or to the end of the
    block, become a function @f.c0, @f.c1, .. of segment kind `called`, and a `df.call` of it: it holds the locks while it runs. What it is given and gives is bound to (intermediate, `c0.a0`, ..) and
    (intermediate, `c0.r0`, ..). So each iteration of such a loop reads variables anew, and other entries see what it writes.

    Errors: a value that goes in or out and whose shape only the call knows.

    Precondition: stage 3 of the dialect's invariants, which stays true. Postcondition: no region holds a queue op and an access to a variable.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfCutAtQueuesPass : Pass<"df-cut-at-queues", "::mlir::ModuleOp"> {
  let summary = "cuts functions at their queue ops";
  let description = [{
    A queue op may wait for another entry, and the runtime holds the locks of a segment's variables while it runs. So a function @f that uses queues and variables becomes segments
    @f.0, @f.1, .. of the entry @f in program order, each of which uses queues alone or variables alone; values that cross are bound to (intermediate, `q0`, `q1`, ..). Between two
    of them other entries may run: what @f reads of a variable before and after a queue op may differ, and what it wrote before stays written if the op fails.

    Errors: queue ops in functions of a role other than train, other and init; a region that holds both (`df-outline-called` leaves none); a value that crosses and whose shape only the call knows.

    Precondition: stage 3 of the dialect's invariants, which stays true.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfStateToValuesPass : Pass<"df-state-to-values", "::mlir::ModuleOp"> {
  let summary = "makes state, settings and sparse rows values at the border of functions";
  let description = [{
    Each function gets one argument for each variable, setting and context value that it reads and one result for each
    variable that it writes, told by `df.binding`; state moves as SSA values through straight code, `df.if` and `df.while`.

    - `df.read` becomes the current value, `df.assign` sets it, `df.assign_add` and `df.assign_sub` become `df.add` and `df.sub`,
      `df.read_rows` becomes `df.gather`, `df.apply_rows` becomes `df.update_rows`.
    - `df.setting` becomes an argument, one for each path; the module attribute `df.settings` keeps the defaults by path.
    - `df.random` gets its seed and, with `like`, step and first row from the context.
    - `!df.rows` values dissolve into (ids, rows, count).
    - `df.name` of arguments and results becomes a binding to a feature or output; that of other values goes.
    - A variable that ends with the value it was read with is not returned.

    Precondition: stage 3 of the dialect's invariants. Postcondition: stage 4, which the pass checks.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfSimplifyPass : Pass<"df-simplify"> {
  let summary = "rewrites that keep every bit of the results";
  let description = [{
    Until nothing changes:
    - ops of constants fold by the interpreter's rules where compiled code has the same bits;
    - algebra: x * 1, x / 1, x - 0, -(-x), x - -y, division by a power of two, selects with one outcome, casts of casts that widen. Nothing that IEEE 754 does not
      allow for all values: x + 0 stays;
    - transposes, reshapes and broadcasts move after element-wise ops, where they cancel, transposes into products; slices of concatenations and concatenations of slices;
    - what is computed of a shape that is known has a static type; `like` operands and sizes come from the earliest value of the shape;
    - branches with known outcomes and loops of no or one iteration vanish; results, carried values and sequences that nothing needs go, as do carried values that stay;
    - ops that do not depend on the iteration, cannot fail and cost more than they save move before the loop;
    - reads of variables become the value assigned or read before, assignments that nothing sees go: ops on different variables do not matter to each other;
    - equal ops become one, dead ops go.

    Run twice it changes nothing more. Holds at every stage.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfFoldBatchNormPass : Pass<"df-fold-batch-norm"> {
  let summary = "puts batch normalization by given statistics into the weights before it";
  let description = [{
    In functions of roles predict and eval_update, for `df.matmul` and `df.conv` of f32 or f64 with weights of static shape, with or without a bias after:
    ((x w + b) - mean) * f + offset with f = scale / sqrt(variance + epsilon) becomes x (w f) + ((b - mean) * f + offset). Work on the weights instead of on each example. Changes the
    rounding, by a few eps of the sum of magnitudes: so no pipeline runs it unasked. Precondition: stage 1, before df-decompose.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfRemoveDeadStatePass : Pass<"df-remove-dead-state", "::mlir::ModuleOp"> {
  let summary = "removes variables that nothing reads";
  let description = [{
    With them go their assignments, and what is computed for these alone. A variable is read by ops that use its value, by `df.apply_rows`, slots of it, `df.gradients` and bindings. Those of lifetime eval go if nothing
    reads them; those of lifetime train, which a checkpoint holds, if moreover nothing writes them and they are not trainable; with `checkpointed` they go like the others, and with
    them what checkpoints have of them.
  }];
  let options = [Option<"checkpointed", "checkpointed", "bool", "false", "variables that checkpoints hold, too">];
}

def DfOutlineFeaturesPass : Pass<"df-outline-features", "::mlir::ModuleOp"> {
  let summary = "makes entries lists of segments, with the work on features ahead of the step";
  let description = [{
    Ops that depend on features and constants alone, and whose results are integers, truth values or strings, are work for the threads
    that read input: fingerprints, lookups, crosses, buckets, checks of ids, grouping of equal ids, and what is made of them.
    A function @f with such work becomes @f.features (segment features), which holds it, and @f.step (segment step), the rest. What
    the step uses of it is a result bound to (intermediate, `i0`, `i1`, ..) of the one and an argument of the other; features that the
    step does not use vanish from it. Any other function becomes one segment of kind step under its own name.

    Before that, ids that data may get wrong (`BoundedIdsOpInterface`: indices of gathers and scatters, labels) pass through a `df.check_ids` where all elements of what they were made of (by moves alone) are those of rows of the
    batch or values of a multi-valued feature, and come from features alone: the error names the row of the data, and the step has no check. An op whose ids, groups or ends are known to be in range whatever the data gets `df.in_bounds`: those that `df.hash_bucket`, `df.lookup`, `df.check_ids` and the like bound, that `df.group_ids` or
    `df.merge_rows` makes, or that are the ends of a multi-valued feature. Code checks the others when it runs. Marks that stood there are replaced.

    Precondition: stage 4 of the dialect's invariants. Postcondition: stage 5, which the pass checks.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfFindPullsPass : Pass<"df-find-pulls", "::mlir::ModuleOp"> {
  let summary = "finds the rows of variables that gradients and summaries need";
  let description = [{
    A training task of a cluster takes only the rows of a table that its step needs, if it knows them before the step. In the step segments of train_grad and summary an argument bound to a variable gets the attribute
    `df.pulled_by`, the names of intermediates of the features segment, if all rows that are read of it are named by these: gathers along dimension 0 are all that uses it, in loops and branches, too,
    and each of their ids is an element of a value that is made of features, dimensions, constants and the context (seed, step, row) alone. Such a value is moved to the features segment, with all it is made of, if
    it is not there yet: classes that a sampler draws, say. Ids are followed through ops that pick or move elements (reshapes, transposes, slices, concatenations, selections, gathers), through what loops carry and stack, and through branches;
    more may be named than are read. Ids that are all negative name no row. An argument bound to such an intermediate that the segment uses for nothing else gets `df.names_rows`: the runtime may give rows other numbers, and hold those of a
    batch alone.

    Otherwise the variable stays as it is: all of it is needed. If some of its rows are read by ids, a remark at the op that keeps it whole says so.

    Precondition: stage 5 of the dialect's invariants. Postcondition: the same; the function computes what it did, from the rows named alone.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfSplitUpdatePass : Pass<"df-split-update", "::mlir::ModuleOp"> {
  let summary = "cuts updates into functions over ranges of rows and one of what they share";
  let description = [{
    Several servers hold the variables of a model, each a range of the rows of each. A function @f_apply (train_apply) stays, and gets siblings that do together what it does, whatever the ranges, with the same bits:
    - @f_update.GROUP (train_update), for each group of variables that belong together row by row (a variable, its slots, its sum): takes a range of their rows, and of their dense sums, as dimension 0, whose symbol
      is free in the module; of a sparse sum the entries whose ids lie in the range, ids relative to its begin; what it needs of the shared values. Returns the new rows.
    - @f_shared (train_shared): all else. Outputs, scalar variables, and the variables whose updates are not of rows, whole; results bound to (shared, `s0`, `s1`, ..) are what updates need.
    - @f_partial.GROUP (train_partial), where what is shared depends on rows (a norm): a value for each row of a range, or each entry of a sparse sum, bound to (shared, ..). Those of all ranges, in their order, of a
      sparse sum those entries that count, are an argument of @f_shared.

    Where sums of rows depend on what is shared, stages follow each other: @f_shared.0, @f_partial.0.GROUP, @f_shared.1, .., the updates last. What of this may run twice (in any order of ranges within a stage) writes nothing
    but its range. Which values are of rows is told by a walk (RowLocality.h); an update that is not of rows keeps its group whole, with a remark that names the op.

    A function of role init is cut, too: what it gives a variable with rows element by element, of splats and of random numbers that are counted by the linear index, becomes a segment of its own of the entry (SplitInit.h),
    @init.VARIABLE, that writes the rows its buffer has, from `first_row` of the context on.

    First, a df.reduce_sum over rows and other dimensions at once becomes one within rows and one over rows, in all functions of the step.

    Precondition: stage 5 of the dialect's invariants, which stays true.
  }];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

def DfRefineTypesPass : Pass<"df-refine-types", "::mlir::ModuleOp"> {
  let summary = "types say of a dimension what one of them knows";
  let description = [{
    Operands and results of an op know different sizes of one dimension (`DimensionsOpInterface`) in modules as they are
    built. Results whose dimension an operand knows get the better type, and so do sizes that an op computes of what is
    known now (`InferTypeOpInterface`); uses that need the type that was (of returns and state, and of ops to which the
    dimension means something else) have it by a `df.cast_shape`. An operand of which another one, or the declared type of
    a result, knows more comes by a `df.cast_shape`, which is checked at run time (`df-require-sizes`).

    Results of a `df.if` know what both regions yield. What a loop carries knows what holds of the initial value and of
    what each iteration yields; rows and stacked results of a `df.scan` know what its sequences and its body do. Arguments
    of functions that are called (`df.call`) know what all callers pass, and results of calls what the function gives.
    Entry functions keep the types that they declare.

    Precondition: none. Postcondition: in each set of dimensions that an op tells to be equally large all types know the
    size, or none.
  }];
}

def DfFuseHorizontallyPass : Pass<"df-fuse-horizontally", "::mlc::df::FunctionOp"> {
  let summary = "computations that are alike become one, of tensors beside each other";
  let description = [{
    A wide model computes the same of each of its columns: parts of a concatenation are normalized alike, variables of one shape have one optimizer. What is element by element the same ops with the same
    attributes is computed once, of the concatenation of what the computations start from: operands of a `df.concat` that stand beside each other, and results of the function, which become slices of one value.
    Numbers that differ become a constant vector. Values of which each is large stay apart (above 1 KiB of a static type), as copying them would cost more than it saves, and so do fewer than four. Each element is computed by the same ops as before.

    Precondition: stage 5 of the dialect's invariants. Postcondition: the same.
  }];
}

def DfRequireSizesPass : Pass<"df-require-sizes", "::mlc::df::FunctionOp"> {
  let summary = "checks at run time that dynamic sizes agree where nothing says so";
  let description = [{
    Where an op needs two dimensions to be equally large (operands of an element-wise op, inner dimensions of a product, what a loop carries), and neither their types, nor the dimension symbols, nor the values that the
    sizes come from show that they are, a `df.require_same_size` goes in front of it. Compiled code relies on it: it takes a size from one operand.
    One check serves all ops after it in its region and those within.

    Precondition: stage 5 of the dialect's invariants. Postcondition: the same; every pair of dimensions that must agree is known to, or checked.
  }];
}

def DfVerifyStagePass : Pass<"df-verify-stage", "::mlir::ModuleOp"> {
  let summary = "checks what holds after a stage of the lowering";
  let description = [{ Checks the dialect's invariants (DfDialect.td) of `stage` and of those before it; changes nothing. }];
  let options = [Option<"stage", "stage", "::mlc::df::Stage", /*default=*/"::mlc::df::Stage::Segments", "the stage reached",
    [{::llvm::cl::values(
        clEnumValN(::mlc::df::Stage::Expanded, "expanded", "after df-expand-gradients"),
        clEnumValN(::mlc::df::Stage::Split, "split", "after df-split-step"),
        clEnumValN(::mlc::df::Stage::Values, "values", "after df-state-to-values"),
        clEnumValN(::mlc::df::Stage::Segments, "segments", "after df-outline-features"))}]>];
}

def DfBatchLossesPass : Pass<"df-batch-losses", "::mlir::ModuleOp"> {
  let summary = "means and sums over the batch that losses are made of become df.batch_mean";
  let description = [{
    `df.batch_mean` is the reduction that virtual shards and tasks share. A `df.reduce_mean` or `df.reduce_sum` over all elements of a tensor whose first dimension is the batch's rows becomes one, at the top level of a training function, where a loss that gradients are taken of is made of it by ops on
    scalars, and nothing but scalars is made of it. So what is written with a plain mean, as models for TensorFlow are, has a step in parts, if all else of it can be cut: of a step without any `df.batch_mean` these are optional (`df.optional_parts`).

    Left as they are: reductions that rows need (a batch's statistics), those of other sizes than the rows alone, and in regions.

    Precondition: stage 1 of the dialect's invariants; types are refined, symbols numbered. Postcondition: the same.
  }];
  let statistics = [Statistic<"numReplaced", "replaced", "Reductions that became df.batch_mean">];
  let dependentDialects = ["::mlc::df::DfDialect"];
}

#endif // DF_PASSES_TD

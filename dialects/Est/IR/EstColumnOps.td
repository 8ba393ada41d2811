//===- Ops of the est dialect: the columns of the input and the feature columns made of them. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_COLUMN_OPS
#define MLC_EST_COLUMN_OPS

include "dialects/Est/IR/EstBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Est_FeatureOp : Est_Op<"feature", [Pure, HasParent<"EstimatorOp">]> {
  let summary = "A column of the input";
  let description = [{
    `name` is the column's name in the input. `categorical` says that an empty cell is a row without a value ('' of a
    string column, -1 of an integer column); otherwise a missing cell takes `default_value` (as text, as a file would
    have it), and is an error of the row if there is none. A label or a weight is never categorical. `of` a multi-valued
    feature "x" stands its "x.weight": a float32 for each of its values.

    Example:

    ```mlir
    est.estimator @example compat(tf2) {
      %age = est.feature "age" : !est.feature<float32>
      %rooms = est.feature "rooms" default_value "5" : !est.feature<float32>
      %job = est.feature "occupation" categorical : !est.feature<string>
      %label = est.feature "income" role(label) : !est.feature<string>
      %n = est.numeric "age" of %age : !est.feature<float32> -> !est.dense<1>
      %v = est.numeric "rooms" of %rooms : !est.feature<float32> -> !est.dense<1>
      %w = est.hash_bucket "occupation" of %job : !est.feature<string> -> !est.categorical<100>
      %l = est.linear (%n, %v, %w) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
        : (!est.dense<1>, !est.dense<1>, !est.categorical<100>) -> !est.logits<1>
      est.binary_class_head "income" (%l) label %label vocabulary(["<=50K", ">50K"]) reduction(sum_over_batch_size)
        : (!est.logits<1>), !est.feature<string>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$categorical, OptionalAttr<StrAttr>:$default_value,
                       DefaultValuedAttr<Est_RoleAttr, "Role::Feature">:$role, Optional<Est_FeatureType>:$values);
  let results = (outs Est_FeatureType:$value);
  let assemblyFormat = [{
    $name (`role` `(` $role^ `)`)? (`categorical` $categorical^)? (`default_value` $default_value^)?
    (`of` $values^ `:` qualified(type($values)))? attr-dict `:` qualified(type($value))
  }];
  let hasVerifier = 1;
}

/// Numbers that stand for ids, joined for each row, or one step for each value.
def Est_DenseOrSequence : AnyTypeOf<[Est_DenseType, Est_SequenceType]>;
class Est_DeclarationOf<string text> { string declaration = text; }
def Est_OfIds : Est_DeclarationOf<[{
    /// Whether each value of the feature is a step.
    bool isSequence() { return ::llvm::isa<::mlc::est::SequenceType>(getValue().getType()); }
    /// Numbers per row, or per step.
    int64_t getDimension() { return ::mlc::est::getDimension(getValue().getType()); }
  }]>;

/// A feature column. Its `name` is reference, part of variable names and sort key; getColumnName(value) finds it.
class Est_ColumnOp<string mnemonic> : Est_Op<mnemonic, [Pure]>;

/// A column whose normalizer may be a function.
class Est_NormalizedColumnOp<string mnemonic>
    : Est_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Est_NumericOp : Est_NormalizedColumnOp<"numeric"> {
  let summary = "A number, or a fixed number of them, as a dense column";
  let description = [{
    The cell, normalized if a normalizer is given, as float32; of a feature with a shape, its elements in row-major order.
    The arithmetic of the normalizer is that of float32.

    A normalizer may be a function that stands beside the estimator: of the numbers of all rows, tensor<?x1xf32> of single
    numbers, tensor<?xDxf32> for each dimension D of a feature with a shape, to as many. It has one block, and its ops
    have no effects.

    Example:

    ```mlir
    %0 = est.numeric "age" of %age normalizer(#est.z_score<mean = 38.58, stddev = 13.64>)
      : !est.feature<float32> -> !est.dense<1>
    %1 = est.numeric "fare" of %fare normalizer(@"normalizer/fare") : !est.feature<float32> -> !est.dense<1>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_NumericFeature:$feature,
                       OptionalAttr<Est_NumericNormalizerAttr>:$normalizer);
  let results = (outs Est_DenseType:$value);
  let assemblyFormat = [{
    $name `of` $feature (`normalizer` `(` $normalizer^ `)`)? attr-dict
    `:` qualified(type($feature)) `->` qualified(type($value))
  }];
  let hasVerifier = 1;
}

def Est_SequenceNumericOp : Est_ColumnOp<"sequence_numeric"> {
  let summary = "The numbers of a row, one for each step";
  let description = [{
    The values of the row, normalized if a normalizer is given, as float32.

    Example:

    ```mlir
    %0 = est.sequence_numeric "price" of %price normalizer(#est.log1p) : !est.feature<?xfloat32> -> !est.sequence<1>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_NumberListFeature:$feature, OptionalAttr<Est_NormalizerAttr>:$normalizer);
  let results = (outs Est_SequenceType:$value);
  let assemblyFormat = [{
    $name `of` $feature (`normalizer` `(` $normalizer^ `)`)? attr-dict
    `:` qualified(type($feature)) `->` qualified(type($value))
  }];
  let hasVerifier = 1;
}

def Est_BucketizedOp : Est_NormalizedColumnOp<"bucketized"> {
  let summary = "The interval a number lies in, as an id";
  let description = [{
    The id is the number of boundaries that are not above the value, normalized if a normalizer is given (compared in
    float32): k boundaries make k + 1 buckets. Normalizers are those of est.numeric; that of a numeric column over the same feature does not apply by
    itself. A feature of several numbers per row has an id for each: number i has the ids from (k + 1) i on.

    Example:

    ```mlir
    %0 = est.bucketized "age_bucketized" of %age boundaries [18.0, 25.0, 30.0]
      : !est.feature<float32> -> !est.categorical<4>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_NumericFeature:$feature,
                       OptionalAttr<Est_NumericNormalizerAttr>:$normalizer, DenseF32ArrayAttr:$boundaries);
  let results = (outs Est_CategoricalType:$ids);
  let assemblyFormat = [{
    $name `of` $feature (`normalizer` `(` $normalizer^ `)`)? `boundaries` $boundaries attr-dict
    `:` qualified(type($feature)) `->` qualified(type($ids))
  }];
  let hasVerifier = 1;
}

def Est_VocabularyOp : Est_ColumnOp<"vocabulary"> {
  let summary = "The position of a cell in a list of terms";
  let description = [{
    A term's id is its position. Another value becomes Fingerprint64(text of the value) mod num_oov_buckets + number of
    terms if `num_oov_buckets` is above 0, else `default_value`; -1 is no value. A missing cell is no value. `file` tells
    where the terms were read from; the terms themselves always stand here.

    Example:

    ```mlir
    %0 = est.vocabulary "gender" of %gender terms(["Female", "Male"]) num_oov_buckets 1
      : !est.feature<string> -> !est.categorical<3>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_DiscreteFeature:$feature, Est_TermsAttr:$terms,
                       DefaultValuedAttr<ConfinedAttr<Est_IdAttr, [IntNonNegative]>, "0">:$num_oov_buckets,
                       DefaultValuedAttr<Est_IdAttr, "-1">:$default_value, OptionalAttr<StrAttr>:$file);
  let results = (outs Est_CategoricalType:$ids);
  let assemblyFormat = [{
    $name `of` $feature `terms` `(` $terms `)` (`num_oov_buckets` $num_oov_buckets^)? (`default_value` $default_value^)?
    (`file` $file^)? attr-dict `:` qualified(type($feature)) `->` qualified(type($ids))
  }];
  let hasVerifier = 1;
}

def Est_HashBucketOp : Est_ColumnOp<"hash_bucket"> {
  let summary = "The hash of a cell, as an id";
  let description = [{
    Fingerprint64(text of the cell) mod number of buckets, unsigned; the text of an integer is its decimal digits. A
    missing cell is no value.

    Example:

    ```mlir
    %0 = est.hash_bucket "occupation" of %occupation : !est.feature<string> -> !est.categorical<1000>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_DiscreteFeature:$feature);
  let results = (outs Est_CategoricalType:$ids);
  let assemblyFormat = "$name `of` $feature attr-dict `:` qualified(type($feature)) `->` qualified(type($ids))";
}

def Est_IdentityOp : Est_ColumnOp<"identity"> {
  let summary = "An integer cell that is the id itself";
  let description = [{
    A value outside [0, number of buckets) becomes `default_value`, and is an error of the row if there is none. A
    missing cell is no value.

    Example:

    ```mlir
    %0 = est.identity "age" of %age default_value 0 : !est.feature<int64> -> !est.categorical<100>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_IntegerFeature:$feature, OptionalAttr<Est_IdAttr>:$default_value);
  let results = (outs Est_CategoricalType:$ids);
  let assemblyFormat = [{
    $name `of` $feature (`default_value` $default_value^)? attr-dict
    `:` qualified(type($feature)) `->` qualified(type($ids))
  }];
  let hasVerifier = 1;
}

def Est_CrossedOp : Est_ColumnOp<"crossed"> {
  let summary = "The hash of a combination of values, as an id";
  let description = [{
    acc = hash_key; acc = FingerprintCat64(acc, h) for each term; id = acc mod number of buckets, unsigned. h is
    Fingerprint64 of a string and the id itself of a categorical column. The fold goes over the sparse terms first, which
    are categorical columns and multi-valued features, and the raw string features of one value per row after them, each
    in the order of the operands; the name is sorted, the fold is not. A row has an id for each combination of the values
    of its terms, the last term of the fold running fastest. An empty string of one value per row is a value here, and so is
    what is in no vocabulary, with the id -1; a combination with a term that has no value has none itself. Nested crosses
    are flattened before; a hashed column cannot be a term.

    Example:

    ```mlir
    %0 = est.crossed "age_bucketized_X_education" of (%age_bucketized, %education) hash_key 0xDECAFCAFFE
      : (!est.categorical<11>, !est.feature<string>) -> !est.categorical<1000>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyTypeOf<[Est_FeatureType, Est_CategoricalType]>>:$terms,
                       Est_IdAttr:$hash_key);
  let results = (outs Est_CategoricalType:$ids);
  let assemblyFormat = [{
    $name `of` `(` $terms `)` `hash_key` $hash_key attr-dict
    `:` `(` qualified(type($terms)) `)` `->` qualified(type($ids))
  }];
  let hasVerifier = 1;
}

def Est_WeightedOp : Est_ColumnOp<"weighted"> {
  let summary = "A categorical column whose values have weights";
  let description = [{
    The weight of a value multiplies what stands for its id before it is combined: sum(w v), sum(w v) / sum(w) for mean,
    sum(w v) / sqrt(sum(w^2)) for sqrtn; in an indicator weights are summed. For other combiners than sum a value of
    weight <= 0 is no value. `weight` is a number per row, or of a multi-valued column the weights of its feature's values.

    Example:

    ```mlir
    %0 = est.weighted "tags_weighted_by_tags.weight" of %tags weight %w
      : !est.categorical<1000>, !est.feature<?xfloat32> -> !est.categorical<1000>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_CategoricalType:$ids, Est_FeatureType:$weight);
  let results = (outs Est_CategoricalType:$value);
  let assemblyFormat = [{
    $name `of` $ids `weight` $weight attr-dict
    `:` qualified(type($ids)) `,` qualified(type($weight)) `->` qualified(type($value))
  }];
  let hasVerifier = 1;
}

def Est_StepsOp : Est_ColumnOp<"steps"> {
  let summary = "A categorical column of which a step of a sequence has any number of values";
  let description = [{
    Step i of a row has as many of the row's values as the row's number i of `lengths` says, from where the step before it
    ends; 0 is a step without values. An embedding joins the rows of a step's ids by its combiner, an indicator counts them.
    Without this op each value is a step. A row whose lengths do not add up to the number of its values, or one below 0,
    fails the step.

    Example:

    ```mlir
    %0 = est.steps "topics_of_topics.lengths" of %topics lengths %lengths
      : !est.categorical<3>, !est.feature<?xint64> -> !est.categorical<3>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_CategoricalType:$ids, Est_IntegerListFeature:$lengths);
  let results = (outs Est_CategoricalType:$value);
  let assemblyFormat = [{
    $name `of` $ids `lengths` $lengths attr-dict
    `:` qualified(type($ids)) `,` qualified(type($lengths)) `->` qualified(type($value))
  }];
  let hasVerifier = 1;
}

def Est_IndicatorOp : Est_ColumnOp<"indicator"> {
  let summary = "How often each id occurs in the row, as a dense column";
  let description = [{
    A row without a value is all zeros. A bucketized column that a dnn takes directly becomes an indicator of its name.
    With a result of type `!est.sequence` each value of a multi-valued feature is a step of its own, or each part of them
    that `est.steps` makes.

    Example:

    ```mlir
    %0 = est.indicator "gender_indicator" of %gender : !est.categorical<2> -> !est.dense<2>
    ```
  }];
  let arguments = (ins StrAttr:$name, Est_CategoricalType:$ids);
  let results = (outs Est_DenseOrSequence:$value);
  let assemblyFormat = "$name `of` $ids attr-dict `:` qualified(type($ids)) `->` qualified(type($value))";
  let hasVerifier = 1;
  let extraClassDeclaration = Est_OfIds.declaration;
}

def Est_EmbeddingOp : Est_ColumnOp<"embedding"> {
  let summary = "A trained row of numbers per id, as a dense column";
  let description = [{
    The table has as many rows as there are ids. A row of the batch without a value becomes zeros. `combiner` joins the
    rows of several ids; for one id without a weight all of them are the row itself. A row longer than `max_norm` (L2) is
    scaled to that length where it is looked up, before rows are combined. Columns of one `shared` name have one table,
    and everything but ids, name and whether they are sequences alike. `regularizer` acts on the whole
    table at each step, with sparse_update(lazy) on the step's rows. With a result of type `!est.sequence` each value of a
    multi-valued feature is a step of its own, and nothing is combined, or those of each step that `est.steps` makes are.

    Example:

    ```mlir
    %0 = est.embedding "occupation_embedding" of %occupation combiner(mean)
      initializer(#est.truncated_normal<mean = 0.0, stddev = 0.25>) sparse_update(exact)
      : !est.categorical<1000> -> !est.dense<16>
    ```
  }];
  let hasVerifier = 1;
  let arguments = (ins StrAttr:$name, Est_CategoricalType:$ids, Est_CombinerAttr:$combiner,
                       Est_InitializerAttr:$initializer, Est_SparseUpdateAttr:$sparse_update,
                       OptionalAttr<Est_RegularizerAttr>:$regularizer, UnitAttr:$frozen,
                       OptionalAttr<F64Attr>:$max_norm, OptionalAttr<StrAttr>:$shared);
  let results = (outs Est_DenseOrSequence:$value);
  let extraClassDeclaration = Est_OfIds.declaration;
  let assemblyFormat = [{
    $name `of` $ids `combiner` `(` $combiner `)` `initializer` `(` $initializer `)` `sparse_update` `(` $sparse_update `)`
    (`regularizer` `(` $regularizer^ `)`)? (`frozen` $frozen^)? (`max_norm` `(` $max_norm^ `)`)? (`shared` `(` $shared^ `)`)? attr-dict `:` qualified(type($ids)) `->` qualified(type($value))
  }];
}

#endif // MLC_EST_COLUMN_OPS

//===- ComposedColumnsTest.cpp - Weighted, shared and crossed feature columns ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/Unit/compiler/Frontend/SpecTesting.h"

#include "dialects/Est/IR/Est.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc;
using namespace mlc::frontend;
using testing::HasSubstr;

/// A spec of inputs of all shapes with `columns`, all of which the model `body` { feature_columns: `taken` ... } takes.
static std::string specOf(const std::string &columns, const std::string &body = "linear",
                          const std::string &taken = "\"*\"") {
  return R"(input {
  csv { header: true }
  column { name: ["a", "b", "c"]  dtype: STRING }
  column { name: "tags"  dtype: STRING  multi_value { weight_separator: ":" } }
  column { name: "words"  dtype: STRING  multi_value {} }
  column { name: "codes"  dtype: INT64  multi_value {} }
  column { name: "zip"  dtype: INT64 }
  column { name: "x"  dtype: FLOAT32 }
  column { name: "v"  dtype: FLOAT32  shape: 3 }
  column { name: "y"  dtype: FLOAT32 }
}
feature_column { categorical_with_hash_bucket { key: ["a", "b", "tags", "words"]  hash_bucket_size: 10 } }
feature_column { categorical_with_hash_bucket { key: "c"  hash_bucket_size: 11 } }
feature_column { numeric { key: ["x", "v"] } }
)" + columns +
         "model { " + body + " { feature_columns: " + taken + (body == "dnn" ? " hidden_units: 2" : "") +
         " } }\nhead { label: \"y\"  regression {} }\n";
}

/// The est ops of a spec, which must be right; of its errors else.
static std::string opsOf(const std::string &text) {
  mlir::MLIRContext context;
  common::MessageList messages;
  auto module = importEstimatorSpec(text, &context, {"s.pbtxt", "/specs"}, messages);
  return module ? textOf(*module) : messages.format();
}

TEST(WeightedCategorical, TakesTheWeightsOfValuesAndOfRows) {
  std::string ops = opsOf(specOf(
      "feature_column { weighted_categorical { categorical_column: \"tags\"  weight_feature_key: \"tags.weight\" } }"
      "feature_column { name: \"twice\"  weighted_categorical { categorical_column: \"tags\""
      "  weight_feature_key: \"tags.weight\" } }"
      "feature_column { weighted_categorical { categorical_column: \"a\"  weight_feature_key: \"x\" } }"));
  EXPECT_THAT(ops, HasSubstr("est.feature \"tags.weight\" of %3 : !est.feature<?xstring> : !est.feature<?xfloat32>"));
  EXPECT_EQ(ops.find("\"tags.weight\" of"), ops.rfind("\"tags.weight\" of")) << "one feature for both columns";
  EXPECT_THAT(ops, HasSubstr("est.weighted \"tags_weighted_by_tags.weight\" of"));
  EXPECT_THAT(ops, HasSubstr("est.weighted \"twice\" of"));
  EXPECT_THAT(ops, HasSubstr("est.weighted \"a_weighted_by_x\" of"));
}

TEST(WeightedCategorical, Errors) {
  auto errors = [](const std::string &column, const std::string &key) {
    return opsOf(specOf("feature_column { bucketized { source_column: \"v\"  boundaries: 0 } }"
                        "feature_column { crossed { term { key: \"a\" } term { key: \"words\" } hash_bucket_size: 9 } }"
                        "feature_column { weighted_categorical { categorical_column: \"" +
                        column + "\"  weight_feature_key: \"" + key + "\" } }"));
  };
  EXPECT_THAT(errors("tags", "x"), HasSubstr("'x' cannot be the weights of the values of 'tags'"));
  EXPECT_THAT(errors("tags", "x"), HasSubstr("expected: 'tags.weight', the weights that stand after the values"));
  EXPECT_THAT(errors("words", "words.weight"), HasSubstr("the values of 'words' have no weights"));
  EXPECT_THAT(errors("words", "words.weight"), HasSubstr("give 'words' a weight_separator"));
  EXPECT_THAT(errors("a", "zip"), HasSubstr("'zip' is INT64; a weight is FLOAT32 or FLOAT64"));
  EXPECT_THAT(errors("a", "v"), HasSubstr("'v' has 3 values per row; a weight of one id per row takes one"));
  EXPECT_THAT(errors("a", "w"), HasSubstr("needs the input column 'w', which is not declared"));
  EXPECT_THAT(errors("x", "x"), HasSubstr("'x' is dense; weighted_categorical takes a categorical column without"));
  EXPECT_THAT(errors("v_bucketized", "x"), HasSubstr("'v_bucketized' has several ids per row, which have no weights"));
  EXPECT_THAT(errors("a_X_words", "x"), HasSubstr("'a_X_words' has several ids per row, which have no weights"));
  EXPECT_THAT(errors("a", "y"), HasSubstr("label 'y' is used as a feature"));
}

TEST(SharedEmbeddings, OneTableUnderTheNameThatTfDerives) {
  std::string ops =
      opsOf(specOf("feature_column { shared_embeddings { categorical_columns: [\"words\", \"b\", \"a\"]"
                   "  dimension: 4  max_norm: 2.5  combiner: SUM  sparse_update: LAZY  trainable: false } }",
                   "dnn", "\"*_embedding\""));
  for (const char *name : {"a", "b", "words"})
    EXPECT_THAT(ops, HasSubstr("est.embedding \"" + std::string(name) + "_shared_embedding\" of"));
  EXPECT_THAT(ops, HasSubstr("combiner(sum) initializer(#est.truncated_normal<mean = 0.000000e+00 : f64, stddev = "
                             "5.000000e-01 : f64>) sparse_update(lazy) frozen max_norm(2.500000e+00) "
                             "shared(\"a_b_words_shared_embedding\")"));
  ops = opsOf(specOf("feature_column { shared_embeddings { categorical_columns: [\"a\", \"b\"]  dimension: 4"
                     "  shared_embedding_collection_name: \"both\" } }",
                     "dnn", "\"*_embedding\""));
  EXPECT_THAT(ops, HasSubstr("shared(\"both\")"));
}

/// One penalty and one setting for the table, whatever the number of its columns.
TEST(SharedEmbeddings, Regularizer) {
  auto ops = [](const std::string &more) {
    return opsOf(specOf("feature_column { shared_embeddings { categorical_columns: [\"a\", \"b\"]  dimension: 4"
                        "  shared_embedding_collection_name: \"both\"  regularizer { l2: 0.5 }" +
                            more + " } }",
                        "dnn", "\"*_embedding\""));
  };
  EXPECT_THAT(ops(""), HasSubstr("\"feature_column.both.shared_embeddings.regularizer.l2\" = 5.000000e-01"));
  EXPECT_THAT(ops("  trainable: false"), HasSubstr("'regularizer' is set for 'a_shared_embedding', whose rows"));
}

TEST(SharedEmbeddings, OfWeightedColumns) {
  std::string ops =
      opsOf(specOf("feature_column { name: \"w\"  weighted_categorical { categorical_column: \"tags\""
                   "  weight_feature_key: \"tags.weight\" } }"
                   "feature_column { shared_embeddings { categorical_columns: [\"w\", \"a\"]  dimension: 4 } }",
                   "dnn", "\"*_embedding\""));
  EXPECT_THAT(ops, HasSubstr("est.embedding \"w_shared_embedding\" of"));
  EXPECT_THAT(ops, HasSubstr("shared(\"a_w_shared_embedding\")"));
}

TEST(SharedEmbeddings, Errors) {
  auto errors = [](const std::string &more, const std::string &columns) {
    return opsOf(
        specOf(more + "feature_column { shared_embeddings { categorical_columns: [" + columns + "]  dimension: 4 } }",
               "dnn", "\"*_embedding\""));
  };
  EXPECT_THAT(errors("", "\"a\", \"c\""),
              HasSubstr("'c' has 11 ids, 'a' has 10; columns that share a table have equally many"));
  EXPECT_THAT(errors("", "\"a\""), HasSubstr("'categorical_columns' names one column"));
  EXPECT_THAT(errors("", "\"a\", \"a\""), HasSubstr("feature column 'a_shared_embedding' is defined twice"));
  EXPECT_THAT(errors("", "\"a\", \"x\""), HasSubstr("'x' is dense; shared_embeddings takes a categorical column"));
  EXPECT_THAT(errors("feature_column { name: \"a_b_shared_embedding\"  embedding { categorical_column: \"a\" "
                     "dimension: 2 } }",
                     "\"a\", \"b\""),
              HasSubstr("two tables have the name 'a_b_shared_embedding'"));
  EXPECT_THAT(opsOf(specOf("feature_column { shared_embeddings { categorical_columns: [\"a\", \"b\"]  dimension: 4"
                           "  max_norm: 0 } }",
                           "dnn", "\"*_embedding\"")),
              HasSubstr("'max_norm' cannot be 0"));
}

TEST(Crossed, OfMultiValuedColumns) {
  std::string ops =
      opsOf(specOf("feature_column { categorical_with_identity { key: \"codes\"  num_buckets: 9 } }"
                   "feature_column { crossed { term { key: \"a\" } term { key: \"words\" } term { column: \"codes\" }"
                   "  hash_bucket_size: 9 } }"));
  EXPECT_THAT(ops, HasSubstr("est.crossed \"a_X_codes_X_words\" of("));
  EXPECT_THAT(ops,
              HasSubstr("(!est.feature<string>, !est.feature<?xstring>, !est.categorical<9>) -> !est.categorical<9>"));
  // Without default_value: an id out of range is an error of its row.
  EXPECT_THAT(ops, HasSubstr("est.identity \"codes\" of %"));
  EXPECT_THAT(
      opsOf(specOf("feature_column { name: \"w\"  weighted_categorical { categorical_column: \"tags\""
                   "  weight_feature_key: \"tags.weight\" } }"
                   "feature_column { crossed { term { key: \"a\" } term { column: \"w\" } hash_bucket_size: 9 } }")),
      HasSubstr("a cross takes no weights:  term { column: \"tags\" }"));
}

TEST(Bucketized, OfSeveralNumbersHasIdsForEach) {
  EXPECT_THAT(opsOf(specOf("feature_column { bucketized { source_column: \"v\"  boundaries: [0, 1] } }")),
              HasSubstr("boundaries [0.000000e+00, 1.000000e+00] : !est.feature<3xfloat32> -> !est.categorical<9>"));
}

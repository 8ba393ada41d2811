//===- RecurrentModelTest.cpp - Models of sequences ----------------------------===//
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

/// A spec of sequences with `columns`, whose model is an rnn with the fields `body`.
static std::string specOf(const std::string &body, const std::string &columns = "", const std::string &more = "") {
  return R"(input {
  csv { header: true }
  column { name: ["word", "city"]  dtype: STRING  multi_value {} }
  column { name: "price"  dtype: FLOAT32  multi_value {} }
  column { name: "count"  dtype: INT64  multi_value {} }
  column { name: "last"  dtype: STRING }
  column { name: "age"  dtype: FLOAT32 }
  column { name: "y"  dtype: INT64 }
}
feature_column { categorical_with_hash_bucket { key: ["word", "city", "last"]  hash_bucket_size: 10 } }
feature_column { embedding { categorical_column: ["word", "last"]  dimension: 4 } }
feature_column { indicator { categorical_column: "city" } }
feature_column { sequence_numeric { key: "price"  log1p {} } }
feature_column { numeric { key: "age" } }
)" + columns +
         "model { rnn { " + body + " } }\nhead { label: \"y\"  binary_class {} }\n" + more;
}

/// The est ops of a spec, which must be right; of its errors else.
static std::string opsOf(const std::string &text) {
  mlir::MLIRContext context;
  common::MessageList messages;
  auto module = importEstimatorSpec(text, &context, {"s.pbtxt", "/specs"}, messages);
  return module ? textOf(*module) : messages.format();
}

TEST(RecurrentModel, SequencesAndContextByName) {
  std::string ops =
      opsOf(specOf("sequence_feature_columns: [\"word_embedding\", \"price\"]"
                   " context_feature_columns: [\"city_indicator\", \"age\"] units: [8, 4] cell_type: GRU"));
  EXPECT_THAT(ops, HasSubstr("est.feature \"price\" : !est.feature<?xfloat32>")) << "numbers: no categories";
  EXPECT_THAT(ops, HasSubstr("est.sequence_numeric \"price\" of"));
  EXPECT_THAT(ops, HasSubstr("normalizer(#est.log1p)"));
  EXPECT_THAT(ops, HasSubstr("!est.categorical<10> -> !est.sequence<4>"));
  EXPECT_THAT(ops, HasSubstr("est.indicator \"city_indicator\" of"));
  EXPECT_THAT(ops, HasSubstr("!est.categorical<10> -> !est.dense<10>")) << "joined where it is no sequence";
  EXPECT_THAT(ops, HasSubstr("units [8, 4] cell(gru)"));
  EXPECT_THAT(ops, HasSubstr("(!est.sequence<1>, !est.sequence<4>) context(!est.dense<1>, !est.dense<10>)"));
}

TEST(RecurrentModel, Optimizers) {
  auto ops = [](const std::string &more) {
    return opsOf(specOf("sequence_feature_columns: \"price\" units: 4 " + more));
  };
  EXPECT_THAT(ops(""), HasSubstr("#est.adagrad<learning_rate = <\"model.rnn.optimizer.adagrad.learning_rate\" = "
                                 "5.000000e-02 : f64>"));
  EXPECT_THAT(ops(""), HasSubstr("clip_by_norm = <\"model.rnn.optimizer.clip_by_norm\" = 5.000000e+00 : f64>"));
  EXPECT_THAT(ops("optimizer { clip_by_value: 1 }"), HasSubstr("clip_by_value"));
  EXPECT_THAT(ops("optimizer { clip_by_value: 1 }"), Not(HasSubstr("clip_by_norm = <")));
  EXPECT_THAT(ops("optimizer { adam {} }"), HasSubstr("learning_rate\" = 1.000000e-03"));
  EXPECT_THAT(ops("optimizer { adam {} }"), Not(HasSubstr("clip_by_norm = <")));
  EXPECT_THAT(ops("optimizer { sgd {} }"), HasSubstr("learning_rate\" = 1.000000e-02"));
}

/// A table of a sequence and of a context column is one.
TEST(RecurrentModel, SharedTable) {
  std::string ops = opsOf(specOf("sequence_feature_columns: \"word_shared_embedding\""
                                 " context_feature_columns: \"last_shared_embedding\" units: 2",
                                 "feature_column { shared_embeddings { categorical_columns: [\"word\", \"last\"]"
                                 "  dimension: 3 } }"));
  EXPECT_THAT(ops, HasSubstr("shared(\"last_word_shared_embedding\") : !est.categorical<10> -> !est.sequence<3>"));
  EXPECT_THAT(ops, HasSubstr("shared(\"last_word_shared_embedding\") : !est.categorical<10> -> !est.dense<3>"));
}

TEST(RecurrentModel, Errors) {
  auto sequence = [](const std::string &name, const std::string &columns = "") {
    return opsOf(specOf("sequence_feature_columns: \"" + name + "\" units: 4", columns));
  };
  EXPECT_THAT(sequence("word"), HasSubstr("'word' is categorical; an rnn takes numbers"));
  EXPECT_THAT(sequence("word"), HasSubstr("use \"word_embedding\""));
  EXPECT_THAT(sequence("age"), HasSubstr("'age' is numeric, which is no sequence"));
  EXPECT_THAT(sequence("last_embedding"), HasSubstr("'last_embedding' is of 'last', which has one value per row"));
  EXPECT_THAT(sequence("last_embedding"), HasSubstr("multi_value {} in the column 'last'"));
  EXPECT_THAT(sequence("c_indicator",
                       "feature_column { name: \"c\" crossed { term { key: \"word\" } term { key: \"last\" }"
                       " hash_bucket_size: 9 } } feature_column { indicator { categorical_column: \"c\" } }"),
              HasSubstr("'c_indicator' is of 'c', which is crossed: its values are no steps"));
  EXPECT_THAT(sequence("nothing"), HasSubstr("there is no feature column 'nothing'"));
  auto numbers = [](const std::string &key) {
    return opsOf(specOf("sequence_feature_columns: \"price\" units: 4",
                        "feature_column { name: \"n\" sequence_numeric { key: \"" + key + "\" } }"));
  };
  EXPECT_THAT(numbers("count"), HasSubstr("'count' is INT64; the steps of a sequence_numeric are FLOAT32 or FLOAT64"));
  EXPECT_THAT(numbers("age"), HasSubstr("'age' has 1 values per row; a sequence has any number of steps"));
  EXPECT_THAT(numbers("word"), HasSubstr("'word' is a column of strings; sequence_numeric takes numbers"));
  EXPECT_THAT(opsOf(specOf("sequence_feature_columns: \"price\" context_feature_columns: \"price\" units: 4")),
              HasSubstr("'price' is a sequence; an rnn takes it in its 'sequence_feature_columns'"));
  EXPECT_THAT(opsOf(specOf("sequence_feature_columns: \"word_embedding\" context_feature_columns: \"word_embedding\""
                           " units: 4")),
              HasSubstr("'word_embedding' stands in 'sequence_feature_columns' and in 'context_feature_columns'"));
  EXPECT_THAT(opsOf(specOf("sequence_feature_columns: \"price\"")), HasSubstr("'units'"));
  EXPECT_THAT(opsOf(specOf("units: 4")), HasSubstr("'sequence_feature_columns'"));
  EXPECT_THAT(opsOf(changedSpec("\"x\", \"job_embedding\"", "\"p\"") +
                    "feature_column { name: \"p\" sequence_numeric { key: \"ps\" } }"),
              HasSubstr("needs the input column 'ps', which is not declared"));
}

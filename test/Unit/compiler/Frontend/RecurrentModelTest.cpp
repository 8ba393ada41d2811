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

/// A spec of steps of several topics, whose rnn learns `head` of each step. `columns`: more of the input.
static std::string stepsOf(const std::string &head, const std::string &columns = "", const std::string &lengths = "n") {
  return R"(input {
  csv { header: true }
  column { name: "topics"  dtype: STRING  multi_value { lengths_column: ")" +
         lengths + R"(" } }
  column { name: "n"  dtype: INT64  multi_value {} }
  column { name: ["y", "several"]  dtype: INT64  multi_value {} }
  column { name: ["w", "z"]  dtype: FLOAT32  multi_value {} }
  column { name: ["one", "group"]  dtype: INT64 }
  column { name: "few"  dtype: INT64  multi_value { max_values: 3 } }
)" + columns +
         R"(}
feature_column { categorical_with_hash_bucket { key: "topics"  hash_bucket_size: 10 } }
feature_column { indicator { categorical_column: "topics" } }
feature_column { embedding { categorical_column: "topics"  dimension: 2  combiner: SUM } }
model { rnn { sequence_feature_columns: ["topics_indicator", "topics_embedding"]  units: 4  return_sequences: true } }
)" + head;
}

TEST(RecurrentModel, SeveralValuesInAStep) {
  std::string ops = opsOf(stepsOf("head { label: \"y\"  weight_column: \"w\"  multi_class { n_classes: 3 } }"));
  EXPECT_THAT(ops, HasSubstr("est.feature \"n\" categorical : !est.feature<?xint64>"));
  EXPECT_THAT(ops, HasSubstr("est.steps \"topics_in_steps_of_n\" of"));
  EXPECT_EQ(ops.find("est.steps"), ops.rfind("est.steps")) << "one for all that take it";
  EXPECT_THAT(ops, HasSubstr("est.embedding \"topics_embedding\""));
  EXPECT_THAT(ops, HasSubstr("-> !est.step_logits<3>"));
  EXPECT_THAT(ops, HasSubstr("(!est.step_logits<3>), !est.feature<?xint64>, !est.feature<?xfloat32>"));
  EXPECT_THAT(opsOf(stepsOf("head { label: \"z\"  regression {} }")), HasSubstr("-> !est.step_logits<1>"));
  EXPECT_THAT(opsOf(stepsOf("head { label: \"y\"  poisson_regression {} }")), HasSubstr("est.poisson_regression_head"));
}

TEST(RecurrentModel, ErrorsOfSteps) {
  const std::string head = "head { label: \"y\"  binary_class {} }";
  auto lengths = [&](const std::string &name, const std::string &columns = "") {
    return opsOf(stepsOf(head, columns, name));
  };
  EXPECT_THAT(lengths("m"), HasSubstr("needs the input column 'm', which is not declared"));
  EXPECT_THAT(lengths("one"), HasSubstr("'one' is one INT64 per row"));
  EXPECT_THAT(lengths("one"), HasSubstr("the number of values of each step"));
  EXPECT_THAT(lengths("w"), HasSubstr("'w' is FLOAT32"));
  EXPECT_THAT(lengths("topics"), HasSubstr("'topics' is STRING"));
  EXPECT_THAT(lengths("o", "column { name: \"o\"  dtype: INT64  multi_value { lengths_column: \"n\" } }"),
              HasSubstr("'o' has a lengths_column itself"));
  EXPECT_THAT(lengths("o", "column { name: \"o\"  dtype: INT64  multi_value { weight_separator: \":\" } }"),
              HasSubstr("'o' has weights in its cells"));
  EXPECT_THAT(
      lengths("n", "column { name: \"o\"  dtype: INT64  multi_value { lengths_column: \"n\"  max_values: 2 } }"),
      HasSubstr("max_values"));

  auto ofHead = [](const std::string &fields) { return opsOf(stepsOf("head { " + fields + " }")); };
  EXPECT_THAT(ofHead("label: \"one\"  binary_class {}"),
              HasSubstr("'one' is a column of one value per row; with return_sequences a label has one for each step"));
  EXPECT_THAT(ofHead("label: \"one\"  regression {}"), HasSubstr("multi_value {} in the column 'one'"));
  EXPECT_THAT(ofHead("label: \"few\"  binary_class {}"), HasSubstr("'few' is a column of which values are dropped"));
  EXPECT_THAT(ofHead("label: \"y\"  weight_column: \"one\"  binary_class {}"),
              HasSubstr("with return_sequences a weight has one for each step"));
  EXPECT_THAT(ofHead("label: \"y\"  weight_column: \"several\"  binary_class {}"),
              HasSubstr("'several' is INT64; weights of steps are FLOAT32 or FLOAT64"));
  EXPECT_THAT(ofHead("label: \"y\"  multi_label { n_classes: 3 }"),
              HasSubstr("'multi_label' tells several things of a row"));
  EXPECT_THAT(ofHead("label: \"z\"  regression { label_dimension: 2 }"),
              HasSubstr("'label_dimension' tells several things of a row"));
  EXPECT_THAT(ofHead("label: \"y\"  binary_class { group_column: \"group\" }"),
              HasSubstr("'group_column' is of rows; with return_sequences metrics are of steps"));
  EXPECT_THAT(opsOf(stepsOf("head { name: \"a\"  label: \"y\"  binary_class {} }\n"
                            "head { name: \"b\"  label: \"several\"  binary_class {} }")),
              HasSubstr("found return_sequences, for a head of steps"));
}

TEST(RecurrentModel, NameInMetrics) {
  auto ofHead = [](const std::string &fields) { return opsOf(changedSpec("\nhead {", "\nhead { " + fields)); };
  EXPECT_THAT(ofHead("name: \"up\"  name_in_metrics: true"), HasSubstr("est.names_in_metrics"));
  EXPECT_THAT(ofHead("name: \"up\""), Not(HasSubstr("est.names_in_metrics")));
  EXPECT_THAT(ofHead("name_in_metrics: true"), HasSubstr("a head with name_in_metrics needs a name"));
  EXPECT_THAT(ofHead("name: \"a/b\"  name_in_metrics: true"), HasSubstr("a name without '/'"));
}

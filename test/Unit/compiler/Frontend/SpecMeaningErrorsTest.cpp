//===- SpecMeaningErrorsTest.cpp - What the resolver says about specs that mean nothing ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/Unit/compiler/Frontend/SpecTesting.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace mlc::frontend;

TEST(SpecMeaningErrors, NoneInAGoodSpec) { EXPECT_EQ(messagesOf(goodSpec()), "imported"); }

TEST(SpecMeaningErrors, UnknownColumn) {
  EXPECT_EQ(messagesOf(changedSpec("key: \"x\" }", "key: [\"x\", \"jub\"] }")),
            R"(error[E0102] s.pbtxt:8:39: feature column needs the input column 'jub', which is not declared
     8 | feature_column { numeric { key: ["x", "jub"] } }
       |                                       ^^^^^      field: feature_column[0].numeric.key[1]
    help: did you mean 'job' (s.pbtxt:5)?
)");
}

TEST(SpecMeaningErrors, UnknownFeatureColumn) {
  EXPECT_EQ(messagesOf(changedSpec("\"job_embedding\"]", "\"job_embeding\"]")),
            R"(error[E0102] s.pbtxt:11:38: there is no feature column 'job_embeding'
    11 | model { dnn { feature_columns: ["x", "job_embeding"]  hidden_units: [3] } }
       |                                      ^^^^^^^^^^^^^^      field: model.dnn.feature_columns[1]
    help: did you mean 'job_embedding' (s.pbtxt:10)?
)");
}

TEST(SpecMeaningErrors, CategoricalInDnn) {
  EXPECT_EQ(messagesOf(changedSpec("\"job_embedding\"]", "\"job\"]")),
            R"(error[E0110] s.pbtxt:11:38: 'job' is categorical; a dnn takes dense columns
    11 | model { dnn { feature_columns: ["x", "job"]  hidden_units: [3] } }
       |                                      ^^^^^      field: model.dnn.feature_columns[1]
    expected: numeric, bucketized, indicator or embedding
    help: use "job_embedding" (line 10), or add  feature_column { indicator { categorical_column: "job" } }
    note: s.pbtxt:9:54: 'job'
)");
}

TEST(SpecMeaningErrors, RegularizerOfFrozenRows) {
  EXPECT_EQ(
      messagesOf(changedSpec("dimension: 4", "dimension: 4  trainable: false  regularizer { l2: 1 }")),
      R"(error[E0106] s.pbtxt:10:89: 'regularizer' is set for 'job_embedding', whose rows 'trainable: false' leaves as they are
    10 | feature_column { embedding { categorical_column: "job"  dimension: 4  trainable: false  regularizer { l2: 1 } } }
       |                                                                                         ^^^^^^^^^^^
    field: feature_column.job_embedding.embedding.regularizer
)");
}

TEST(SpecMeaningErrors, Missing) {
  EXPECT_EQ(messagesOf(changedSpec("hash_bucket_size: 10", "")),
            R"(error[E0107] s.pbtxt:9:18: CategoricalWithHashBucket needs 'hash_bucket_size'
     9 | feature_column { categorical_with_hash_bucket { key: "job"   } }
       |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    field: feature_column.job.categorical_with_hash_bucket.hash_bucket_size      expected: an integer in [1, 1e+11]
)");
}

TEST(SpecMeaningErrors, MissingBlock) {
  EXPECT_EQ(messagesOf(changedSpec("head { label: \"label\"  binary_class {} }\n", "")),
            R"(error[E0107] s.pbtxt:1:1: the spec needs 'head'
     1 | name: "good"
       | ^      field: head      expected: head { ... }
)");
}

TEST(SpecMeaningErrors, OutOfRange) {
  EXPECT_EQ(messagesOf(changedSpec("dimension: 4", "dimension: 0")),
            R"(error[E0108] s.pbtxt:10:68: 'dimension' cannot be 0
    10 | feature_column { embedding { categorical_column: "job"  dimension: 0 } }
       |                                                                    ^
    field: feature_column.job_embedding.embedding.dimension      expected: an integer in [1, 16777216]
)");
}

TEST(SpecMeaningErrors, OutOfHalfOpenRange) {
  EXPECT_EQ(messagesOf(changedSpec("hidden_units: [3]", "hidden_units: [3] dropout: 1")),
            R"(error[E0108] s.pbtxt:11:83: 'dropout' cannot be 1
    11 | model { dnn { feature_columns: ["x", "job_embedding"]  hidden_units: [3] dropout: 1 } }
       |                                                                                   ^
    field: model.dnn.dropout      expected: a number in [0, 1)
)");
}

TEST(SpecMeaningErrors, NotFinite) {
  EXPECT_EQ(messagesOf(changedSpec("hidden_units: [3]", "hidden_units: [3] dropout: nan")),
            R"(error[E0108] s.pbtxt:11:83: 'dropout' cannot be nan
    11 | model { dnn { feature_columns: ["x", "job_embedding"]  hidden_units: [3] dropout: nan } }
       |                                                                                   ^^^
    field: model.dnn.dropout      expected: a number in [0, 1)
)");
}

TEST(SpecMeaningErrors, BoundariesOfANormalizedColumn) {
  std::string messages = messagesOf(changedSpec(
      "feature_column { embedding",
      "feature_column { numeric { key: \"z\" log1p {} } }\nfeature_column { bucketized { source_column: \"z\" "
      "boundaries: [18, 30] } }\nfeature_column { embedding"));
  EXPECT_NE(messages.find("error[E0107] s.pbtxt:11:"), std::string::npos) << messages;
  EXPECT_NE(messages.find("'z' has a normalizer: 'boundaries' are before or after it, say which"), std::string::npos);
  EXPECT_NE(messages.find("expected: units: INPUT (before) or units: NORMALIZED (after, as in tf.estimator)"),
            std::string::npos)
      << messages;
}

TEST(SpecMeaningErrors, Boundaries) {
  EXPECT_EQ(
      messagesOf(changedSpec("feature_column { embedding", "feature_column { bucketized { source_column: \"x\" "
                                                           "boundaries: [18, 30, 25] } }\nfeature_column { embedding")),
      R"(error[E0120] s.pbtxt:10:71: boundaries must grow; 30 is followed by 25
    10 | feature_column { bucketized { source_column: "x" boundaries: [18, 30, 25] } }
       |                                                                       ^^
    field: feature_column.x_bucketized.bucketized.boundaries[1..2]
)");
}

TEST(SpecMeaningErrors, ColumnTwice) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"job\"", "name: [\"job\", \"x\"]")),
            R"(error[E0109] s.pbtxt:5:26: column 'x' is declared twice
     5 |   column { name: ["job", "x"]  dtype: STRING }
       |                          ^^^      field: input.column[1].name[1]
    note: s.pbtxt:4:19: first declared here
)");
}

TEST(SpecMeaningErrors, FeatureColumnTwice) {
  EXPECT_EQ(messagesOf(changedSpec("key: \"x\" }", "key: [\"x\", \"z\", \"x\"] }")),
            R"(error[E0109] s.pbtxt:8:44: feature column 'x' is defined twice
     8 | feature_column { numeric { key: ["x", "z", "x"] } }
       |                                            ^^^      field: feature_column[0].numeric.key[2]
    help: give one of them a 'name'
    note: s.pbtxt:8:34: first defined here
)");
}

TEST(SpecMeaningErrors, NameOfSeveral) {
  EXPECT_EQ(messagesOf(changedSpec("feature_column { numeric { key: \"x\"",
                                   "feature_column { name: \"n\" numeric { key: [\"x\", \"z\"]")),
            R"(error[E0131] s.pbtxt:8:24: 'name' is set, but 2 columns are made here
     8 | feature_column { name: "n" numeric { key: ["x", "z"] } }
       |                        ^^^      field: feature_column.n.name
    help: remove it: each column is named after its key; or write one feature_column each
)");
}

TEST(SpecMeaningErrors, GlobWithoutMatch) {
  EXPECT_EQ(messagesOf(changedSpec("\"job_embedding\"]", "\"job_embedding\", \"*_indicator\"]")),
            R"(error[E0111] s.pbtxt:11:55: '*_indicator' matches no feature column
    11 | model { dnn { feature_columns: ["x", "job_embedding", "*_indicator"]  hidden_units: [3] } }
       |                                                       ^^^^^^^^^^^^^      field: model.dnn.feature_columns[2]
)");
}

TEST(SpecMeaningErrors, NamedTwice) {
  EXPECT_EQ(messagesOf(changedSpec("\"job_embedding\"]", "\"job_embedding\", \"x\"]")),
            R"(error[E0109] s.pbtxt:11:55: 'x' stands twice in 'feature_columns'
    11 | model { dnn { feature_columns: ["x", "job_embedding", "x"]  hidden_units: [3] } }
       |                                                       ^^^      field: model.dnn.feature_columns[2]
    note: s.pbtxt:11:33: first here
)");
}

TEST(SpecMeaningErrors, MalformedRange) {
  EXPECT_EQ(messagesOf(changedSpec("[\"x\", \"z\"]", "[\"x\", \"z\", \"I[1-\"]")),
            R"(error[E0112] s.pbtxt:4:29: 'I[1-' has a malformed range; expected '[FIRST-LAST]', or '[[' for a bracket
     4 |   column { name: ["x", "z", "I[1-"]  dtype: FLOAT32 }
       |                             ^^^^^^      field: input.column[0].name[2]
)");
}

TEST(SpecMeaningErrors, NumericOfStrings) {
  EXPECT_EQ(messagesOf(changedSpec("dtype: FLOAT32", "dtype: STRING")),
            R"(error[E0123] s.pbtxt:8:33: 'x' is a column of strings; numeric takes numbers
     8 | feature_column { numeric { key: "x" } }
       |                                 ^^^      field: feature_column.x.numeric.key[0]
    help: categorical_with_vocabulary_list or categorical_with_hash_bucket, or another dtype
    note: s.pbtxt:4:19: declared here
)");
}

TEST(SpecMeaningErrors, HashOfFloats) {
  EXPECT_EQ(messagesOf(changedSpec("key: \"job\" ", "key: [\"job\", \"z\"] ")),
            R"(error[E0123] s.pbtxt:9:62: 'z' is FLOAT32; categorical_with_hash_bucket takes strings or integers
     9 | feature_column { categorical_with_hash_bucket { key: ["job", "z"]  hash_bucket_size: 10 } }
       |                                                              ^^^
    field: feature_column[1].categorical_with_hash_bucket.key[1]
    help: floats that print alike may differ; use numeric with bucketized, or another dtype
    note: s.pbtxt:4:24: declared here
)");
}

TEST(SpecMeaningErrors, CrossOfHashed) {
  EXPECT_EQ(
      messagesOf(changedSpec("feature_column { embedding",
                             "feature_column { crossed { term { key: \"job\" } term { column: "
                             "\"job\" } hash_bucket_size: 9 } }\nfeature_column { embedding")),
      R"(error[E0110] s.pbtxt:10:63: 'job' is hashed; a cross takes vocabularies, identities, bucketized columns and raw strings
    10 | feature_column { crossed { term { key: "job" } term { column: "job" } hash_bucket_size: 9 } }
       |                                                               ^^^^^
    field: feature_column.job_X_job.crossed.term[1].column      help: term { key: "job" }
    note: s.pbtxt:9:54: 'job'
)");
}

TEST(SpecMeaningErrors, LabelAsFeature) {
  EXPECT_EQ(messagesOf(changedSpec("key: \"x\" }", "key: [\"x\", \"label\"] }")),
            R"(error[E0122] s.pbtxt:12:15: label 'label' is used as a feature
    12 | head { label: "label"  binary_class {} }
       |               ^^^^^^^      field: head.label
    note: s.pbtxt:8:39: feature column 'label'
)");
}

TEST(SpecMeaningErrors, StringLabel) {
  EXPECT_EQ(messagesOf(changedSpec("dtype: INT64", "dtype: STRING")),
            R"(error[E0107] s.pbtxt:12:24: label 'label' is a column of strings and needs 'label_vocabulary'
    12 | head { label: "label"  binary_class {} }
       |                        ^^^^^^^^^^^^      field: head.binary_class.label_vocabulary
    expected: the labels of all classes in order
    note: s.pbtxt:6:18: declared here
)");
}

TEST(SpecMeaningErrors, ClassesOfBinary) {
  EXPECT_EQ(messagesOf(changedSpec("binary_class {}", "binary_class { label_vocabulary: [\"0\", \"1\", \"2\"] }")),
            R"(error[E0121] s.pbtxt:12:58: a binary_class head has 2 classes; 'label_vocabulary' has 3
    12 | head { label: "label"  binary_class { label_vocabulary: ["0", "1", "2"] } }
       |                                                          ^^^      field: head.binary_class.label_vocabulary[0]
    help: use multi_class
)");
}

TEST(SpecMeaningErrors, ClassCount) {
  EXPECT_EQ(messagesOf(
                changedSpec("binary_class {}", "multi_class { n_classes: 4 label_vocabulary: [\"0\", \"1\", \"2\"] }")),
            R"(error[E0121] s.pbtxt:12:49: 'n_classes' is 4; 'label_vocabulary' has 3 labels
    12 | head { label: "label"  multi_class { n_classes: 4 label_vocabulary: ["0", "1", "2"] } }
       |                                                 ^      field: head.multi_class.n_classes
    note: s.pbtxt:12:51: label_vocabulary
)");
}

TEST(SpecMeaningErrors, TermTwice) {
  EXPECT_EQ(messagesOf(changedSpec("binary_class {}", "multi_class { label_vocabulary: [\"0\", \"1\", \"1\"] }")),
            R"(error[E0109] s.pbtxt:12:67: '1' stands twice in 'label_vocabulary'
    12 | head { label: "label"  multi_class { label_vocabulary: ["0", "1", "1"] } }
       |                                                                   ^^^
    field: head.multi_class.label_vocabulary[2]
    note: s.pbtxt:12:62: first here
)");
}

TEST(SpecMeaningErrors, NoHeadKind) {
  EXPECT_EQ(messagesOf(changedSpec("binary_class {}", "")), R"(error[E0107] s.pbtxt:12:1: Head needs a kind
    12 | head { label: "label"   }
       | ^^^^      field: head
    expected: binary_class { ... }, multi_class { ... }, regression { ... } or another kind
)");
}

TEST(SpecMeaningErrors, SeveralHeadsHaveNames) {
  EXPECT_EQ(messagesOf(changedSpec("head {", "head { name: \"a\" label: \"label\" binary_class {} }\nhead {")),
            R"(error[E0107] s.pbtxt:13:1: one of several heads needs a name
    13 | head { label: "label"  binary_class {} }
       | ^^^^      field: head.name      expected: a name for each head
)");
  EXPECT_EQ(
      messagesOf(changedSpec("head {", "head { name: \"a\" label: \"label\" binary_class {} }\nhead { name: \"a\"")),
      R"(error[E0109] s.pbtxt:13:1: head 'a' stands twice
    13 | head { name: "a" label: "label"  binary_class {} }
       | ^^^^      expected: heads with different names
    note: s.pbtxt:12:1: the first
)");
  EXPECT_EQ(
      messagesOf(changedSpec("head {", "head { name: \"a\" label: \"label\" binary_class {} }\nhead { name: \"b/c\"")),
      R"(error[E0108] s.pbtxt:13:14: 'name' cannot be b/c
    13 | head { name: "b/c" label: "label"  binary_class {} }
       |              ^^^^^      field: head.b/c.name
    expected: a name without '/', which stands between it and the key of a prediction or metric
)");
  EXPECT_EQ(
      messagesOf(changedSpec("head {", "head { name: \"a\" label: \"label\" binary_class {} }\nhead { name: \"b\"")),
      "imported");
}

TEST(SpecMeaningErrors, TheLabelOfOneHeadIsNoWeightOfAnother) {
  EXPECT_EQ(
      messagesOf(changedSpec("head {", "head { name: \"a\" label: \"z\" weight_column: \"label\" regression {} }\n"
                                       "head { name: \"b\"")),
      R"(error[E0123] s.pbtxt:12:44: 'label' is the label; a weight is a column of numbers
    12 | head { name: "a" label: "z" weight_column: "label" regression {} }
       |                                            ^^^^^^^      field: head.a.weight_column
    note: s.pbtxt:6:18: declared here
)");
}

TEST(SpecMeaningErrors, HeaderAndNames) {
  EXPECT_EQ(messagesOf(changedSpec("header: true", "header: true column_names: [\"x\"]")),
            R"(error[E0131] s.pbtxt:3:37: column_names are set, but the files have a header
     3 |   csv { header: true column_names: ["x"] }
       |                                     ^^^      field: input.csv.column_names[0]      expected: one of them
    help: header: false, if the first row of a file is data
)");
}

TEST(SpecMeaningErrors, NoNames) {
  EXPECT_EQ(messagesOf(changedSpec("header: true", "header: false")),
            R"(error[E0107] s.pbtxt:3:3: files without a header need 'column_names'
     3 |   csv { header: false }
       |   ^^^      field: input.csv.column_names      expected: the names of all fields of a row in order
)");
}

TEST(SpecMeaningErrors, ColumnNotInNames) {
  EXPECT_EQ(messagesOf(changedSpec("header: true", "header: false column_names: [\"x\", \"zz\", \"job\", \"label\"]")),
            R"(error[E0102] s.pbtxt:4:24: column 'z' is not in csv.column_names
     4 |   column { name: ["x", "z"]  dtype: FLOAT32 }
       |                        ^^^      field: input.column[0].name      help: did you mean 'zz'?
)");
}

TEST(SpecMeaningErrors, Delimiter) {
  EXPECT_EQ(messagesOf(changedSpec("header: true", "field_delim: \"::\"")),
            R"(error[E0108] s.pbtxt:3:22: 'field_delim' cannot be '::'
     3 |   csv { field_delim: "::" }
       |                      ^^^^      field: input.csv.field_delim
    expected: one byte that is no quote and no line end
)");
}

TEST(SpecMeaningErrors, Checkpoints) {
  EXPECT_EQ(
      messagesOf(changedSpec("name: \"good\"",
                             "name: \"good\" run_config { save_checkpoints_steps: 1 save_checkpoints_secs: 2 }")),
      R"(error[E0131] s.pbtxt:1:53: 'save_checkpoints_steps' and 'save_checkpoints_secs' are both set (save_checkpoints_steps: s.pbtxt:1)
     1 | name: "good" run_config { save_checkpoints_steps: 1 save_checkpoints_secs: 2 }
       |                                                     ^^^^^^^^^^^^^^^^^^^^^
    field: run_config.save_checkpoints_secs      expected: one of them
    note: s.pbtxt:1:27: 'save_checkpoints_steps'
)");
}

TEST(SpecMeaningErrors, TwoEvals) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"good\"", "name: \"good\" eval {} eval {}")),
            R"(error[E0109] s.pbtxt:1:22: a second eval without a name
     1 | name: "good" eval {} eval {}
       |                      ^^^^      expected: evals with different names
    note: s.pbtxt:1:14: the first
)");
}

TEST(SpecMeaningErrors, UnsetVariable) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"good\"", "name: \"good\" train { files: \"${MLC_TEST_UNSET}/a.csv\" }")),
            R"(error[E0113] s.pbtxt:1:29: environment variable 'MLC_TEST_UNSET' is not set
     1 | name: "good" train { files: "${MLC_TEST_UNSET}/a.csv" }
       |                             ^^^^^^^^^^^^^^^^^^^^^^^^^      field: train.files[0]
    help: set it, or write ${NAME:-default}
)");
}

TEST(SpecMeaningErrors, NewerVersion) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"good\"", "name: \"good\" spec_version: 2")),
            R"(error[E0115] s.pbtxt:1:28: the spec is of version 2, which this mlc does not know
     1 | name: "good" spec_version: 2
       |                            ^      field: spec_version      expected: at most 1      help: use a newer mlc
)");
}

TEST(SpecMeaningErrors, ModelName) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"good\"", "name: \"not good\"")),
            R"(error[E0112] s.pbtxt:1:7: 'name' cannot be 'not good'
     1 | name: "not good"
       |       ^^^^^^^^^^      field: name      expected: characters of [A-Za-z0-9_.-]
)");
}

TEST(SpecMeaningErrors, VocabularyFile) {
  EXPECT_EQ(messagesOf(changedSpec("categorical_with_hash_bucket { key: \"job\"  hash_bucket_size: 10 }",
                                   "categorical_with_vocabulary_file { key: \"job\" vocabulary_file: \"none.txt\" }")),
            R"(error[E0114] s.pbtxt:9:81: cannot read '/specs/none.txt': No such file or directory
     9 | feature_column { categorical_with_vocabulary_file { key: "job" vocabulary_file: "none.txt" } }
       |                                                                                 ^^^^^^^^^^
    field: feature_column.job.categorical_with_vocabulary_file.vocabulary_file
)");
}

TEST(SpecMeaningErrors, BlankLineInAVocabularyFile) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("terms", "txt", path));
  llvm::FileRemover remover(path);
  auto messages = [&](const std::string &terms, const std::string &more = "") {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << terms;
    return messagesOf(changedSpec("categorical_with_hash_bucket { key: \"job\"  hash_bucket_size: 10 }",
                                  "categorical_with_vocabulary_file { key: \"job\" vocabulary_file: \"" +
                                      path.str().str() + "\" " + more + "}"));
  };
  for (const char *blank : {"a\n\nb\n", "a\n \t\nb\n", "a\r\n\r\nb", "a\n\n"})
    EXPECT_NE(messages(blank).find("error[E0108] s.pbtxt:9:"), std::string::npos) << messages(blank);
  EXPECT_NE(messages("a\n\nb\n").find(path.str().str() + ":2 is a blank line"), std::string::npos);
  EXPECT_EQ(messages("a\nb\n"), "imported");
  EXPECT_EQ(messages("a\nb\n\n", "vocabulary_size: 2 "), "imported") << "beyond the lines that count";
}

TEST(SpecMeaningErrors, HiddenUnits) {
  EXPECT_EQ(messagesOf(changedSpec("hidden_units: [3]", "hidden_units: []")), "imported");
  EXPECT_NE(messagesOf(changedSpec("hidden_units: [3]", "")).find("Dnn needs 'hidden_units'"), std::string::npos);
}

TEST(SpecMeaningErrors, DefaultAndOov) {
  EXPECT_EQ(messagesOf(changedSpec("categorical_with_hash_bucket { key: \"job\"  hash_bucket_size: 10 }",
                                   "categorical_with_vocabulary_list { key: \"job\" vocabulary_list: \"a\" "
                                   "default_value: 0 num_oov_buckets: 1 }")),
            R"(error[E0131] s.pbtxt:9:102: 'num_oov_buckets' and 'default_value' are both set (default_value: s.pbtxt:9)
     9 | feature_column { categorical_with_vocabulary_list { key: "job" vocabulary_list: "a" default_value: 0 num_oov_buckets: 1 } }
       |                                                                                                      ^^^^^^^^^^^^^^^
    field: feature_column.job.categorical_with_vocabulary_list.num_oov_buckets      expected: one of them
    note: s.pbtxt:9:85: 'default_value'
)");
}

/// With fewer steps from period to period their sum is bounded, and there is no period for the steps beyond.
TEST(SpecMeaningErrors, RestartsThatShrink) {
  EXPECT_EQ(messagesOf(changedSpec("hidden_units: [3]",
                                   "hidden_units: [3] optimizer { sgd {} schedule { cosine_decay_restarts { "
                                   "first_decay_steps: 5 t_mul: 0.5 } } }")),
            R"(error[E0108] s.pbtxt:11:156: 't_mul' cannot be 0.5
    11 | ...dnn { feature_columns: ["x", "job_embedding"]  hidden_units: [3] optimizer { sgd {} schedule { cosine_decay_restarts { first_decay_steps: 5 t_mul: 0.5 } } } } }
       |                                                                                                                                                       ^^^
    field: model.dnn.optimizer.schedule.cosine_decay_restarts.t_mul      expected: a number in [1, 1e+06]
)");
}

TEST(SpecMeaningErrors, Piecewise) {
  EXPECT_EQ(
      messagesOf(changedSpec(
          "hidden_units: [3]",
          "hidden_units: [3] optimizer { sgd {} schedule { piecewise_constant { boundaries: 5 values: 0.1 } } }")),
      R"(error[E0121] s.pbtxt:11:147: 1 boundaries need 2 values; found 1
    11 | model { dnn { feature_columns: ["x", "job_embedding"]  hidden_units: [3] optimizer { sgd {} schedule { piecewise_constant { boundaries: 5 values: 0.1 } } } } }
       |                                                                                                                                                   ^^^
    field: model.dnn.optimizer.schedule.piecewise_constant.values[0]
)");
}

TEST(SpecMeaningErrors, Several) {
  EXPECT_EQ(messagesOf(changedSpec("dimension: 4", "dimension: 0 dimenson: 3")),
            R"(error[E0108] s.pbtxt:10:68: 'dimension' cannot be 0
    10 | feature_column { embedding { categorical_column: "job"  dimension: 0 dimenson: 3 } }
       |                                                                    ^
    field: feature_column.job_embedding.embedding.dimension      expected: an integer in [1, 16777216]
error[E0101] s.pbtxt:10:70: unknown field 'dimenson' in Embedding
    10 | feature_column { embedding { categorical_column: "job"  dimension: 0 dimenson: 3 } }
       |                                                                      ^^^^^^^^
    field: feature_column[2].embedding
2 errors
)");
}

TEST(SpecMeaningErrors, Default) {
  EXPECT_EQ(messagesOf(changedSpec("dtype: FLOAT32", "dtype: FLOAT32 default_value: \"one\"")),
            R"(error[E0105] s.pbtxt:4:60: default_value 'one' cannot be read as FLOAT32
     4 |   column { name: ["x", "z"]  dtype: FLOAT32 default_value: "one" }
       |                                                            ^^^^^      field: input.column[0].default_value
)");
}

TEST(SpecMeaningErrors, DefaultsAreFinite) {
  for (const char *text : {"inf", "-Infinity", "nan", "1e50"})
    EXPECT_NE(messagesOf(changedSpec("dtype: FLOAT32", "dtype: FLOAT32 default_value: \"" + std::string(text) + "\""))
                  .find("default_value '" + std::string(text) + "' cannot be read as FLOAT32"),
              std::string::npos)
        << text;
}

TEST(SpecMeaningErrors, NegativeDefaultOfAWeight) {
  std::string text = changedSpec("dtype: FLOAT32", "dtype: FLOAT32 default_value: \"-1\"");
  size_t head = text.find("head {");
  ASSERT_NE(head, std::string::npos);
  EXPECT_EQ(messagesOf(text.insert(head + 6, " weight_column: \"z\"")),
            R"(error[E0108] s.pbtxt:4:60: 'default_value' cannot be -1
     4 |   column { name: ["x", "z"]  dtype: FLOAT32 default_value: "-1" }
       |                                                            ^^^^      field: input.column[0].default_value
    expected: a weight >= 0: 'z' is the head's weight_column
)");
}

TEST(SpecMeaningErrors, IdentityOfFloats) {
  EXPECT_EQ(messagesOf(changedSpec("categorical_with_hash_bucket { key: \"job\"  hash_bucket_size: 10 }",
                                   "categorical_with_identity { key: \"job\" num_buckets: 3 }")),
            R"(error[E0123] s.pbtxt:9:51: 'job' is STRING; categorical_with_identity takes integers
     9 | feature_column { categorical_with_identity { key: "job" num_buckets: 3 } }
       |                                                   ^^^^^
    field: feature_column.job.categorical_with_identity.key[0]
    note: s.pbtxt:5:18: declared here
)");
}

TEST(SpecMeaningErrors, OneTerm) {
  EXPECT_EQ(
      messagesOf(changedSpec("feature_column { embedding", "feature_column { name: \"c\" crossed { term { key: \"job\" "
                                                           "} hash_bucket_size: 9 } }\nfeature_column { embedding")),
      R"(error[E0108] s.pbtxt:10:28: Crossed needs at least 2 of 'term'; found 1
    10 | feature_column { name: "c" crossed { term { key: "job" } hash_bucket_size: 9 } }
       |                            ^^^^^^^      field: feature_column.c.crossed.term
)");
}

TEST(SpecMeaningErrors, UnknownLabel) {
  EXPECT_EQ(messagesOf(changedSpec("label: \"label\"", "label: \"lable\"")),
            R"(error[E0102] s.pbtxt:12:15: the head needs the input column 'lable', which is not declared
    12 | head { label: "lable"  binary_class {} }
       |               ^^^^^^^      field: head.label      help: did you mean 'label' (s.pbtxt:6)?
)");
}

TEST(SpecMeaningErrors, UnknownForwardedColumn) {
  EXPECT_EQ(messagesOf(goodSpec() + "predict { forward_features: [\"x\", \"jb\"] }\n"),
            R"(error[E0102] s.pbtxt:13:35: predict forwards the input column 'jb', which is not declared
    13 | predict { forward_features: ["x", "jb"] }
       |                                   ^^^^      field: predict.forward_features[1]
    help: did you mean 'job' (s.pbtxt:5)?
)");
  EXPECT_NE(messagesOf(goodSpec() + "predict { forward_features: [\"x\", \"x\"] }\n").find("error[E0109]"),
            std::string::npos);
}

TEST(SpecMeaningErrors, WeightOfStrings) {
  EXPECT_EQ(messagesOf(changedSpec("binary_class {}", "weight_column: \"job\" binary_class {}")),
            R"(error[E0123] s.pbtxt:12:39: 'job' is a column of strings; a weight is a column of numbers
    12 | head { label: "label"  weight_column: "job" binary_class {} }
       |                                       ^^^^^      field: head.weight_column
    note: s.pbtxt:5:18: declared here
)");
}

TEST(SpecMeaningErrors, RegressionOfStrings) {
  EXPECT_EQ(
      messagesOf(changedSpec("head { label: \"label\"  binary_class {} }", "head { label: \"job\"  regression {} }")),
      R"(error[E0122] s.pbtxt:12:15: label 'job' is used as a feature
    12 | head { label: "job"  regression {} }
       |               ^^^^^      field: head.label
    note: s.pbtxt:9:54: feature column 'job'
error[E0123] s.pbtxt:12:15: label 'job' is a column of strings; a regression takes numbers
    12 | head { label: "job"  regression {} }
       |               ^^^^^      field: head.label
    note: s.pbtxt:5:18: declared here
2 errors
)");
}

TEST(SpecMeaningErrors, LinkRegressionsOfStrings) {
  for (const char *kind : {"logistic_regression", "poisson_regression"}) {
    std::string head = std::string("head { label: \"job\"  ") + kind + " {} }";
    EXPECT_NE(messagesOf(changedSpec("head { label: \"label\"  binary_class {} }", head))
                  .find("label 'job' is a column of strings; a regression takes numbers"),
              std::string::npos)
        << kind;
  }
}

TEST(SpecMeaningErrors, FloatClasses) {
  EXPECT_EQ(messagesOf(changedSpec("head { label: \"label\"  binary_class {} }",
                                   "head { label: \"z\"  multi_class { n_classes: 3 } }")),
            R"(error[E0123] s.pbtxt:12:15: label 'z' is a column of floats; classes are integers or strings
    12 | head { label: "z"  multi_class { n_classes: 3 } }
       |               ^^^      field: head.label
    note: s.pbtxt:4:24: declared here
)");
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST(SpecMeaningErrors, NoneInAShapeOfManyDimensions) {
  EXPECT_EQ(messagesOf(changedSpec("\"z\"]  dtype: FLOAT32", "\"z\"]  dtype: FLOAT32 shape: [1, 1, 1, 1, 1, 1, 1, 2]")),
            "imported");
}

TEST(SpecMeaningErrors, ShapeOfTooManyValues) {
  EXPECT_EQ(messagesOf(changedSpec("\"z\"]  dtype: FLOAT32", "\"z\"]  dtype: FLOAT32 shape: [4096, 4097]")),
            R"(error[E0108] s.pbtxt:4:53: 'shape' has too many values
     4 |   column { name: ["x", "z"]  dtype: FLOAT32 shape: [4096, 4097] }
       |                                                     ^^^^      field: input.column[0].shape[0]
    expected: at most 16777216
)");
}

TEST(SpecMeaningErrors, ShapeWithoutValues) {
  EXPECT_EQ(messagesOf(changedSpec("\"z\"]  dtype: FLOAT32", "\"z\"]  dtype: FLOAT32 shape: 0")),
            R"(error[E0108] s.pbtxt:4:52: 'shape' cannot be 0
     4 |   column { name: ["x", "z"]  dtype: FLOAT32 shape: 0 }
       |                                                    ^      field: input.column[0].shape[0]
    expected: an integer >= 1
)");
}

TEST(SpecMeaningErrors, DefaultOfAnotherShape) {
  EXPECT_EQ(messagesOf(changedSpec("\"z\"]  dtype: FLOAT32", "\"z\"]  dtype: FLOAT32 shape: 3 default_value: \"0|1\"")),
            R"(error[E0105] s.pbtxt:4:69: default_value '0|1' has 2 values; the column has 3
     4 |   column { name: ["x", "z"]  dtype: FLOAT32 shape: 3 default_value: "0|1" }
       |                                                                     ^^^^^
    field: input.column[0].default_value
)");
}

TEST(SpecMeaningErrors, DefaultWithABadElement) {
  EXPECT_EQ(messagesOf(changedSpec("\"z\"]  dtype: FLOAT32", "\"z\"]  dtype: FLOAT32 shape: 2 default_value: \"0|-\"")),
            R"(error[E0105] s.pbtxt:4:69: default_value '0|-' cannot be read as FLOAT32
     4 |   column { name: ["x", "z"]  dtype: FLOAT32 shape: 2 default_value: "0|-" }
       |                                                                     ^^^^^
    field: input.column[0].default_value
)");
}

TEST(SpecMeaningErrors, HashOfAVector) {
  EXPECT_EQ(messagesOf(changedSpec("dtype: STRING", "dtype: STRING shape: 2")),
            R"(error[E0123] s.pbtxt:9:54: 'job' has 2 values per row; categorical_with_hash_bucket takes one
     9 | feature_column { categorical_with_hash_bucket { key: "job"  hash_bucket_size: 10 } }
       |                                                      ^^^^^
    field: feature_column.job.categorical_with_hash_bucket.key[0]
    note: s.pbtxt:5:18: declared here
)");
}

TEST(SpecMeaningErrors, VectorLabel) {
  EXPECT_EQ(messagesOf(changedSpec("dtype: INT64", "dtype: INT64 shape: 2")),
            R"(error[E0123] s.pbtxt:12:15: 'label' has 2 values per row; a label takes one
    12 | head { label: "label"  binary_class {} }
       |               ^^^^^^^      field: head.label
    note: s.pbtxt:6:18: declared here
)");
}

/// What importing says of a spec whose column 'job' is multi-valued as `multi` says.
static std::string multiValueErrors(const std::string &multi) {
  return messagesOf(changedSpec("\"job\"  dtype: STRING", "\"job\"  dtype: STRING " + multi));
}

TEST(SpecMeaningErrors, MultiValue) {
  EXPECT_NE(multiValueErrors("multi_value { separator: \"||\" }").find("'separator' cannot be '||'"),
            std::string::npos);
  EXPECT_NE(multiValueErrors("multi_value { weight_separator: \"\" }").find("'weight_separator' cannot be ''"),
            std::string::npos);
  EXPECT_NE(multiValueErrors("multi_value { weight_separator: \"|\" }")
                .find("'weight_separator' is '|', which stands between values"),
            std::string::npos);
  EXPECT_NE(multiValueErrors("multi_value {} shape: 2").find("'multi_value' and 'shape' are both set"),
            std::string::npos);
  EXPECT_NE(multiValueErrors("multi_value { max_values: 0 }").find("'max_values' cannot be 0"), std::string::npos);
  EXPECT_NE(multiValueErrors("multi_value { weight_separator: \":\" } default_value: \"a:x\"")
                .find("default_value 'a:x' cannot be read as values of STRING"),
            std::string::npos);
}

TEST(SpecMeaningErrors, MultiValuedWhereOneValueIsNeeded) {
  EXPECT_NE(messagesOf(changedSpec("[\"x\", \"z\"]  dtype: FLOAT32", "[\"x\", \"z\"]  dtype: FLOAT32 multi_value {}"))
                .find("'x' has any number of values per row; numeric takes one"),
            std::string::npos);
  EXPECT_NE(messagesOf(changedSpec("\"label\"  dtype: INT64", "\"label\"  dtype: INT64 multi_value {}"))
                .find("'label' has any number of values per row; a label takes one"),
            std::string::npos);
}

/// The messages of goodSpec() with this head and the label's column written so.
static std::string headErrors(const std::string &head, const std::string &label = "dtype: INT64") {
  std::string text = changedSpec("binary_class {}", head), column = "\"label\"  dtype: INT64";
  size_t place = text.find(column);
  return messagesOf(text.replace(place, column.size(), "\"label\"  " + label));
}

TEST(SpecMeaningErrors, LabelDimension) {
  EXPECT_EQ(headErrors("regression {}", "dtype: FLOAT32 shape: 3"),
            R"(error[E0121] s.pbtxt:12:15: 'label' has 3 values per row; 'label_dimension' is 1
    12 | head { label: "label"  regression {} }
       |               ^^^^^^^      field: head.label      help: label_dimension: 3
    note: s.pbtxt:6:18: declared here
)");
  EXPECT_NE(headErrors("poisson_regression { label_dimension: 2 }")
                .find("'label' has 1 values per row; 'label_dimension' is 2"),
            std::string::npos);
  EXPECT_NE(headErrors("logistic_regression { label_dimension: 6 }", "dtype: FLOAT32 shape: [2, 3]")
                .find("'label' has a shape of 2 dimensions; a label has one"),
            std::string::npos);
}

TEST(SpecMeaningErrors, MultiLabel) {
  EXPECT_NE(
      headErrors("multi_label {}", "dtype: INT64 multi_value {}").find("a multi_label head needs at least 2 classes"),
      std::string::npos);
  EXPECT_NE(headErrors("multi_label { n_classes: 3 }").find("label 'label' cannot tell any number of 3 classes"),
            std::string::npos);
  EXPECT_NE(headErrors("multi_label { n_classes: 3 }", "dtype: INT64 shape: 2")
                .find("label 'label' cannot tell any number of 3 classes"),
            std::string::npos);
  EXPECT_NE(headErrors("multi_label { n_classes: 3 }", "dtype: STRING multi_value {}")
                .find("label 'label' is a column of strings and needs 'label_vocabulary'"),
            std::string::npos);
  EXPECT_NE(headErrors("multi_label { n_classes: 3 label_vocabulary: [\"a\", \"b\"] }", "dtype: STRING multi_value {}")
                .find("'n_classes' is 3; 'label_vocabulary' has 2 labels"),
            std::string::npos);
  EXPECT_NE(headErrors("multi_label { n_classes: 2 }", "dtype: INT64 multi_value { weight_separator: \":\" }")
                .find("label 'label' has weights in its cells"),
            std::string::npos);
  EXPECT_NE(headErrors("multi_label { n_classes: 2 }", "dtype: FLOAT32 multi_value {}")
                .find("label 'label' is a column of floats"),
            std::string::npos);
  EXPECT_NE(headErrors("multi_label { n_classes: 2 classes_for_class_based_metrics: [\"1\", \"2\"] }",
                       "dtype: INT64 multi_value {}")
                .find("'2' is none of the classes"),
            std::string::npos);
}

TEST(SpecMeaningErrors, GroupColumn) {
  EXPECT_NE(headErrors("binary_class { group_column: \"z\" }").find("'z' is a column of FLOAT32; groups are of equal"),
            std::string::npos);
  EXPECT_NE(headErrors("binary_class { group_column: \"label\" }").find("'label' is the label; groups are of equal"),
            std::string::npos);
  EXPECT_NE(headErrors("binary_class { group_column: \"jab\" }").find("did you mean 'job'"), std::string::npos);
}

TEST(SpecMeaningErrors, BaselineWithoutAnotherColumn) {
  EXPECT_EQ(messagesOf("input { csv {} column { name: \"y\" dtype: INT64 } }\nmodel { baseline {} }\n"
                       "head { label: \"y\" binary_class {} }\n"),
            R"(error[E0107] s.pbtxt:2:9: a baseline model needs a column of the input besides label and weight
     2 | model { baseline {} }
       |         ^^^^^^^^      field: model.baseline      expected: any column; it tells how many rows there are
)");
}

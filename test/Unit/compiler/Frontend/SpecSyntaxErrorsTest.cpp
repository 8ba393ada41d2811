//===- SpecSyntaxErrorsTest.cpp - What the reader of specs says about text it cannot take ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "test/Unit/compiler/Frontend/SpecTesting.h"

#include <gtest/gtest.h>

using namespace mlc::frontend;

TEST(SpecSyntaxErrors, NoneInAGoodSpec) { EXPECT_EQ(messagesOf(goodSpec()), "imported"); }

TEST(SpecSyntaxErrors, UnknownField) {
  EXPECT_EQ(messagesOf(changedSpec("dnn { feature", "dnn { drop_out: 0.1 feature")),
            R"(error[E0101] s.pbtxt:11:15: unknown field 'drop_out' in Dnn
    11 | model { dnn { drop_out: 0.1 feature_columns: ["x", "job_embedding"]  hidden_units: [3] } }
       |               ^^^^^^^^      field: model.dnn      help: did you mean 'dropout'?
)");
}

TEST(SpecSyntaxErrors, UnknownFieldOfAnotherMessage) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"good\"", "name: \"good\" batch_size: 3")),
            R"(error[E0101] s.pbtxt:1:14: unknown field 'batch_size' in the spec
     1 | name: "good" batch_size: 3
       |              ^^^^^^^^^^      help: 'batch_size' is a field of Train, Eval, Predict
)");
}

TEST(SpecSyntaxErrors, PlannedField) {
  EXPECT_EQ(messagesOf(changedSpec("dnn { feature", "dnn { optimizer { per_column {} } feature")),
            R"(error[E0101] s.pbtxt:11:27: unknown field 'per_column' in Optimizer
    11 | model { dnn { optimizer { per_column {} } feature_columns: ["x", "job_embedding"]  hidden_units: [3] } }
       |                           ^^^^^^^^^^      field: model.dnn.optimizer
    help: the format plans 'per_column', but this version of mlc does not have it
)");
}

TEST(SpecSyntaxErrors, MissingBrace) {
  EXPECT_EQ(messagesOf(changedSpec("hidden_units: [3] } }", "hidden_units: [3]")),
            R"(error[E0103] s.pbtxt:12:1: 'head' stands inside 'model'; a '}' seems to be missing on line 11
    12 | head { label: "label"  binary_class {} }
       | ^^^^      help: close with '} }'
    note: s.pbtxt:11:7: opened here
)");
}

TEST(SpecSyntaxErrors, MissingBraceAtEnd) {
  EXPECT_EQ(messagesOf(changedSpec("binary_class {} }", "binary_class {}")),
            R"(error[E0103] s.pbtxt:12:6: 'head' is not closed at the end of the file
    12 | head { label: "label"  binary_class {}
       |      ^      help: close with '}'
)");
}

TEST(SpecSyntaxErrors, BraceTooMany) {
  EXPECT_EQ(messagesOf(changedSpec("binary_class {} }", "binary_class {} } }")),
            R"(error[E0103] s.pbtxt:12:42: '}' closes nothing
    12 | head { label: "label"  binary_class {} } }
       |                                          ^      help: remove it, or look for a '}' too many above
)");
}

TEST(SpecSyntaxErrors, TypographicQuotes) {
  EXPECT_EQ(messagesOf(changedSpec("\"good\"", "\u201cgood\u201d")), R"(error[E0104] s.pbtxt:1:7: a typographic quote
     1 | name: “good”
       |       ^      expected: "      help: type quotes in a plain text editor
)");
}

TEST(SpecSyntaxErrors, EqualsSign) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"good\"", "name = \"good\"")),
            R"(error[E0104] s.pbtxt:1:6: '=' stands after 'name'
     1 | name = "good"
       |      ^      expected: ':'
)");
}

TEST(SpecSyntaxErrors, OpenString) {
  EXPECT_EQ(messagesOf(changedSpec("\"good\"", "\"good")),
            R"(error[E0104] s.pbtxt:1:12: a string does not end on its line
     1 | name: "good
       |            ^      help: close it with a quote; strings that follow each other are joined
)");
}

TEST(SpecSyntaxErrors, MissingColon) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"good\"", "name \"good\"")),
            R"(error[E0104] s.pbtxt:1:6: ':' is missing after 'name'
     1 | name "good"
       |      ^^^^^^      expected: ':'
)");
}

TEST(SpecSyntaxErrors, WrongType) {
  EXPECT_EQ(messagesOf(changedSpec("dimension: 4", "dimension: \"4\"")),
            R"(error[E0105] s.pbtxt:10:68: 'dimension' cannot be "4"
    10 | feature_column { embedding { categorical_column: "job"  dimension: "4" } }
       |                                                                    ^^^
    field: feature_column[2].embedding.dimension      expected: an integer
)");
}

TEST(SpecSyntaxErrors, IntegerTooLarge) {
  EXPECT_EQ(messagesOf(changedSpec("dimension: 4", "dimension: 9223372036854775808")),
            R"(error[E0105] s.pbtxt:10:68: 'dimension' cannot be '9223372036854775808'
    10 | feature_column { embedding { categorical_column: "job"  dimension: 9223372036854775808 } }
       |                                                                    ^^^^^^^^^^^^^^^^^^^
    field: feature_column[2].embedding.dimension      expected: an integer of at most 64 bits
)");
}

TEST(SpecSyntaxErrors, EnumValue) {
  EXPECT_EQ(messagesOf(changedSpec("dtype: INT64", "dtype: INT46")),
            R"(error[E0105] s.pbtxt:6:34: 'dtype' cannot be 'INT46'
     6 |   column { name: "label"  dtype: INT46 }
       |                                  ^^^^^      field: input.column[2].dtype
    expected: FLOAT32, FLOAT64, INT32, INT64, BOOL or STRING      help: did you mean 'INT64'?
)");
}

TEST(SpecSyntaxErrors, UnquotedString) {
  EXPECT_EQ(messagesOf(changedSpec("label: \"label\"", "label: label")),
            R"(error[E0105] s.pbtxt:12:15: 'label' cannot be 'label'
    12 | head { label: label  binary_class {} }
       |               ^^^^^      field: head.label      expected: a string in quotes      help: "label"
)");
}

TEST(SpecSyntaxErrors, SetTwice) {
  EXPECT_EQ(messagesOf(changedSpec("dimension: 4", "dimension: 4 dimension: 5")),
            R"(error[E0106] s.pbtxt:10:70: 'dimension' is set twice
    10 | feature_column { embedding { categorical_column: "job"  dimension: 4 dimension: 5 } }
       |                                                                      ^^^^^^^^^
    field: feature_column[2].embedding.dimension      expected: one of them
    note: s.pbtxt:10:57: first set here
)");
}

TEST(SpecSyntaxErrors, OneofTwice) {
  EXPECT_EQ(messagesOf(changedSpec("binary_class {}", "binary_class {} regression {}")),
            R"(error[E0106] s.pbtxt:12:40: 'regression' and 'binary_class' are both set
    12 | head { label: "label"  binary_class {} regression {} }
       |                                        ^^^^^^^^^^      field: head.regression      expected: one of them
    note: s.pbtxt:12:24: 'binary_class'
)");
}

TEST(SpecSyntaxErrors, Extension) {
  EXPECT_EQ(messagesOf(changedSpec("name: \"good\"", "[a.b]: 3")), R"(error[E0104] s.pbtxt:1:1: unexpected '['
     1 | [a.b]: 3
       | ^      expected: the name of a field; a spec has no extensions
)");
}

TEST(SpecSyntaxErrors, BlockTwice) {
  EXPECT_EQ(messagesOf(changedSpec("input {", "model { linear {} }\ninput {")),
            R"(error[E0106] s.pbtxt:12:1: 'model' is set twice
    12 | model { dnn { feature_columns: ["x", "job_embedding"]  hidden_units: [3] } }
       | ^^^^^      field: model      expected: one of them
    note: s.pbtxt:2:1: first set here
error[E0106] s.pbtxt:12:9: 'dnn' and 'linear' are both set
    12 | model { dnn { feature_columns: ["x", "job_embedding"]  hidden_units: [3] } }
       |         ^^^      field: model.dnn      expected: one of them
    note: s.pbtxt:2:9: 'linear'
2 errors
)");
}

TEST(SpecSyntaxErrors, NothingKnown) {
  EXPECT_EQ(messagesOf("garbage {"), R"(error[E0101] s.pbtxt:1:1: unknown field 'garbage' in the spec
     1 | garbage {
       | ^^^^^^^
)");
}

/// Whatever is cut off or left out: a spec is imported, or there is an error; never a crash.
TEST(SpecSyntaxErrors, EveryCutHasAMessage) {
  const std::string text = goodSpec();
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(messagesOf(text.substr(0, i)), "") << i;
    EXPECT_NE(messagesOf(text.substr(i)), "") << i;
    EXPECT_NE(messagesOf(std::string(text).erase(i, 1)), "") << i;
    EXPECT_NE(messagesOf(std::string(text).insert(i, "{")), "") << i;
  }
}

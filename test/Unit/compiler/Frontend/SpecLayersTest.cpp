//===- SpecLayersTest.cpp - Includes, overlays, --set and --unset ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/SpecLayers.h"
#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"
#include "lib/Frontend/EstimatorSpec/SpecChanges.h"
#include "test/Unit/compiler/Frontend/SpecTesting.h"

#include "llvm/Support/FileSystem.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc;
using namespace mlc::frontend;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {
class SpecLayers : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> directory;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("spec-layers", directory));
    directory_ = directory.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory_); }

  void write(const std::string &name, const std::string &text) { std::ofstream(directory_ + "/" + name) << text; }

  /// Loads `text`, as file s.pbtxt of the directory, with changes; the messages, without the directory's name.
  std::string load(const std::string &text, std::vector<SpecChange> changes = {}) {
    document_ = std::make_unique<SpecDocument>(directory_ + "/s.pbtxt", text);
    write("s.pbtxt", text);
    common::MessageList messages;
    if (loadSpec(*document_, {directory_ + "/s.pbtxt", "", std::move(changes)}, messages))
      resolved_ = resolveSpec(*document_, messages);
    return local(messages.format());
  }
  std::string set(const std::string &text) { return load(goodSpec(), {{SpecChange::Set, text}}); }

  std::string local(std::string text) {
    for (size_t at; (at = text.find(directory_ + "/")) != std::string::npos;)
      text.erase(at, directory_.size() + 1);
    return text;
  }
  std::string origin(const ProtoMessage &message, const char *field, int index = 0) {
    return local(document_->origin(document_->spans(message, field, index).value));
  }
  spec::v1::Estimator &spec() { return document_->spec(); }

  std::string directory_;
  std::unique_ptr<SpecDocument> document_;
  ResolvedSpec resolved_;
};
} // namespace

/// goodSpec() in two files, the second on top of the first.
TEST_F(SpecLayers, IncludedFirst) {
  write("base.pbtxt", goodSpec() + "train { batch_size: 7 epochs: 2 }\nrun_config { seed: 3 }\n");
  EXPECT_EQ(load("include: 'base.pbtxt'\nname: 'top'\ntrain { epochs: 5 }\n"), "");
  EXPECT_EQ(spec().name(), "top");
  EXPECT_EQ(spec().train().batch_size(), 7);
  EXPECT_EQ(spec().train().epochs(), 5);
  EXPECT_EQ(spec().include_size(), 0);
  EXPECT_EQ(origin(spec(), "name"), "s.pbtxt:2");
  EXPECT_EQ(origin(spec().train(), "batch_size"), "base.pbtxt:13");
  EXPECT_EQ(origin(spec().train(), "epochs"), "s.pbtxt:3");
}

TEST_F(SpecLayers, SameNamesMerge) {
  write("base.pbtxt", goodSpec() + "eval { name: 'a' files: 'a.csv' }\neval { files: 'b.csv' }\n");
  EXPECT_EQ(load("include: 'base.pbtxt'\n"
                 "input { column { name: 'job' default_value: 'none' } }\n"
                 "feature_column { name: 'job_embedding' embedding { dimension: 9 } }\n"
                 "feature_column { categorical_with_hash_bucket { key: 'job' hash_bucket_size: 20 } }\n"
                 "feature_column { numeric { key: 'z' } }\n"
                 "model { dnn { hidden_units: 5 } }\n"
                 "head { name: 'h' }\n"
                 "eval { steps: 1 }\n"
                 "eval { name: 'a' files: 'c.csv' }\n"),
            "");
  EXPECT_EQ(spec().input().column_size(), 3);
  EXPECT_EQ(spec().input().column(1).default_value(), "none");
  EXPECT_EQ(spec().input().column(1).name_size(), 1);
  EXPECT_EQ(spec().feature_column_size(), 4);
  EXPECT_EQ(spec().feature_column(2).embedding().dimension(), 9);
  EXPECT_EQ(spec().feature_column(1).categorical_with_hash_bucket().hash_bucket_size(), 20);
  EXPECT_THAT(spec().model().dnn().hidden_units(), ElementsAre(3, 5));
  EXPECT_EQ(spec().head_size(), 1);
  EXPECT_EQ(spec().eval_size(), 2);
  EXPECT_THAT(spec().eval(0).files(), ElementsAre(directory_ + "/a.csv", directory_ + "/c.csv"));
  EXPECT_EQ(spec().eval(1).steps(), 1);
  EXPECT_EQ(origin(spec().model().dnn(), "hidden_units", 1), "s.pbtxt:6");
}

TEST_F(SpecLayers, SeveralHeadsMergeByName) {
  const std::string two =
      "head { name: 'a' label: 'label' binary_class {} }\nhead { name: 'b' label: 'z' regression {} }\n";
  write("base.pbtxt", changedSpec("head { label: \"label\"  binary_class {} }\n", two));
  EXPECT_EQ(
      load("include: 'base.pbtxt'\nhead { name: 'b' head_weight: 2 }\nhead { name: 'c' label: 'z' regression {} }\n"),
      "");
  ASSERT_EQ(spec().head_size(), 3);
  EXPECT_EQ(spec().head(1).head_weight(), 2);
  EXPECT_EQ(spec().head(1).label(), "z");
  EXPECT_EQ(origin(spec().head(1), "head_weight"), "s.pbtxt:2");
  EXPECT_EQ(spec().head(2).name(), "c");
  // Of two heads none is the one without a name.
  write("base.pbtxt", goodSpec());
  EXPECT_THAT(load("include: 'base.pbtxt'\n" + two), HasSubstr("base.pbtxt:12:1: one of several heads needs a name"));
  ASSERT_EQ(spec().head_size(), 3);
  EXPECT_EQ(spec().head(1).name(), "a");
}

TEST_F(SpecLayers, OneofIsSwitched) {
  write("base.pbtxt", changedSpec("hidden_units: [3]", "hidden_units: [3] optimizer { sgd { learning_rate: 1 } }"));
  EXPECT_EQ(load("include: 'base.pbtxt'\nmodel { dnn { optimizer { adam {} } } }\n"), "");
  EXPECT_TRUE(spec().model().dnn().optimizer().has_adam());
}

TEST_F(SpecLayers, ErrorsPointIntoTheirFile) {
  write("base.pbtxt", changedSpec("dimension: 4", "dimension: 0"));
  EXPECT_EQ(load("include: 'base.pbtxt'\ntrain { batch_size: 0 }\n"),
            R"(error[E0108] base.pbtxt:10:68: 'dimension' cannot be 0
    10 | feature_column { embedding { categorical_column: "job"  dimension: 0 } }
       |                                                                    ^
    field: feature_column.job_embedding.embedding.dimension      expected: an integer in [1, 16777216]
error[E0108] s.pbtxt:2:21: 'batch_size' cannot be 0
     2 | train { batch_size: 0 }
       |                     ^      field: train.batch_size      expected: an integer in [1, 2147483647]
2 errors
)");
}

TEST_F(SpecLayers, SyntaxErrorInAnInclude) {
  write("base.pbtxt", "model { dnn { drop_out: 1 } }\n");
  EXPECT_THAT(load("include: 'base.pbtxt'\n" + goodSpec()),
              HasSubstr("base.pbtxt:1:15: unknown field 'drop_out' in Dnn"));
}

TEST_F(SpecLayers, MissingInclude) {
  write("base.pbtxt", "");
  std::string text = load("include: 'bse.pbtxt'\n" + goodSpec());
  EXPECT_THAT(text, HasSubstr("error[E0114] s.pbtxt:1:10: cannot read 'bse.pbtxt'"));
  EXPECT_THAT(text, HasSubstr("did you mean 'base.pbtxt'?"));
}

TEST_F(SpecLayers, Cycle) {
  write("a.pbtxt", "include: 's.pbtxt'\n");
  EXPECT_THAT(load("include: 'a.pbtxt'\n" + goodSpec()), HasSubstr("E0116] a.pbtxt:1:10: 's.pbtxt' includes itself"));
}

TEST_F(SpecLayers, IncludedTwiceCountsOnce) {
  write("a.pbtxt", "include: 'c.pbtxt'\n");
  write("b.pbtxt", "include: 'c.pbtxt'\n");
  write("c.pbtxt", "train { files: 'x.csv' }\n");
  EXPECT_EQ(load("include: ['a.pbtxt', 'b.pbtxt']\n" + goodSpec()), "");
  EXPECT_EQ(spec().train().files_size(), 1);
}

TEST_F(SpecLayers, VariablesInIncludes) {
  write("base.pbtxt", goodSpec());
  EXPECT_EQ(load("include: '${MLC_TEST_NO_SUCH:-base}.pbtxt'\n"), "");
  EXPECT_THAT(load("include: '${MLC_TEST_NO_SUCH}.pbtxt'\n"), HasSubstr("'MLC_TEST_NO_SUCH' is not set"));
}

TEST_F(SpecLayers, PathsAreRelativeToTheirFile) {
  ASSERT_FALSE(llvm::sys::fs::create_directory(directory_ + "/sub"));
  write("sub/base.pbtxt", goodSpec() + "train { files: 'x.csv' }\n");
  EXPECT_EQ(load("include: 'sub/base.pbtxt'\ntrain { files: 'y.csv' }\n"), "");
  EXPECT_THAT(spec().train().files(), ElementsAre(directory_ + "/sub/x.csv", directory_ + "/y.csv"));
}

TEST_F(SpecLayers, OverlayThenSet) {
  write("over.pbtxt", "train { batch_size: 8 epochs: 8 }\n");
  EXPECT_EQ(load(goodSpec() + "train { batch_size: 7 epochs: 7 max_steps: 7 }\n",
                 {{SpecChange::Set, "train.batch_size=9"}, {SpecChange::Overlay, directory_ + "/over.pbtxt"}}),
            "");
  EXPECT_EQ(spec().train().batch_size(), 9);
  EXPECT_EQ(spec().train().epochs(), 8);
  EXPECT_EQ(spec().train().max_steps(), 7);
  EXPECT_EQ(origin(spec().train(), "batch_size"), "--set");
  EXPECT_EQ(origin(spec().train(), "epochs"), "over.pbtxt:1");
}

//===----------------------------------------------------------------------===//
// --set and --unset
//===----------------------------------------------------------------------===//

TEST_F(SpecLayers, SetOfEveryType) {
  EXPECT_EQ(load(goodSpec(), {{SpecChange::Set, "model.dnn.hidden_units=100,50"},
                              {SpecChange::Set, "model.dnn.hidden_units+=25"},
                              {SpecChange::Set, "model.dnn.dropout=0.5"},
                              {SpecChange::Set, "model.dnn.activation_fn=TANH"},
                              {SpecChange::Set, "train.shuffle=false"},
                              {SpecChange::Set, "train.files=a b.csv,c.csv"},
                              {SpecChange::Set, "description=a, \"b\" = c"},
                              {SpecChange::Set, "eval.files=e.csv"},
                              {SpecChange::Set, "head.weight_column=z"},
                              {SpecChange::Set, "model.dnn.optimizer=sgd { learning_rate: 0.25 }"},
                              {SpecChange::Set, "feature_column+=numeric { key: \"z\" }"},
                              {SpecChange::Set, "feature_column.job_embedding.embedding.dimension=64"},
                              {SpecChange::Set, "feature_column.0.numeric.log1p="},
                              {SpecChange::Set, "input.column.label.on_missing=ERROR"}}),
            "");
  const auto &dnn = spec().model().dnn();
  EXPECT_THAT(dnn.hidden_units(), ElementsAre(100, 50, 25));
  EXPECT_EQ(dnn.dropout(), 0.5);
  EXPECT_EQ(dnn.activation_fn(), spec::v1::Dnn::TANH);
  EXPECT_EQ(dnn.optimizer().sgd().learning_rate(), 0.25);
  EXPECT_FALSE(spec().train().shuffle());
  EXPECT_EQ(spec().train().files_size(), 2);
  EXPECT_EQ(spec().description(), "a, \"b\" = c");
  EXPECT_EQ(spec().eval_size(), 1);
  EXPECT_EQ(spec().feature_column(2).embedding().dimension(), 64);
  EXPECT_TRUE(spec().feature_column(0).numeric().has_log1p());
  EXPECT_EQ(spec().feature_column(3).numeric().key(0), "z");
  EXPECT_EQ(spec().input().column(2).on_missing(), spec::v1::Column::ERROR);
}

TEST_F(SpecLayers, SetAndUnsetInOrder) {
  SpecChange set = {SpecChange::Set, "run_config.seed=4"}, unset = {SpecChange::Unset, "run_config.seed"};
  EXPECT_EQ(load(goodSpec(), {set, unset}), "");
  EXPECT_EQ(spec().run_config().seed(), 0);
  EXPECT_EQ(load(goodSpec(), {unset, set}), "");
  EXPECT_EQ(spec().run_config().seed(), 4);
}

TEST_F(SpecLayers, SetSwitchesOneof) {
  EXPECT_EQ(load(changedSpec("hidden_units: [3]", "hidden_units: [3] optimizer { adam { beta1: 0.5 } }"),
                 {{SpecChange::Set, "model.dnn.optimizer.sgd.learning_rate=2"}}),
            "");
  EXPECT_TRUE(spec().model().dnn().optimizer().has_sgd());
  EXPECT_EQ(origin(spec().model().dnn().optimizer().sgd(), "learning_rate"), "--set");
}

/// One column of a message that makes several changes alone.
TEST_F(SpecLayers, SetOfOneOfSeveral) {
  EXPECT_EQ(
      load(changedSpec("key: \"x\" }", "key: [\"x\", \"z\"] }"),
           {{SpecChange::Set, "feature_column.z.numeric.log1p="}, {SpecChange::Set, "input.column.z.default_value=1"}}),
      "");
  EXPECT_THAT(spec().feature_column(0).numeric().key(), ElementsAre("x"));
  EXPECT_FALSE(spec().feature_column(0).numeric().has_log1p());
  EXPECT_THAT(spec().feature_column(3).numeric().key(), ElementsAre("z"));
  EXPECT_TRUE(spec().feature_column(3).numeric().has_log1p());
  EXPECT_EQ(origin(spec().feature_column(3).numeric(), "key"), "s.pbtxt:8");
  EXPECT_FALSE(spec().input().column(0).has_default_value());
  EXPECT_EQ(spec().input().column(3).default_value(), "1");
}

TEST_F(SpecLayers, UnsetOfAnElement) {
  EXPECT_EQ(load(changedSpec("[\"x\", \"job_embedding\"]", "\"*\"") + "eval { name: 'v' files: 'v.csv' }\n",
                 {{SpecChange::Unset, "feature_column.job_embedding"},
                  {SpecChange::Unset, "feature_column.job"},
                  {SpecChange::Unset, "eval.v"}}),
            "");
  EXPECT_EQ(spec().feature_column_size(), 1);
  EXPECT_EQ(resolved_.dnnColumns.size(), 1u);
}

TEST_F(SpecLayers, ErrorsNameTheArgument) {
  EXPECT_EQ(set("train.batch_size=0"), "error[E0108] --set train.batch_size=0: 'batch_size' cannot be 0\n"
                                       "    field: train.batch_size      expected: an integer in [1, 2147483647]\n");
  EXPECT_THAT(set("train.batch_size=many"), HasSubstr("--set train.batch_size=many: 'batch_size' cannot be 'many'"));
  EXPECT_THAT(set("train.batch_size=1 2"), HasSubstr("error"));
  EXPECT_THAT(set("train.batch_size="), HasSubstr("needs a value"));
  EXPECT_THAT(set("train.batch_size+=2"), HasSubstr("has a single value"));
  EXPECT_THAT(set("train"), HasSubstr("PATH=VALUE or PATH+=VALUE"));
  EXPECT_THAT(set("model.dnn.activation_fn=RELO"), HasSubstr("did you mean 'RELU'?"));
  EXPECT_THAT(set("model.dnn.optimizer=sgd { learning_rat: 1 }"), HasSubstr("unknown field 'learning_rat' in Sgd"));
}

TEST_F(SpecLayers, UnknownPaths) {
  EXPECT_THAT(set("hidden_units=3"), HasSubstr("full paths only: model.dnn.hidden_units, "
                                               "model.dnn_linear_combined.dnn.hidden_units"));
  EXPECT_THAT(set("model.dnn.hiden_units=3"), HasSubstr("did you mean 'model.dnn.hidden_units'?"));
  EXPECT_THAT(set("feature_column.job_embeding.embedding.dimension=3"), HasSubstr("did you mean 'job_embedding'?"));
  EXPECT_THAT(set("train.=3"), HasSubstr("unknown path 'train.'"));
  EXPECT_THAT(set("metadata=x"), HasSubstr("cannot be set from outside of a file"));
  EXPECT_THAT(set("train.batch_size.x=3"), HasSubstr("'batch_size' has no parts"));
  EXPECT_THAT(set("eval.valid.files=x"), HasSubstr("no eval is called 'valid'"));
  EXPECT_THAT(set("feature_column.9.numeric.key=x"), HasSubstr("no feature_column is called '9'"));
}

/// Two places of a conflict, one in an include.
TEST_F(SpecLayers, ConflictNamesBothPlaces) {
  write("base.pbtxt", "run_config { save_checkpoints_secs: 4 }\n");
  EXPECT_EQ(
      load("include: 'base.pbtxt'\n" + goodSpec() + "run_config { save_checkpoints_steps: 100 }\n"),
      R"(error[E0131] s.pbtxt:14:14: 'save_checkpoints_steps' and 'save_checkpoints_secs' are both set (save_checkpoints_secs: base.pbtxt:1)
    14 | run_config { save_checkpoints_steps: 100 }
       |              ^^^^^^^^^^^^^^^^^^^^^^      field: run_config.save_checkpoints_steps      expected: one of them
    help: --unset run_config.save_checkpoints_secs, or remove it from base.pbtxt:1
    note: base.pbtxt:1:14: 'save_checkpoints_secs'
)");
}

TEST_F(SpecLayers, SettablePaths) {
  EXPECT_EQ(load(goodSpec()), "");
  std::vector<std::string> paths = settablePaths(spec());
  EXPECT_THAT(paths, Contains("feature_column.job_embedding.embedding.dimension"));
  EXPECT_THAT(paths, Contains("eval.files"));
  EXPECT_THAT(paths, Contains("model.dnn.optimizer.adam.beta1"));
  EXPECT_THAT(paths, Not(Contains("feature_column.job_embedding.numeric.key")));
}

//===----------------------------------------------------------------------===//
// Changes that need no other trainer
//===----------------------------------------------------------------------===//

TEST_F(SpecLayers, StartChanges) {
  write("s.pbtxt", changedSpec("hidden_units: [3]", "hidden_units: [3] optimizer { adam {} }"));
  std::vector<SpecChange> changes = {{SpecChange::Set, "train.batch_size=9"},
                                     {SpecChange::Set, "model.dnn.hidden_units=4"},
                                     {SpecChange::Set, "model.dnn.optimizer.adam.learning_rate=0.1"},
                                     {SpecChange::Set, "model.dnn.optimizer.sgd.learning_rate=0.1"},
                                     {SpecChange::Set, "train.bach_size=9"}};
  std::vector<SpecChange> fine(changes.begin(), changes.begin() + 3);
  EXPECT_THAT(takeStartChanges(directory_ + "/s.pbtxt", fine),
              ElementsAre("train.batch_size=9", "model.dnn.optimizer.adam.learning_rate=0.1"));
  ASSERT_EQ(fine.size(), 1u);
  EXPECT_EQ(fine[0].text, "model.dnn.hidden_units=4");
  // A rule that the spec does not have must be compiled, and a later change of the whole wins.
  fine = {changes[2], changes[3], {SpecChange::Set, "model.dnn.optimizer=adam {}"}};
  EXPECT_THAT(takeStartChanges(directory_ + "/s.pbtxt", fine), ElementsAre());
  EXPECT_EQ(fine.size(), 3u);
  // A wrong path is told by the compiler.
  EXPECT_THAT(takeStartChanges(directory_ + "/s.pbtxt", changes), ElementsAre());
}

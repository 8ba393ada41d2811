// Exporters as settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/settings/Exporter.h"
#include "common/settings/EarlyStopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
using testing::ElementsAre;
using testing::HasSubstr;

class ExporterTest : public testing::Test {
protected:
  void set(const std::string &path, SettingScalar value) {
    Setting setting;
    setting.path = path;
    setting.type = SettingType::String;
    setting.value = SettingValue{std::move(value)};
    setting.origin = "m.pbtxt:9";
    table_.add(std::move(setting));
  }
  void setExporter(const std::string &path, const char *name, const char *kind) {
    set(path + ".name", std::string(name));
    set(path + ".kind", std::string(kind));
  }
  bool read() {
    exporters_.clear();
    messages_ = {};
    return readExporters(table_, evalSetNames(table_), model_, exporters_, messages_);
  }
  std::string error() {
    EXPECT_FALSE(read());
    return messages_.format(MessageStyle());
  }

  SettingsTable table_;
  ExportableModel model_ = {"census", {"accuracy", "auc", "loss"}, true};
  std::vector<ExporterRule> exporters_;
  MessageList messages_;
};

TEST_F(ExporterTest, ReadsAll) {
  EXPECT_TRUE(read());
  EXPECT_TRUE(exporters_.empty());
  setExporter("eval.exporter.0", "best", "BEST");
  setExporter("eval.valid.exporter.0", "auc", "BEST");
  set("eval.valid.exporter.0.metric", std::string("auc"));
  set("eval.valid.exporter.0.better", std::string("LARGER"));
  set("eval.valid.exporter.0.exports_to_keep", int64_t{0});
  setExporter("eval.valid.exporter.1", "latest", "LATEST");
  setExporter("eval.valid.exporter.2", "last", "FINAL");
  ASSERT_TRUE(read()) << messages_.format(MessageStyle());
  ASSERT_EQ(exporters_.size(), 4u);
  EXPECT_EQ(exporters_[0].eval, "");
  EXPECT_EQ(exporters_[0].metric, "loss");
  EXPECT_FALSE(exporters_[0].isLargerBetter);
  EXPECT_EQ(exporters_[0].exportsToKeep, 5);
  EXPECT_EQ(exporters_[1].eval, "valid");
  EXPECT_EQ(exporters_[1].metric, "auc");
  EXPECT_TRUE(exporters_[1].isLargerBetter);
  EXPECT_EQ(exporters_[1].exportsToKeep, 0);
  EXPECT_EQ(exporters_[2].kind, ExporterKind::Latest);
  EXPECT_EQ(exporters_[3].kind, ExporterKind::Final);
}

TEST_F(ExporterTest, PathsOfExportersAreOfTheirEvalSets) {
  setExporter("eval.exporter.0", "a", "FINAL");
  setExporter("eval.valid.exporter.10", "b", "FINAL");
  set("eval.exporter.files", std::string("x"));
  EXPECT_THAT(evalSetNames(table_), ElementsAre("", "valid", "exporter"));
}

TEST_F(ExporterTest, WhatIsNeeded) {
  set("eval.exporter.0.name", std::string("best"));
  EXPECT_THAT(error(), HasSubstr("error[E0224]: an exporter needs 'kind'"));
}

TEST_F(ExporterTest, Names) {
  setExporter("eval.exporter.0", "a/b", "LATEST");
  EXPECT_THAT(error(), HasSubstr("error[E0224] m.pbtxt:9: 'a/b' cannot name a directory here"));
  set("eval.exporter.0.name", std::string("census"));
  EXPECT_THAT(error(), HasSubstr("'census' is the name of the model, of the verb export"));
  set("eval.exporter.0.name", std::string("same"));
  setExporter("eval.valid.exporter.0", "same", "FINAL");
  EXPECT_THAT(error(), HasSubstr("two exporters are called 'same'"));
}

TEST_F(ExporterTest, Metrics) {
  setExporter("eval.exporter.0", "best", "BEST");
  set("eval.exporter.0.metric", std::string("acuracy"));
  EXPECT_THAT(error(),
              testing::AllOf(HasSubstr("'metric' needs 'better'"), HasSubstr("evaluation gives no metric 'acuracy'"),
                             HasSubstr("one of accuracy, auc, loss"), HasSubstr("did you mean 'accuracy'?")));
  set("eval.exporter.0.better", std::string("LARGER"));
  model_.metrics.clear(); // not known yet
  EXPECT_TRUE(read());
  setExporter("eval.none.exporter.0", "best-2", "BEST");
  model_.metrics = {"acuracy"};
  EXPECT_THAT(error(), HasSubstr("evaluation gives no metric 'loss'"));
}

TEST_F(ExporterTest, WhatHasNoMeaning) {
  setExporter("eval.exporter.0", "latest", "LATEST");
  set("eval.exporter.0.metric", std::string("auc"));
  EXPECT_THAT(error(), HasSubstr("'metric' has no meaning for LATEST"));
  setExporter("eval.v.exporter.0", "last", "FINAL");
  set("eval.v.exporter.0.exports_to_keep", int64_t{2});
  EXPECT_THAT(error(), HasSubstr("'exports_to_keep' has no meaning for FINAL"));
}

TEST_F(ExporterTest, AModelThatDoesNotPredict) {
  setExporter("eval.exporter.0", "latest", "LATEST");
  model_.predicts = false;
  EXPECT_THAT(error(), HasSubstr("an exporter of a model without a predict entry"));
}

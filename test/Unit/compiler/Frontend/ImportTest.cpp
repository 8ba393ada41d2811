//===- ImportTest.cpp - Specs as est IR ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "common/settings/Settings.h"
#include "dialects/Est/IR/Est.h"
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "test/Unit/compiler/Frontend/SpecTesting.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlc;
using namespace mlc::frontend;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {
class Import : public testing::Test {
protected:
  /// Imports a text that must be right; a relative path in it is relative to /specs.
  est::EstimatorOp import(const std::string &text) {
    common::MessageList messages;
    module_ = importEstimatorSpec(text, &context_, {"s.pbtxt", "/specs"}, messages);
    EXPECT_TRUE(module_) << messages.format();
    return module_ ? cast<est::EstimatorOp>(module_->getBody()->front()) : nullptr;
  }
  est::EstimatorOp importExample(const std::string &path) {
    common::MessageList messages;
    module_ = importEstimatorSpecFile(sourceDirectory() + "/examples/" + path, &context_, messages);
    EXPECT_TRUE(module_) << messages.format();
    return module_ ? cast<est::EstimatorOp>(module_->getBody()->front()) : nullptr;
  }
  /// The settings of an estimator.
  common::SettingsTable settings(est::EstimatorOp op) {
    common::SettingsTable table;
    common::MessageList messages;
    EXPECT_TRUE(common::settingsFromJson(op.getSettings()->str(), table, messages)) << messages.format();
    return table;
  }
  template <typename Op> Op only(est::EstimatorOp estimator) {
    auto ops = estimator.getBody().getOps<Op>();
    EXPECT_EQ(std::distance(ops.begin(), ops.end()), 1);
    return *ops.begin();
  }

  MLIRContext context_;
  OwningOpRef<ModuleOp> module_;
};
} // namespace

/// Names of the columns that a body takes.
static std::vector<std::string> columnNames(OperandRange columns) {
  std::vector<std::string> names;
  for (Value column : columns)
    names.push_back(est::getColumnName(column).str());
  return names;
}

//===----------------------------------------------------------------------===//
// The examples
//===----------------------------------------------------------------------===//

TEST_F(Import, Census) {
  est::EstimatorOp estimator = importExample("census/wide_deep.pbtxt");
  ASSERT_TRUE(estimator);
  EXPECT_EQ(estimator.getSymName(), "census_wide_deep");
  EXPECT_THAT(columnNames(only<est::LinearOp>(estimator).getColumns()),
              ElementsAre("age_bucketized", "age_bucketized_X_education_X_occupation", "education",
                          "education_X_occupation", "gender", "marital_status", "native_country",
                          "native_country_X_occupation", "occupation", "relationship", "workclass"));
  auto dnn = only<est::DnnOp>(estimator);
  EXPECT_THAT(columnNames(dnn.getColumns()),
              ElementsAre("age", "capital_gain", "capital_loss", "education_embedding", "education_num",
                          "gender_indicator", "hours_per_week", "marital_status_embedding", "native_country_embedding",
                          "occupation_embedding", "race_embedding", "relationship_indicator", "workclass_embedding"));
  EXPECT_THAT(dnn.getHiddenUnits(), ElementsAre(100, 50));
  EXPECT_DOUBLE_EQ(cast<mlir::FloatAttr>(dnn.getDropout()->getValue()).getValueAsDouble(), 0.1);
  auto head = only<est::BinaryClassHeadOp>(estimator);
  EXPECT_EQ(head.getReduction(), est::LossReduction::SumOverBatchSize);
  EXPECT_EQ(head.getLogits().size(), 2u);
  EXPECT_THAT(*head.getThresholds(), ElementsAre(0.3, 0.7));

  common::SettingsTable table = settings(estimator);
  EXPECT_EQ(table.getInt("train.batch_size"), 128);
  EXPECT_EQ(table.getInt("eval.every_n_steps"), 1000);
  EXPECT_EQ(table.getInt("run_config.seed"), 7);
  ASSERT_EQ(table.getStrings("train.files").size(), 1u);
  EXPECT_TRUE(llvm::sys::fs::exists(table.getStrings("train.files")[0])) << table.getStrings("train.files")[0];
  EXPECT_TRUE(llvm::sys::fs::exists(table.getStrings("eval.files")[0]));
}

TEST_F(Import, Iris) {
  est::EstimatorOp estimator = importExample("iris/dnn.pbtxt");
  ASSERT_TRUE(estimator);
  auto dnn = only<est::DnnOp>(estimator);
  EXPECT_THAT(columnNames(dnn.getColumns()), ElementsAre("PentalLength", "PentalWidth", "SepalLength", "SepalWidth"));
  EXPECT_EQ(dnn.getLogits().getType().getDimension(), 3);
  EXPECT_TRUE(only<est::MultiClassHeadOp>(estimator));
  EXPECT_TRUE(llvm::sys::fs::exists(settings(estimator).getStrings("train.files")[0]));
}

TEST_F(Import, CaliforniaHousing) {
  est::EstimatorOp estimator = importExample("california_housing/dnn.pbtxt");
  ASSERT_TRUE(estimator);
  auto head = only<est::RegressionHeadOp>(estimator);
  EXPECT_TRUE(isa<est::ZScoreAttr>(*head.getLabelTransform()));
  // A bucketized column becomes an indicator of its own name, as it is dense to a dnn.
  for (Value column : only<est::DnnOp>(estimator).getColumns())
    if (est::getColumnName(column) == "latitude_bucketized")
      EXPECT_TRUE(column.getDefiningOp<est::IndicatorOp>());
  EXPECT_THAT(columnNames(only<est::DnnOp>(estimator).getColumns()), testing::Contains("latitude_bucketized"));
}

TEST_F(Import, BoundariesBeforeOrBehindTheNormalizer) {
  auto bucketized = [&](const std::string &normalizer, const std::string &units) {
    return only<est::BucketizedOp>(
        import("name: \"b\"\ninput { csv { header: true } column { name: [\"x\", \"y\"] dtype: FLOAT32 } }\n"
               "feature_column { numeric { key: \"x\" " +
               normalizer + " } }\nfeature_column { bucketized { source_column: \"x\" boundaries: [-1, 0.5] " + units +
               " } }\nmodel { linear { feature_columns: \"*\" } }\nhead { label: \"y\" regression {} }\n"));
  };
  const std::string zScore = "z_score { mean: 3 stddev: 2 }";
  EXPECT_TRUE(isa<est::ZScoreAttr>(*bucketized(zScore, "units: NORMALIZED").getNormalizer()));
  EXPECT_TRUE(isa<est::Log1pAttr>(*bucketized("log1p {}", "units: NORMALIZED").getNormalizer()));
  EXPECT_FALSE(bucketized(zScore, "units: INPUT").getNormalizer());
  // Without a normalizer there is nothing to choose.
  EXPECT_FALSE(bucketized("", "").getNormalizer());
  EXPECT_FALSE(bucketized("", "units: NORMALIZED").getNormalizer());
}

TEST_F(Import, LinkRegressions) {
  const char *start = "name: \"link\"\ninput { csv { header: true } column { name: [\"x\", \"y\"] dtype: FLOAT32 } }\n"
                      "feature_column { numeric { key: \"x\" } }\nmodel { linear { feature_columns: \"*\" } }\n";
  auto importHead = [&](const std::string &kind) {
    return import(std::string(start) + "head { label: \"y\" " + kind + " }\n");
  };
  EXPECT_TRUE(only<est::LogisticRegressionHeadOp>(importHead("logistic_regression {}")));
  EXPECT_TRUE(only<est::PoissonRegressionHeadOp>(importHead("poisson_regression {}")).getComputeFullLoss());
  EXPECT_FALSE(only<est::PoissonRegressionHeadOp>(importHead("poisson_regression { compute_full_loss: false }"))
                   .getComputeFullLoss());
}

TEST_F(Import, SeveralHeadsTakePartsOfBothBodies) {
  est::EstimatorOp estimator =
      import("input { csv { header: true } column { name: [\"x\", \"y\", \"w\"] dtype: FLOAT32 } "
             "column { name: \"k\" dtype: INT64 } }\nfeature_column { numeric { key: \"x\" } }\n"
             "model { dnn_linear_combined { linear { feature_columns: \"x\" } dnn { feature_columns: \"x\" "
             "hidden_units: 2 } } }\n"
             "head { name: \"level\" label: \"y\" weight_column: \"w\" head_weight: 2 regression {} }\n"
             "head { name: \"kind\" label: \"k\" multi_class { n_classes: 3 } }\n"
             "head { name: \"same\" label: \"y\" regression {} }\n");
  EXPECT_EQ(only<est::DnnOp>(estimator).getLogits().getType().getDimension(), 5);
  SmallVector<Operation *, 1> heads = estimator.getHeads();
  ASSERT_EQ(heads.size(), 3u);
  SmallVector<Value> bodies{only<est::LinearOp>(estimator), only<est::DnnOp>(estimator)};
  for (Operation *head : heads)
    EXPECT_EQ(est::bodiesOfHead(head), bodies);
  EXPECT_EQ(est::firstLogitOfHead(heads[1]), 1);
  EXPECT_EQ(est::countLogitsOfHead(heads[1]), 3);
  EXPECT_EQ(est::firstLogitOfHead(heads[2]), 4);
  EXPECT_EQ(cast<est::RegressionHeadOp>(heads[0]).getLabel(), cast<est::RegressionHeadOp>(heads[2]).getLabel());
  common::SettingsTable table = settings(estimator);
  EXPECT_EQ(table.find("head.level.head_weight")->stage, common::SettingStage::Start);
  EXPECT_EQ(table.find("head.kind.multi_class.n_classes")->value,
            common::SettingValue{common::SettingScalar(int64_t{3})});
}

TEST_F(Import, LabelsOfManyValues) {
  const char *input = "input { csv { header: true } column { name: \"x\" dtype: FLOAT32 } "
                      "column { name: \"v\" dtype: FLOAT32 shape: 3 } "
                      "column { name: \"s\" dtype: STRING multi_value {} } }\nmodel { baseline {} }\n";
  auto regression = only<est::RegressionHeadOp>(
      import(std::string(input) + "head { label: \"v\" regression { label_dimension: 3 } }"));
  EXPECT_EQ(cast<est::LogitsType>(regression.getLogits()[0].getType()).getDimension(), 3);
  auto sets = only<est::MultiLabelHeadOp>(
      import(std::string(input) + "head { label: \"s\" multi_label { label_vocabulary: [\"a\", \"b\"] thresholds: 0.5 "
                                  "classes_for_class_based_metrics: \"b\" } }"));
  EXPECT_THAT(*sets.getClassMetrics(), ElementsAre(1));
  EXPECT_THAT(*sets.getThresholds(), ElementsAre(0.5));
  EXPECT_EQ(sets.getVocabulary()->size(), 2u);
  auto truths = only<est::MultiLabelHeadOp>(
      import(std::string(input) + "head { label: \"v\" multi_label { label_vocabulary: [\"1\", \"2\", \"x\"] } }"));
  EXPECT_EQ((*truths.getVocabulary())[0], Builder(&context_).getStringAttr("1"));
}

TEST_F(Import, Baseline) {
  est::EstimatorOp estimator =
      import(changedSpec("dnn { feature_columns: [\"x\", \"job_embedding\"]  hidden_units: [3] }", "baseline {}"));
  auto baseline = only<est::BaselineOp>(estimator);
  EXPECT_TRUE(isa<est::FtrlAttr>(baseline.getOptimizer().getRule()));
  EXPECT_EQ(settings(estimator).find("model.baseline.optimizer.ftrl.learning_rate")->value,
            common::SettingValue{common::SettingScalar(0.3)});
  // A cell of strings may be missing.
  EXPECT_EQ(baseline.getRows().getDefiningOp<est::FeatureOp>().getName(), "job");
}

TEST_F(Import, Groups) {
  est::EstimatorOp estimator = import(changedSpec("binary_class {}", "binary_class { group_column: \"job\" }"));
  auto group = only<est::BinaryClassHeadOp>(estimator).getGroup().getDefiningOp<est::FeatureOp>();
  EXPECT_EQ(group.getName(), "job");
  EXPECT_TRUE(group.getCategorical());
}

TEST_F(Import, TextOfAnImportParsesAgain) {
  ASSERT_TRUE(importExample("census/wide_deep.pbtxt"));
  std::string text = textOf(*module_);
  common::MessageList messages;
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, &context_);
  ASSERT_TRUE(again);
  EXPECT_EQ(textOf(*again), text);
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// goodSpec() with this model and, if not empty, this head of line 12.
static std::string withModel(const std::string &model, const std::string &more = "") {
  std::string text =
      changedSpec("model { dnn { feature_columns: [\"x\", \"job_embedding\"]  hidden_units: [3] } }", model);
  return text + more;
}

static double learningRate(est::OptimizerAttr optimizer) { return optimizer.getLearningRate().getDouble(); }

TEST_F(Import, LearningRatesByProfileAndPart) {
  EXPECT_EQ(learningRate(only<est::DnnOp>(import(goodSpec())).getOptimizer()), 0.001);
  EXPECT_EQ(learningRate(only<est::DnnOp>(import(goodSpec() + "compat: TF1")).getOptimizer()), 0.05);
  auto linear = only<est::LinearOp>(import(withModel("model { linear { feature_columns: [\"x\", \"job\"] } }")));
  EXPECT_EQ(learningRate(linear.getOptimizer()), 0.2);
  EXPECT_TRUE(isa<est::FtrlAttr>(linear.getOptimizer().getRule()));
  est::EstimatorOp both = import(withModel("model { dnn_linear_combined { linear { feature_columns: [\"x\", \"job\"] } "
                                           "dnn { feature_columns: \"x\" hidden_units: 2 } } }"));
  EXPECT_EQ(learningRate(only<est::LinearOp>(both).getOptimizer()), 0.005);
  EXPECT_EQ(learningRate(only<est::DnnOp>(both).getOptimizer()), 0.001);
  auto adagrad = cast<est::AdagradAttr>(only<est::DnnOp>(both).getOptimizer().getRule());
  EXPECT_EQ(adagrad.getEpsilon().getDouble(), 1e-7);
  EXPECT_EQ(adagrad.getInitialAccumulatorValue().getValueAsDouble(), 0.1);
}

/// Wide & deep has the rates of both generations; only a dnn of its own differs.
TEST_F(Import, WideAndDeepIsTheSameInBothProfiles) {
  est::EstimatorOp both = import(withModel("model { dnn_linear_combined { linear { feature_columns: [\"x\", \"job\"] } "
                                           "dnn { feature_columns: \"x\" hidden_units: 2 } } }",
                                           "compat: TF1"));
  EXPECT_EQ(learningRate(only<est::LinearOp>(both).getOptimizer()), 0.005);
  EXPECT_EQ(learningRate(only<est::DnnOp>(both).getOptimizer()), 0.001);
  auto linear =
      only<est::LinearOp>(import(withModel("model { linear { feature_columns: [\"x\", \"job\"] } }", "compat: TF1")));
  EXPECT_EQ(learningRate(linear.getOptimizer()), 0.2);
}

/// tf1 divides by the root of the accumulator as it is.
TEST_F(Import, AdagradAndFtrlByProfile) {
  auto adagrad = cast<est::AdagradAttr>(only<est::DnnOp>(import(goodSpec() + "compat: TF1")).getOptimizer().getRule());
  EXPECT_EQ(adagrad.getEpsilon().getDouble(), 0);
  EXPECT_EQ(adagrad.getInitialAccumulatorValue().getValueAsDouble(), 0.1);
  for (const char *profile : {"compat: TF1", "compat: TF2"}) {
    auto linear =
        only<est::LinearOp>(import(withModel("model { linear { feature_columns: [\"x\", \"job\"] } }", profile)));
    auto ftrl = cast<est::FtrlAttr>(linear.getOptimizer().getRule());
    EXPECT_EQ(ftrl.getInitialAccumulatorValue().getValueAsDouble(), 0.1);
    EXPECT_EQ(ftrl.getLearningRatePower().getValueAsDouble(), -0.5);
    EXPECT_EQ(ftrl.getL1().getDouble(), 0);
    EXPECT_EQ(ftrl.getL2().getDouble(), 0);
  }
}

TEST_F(Import, MomentumByProfile) {
  auto rule = [&](const std::string &rest) {
    std::string dnn = "hidden_units: [3] optimizer { momentum { momentum: 0.75 use_nesterov: true } }";
    return cast<est::MomentumAttr>(
        only<est::DnnOp>(import(changedSpec("hidden_units: [3]", dnn) + rest)).getOptimizer().getRule());
  };
  est::MomentumAttr tf2 = rule(""), tf1 = rule("compat: TF1");
  EXPECT_EQ(tf2.getMomentum().getDouble(), 0.75);
  EXPECT_EQ(tf2.getMomentum().getPath().getValue(), "model.dnn.optimizer.momentum.momentum");
  EXPECT_EQ(tf2.getLearningRate().getDouble(), 0.01);
  EXPECT_TRUE(tf2.getNesterov());
  EXPECT_TRUE(tf2.getRateInSlot());
  EXPECT_FALSE(tf1.getRateInSlot());
}

TEST_F(Import, OneBoundOfGradients) {
  auto optimizer = [&](const std::string &fields) {
    std::string dnn = "hidden_units: [3] optimizer { sgd {} " + fields + " }";
    return only<est::DnnOp>(import(changedSpec("hidden_units: [3]", dnn))).getOptimizer();
  };
  auto expectBound = [](est::SettingAttr bound, double value, const std::string &field) {
    ASSERT_TRUE(bound);
    EXPECT_EQ(bound.getDouble(), value);
    EXPECT_EQ(bound.getPath().getValue().str(), "model.dnn.optimizer." + field);
  };
  est::OptimizerAttr none = optimizer("");
  EXPECT_FALSE(none.getClipByValue() || none.getClipByNorm() || none.getClipByGlobalNorm());
  expectBound(optimizer("clip_by_value: 0.5").getClipByValue(), 0.5, "clip_by_value");
  expectBound(optimizer("clip_by_norm: 2").getClipByNorm(), 2, "clip_by_norm");
  est::OptimizerAttr global = optimizer("clip_by_global_norm: 5");
  expectBound(global.getClipByGlobalNorm(), 5, "clip_by_global_norm");
  EXPECT_FALSE(global.getClipByValue() || global.getClipByNorm());
}

TEST_F(Import, RegularizersAndBatchNorm) {
  est::DnnOp plain = only<est::DnnOp>(import(goodSpec()));
  EXPECT_FALSE(plain.getBatchNorm() || plain.getRegularizerAttr());
  est::DnnOp dnn = only<est::DnnOp>(
      import(changedSpec("hidden_units: [3]", "hidden_units: [3] batch_norm: true regularizer { l2: 0.5 }")));
  EXPECT_TRUE(dnn.getBatchNorm());
  EXPECT_EQ(dnn.getRegularizerAttr().getL1().getDouble(), 0);
  EXPECT_EQ(dnn.getRegularizerAttr().getL2().getDouble(), 0.5);
  EXPECT_EQ(dnn.getRegularizerAttr().getL2().getPath().getValue(), "model.dnn.regularizer.l2");
  est::EmbeddingOp embedding =
      only<est::EmbeddingOp>(import(changedSpec("dimension: 4", "dimension: 4 regularizer { l1: 0.25 }")));
  EXPECT_EQ(embedding.getRegularizerAttr().getL1().getDouble(), 0.25);
  EXPECT_EQ(embedding.getRegularizerAttr().getL1().getPath().getValue(),
            "feature_column.job_embedding.embedding.regularizer.l1");
  est::LinearOp linear =
      only<est::LinearOp>(import(changedSpec("dnn { feature_columns: [\"x\", \"job_embedding\"]  hidden_units: [3] }",
                                             "linear { feature_columns: \"x\" regularizer { l1: 1 l2: 2 } }")));
  EXPECT_EQ(linear.getRegularizerAttr().getL2().getDouble(), 2);
}

/// Columns that one message declares have regularizers of their own at start.
TEST_F(Import, RegularizersOfSeveralColumns) {
  std::string text =
      changedSpec("categorical_column: \"job\"", "categorical_column: [\"job\", \"z\"]  regularizer { l2: 0.5 }");
  auto replace = [&](const std::string &from, const std::string &to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("dtype: FLOAT32", "dtype: INT64");
  replace("hash_bucket { key: \"job\"", "hash_bucket { key: [\"job\", \"z\"]");
  replace("\"job_embedding\"]", "\"*_embedding\"]");
  est::EstimatorOp estimator = import(text);
  ASSERT_TRUE(estimator);
  common::SettingsTable table = settings(estimator);
  std::vector<std::string> paths;
  for (est::EmbeddingOp op : estimator.getBody().getOps<est::EmbeddingOp>()) {
    paths.push_back(op.getRegularizerAttr().getL2().getPath().str());
    EXPECT_EQ(table.getFloat(paths.back()), 0.5);
  }
  EXPECT_THAT(paths, ElementsAre("feature_column.job_embedding.embedding.regularizer.l2",
                                 "feature_column.z_embedding.embedding.regularizer.l2"));
}

/// What the step does not have as an argument cannot be set at start, though the schema lets it.
TEST_F(Import, OnlyWhatIsCompiledInIsSetAtStart) {
  common::SettingsTable table =
      settings(import(changedSpec("hidden_units: [3]", "hidden_units: [3] optimizer { sgd {} clip_by_norm: 1 }")));
  common::MessageList messages;
  EXPECT_TRUE(table.applySet("model.dnn.optimizer.clip_by_norm=2", common::SettingStage::Start, messages));
  EXPECT_FALSE(table.applySet("model.dnn.optimizer.clip_by_value=2", common::SettingStage::Start, messages));
  EXPECT_TRUE(table.applySet("train.max_steps=2", common::SettingStage::Start, messages));
}

/// In profile tf2 a momentum of 0 is another rule than one above 0; tf1 has one rule.
TEST_F(Import, RmsPropByProfile) {
  auto rule = [&](const std::string &fields, const std::string &rest) {
    std::string dnn = "hidden_units: [3] optimizer { rms_prop { " + fields + " } }";
    return cast<est::RmsPropAttr>(
        only<est::DnnOp>(import(changedSpec("hidden_units: [3]", dnn) + rest)).getOptimizer().getRule());
  };
  est::RmsPropAttr plain = rule("", ""), heavy = rule("momentum: 0.5 centered: true", ""),
                   tf1 = rule("", "compat: TF1");
  EXPECT_EQ(plain.getDecay().getDouble(), 0.9);
  EXPECT_EQ(plain.getEpsilon().getDouble(), 1e-7);
  EXPECT_EQ(plain.getInitialMeanSquare().getValueAsDouble(), 0);
  EXPECT_FALSE(plain.getMomentum());
  EXPECT_FALSE(plain.getCentered());
  ASSERT_TRUE(heavy.getMomentum());
  EXPECT_EQ(heavy.getMomentum().getValueAsDouble(), 0.5);
  EXPECT_TRUE(heavy.getCentered());
  EXPECT_EQ(tf1.getEpsilon().getDouble(), 1e-10);
  EXPECT_EQ(tf1.getInitialMeanSquare().getValueAsDouble(), 1);
  ASSERT_TRUE(tf1.getMomentum());
  EXPECT_EQ(tf1.getMomentum().getValueAsDouble(), 0);
}

/// Adadelta is in both profiles, with another epsilon; Adamax and Nadam are Keras' in both.
TEST_F(Import, AdaptiveRulesByProfile) {
  auto rule = [&](const std::string &text, const std::string &rest) {
    std::string dnn = "hidden_units: [3] optimizer { " + text + " }";
    return only<est::DnnOp>(import(changedSpec("hidden_units: [3]", dnn) + rest)).getOptimizer().getRule();
  };
  for (bool tf1 : {false, true}) {
    std::string profile = tf1 ? "compat: TF1" : "compat: TF2";
    double rate = tf1 ? 0.05 : 0.001;
    auto adadelta = cast<est::AdadeltaAttr>(rule("adadelta {}", profile));
    EXPECT_EQ(adadelta.getLearningRate().getDouble(), rate);
    EXPECT_EQ(adadelta.getRho().getDouble(), 0.95);
    EXPECT_EQ(adadelta.getEpsilon().getDouble(), tf1 ? 1e-8 : 1e-7);
    auto adamax = cast<est::AdamaxAttr>(rule("adamax { beta2: 0.5 }", profile));
    EXPECT_EQ(adamax.getLearningRate().getDouble(), rate);
    EXPECT_EQ(adamax.getBeta1().getDouble(), 0.9);
    EXPECT_EQ(adamax.getBeta2().getDouble(), 0.5);
    EXPECT_EQ(adamax.getEpsilon().getDouble(), 1e-7);
    auto nadam = cast<est::NadamAttr>(rule("nadam { beta1: 0.5 }", profile));
    EXPECT_EQ(nadam.getBeta1().getDouble(), 0.5);
    EXPECT_EQ(nadam.getBeta2().getDouble(), 0.999);
    EXPECT_EQ(nadam.getEpsilon().getDouble(), 1e-7);
    EXPECT_EQ(nadam.getScheduleDecay().getDouble(), 0.004);
    EXPECT_EQ(nadam.getScheduleDecay().getPath().getValue(), "model.dnn.optimizer.nadam.schedule_decay");
    EXPECT_EQ(cast<est::AdamAttr>(rule("adam {}", profile)).getEpsilon().getDouble(), tf1 ? 1e-8 : 1e-7);
    EXPECT_FALSE(cast<est::AdamAttr>(rule("adam {}", profile)).getAmsgrad());
    EXPECT_TRUE(cast<est::AdamAttr>(rule("adam { amsgrad: true }", profile)).getAmsgrad());
  }
  EXPECT_FALSE(cast<est::FtrlAttr>(rule("ftrl {}", "")).getBeta());
  auto ftrl = cast<est::FtrlAttr>(rule("ftrl { beta: 0.5 l2_shrinkage_regularization_strength: 0.25 }", ""));
  EXPECT_EQ(ftrl.getBeta().getDouble(), 0.5);
  EXPECT_EQ(ftrl.getL2Shrinkage().getDouble(), 0.25);
}

TEST_F(Import, DecaysOfTheLearningRate) {
  auto decay = [&](const std::string &text) {
    std::string dnn = "hidden_units: [3] optimizer { sgd {} schedule { " + text + " } }";
    return only<est::DnnOp>(import(changedSpec("hidden_units: [3]", dnn))).getOptimizer().getDecay();
  };
  auto natural = cast<est::NaturalExpDecayAttr>(decay("natural_exp_decay { decay_steps: 7 decay_rate: 0.5 }"));
  EXPECT_EQ(natural.getDecaySteps().getDouble(), 7);
  EXPECT_EQ(natural.getDecayRate().getDouble(), 0.5);
  EXPECT_FALSE(natural.getStaircase());
  auto restarts = cast<est::CosineDecayRestartsAttr>(decay("cosine_decay_restarts { first_decay_steps: 7 }"));
  EXPECT_EQ(restarts.getFirstDecaySteps().getDouble(), 7);
  EXPECT_EQ(restarts.getTMul().getValueAsDouble(), 2);
  EXPECT_EQ(restarts.getMMul().getDouble(), 1);
  EXPECT_EQ(restarts.getAlpha().getDouble(), 0);
  EXPECT_EQ(restarts.getMMul().getPath().getValue(), "model.dnn.optimizer.schedule.cosine_decay_restarts.m_mul");
  auto linear = cast<est::LinearCosineDecayAttr>(decay("linear_cosine_decay { decay_steps: 7 }"));
  EXPECT_EQ(linear.getDecaySteps().getDouble(), 7);
  EXPECT_EQ(linear.getNumPeriods().getValueAsDouble(), 0.5);
  EXPECT_EQ(linear.getAlpha().getDouble(), 0);
  EXPECT_EQ(linear.getBeta().getDouble(), 0.001);
}

/// min(0.005, 1 / sqrt(n)): the second is the smaller from 40,001 columns on.
TEST_F(Import, LearningRateOfManyLinearColumns) {
  std::string columns = "input { csv {} column { name: [\"a[1-40401]\"] dtype: FLOAT32 } "
                        "column { name: \"label\" dtype: INT64 } }\n"
                        "feature_column { numeric { key: \"a[1-40401]\" } }\n"
                        "model { dnn_linear_combined { linear { feature_columns: \"a*\" } } }\n"
                        "head { label: \"label\" binary_class {} }\n";
  EXPECT_DOUBLE_EQ(learningRate(only<est::LinearOp>(import(columns)).getOptimizer()), 1.0 / 201);
}

TEST_F(Import, InitializersAndReductions) {
  est::EstimatorOp tf2 = import(goodSpec());
  auto normal = cast<est::TruncatedNormalAttr>(only<est::EmbeddingOp>(tf2).getInitializer());
  EXPECT_EQ(normal.getStddev().getValueAsDouble(), 0.5); // 1 / sqrt(4)
  EXPECT_TRUE(isa<est::GlorotUniformAttr>(only<est::DnnOp>(tf2).getKernelInitializer()));
  EXPECT_EQ(only<est::BinaryClassHeadOp>(tf2).getReduction(), est::LossReduction::SumOverBatchSize);
  EXPECT_EQ(only<est::BinaryClassHeadOp>(import(goodSpec() + "compat: TF1")).getReduction(), est::LossReduction::Sum);
}

TEST_F(Import, NameIsThatOfTheFile) { EXPECT_EQ(import(changedSpec("name: \"good\"", "")).getSymName(), "s"); }

//===----------------------------------------------------------------------===//
// Settings and input
//===----------------------------------------------------------------------===//

TEST_F(Import, SettingsHaveStageOriginAndRule) {
  common::SettingsTable table = settings(import(goodSpec() + "train { batch_size: 5 epochs: 2 }"));
  const common::Setting *rate = table.find("model.dnn.optimizer.adagrad.learning_rate");
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->stage, common::SettingStage::Start);
  EXPECT_EQ(rate->origin, "default tf2");
  EXPECT_EQ(table.getFloat(rate->path), 0.001);
  EXPECT_EQ(rate->rule.min, 0.0);
  EXPECT_FALSE(rate->rule.minExclusive);
  const common::Setting *units = table.find("model.dnn.hidden_units");
  ASSERT_TRUE(units);
  EXPECT_EQ(units->stage, common::SettingStage::Compile);
  EXPECT_EQ(units->origin, "s.pbtxt:11");
  EXPECT_EQ(table.find("train.batch_size")->origin, "s.pbtxt:13");
  EXPECT_EQ(table.find("train.shuffle")->origin, "default");
  EXPECT_EQ(table.getBool("train.shuffle"), true);
  EXPECT_FALSE(table.find("train.max_steps")->value);
  EXPECT_EQ(table.getInt("run_config.save_checkpoints_secs"), 600);
  EXPECT_TRUE(table.find("run_config.keep_checkpoint_every_n_hours")->rule.minExclusive);
  // Flags of a trainer set these even where the spec says nothing of them.
  for (const char *path : {"train.files", "eval.files", "predict.files", "run_config.seed"})
    EXPECT_TRUE(table.find(path)) << path;
  common::MessageList messages;
  EXPECT_TRUE(table.applySet("model.dnn.optimizer.adagrad.learning_rate=0.5", common::SettingStage::Start, messages));
  EXPECT_FALSE(table.applySet("model.dnn.hidden_units=5", common::SettingStage::Start, messages));
}

TEST_F(Import, SettingsOfTheStepAreInTheTable) {
  est::EstimatorOp estimator = importExample("census/wide_deep.pbtxt");
  ASSERT_TRUE(estimator);
  common::SettingsTable table = settings(estimator);
  int found = 0;
  estimator.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](est::SettingAttr setting) {
        const common::Setting *entry = table.find(setting.getPath().getValue().str());
        ASSERT_TRUE(entry) << setting.getPath().str();
        EXPECT_EQ(entry->stage, common::SettingStage::Start) << entry->path;
        ++found;
      });
  });
  EXPECT_EQ(found, 10); // dropout; ftrl: rate, l1, l2, shrinkage; adagrad: rate, epsilon; warm-up; cosine: steps, alpha
}

TEST_F(Import, PathsBecomeAbsolute) {
  common::SettingsTable table =
      settings(import(goodSpec() + "train { files: [\"${MLC_TEST_NONE:-d}/../a.csv\", \"/b.csv\"] }"));
  EXPECT_THAT(table.getStrings("train.files"), ElementsAre("/specs/a.csv", "/b.csv"));
}

TEST_F(Import, InputHasTheDeclaredColumns) {
  est::EstimatorOp estimator =
      import(changedSpec("csv { header: true }", "csv { field_delim: \"\\t\" } missing: \"?\""));
  llvm::Expected<llvm::json::Value> input = llvm::json::parse(*estimator.getInput());
  ASSERT_TRUE(bool(input));
  const llvm::json::Object &object = *input->getAsObject();
  EXPECT_EQ(object.getObject("csv")->getString("field_delim"), "\t");
  EXPECT_EQ((*object.getArray("missing"))[0].getAsString(), "?");
  std::vector<std::string> columns;
  for (const llvm::json::Value &value : *object.getArray("columns")) {
    const llvm::json::Object &column = *value.getAsObject();
    columns.push_back(column.getString("name")->str() + " " + column.getString("dtype")->str() + " " +
                      column.getString("role")->str() + (*column.getBoolean("categorical") ? " categorical" : ""));
  }
  // "z" is not used by the model; it can be forwarded.
  EXPECT_THAT(columns, ElementsAre("x FLOAT32 feature", "z FLOAT32 feature", "job STRING feature categorical",
                                   "label INT64 label"));
}

TEST_F(Import, NumericUseRulesOutCategoricalUse) {
  est::EstimatorOp estimator =
      import("input { csv {} column { name: [\"n\", \"m\"] dtype: INT64 } column { name: \"y\" dtype: FLOAT32 } }\n"
             "feature_column { numeric { key: \"n\" } }\n"
             "feature_column { name: \"id\" categorical_with_identity { key: \"n\" num_buckets: 3 } }\n"
             "feature_column { categorical_with_vocabulary_list { key: \"m\" vocabulary_list: [\"7\", \"-8\"] } }\n"
             "feature_column { name: \"unused\" numeric { key: \"m\" } }\n"
             "model { linear { feature_columns: [\"n\", \"id\", \"m\"] } }\nhead { label: \"y\" regression {} }\n");
  std::vector<std::string> categorical;
  for (auto feature : estimator.getBody().getOps<est::FeatureOp>())
    if (feature.getCategorical())
      categorical.push_back(feature.getName().str());
  EXPECT_THAT(categorical, ElementsAre("m"));
  EXPECT_EQ(only<est::VocabularyOp>(estimator).getTerms()[1], Builder(&context_).getI64IntegerAttr(-8));
}

TEST_F(Import, Shapes) {
  est::EstimatorOp estimator =
      import("input { csv {} column { name: \"p[1-2]\" dtype: FLOAT32 shape: [2, 3] default_value: \"1|2|3|4|5|6\" } "
             "column { name: \"v\" dtype: BOOL shape: 4 default_value: \"True\" } "
             "column { name: \"y\" dtype: FLOAT32 shape: [1, 1] } }\n"
             "feature_column { numeric { key: [\"p[1-2]\", \"v\"] } }\n"
             "model { linear { feature_columns: \"*\" } }\nhead { label: \"y\" regression {} }\n");
  std::vector<int64_t> widths;
  for (Value column : only<est::LinearOp>(estimator).getColumns())
    widths.push_back(cast<est::DenseType>(column.getType()).getDimension());
  EXPECT_THAT(widths, ElementsAre(6, 6, 4));
  auto first = *estimator.getBody().getOps<est::FeatureOp>().begin();
  EXPECT_THAT(first.getType().getShape(), ElementsAre(2, 3));
  EXPECT_TRUE(only<est::RegressionHeadOp>(estimator).getLabel().getType().isScalar());
  EXPECT_THAT(estimator.getInput()->str(),
              HasSubstr(R"("name":"p1","on_missing":"AUTO","role":"feature","shape":[2,3])"));
}

//===----------------------------------------------------------------------===//
// Documentation
//===----------------------------------------------------------------------===//

TEST_F(Import, SettingsSayWhatTheyAre) {
  common::SettingsTable table = settings(importExample("census/wide_deep.pbtxt"));
  EXPECT_EQ(table.find("train.batch_size")->doc, "Rows per step.");
  EXPECT_EQ(table.find("train.epochs")->doc, "Passes over the files after which training ends; the first of max_steps "
                                             "and epochs that is reached counts.");
  EXPECT_EQ(table.find("model.dnn_linear_combined.dnn.optimizer.schedule.cosine_decay.decay_steps")->doc,
            "Steps of half a cosine.");
  for (const common::Setting &setting : table.settings())
    EXPECT_NE(setting.doc, "") << setting.path;
}

/// Adds the names of the scalar fields of `type`, and of the types in it, that the schema says nothing of.
static void findUndocumented(const google::protobuf::Descriptor &type, std::vector<std::string> &names) {
  for (int i = 0; i < type.field_count(); ++i)
    if (type.field(i)->cpp_type() != ProtoField::CPPTYPE_MESSAGE && docOf(*type.field(i)).empty())
      names.push_back(type.field(i)->full_name());
  for (int i = 0; i < type.nested_type_count(); ++i)
    if (!type.nested_type(i)->options().map_entry())
      findUndocumented(*type.nested_type(i), names);
}

TEST(SchemaDocs, EveryScalarFieldHasOne) {
  std::vector<std::string> names;
  const google::protobuf::FileDescriptor &file = *mlc::spec::v1::Estimator::descriptor()->file();
  for (int i = 0; i < file.message_type_count(); ++i)
    findUndocumented(*file.message_type(i), names);
  EXPECT_THAT(names, ElementsAre());
}

TEST_F(Import, TfRecordAndMultiValuedColumnsAreInTheManifest) {
  // What the model does not use is not in the manifest.
  est::EstimatorOp estimator = import(
      "input { tfrecord { compression: GZIP } column { name: \"x\" dtype: FLOAT32 } "
      "column { name: \"tags\" dtype: STRING multi_value { separator: \",\" max_values: 9 weight_separator: \":\" } "
      "default_value: \"a:2,b\" } column { name: \"y\" dtype: FLOAT32 } }\n"
      "feature_column { numeric { key: \"x\" } }\n"
      "model { linear { feature_columns: \"*\" } }\nhead { label: \"y\" regression {} }\n");
  EXPECT_THAT(estimator.getInput()->str(), HasSubstr(R"("tfrecord":{"compression":"GZIP"})"));
  EXPECT_THAT(estimator.getInput()->str(), Not(HasSubstr("csv")));
}

/// "path file:line:column" of an op.
static std::string locationOf(Operation *op) {
  auto path = cast<NameLoc>(op->getLoc());
  auto place = cast<FileLineColLoc>(path.getChildLoc());
  return path.getName().str() + " " + place.getFilename().str() + ":" + std::to_string(place.getLine()) + ":" +
         std::to_string(place.getColumn());
}

TEST_F(Import, LocationsPointIntoTheSpec) {
  est::EstimatorOp estimator = import(goodSpec());
  EXPECT_EQ(locationOf(only<est::HashBucketOp>(estimator)),
            "feature_column.job.categorical_with_hash_bucket.key[0] s.pbtxt:9:54");
  EXPECT_EQ(locationOf(only<est::DnnOp>(estimator)), "model.dnn s.pbtxt:11:9");
  EXPECT_EQ(locationOf(only<est::BinaryClassHeadOp>(estimator)), "head s.pbtxt:12:1");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST_F(Import, MissingFileNamesTheNearest) {
  common::MessageList messages;
  EXPECT_FALSE(importEstimatorSpecFile(sourceDirectory() + "/examples/iris/dmn.pbtxt", &context_, messages));
  EXPECT_THAT(messages.format(),
              HasSubstr("error[E0114] " + sourceDirectory() + "/examples/iris/dmn.pbtxt: cannot read"));
  EXPECT_THAT(messages.format(), HasSubstr("did you mean 'dnn.pbtxt'?"));
}

TEST_F(Import, EmptySpecNeedsEverything) {
  std::string text = messagesOf("");
  for (const char *needed : {"the spec needs 'input'", "the spec needs 'model'", "the spec needs 'head'", "3 errors"})
    EXPECT_THAT(text, HasSubstr(needed));
}

TEST_F(Import, AtMostTwentyErrors) {
  std::string text = goodSpec();
  for (int i = 0; i < 30; ++i)
    text += "nonsense_" + std::to_string(i) + ": 1\n";
  std::string printed = messagesOf(text);
  EXPECT_THAT(printed, HasSubstr("'nonsense_19'"));
  EXPECT_THAT(printed, Not(HasSubstr("'nonsense_20'")));
}

TEST_F(Import, NotUtf8) { EXPECT_THAT(messagesOf("\xFF\xFEn\0a"), HasSubstr("it is UTF-16; save it as UTF-8")); }

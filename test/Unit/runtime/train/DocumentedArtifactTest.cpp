// The artifact that docs/abi.md shows trains and predicts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrainerFixture.h"

using namespace mlcrt;
using testing::HasSubstr;

class DocumentedArtifactTest : public TrainerFixture {};

TEST_F(DocumentedArtifactTest, LearnsItsWeight) {
  std::ofstream rows(at("rows.csv"));
  rows << "x,y\n";
  for (int i = 1; i <= 64; ++i)
    rows << i / 64.0 << ',' << 3 * i / 64.0 << '\n';
  rows.close();
  RunResult result =
      run({"train", "--model_dir=m", "--train_files=rows.csv", "--epochs=200", "--batch_size=16"}, DOCUMENTED_TRAINER);
  ASSERT_EQ(result.exit, 0) << result.err;
  result = run({"predict", "--model_dir=m", "--predict_files=rows.csv"}, DOCUMENTED_TRAINER);
  ASSERT_EQ(result.exit, 0) << result.err;
  std::vector<nlohmann::json> predictions = result.json();
  ASSERT_EQ(predictions.size(), 64u);
  EXPECT_NEAR(predictions.back()["prediction"].get<double>(), 3, 1e-3);
  // The setting is one like any other.
  EXPECT_EQ(
      run({"train", "--model_dir=n", "--train_files=rows.csv", "--epochs=1", "--set=model.rate=x"}, DOCUMENTED_TRAINER)
          .exit,
      2);
  EXPECT_THAT(run({"info"}, DOCUMENTED_TRAINER).out, HasSubstr("model.rate = 0.1"));
}

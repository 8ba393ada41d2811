// The description of one entry alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Target/Artifact/ArtifactInfo.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlc;
using testing::ElementsAre;

static ValueInfo feature(const std::string &name, mlcrt_dtype dtype, int64_t symbol) {
  return {name, dtype, {MLCRT_DIM_SYMBOL(symbol)}};
}

/// Two multi-valued features, their pairs, and rows of a table for x, pairs or both.
static ArtifactInfo makeInfo() {
  ArtifactInfo info;
  info.features = {feature("x", MLCRT_I64, 0),    feature("s", MLCRT_STRING, 1),   feature("s.ends", MLCRT_I64, 0),
                   feature("t", MLCRT_STRING, 2), feature("t.ends", MLCRT_I64, 0), feature("t.weight", MLCRT_F32, 2)};
  info.dimensions = {{3, MLCRT_DIMENSION_PRODUCT, {1, 2}},
                     {4, MLCRT_DIMENSION_SUM, {1, 0, 0, 1}},
                     {5, MLCRT_DIMENSION_SUM, {1, 0, 1}},
                     {6, MLCRT_DIMENSION_SUM, {2, 0, 0, 0, 0, 1}}};
  return info;
}

/// An entry that reads the features of these indices.
static EntryInfo makeEntry(mlcrt_role role, const std::vector<int32_t> &features) {
  EntryInfo entry{"entry", role, {}, {}, {}};
  SegmentInfo &segment = entry.segments.emplace_back();
  for (int32_t index : features) {
    mlcrt_operand operand = {};
    operand.source = MLCRT_SOURCE_FEATURE;
    operand.index = index;
    segment.operands.push_back(operand);
  }
  return entry;
}

static std::vector<std::string> featuresOf(const ArtifactInfo &info) {
  std::vector<std::string> names;
  for (const ValueInfo &value : info.features)
    names.push_back(value.name);
  return names;
}

static std::vector<int64_t> symbolsOf(const ArtifactInfo &info) {
  std::vector<int64_t> symbols;
  for (const DimensionInfo &dimension : info.dimensions)
    symbols.push_back(dimension.symbol);
  return symbols;
}

TEST(SelectEntry, NoneOfThatRole) {
  ArtifactInfo info = makeInfo();
  info.entries = {makeEntry(MLCRT_ROLE_TRAIN, {0})};
  EXPECT_FALSE(selectEntry(info, MLCRT_ROLE_PREDICT));
}

TEST(SelectEntry, KeepsWhatItsFeaturesGive) {
  ArtifactInfo info = makeInfo();
  info.entries = {makeEntry(MLCRT_ROLE_TRAIN, {0, 1, 2, 3, 4}), makeEntry(MLCRT_ROLE_PREDICT, {0, 1, 2, 3, 4})};
  std::optional<ArtifactInfo> selected = selectEntry(info, MLCRT_ROLE_PREDICT);
  ASSERT_TRUE(selected);
  EXPECT_THAT(featuresOf(*selected), ElementsAre("x", "s", "s.ends", "t", "t.ends"));
  EXPECT_THAT(symbolsOf(*selected), ElementsAre(3, 4, 5, 6));
}

TEST(SelectEntry, DropsDimensionsOfFeaturesThatItDoesNotRead) {
  ArtifactInfo info = makeInfo();
  info.entries = {makeEntry(MLCRT_ROLE_TRAIN, {0, 1, 2, 3, 4}), makeEntry(MLCRT_ROLE_PREDICT, {5, 0})};
  std::optional<ArtifactInfo> selected = selectEntry(info, MLCRT_ROLE_PREDICT);
  ASSERT_TRUE(selected);
  // Weights come with the values and the ends by which they are found.
  EXPECT_THAT(featuresOf(*selected), ElementsAre("x", "t", "t.ends", "t.weight"));
  EXPECT_THAT(symbolsOf(*selected), ElementsAre(5, 6));
  const std::vector<mlcrt_operand> &operands = selected->entries.front().segments.front().operands;
  EXPECT_EQ(operands[0].index, 3);
  EXPECT_EQ(operands[1].index, 0);
}

TEST(SelectEntry, TakesTheImagesOfPredict) {
  ArtifactInfo info = makeInfo();
  info.entries = {makeEntry(MLCRT_ROLE_TRAIN, {0}), makeEntry(MLCRT_ROLE_PREDICT, {0})};
  info.images = {{"cuda", "sm_80", MLCRT_IMAGE_PTX, 0, "all", "of predict"},
                 {"cuda", "sm_90a", MLCRT_IMAGE_PTX, 0, "some", std::string(1, '\0')},
                 {"cuda", "sm_100", MLCRT_IMAGE_PTX, 0, "same"}};
  const auto textsOf = [&](mlcrt_role role) {
    std::vector<std::string> texts;
    for (const ImageInfo &image : selectEntry(info, role)->images)
      texts.push_back(image.bytes);
    return texts;
  };
  EXPECT_THAT(textsOf(MLCRT_ROLE_PREDICT), ElementsAre("of predict", "same"));
  EXPECT_THAT(textsOf(MLCRT_ROLE_TRAIN), ElementsAre("all", "some", "same"));
}

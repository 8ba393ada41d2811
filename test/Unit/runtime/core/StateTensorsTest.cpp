//===- StateTensorsTest.cpp - Variables that are several tensors -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/StateTensors.h"
#include "TablesModel.h"
#include "common/checkpoint/NameKey.h"
#include "runtime/src/core/RangeInit.h"

#include "gmock/gmock.h"

using namespace mlcrt;
using testing::ElementsAre;
using Storage = TablesModel::Storage;

TEST(StateTensors, NamedRowsAreTensors) {
  TablesModel model(Storage::Stacked);
  const StateTensors &tensors = model.artifact->tensors();
  std::vector<std::string> names;
  for (const StateTensor &tensor : tensors)
    names.push_back(tensor.value.name);
  EXPECT_EQ(names, TablesModel::names());
  EXPECT_EQ(tensors.firstOf(1), 3);
  EXPECT_EQ(tensors.firstOf(5), tensors.size());
  const int32_t c = tensors.find("c"), slot = tensors.find("c/linear");
  EXPECT_EQ(tensors[c].variable, 0);
  EXPECT_EQ(tensors[c].rows, (RowRange{5, 9}));
  EXPECT_THAT(tensors[c].shape(), ElementsAre(4, 2));
  EXPECT_EQ(tensors[c].offset(), 5 * 2 * 4);
  EXPECT_EQ(tensors[c].bytes(), 4 * 2 * 4);
  EXPECT_EQ(tensors[c].flags, MLCRT_VARIABLE_TRAINABLE);
  EXPECT_EQ(tensors[c].slotOf, -1);
  EXPECT_EQ(tensors[slot].slotOf, c);
  EXPECT_STREQ(tensors[slot].slot, "linear");
  EXPECT_EQ(tensors.find("tables"), -1) << "the name of a variable that is several tensors is nobody's";
  EXPECT_EQ(tensors.find("bias"), 9);
}

TEST(StateTensors, OtherVariablesAreOne) {
  TablesModel model(Storage::Separate);
  const StateTensors &tensors = model.artifact->tensors();
  ASSERT_EQ(tensors.size(), model.artifact->table().num_variables);
  for (int32_t i = 0; i < tensors.size(); ++i) {
    const mlcrt_variable &variable = model.artifact->table().variables[i];
    EXPECT_EQ(tensors[i].variable, i);
    EXPECT_STREQ(tensors[i].value.name, variable.value.name);
    EXPECT_EQ(tensors[i].rows, allRows(variable));
    EXPECT_EQ(tensors[i].slotOf, variable.slot_of);
  }
}

TEST(StateTensors, AreReadAndWrittenByName) {
  TablesModel model(Storage::Stacked);
  float values[4] = {1, 2, 3, 4};
  ASSERT_TRUE(model.state().write("b", makeBuffer(values, MLCRT_F32, {2, 2})).ok());
  const float *all = static_cast<const float *>(model.state().storage(0).data);
  EXPECT_THAT(std::vector<float>(all, all + 18), ElementsAre(0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0));
  Tensor b = *model.state().read("b");
  EXPECT_THAT(b.dims(), ElementsAre(2, 2));
  EXPECT_EQ(std::memcmp(b.data(), values, sizeof(values)), 0);
  EXPECT_EQ(std::string(model.state().write("b", makeBuffer(values, MLCRT_F32, {1, 4})).message()),
            "variable 'b': found f32[1x4], expected f32[2x2]");
  EXPECT_EQ(model.state().read("tables").status().code(), absl::StatusCode::kNotFound);
}

TEST(StateTensors, ThatAreHeldInPart) {
  TablesModel model(Storage::Stacked, {{2, 6}, {2, 6}, {2, 6}, {0, 0}, {0, 0}});
  EXPECT_THAT(model.state().read("a")->dims(), ElementsAre(1, 2));
  EXPECT_THAT(model.state().read("b")->dims(), ElementsAre(2, 2));
  EXPECT_THAT(model.state().read("c")->dims(), ElementsAre(1, 2));
  float value[2] = {7, 8};
  ASSERT_TRUE(model.state().write("c", makeBuffer(value, MLCRT_F32, {1, 2})).ok());
  EXPECT_EQ(static_cast<const float *>(model.state().storage(0).data)[6], 7);
}

TEST(StateTensors, BeginAsVariablesOfTheirNames) {
  ThreadPool pool(1);
  TablesModel stacked(Storage::Stacked), separate(Storage::Separate);
  ASSERT_TRUE(stacked.program->initialize(/*seed=*/11, pool).ok());
  ASSERT_TRUE(separate.program->initialize(/*seed=*/11, pool).ok());
  EXPECT_EQ(stacked.bytes(), separate.bytes());
  EXPECT_NE(stacked.bytesOf("a").substr(0, 16), stacked.bytesOf("b")) << "other keys";
  const Tensor bias = *stacked.state().read("bias");
  EXPECT_THAT(std::vector<float>(bias.as<float>(), bias.as<float>() + 2), ElementsAre(0, 1));
  // As what draws sees it.
  uint64_t mixed = mlc::common::nameKey("b") ^ 11;
  mixed = (mixed ^ mixed >> 31) * 0x9E3779B97F4A7C15u;
  EXPECT_EQ(stacked.state().read("b")->as<float>()[0], static_cast<float>(mixed >> 40));
}

TEST(StateTensors, RangesOfRowsBeginAsAllRowsDo) {
  ThreadPool pool(1);
  TablesModel whole(Storage::Stacked);
  ASSERT_TRUE(canInitializeRows(*whole.artifact));
  ASSERT_TRUE(whole.program->initialize(/*seed=*/11, pool).ok());
  for (const std::vector<int64_t> &cuts : {std::vector<int64_t>{0, 4, 9}, {0, 1, 8, 9}, {0, 3, 3, 9}})
    for (size_t k = 0; k + 1 < cuts.size(); ++k) {
      const RowRange rows = {cuts[k], cuts[k + 1]};
      TablesModel part(Storage::Stacked, {rows, rows, rows, {0, 2}, {0, 1}});
      ASSERT_TRUE(part.program->initialize(/*seed=*/11, pool).ok());
      for (int32_t v = 0; v < 3; ++v)
        EXPECT_EQ(std::memcmp(part.state().storage(v).data,
                              static_cast<const char *>(whole.state().storage(v).data) + rows.begin * 8,
                              static_cast<size_t>(rows.size()) * 8),
                  0)
            << v << " from row " << rows.begin;
    }
}

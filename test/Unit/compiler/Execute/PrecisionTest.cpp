// A module of precision bf16_mixed: compiled code rounds the factors of products as the interpreter does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compare.h"
#include "CompiledModule.h"
#include "OpAlone.h"
#include "Reference.h"

#include "gtest/gtest.h"

using namespace mlc;
using namespace mlc::execute;
using interp::State;

/// All cases of products in one module, with its attributes.
static std::string textOfProducts(const std::vector<OpCase> &cases, const std::string &attributes) {
  std::string text = "module attributes {" + attributes + "} {\n";
  for (const OpCase &which : cases)
    text += textOf(which);
  return text + "}\n";
}

TEST(Precision, CompiledCodeRoundsAsTheInterpreterDoes) {
  std::vector<OpCase> cases;
  addContractionCases(cases);
  auto compiled =
      CompiledModule::create(textOfProducts(cases, "df.precision = #df.precision<bf16_mixed>"), "x86-64-v3");
  auto reference = Reference::create(textOfProducts(cases, "df.precision = #df.precision<bf16_mixed>"));
  auto exact = Reference::create(textOfProducts(cases, "df.precision = #df.precision<f32>"));
  ASSERT_TRUE(compiled && reference && exact);
  const State initial = reference->initialState(/*seed=*/5);
  uint32_t seed = 0;
  int64_t rounded = 0;
  for (const OpCase &which : cases) {
    SCOPED_TRACE(which.name);
    for (int64_t rows : which.rows.size() > 2 ? std::vector<int64_t>{which.rows[2], 9} : which.rows) {
      const EntryCall call = callOf(which, rows, ++seed);
      RunOptions options;
      State expectedState = initial, foundState = initial, exactState = initial, unusedState = initial;
      EntryResult expected = reference->run(call, expectedState), found = compiled->run(call, foundState, options);
      EXPECT_EQ(expected.code, MLCRT_OK);
      EXPECT_EQ(found.code, MLCRT_OK);
      EntryResult magnitudes = reference->run(magnitudesOf(call), unusedState);
      for (const auto &[name, value] : expected.outputs) {
        Tolerance tolerance = toleranceOf(which.bound, rows, value.getKind(), &magnitudes.outputs.find(name)->second);
        tolerance.undefinedElements = which.undefinedElements;
        EXPECT_EQ(differenceOf(value, found.outputs[name], tolerance), "") << name << " of " << rows << " rows";
      }
      rounded += differenceOf(exact->run(call, exactState).outputs, expected.outputs) != "";
    }
  }
  // Products of one row or column are not rounded, nor are those of other types.
  EXPECT_GT(rounded, static_cast<int64_t>(cases.size()) / 2);
}

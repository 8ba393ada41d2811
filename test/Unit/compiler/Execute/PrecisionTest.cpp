// Modules of other precisions than f32: compiled code rounds the factors of products as the interpreter does.
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

static constexpr int64_t kMostTerms = 2048;

/// Places to run at, and precisions.
class Precision : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(Precision, CompiledCodeRoundsAsTheInterpreterDoes) {
  const auto [place, precision] = GetParam();
  const bool isOnGpu = std::string(place) == kCuda;
  std::vector<OpCase> cases;
  addContractionCases(cases);
  // The emulator takes a hundred times the time of a CPU, and halves of one kind go where those of the other one do.
  if (isOnGpu || std::string(precision) == "f16_mixed")
    llvm::erase_if(
        cases, [](const OpCase &which) { return which.ops.front() != "dot_general" && which.ops.front() != "conv"; });
  const std::string text = textOfProducts(cases, std::string("df.precision = #df.precision<") + precision + ">");
  // What rounds is decided before LLVM; that what it optimizes has the same bits is seen at one of them.
  auto compiled = CompiledModule::create(text, place, /*optimize=*/std::string(precision) == "f16_mixed");
  auto reference = Reference::create(text);
  auto exact = Reference::create(textOfProducts(cases, "df.precision = #df.precision<f32>"));
  ASSERT_TRUE(compiled && reference && exact);
  if (isOnGpu) {
    ASSERT_GT(compiled->artifact().num_images, 0);
    const mlcrt_image &image = compiled->artifact().images[0];
    const llvm::StringRef ptx(static_cast<const char *>(image.data), static_cast<size_t>(image.bytes));
    EXPECT_TRUE(ptx.contains("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"));
  }
  const State initial = reference->initialState(/*seed=*/5);
  uint32_t seed = 0;
  int64_t rounded = 0;
  for (const OpCase &which : cases) {
    SCOPED_TRACE(which.name);
    Bound bound = which.bound;
    // Tensor cores add in another order, of sums of no more than these; one that is rounded to halves may go to the
    // next one.
    if (isOnGpu) {
      bound.terms = std::max<int64_t>(bound.terms, kMostTerms);
      bound.ulps = std::max<int64_t>(bound.ulps, 1);
    }
    for (int64_t rows : which.rows.size() > 2 ? std::vector<int64_t>{isOnGpu ? 33 : which.rows[2]} : which.rows) {
      const EntryCall call = callOf(which, rows, ++seed);
      RunOptions options;
      State expectedState = initial, foundState = initial, exactState = initial, unusedState = initial;
      EntryResult expected = reference->run(call, expectedState), found = compiled->run(call, foundState, options);
      EXPECT_EQ(expected.code, MLCRT_OK);
      EXPECT_EQ(found.code, MLCRT_OK);
      EntryResult magnitudes = reference->run(magnitudesOf(call), unusedState);
      for (const auto &[name, value] : expected.outputs) {
        Tolerance tolerance = toleranceOf(bound, rows, value.getKind(), &magnitudes.outputs.find(name)->second);
        tolerance.undefinedElements = which.undefinedElements;
        EXPECT_EQ(differenceOf(value, found.outputs[name], tolerance), "") << name << " of " << rows << " rows";
      }
      rounded += differenceOf(exact->run(call, exactState).outputs, expected.outputs) != "";
    }
  }
  // Products of one row or column are not rounded, nor are those of other types.
  EXPECT_GT(rounded, static_cast<int64_t>(cases.size()) / 3);
}

/// A precision, what its instructions are called, and half of the distance from 1 to the next number.
struct Rounding {
  const char *precision, *products;
  double unit;
};

static void PrintTo(const Rounding &rounding, std::ostream *os) { *os << rounding.precision; }

class AttentionOfPrecision : public testing::TestWithParam<Rounding> {};

/// Tensor cores multiply shares relative to the maximum so far, the interpreter those that sums divide: both are
/// rounded once, to numbers of the precision.
TEST_P(AttentionOfPrecision, RoundsAsTheInterpreterDoes) {
  const Rounding rounding = GetParam();
  std::vector<OpCase> cases;
  addContractionCases(cases);
  llvm::erase_if(cases,
                 [](const OpCase &which) { return !llvm::StringRef(which.ops.front()).starts_with("attention"); });
  ASSERT_FALSE(cases.empty());
  const std::string text =
      textOfProducts(cases, std::string("df.precision = #df.precision<") + rounding.precision + ">");
  auto compiled = CompiledModule::create(text, kCuda);
  auto reference = Reference::create(text);
  ASSERT_TRUE(compiled && reference);
  const mlcrt_image &image = compiled->artifact().images[0];
  const llvm::StringRef ptx(static_cast<const char *>(image.data), static_cast<size_t>(image.bytes));
  EXPECT_TRUE(ptx.contains(rounding.products));
  State state = reference->initialState(/*seed=*/5);
  uint32_t seed = 0;
  for (const OpCase &which : cases) {
    SCOPED_TRACE(which.name);
    const bool isGradient = which.ops.front() != "attention";
    const int64_t rows = which.rows.size() > 2 ? 9 : which.rows[0];
    const EntryCall call = callOf(which, rows, ++seed);
    FakeServices services(compiled->artifact(), RunOptions());
    EntryResult expected = reference->run(call, state), found = compiled->run(call, state, services);
    EXPECT_EQ(expected.code, MLCRT_OK);
    EXPECT_EQ(found.code, MLCRT_OK);
    for (const ReportedError &error : services.getErrors())
      ADD_FAILURE() << error.message;
    double most = 1;
    for (const auto &[name, value] : call.features)
      if (interp::isFloatKind(value.getKind()))
        for (int64_t i = 0, n = value.getNumElements(); i < n; ++i)
          most = std::max(most, std::abs(value.getFloat(i)));
    Tolerance tolerance = toleranceOf(which.bound, rows, interp::ElementKind::F32, nullptr);
    // Sums of shares by values have two roundings, each of a unit of the largest value; gradients of scores are
    // products of two numbers, and sums of theirs of three.
    tolerance.absolute += (isGradient ? 8 * most * most : 2 * most) * rounding.unit;
    for (const auto &[name, value] : expected.outputs)
      EXPECT_EQ(differenceOf(value, found.outputs[name], tolerance), "") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Emulated, AttentionOfPrecision,
                         testing::Values(Rounding{"bf16_mixed", "m16n8k16.row.col.f32.bf16.bf16.f32", 0x1p-9},
                                         Rounding{"f16_mixed", "m16n8k16.row.col.f32.f16.f16.f32", 0x1p-12},
                                         Rounding{"tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", 0x1p-12}),
                         [](const auto &info) { return std::string(info.param.precision); });

INSTANTIATE_TEST_SUITE_P(Host, Precision,
                         testing::Combine(testing::Values("x86-64-v3"),
                                          testing::Values("bf16_mixed", "tf32", "f16_mixed")));
INSTANTIATE_TEST_SUITE_P(Emulated, Precision, testing::Combine(testing::Values(kCuda), testing::Values("tf32")));

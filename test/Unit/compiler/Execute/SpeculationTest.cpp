// What says that it cannot fail does not, whatever its operands are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpAlone.h"
#include "mlc/Interpreter/Interpreter.h"

#include "mlir/IR/Diagnostics.h"

#include "gtest/gtest.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::Tensor;
using mlir::ModuleOp;
using mlir::RankedTensorType;

/// Values that ops do not expect: what `special` has, strings of any bytes.
static Tensor hostile(ElementKind kind, llvm::ArrayRef<int64_t> shape, RandomValues &random, int place) {
  if (kind == ElementKind::String)
    return random.strings(shape, {"", "x", " ", "\xff\xfe", "-", "1e999", "9223372036854775808", "{}"});
  if (kind == ElementKind::I1)
    return random.integers(kind, shape, 0, 2);
  return special(place)(random, kind, shape);
}

/// The sizes of an operand: static ones, and for those that are not what others of their set have, or `size`.
static llvm::SmallVector<int64_t> sizesOf(mlir::Operation *op, mlir::Value operand, int64_t size) {
  df::DimensionMapping map = df::getDimensions(op);
  auto type = llvm::cast<RankedTensorType>(operand.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (auto [d, n] : llvm::enumerate(shape))
    if (mlir::ShapedType::isDynamic(n)) {
      n = size;
      for (const df::Dimension &each : map.get({operand, static_cast<int64_t>(d)}))
        if (each.isStatic())
          n = llvm::cast<RankedTensorType>(each.value.getType()).getDimSize(each.index);
    }
  return shape;
}

/// Runs the op for sizes that agree, if it says that it cannot fail then. Returns whether it says so.
static bool checkNeverFails(const Alone &alone) {
  auto module = alone.make(alone.getTypes());
  mlir::Operation *op = Alone::getOp(*module);
  auto isTensor = llvm::IsaPred<RankedTensorType>;
  if (!mlir::isMemoryEffectFree(op) || df::mayFail(op) || !llvm::all_of(op->getOperandTypes(), isTensor))
    return false;
  RandomValues random(/*seed=*/7);
  for (int64_t size : {0, 1, 2, 5, 17})
    for (int round = 0; round < 4; ++round) {
      std::vector<interp::RuntimeValue> arguments;
      for (mlir::OpOperand &operand : op->getOpOperands()) {
        auto kind = interp::elementKindOf(llvm::cast<RankedTensorType>(operand.get().getType()).getElementType());
        if (failed(kind))
          return false;
        arguments.push_back(hostile(*kind, sizesOf(op, operand.get(), size), random,
                                    static_cast<int>(operand.getOperandNumber() * round)));
      }
      std::string why;
      mlir::ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic &diagnostic) {
        why += diagnostic.str() + "\n";
        return mlir::success();
      });
      interp::State state(*module, /*seed=*/1);
      EXPECT_TRUE(succeeded(interp::interpret(*module, "alone", arguments, state))) << textOf(op) << "\n" << why;
      if (testing::Test::HasFailure())
        return true;
    }
  return true;
}

static std::vector<OpTheme> allThemes() {
  std::vector<OpTheme> themes = kOpThemes;
  themes.emplace_back("Elementwise", addElementwiseCases);
  return themes;
}

class Speculation : public testing::TestWithParam<OpTheme> {};

TEST_P(Speculation, WhatNeverFailsDoesNot) {
  int64_t neverFail = 0;
  forEachOpAlone(GetParam().second, [&](const Alone &alone) { neverFail += checkNeverFails(alone); });
  EXPECT_GT(neverFail, 0);
}

INSTANTIATE_TEST_SUITE_P(Themes, Speculation, testing::ValuesIn(allThemes()),
                         [](const testing::TestParamInfo<OpTheme> &info) { return std::string(info.param.first); });

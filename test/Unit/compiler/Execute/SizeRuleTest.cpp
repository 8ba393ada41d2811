// The rule for unknown sizes, of every op of the cases: what verifies prints and parses again, whatever its types know,
// and what types do not know is one of several sizes that are checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpAlone.h"
#include "dialects/Df/Transforms/DfPasses.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace mlc;
using namespace mlc::execute;
using mlir::ModuleOp;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;

static std::string bytesOf(Operation *op) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  EXPECT_TRUE(succeeded(mlir::writeBytecodeToFile(op, out)));
  return bytes;
}

static Type withSize(Type type, int64_t d, int64_t size) {
  auto tensor = llvm::cast<RankedTensorType>(type);
  llvm::SmallVector<int64_t> shape(tensor.getShape());
  shape[d] = size;
  return tensor.clone(shape);
}

/// The type without any size.
static Type relaxed(Type type) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  return tensor.clone(llvm::SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic));
}

/// What verifies prints and parses again, in text and in bytes; it still verifies after df-simplify, after df-decompose
/// and after df-refine-types.
static void checkForms(ModuleOp module) {
  mlir::MLIRContext *context = module.getContext();
  const std::string text = textOf(module);
  auto parsed = mlir::parseSourceString<ModuleOp>(text, context);
  ASSERT_TRUE(parsed) << text;
  EXPECT_EQ(textOf(*parsed), text);
  auto read = mlir::parseSourceString<ModuleOp>(bytesOf(module), context);
  ASSERT_TRUE(read) << text;
  EXPECT_EQ(textOf(*read), text);
  mlir::PassManager simplify(context);
  simplify.addPass(df::createDfSimplifyPass());
  EXPECT_TRUE(succeeded(simplify.run(*read))) << text;
  auto whole = mlir::parseSourceString<ModuleOp>(text, context);
  mlir::PassManager decompose(context);
  decompose.addPass(df::createDfDecomposePass());
  EXPECT_TRUE(succeeded(decompose.run(*whole))) << text;
  mlir::PassManager passes(context);
  passes.addPass(df::createDfRefineTypesPass());
  ASSERT_TRUE(succeeded(passes.run(*parsed))) << text;
  // All types of a set know a size, or none.
  parsed->walk([&](df::DimensionsOpInterface op) {
    df::DimensionMapping map = df::getDimensions(op);
    if (op->getName().getStringRef() != "df.cast_shape")
      for (llvm::ArrayRef<df::Dimension> set : map.getSets())
        EXPECT_TRUE(llvm::all_equal(llvm::map_range(set, [](const df::Dimension &each) { return each.isStatic(); })))
            << text << textOf(*parsed);
  });
}

/// Every operand and result under its own type and under one that knows nothing.
static void checkMixes(const Alone &alone) {
  const Types types = alone.getTypes();
  const size_t most = 8;
  for (size_t mask = 0; mask < (size_t(1) << std::min(types.size(), most)); ++mask) {
    Types mixed = types;
    for (size_t i = 0; i < std::min(types.size(), most); ++i)
      if (mask >> i & 1)
        mixed[i] = relaxed(types[i]);
    if (auto module = alone.make(mixed))
      checkForms(*module);
  }
}

/// A size of an operand that its type need not know is free, or as large as that of another operand. One of a result
/// that its type may know where no operand's type does is that of an operand.
static void checkSizes(const Alone &alone, size_t numOperands) {
  const Types types = alone.getTypes();
  for (size_t i = 0; i < types.size(); ++i) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(types[i]);
    for (int64_t d = 0, e = tensor ? tensor.getRank() : 0; d < e; ++d) {
      auto makeWith = [&](llvm::ArrayRef<Type> base, int64_t size) {
        Types changed(base);
        changed[i] = withSize(base[i], d, size);
        return alone.make(changed);
      };
      if (i < numOperands && !tensor.isDynamicDim(d)) {
        auto unknown = makeWith(types, ShapedType::kDynamic);
        const int64_t size = tensor.getDimSize(d);
        if (unknown && !makeWith(types, size + 1) && !(size > 0 && makeWith(types, size - 1)))
          EXPECT_TRUE(Alone::isChecked(*unknown, i, d)) << "operand " << i << ", dimension " << d << "\n"
                                                        << textOf(*unknown);
      }
      if (i >= numOperands) {
        Types unknown(llvm::map_range(types, relaxed));
        auto known = makeWith(unknown, 3);
        // One that an attribute tells has one size.
        if (known && makeWith(unknown, 4) && alone.make(unknown))
          EXPECT_TRUE(Alone::isChecked(*known, i, d)) << "dimension " << d << "\n" << textOf(*known);
      }
    }
  }
}

class SizeRule : public testing::TestWithParam<OpTheme> {};

TEST_P(SizeRule, HoldsForEveryOp) {
  const int64_t checked = forEachOpAlone(GetParam().second, [](const Alone &alone) {
    checkMixes(alone);
    checkSizes(alone, alone.getNumOperands());
  });
  EXPECT_GT(checked, 0);
}

INSTANTIATE_TEST_SUITE_P(Themes, SizeRule, testing::ValuesIn(kOpThemes),
                         [](const testing::TestParamInfo<SizeRule::ParamType> &info) {
                           return std::string(info.param.first);
                         });

// Versions of dialects in bytecode: what is written, what is refused, what is upgraded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Support/DialectVersion.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Dist/IR/Dist.h"
#include "dialects/Est/IR/Est.h"
#include "dialects/Kern/IR/Kern.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlc;
using mlir::ModuleOp;
using mlir::Operation;
using testing::HasSubstr;
using Upgrades = llvm::ArrayRef<VersionedBytecode::Upgrade>;

namespace {
/// A build that writes and reads bytecode.
class Build {
public:
  /// The present one.
  Build() { context.loadDialect<df::DfDialect, dist::DistDialect, est::EstDialect, kern::KernDialect>(); }
  /// One that has a dialect of this name, with an op `op`, as it is after these upgrades.
  Build(llvm::StringRef dialect, Upgrades upgrades) {
    mlir::DialectRegistry registry;
    registry.insertDynamic(dialect, [=](mlir::MLIRContext *, mlir::DynamicDialect *dynamic) {
      dynamic->addInterface<VersionedBytecode>(upgrades);
      auto verifies = [](Operation *) { return mlir::success(); };
      dynamic->registerDynamicOp(mlir::DynamicOpDefinition::get("op", dynamic, verifies, verifies));
    });
    context.appendDialectRegistry(registry);
  }

  /// A module of one op of the dialect.
  std::string write(llvm::StringRef dialect) {
    auto module = mlir::parseSourceString<ModuleOp>(("\"" + dialect + ".op\"() : () -> ()").str(), &context);
    std::string bytes;
    llvm::raw_string_ostream out(bytes);
    EXPECT_TRUE(module && succeeded(mlir::writeBytecodeToFile(*module, out)));
    return bytes;
  }
  /// Null if it fails: `getErrors` says why.
  mlir::OwningOpRef<ModuleOp> read(const std::string &bytes) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return mlir::success();
    });
    return mlir::parseSourceString<ModuleOp>(bytes, &context);
  }
  const std::string &getErrors() const { return errors; }

private:
  mlir::MLIRContext context;
  std::string errors;
};
} // namespace

static const char *const kSteps = "test.steps";
static std::string stepsOf(Operation *op) {
  auto steps = op->getAttrOfType<mlir::StringAttr>(kSteps);
  return steps ? steps.str() : "";
}
/// Upgrades leave their steps on the op.
template <char step> static llvm::LogicalResult append(Operation *root) {
  root->walk([](Operation *op) {
    if (!llvm::isa<ModuleOp>(op))
      op->setAttr(kSteps, mlir::StringAttr::get(op->getContext(), stepsOf(op) + step));
  });
  return mlir::success();
}
static llvm::LogicalResult fail(Operation *root) { return root->emitError("has what went"); }
static const VersionedBytecode::Upgrade kUpgrades[] = {append<'1'>, append<'2'>}, kFails[] = {fail};

class BytecodeVersion : public testing::TestWithParam<std::string> {};

TEST_P(BytecodeVersion, NewerThanKnownIsRefused) {
  Build newer(GetParam(), kUpgrades), current;
  EXPECT_FALSE(current.read(newer.write(GetParam())));
  EXPECT_THAT(current.getErrors(), testing::AllOf(HasSubstr("version 3 of the dialect '" + GetParam() +
                                                            "' is unknown; expected one from 1 to "),
                                                  HasSubstr(": a newer build has written it")));
}

TEST_P(BytecodeVersion, PresentOneIsReadUpToTheVersion) {
  Build same(GetParam(), {}), current;
  // The op is one that the dialect does not have.
  EXPECT_FALSE(current.read(same.write(GetParam())));
  EXPECT_THAT(current.getErrors(), testing::Not(HasSubstr("version")));
}

TEST_P(BytecodeVersion, OlderIsUpgradedStepByStep) {
  Build first(GetParam(), {}), second(GetParam(), Upgrades(kUpgrades).take_front(1)), third(GetParam(), kUpgrades);
  auto upgradedFrom = [&](Build &writer) {
    auto module = third.read(writer.write(GetParam()));
    EXPECT_TRUE(module) << third.getErrors();
    return module ? stepsOf(&module->getBody()->front()) : "";
  };
  EXPECT_EQ(upgradedFrom(first), "12");
  EXPECT_EQ(upgradedFrom(second), "2");
  EXPECT_EQ(upgradedFrom(third), "");
}

TEST_P(BytecodeVersion, FailedUpgradeFailsTheRead) {
  Build older(GetParam(), {}), current(GetParam(), kFails);
  EXPECT_FALSE(current.read(older.write(GetParam())));
  EXPECT_THAT(current.getErrors(), HasSubstr("has what went"));
}

INSTANTIATE_TEST_SUITE_P(Dialects, BytecodeVersion, testing::Values("df", "dist", "est", "kern"),
                         [](const testing::TestParamInfo<std::string> &info) { return info.param; });

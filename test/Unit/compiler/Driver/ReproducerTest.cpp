// What a pipeline that fails leaves for a report, by the kind of failure.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Reproducer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

using namespace mlir;
using namespace mlc;

namespace {

/// Does what the test says.
struct TestPass : public PassWrapper<TestPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPass)
  explicit TestPass(std::function<bool(ModuleOp)> w = {}) : work(std::move(w)) {}
  TestPass(const TestPass &other) = default;
  StringRef getArgument() const override { return "test-failure"; }
  void runOnOperation() override {
    if (!work(getOperation()))
      signalPassFailure();
  }
  std::function<bool(ModuleOp)> work;
};

class ReproducerTest : public ::testing::Test {
protected:
  ReproducerTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<func::FuncDialect>();
    module = parseSourceString<ModuleOp>("func.func @before() { return }", ParserConfig(&context));
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  }
  PipelineResult run(std::function<bool(ModuleOp)> work, ReproducerOptions options = {"a/model", "", false}) {
    PassManager passes(&context, ModuleOp::getOperationName());
    passes.addPass(std::make_unique<TestPass>(std::move(work)));
    return runPipeline(passes, *module, options);
  }
  /// The file, which is taken away.
  static std::string take(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    llvm::sys::fs::remove(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string messages;
};

TEST_F(ReproducerTest, SuccessWritesNothing) {
  PipelineResult result = run([](ModuleOp) { return true; }, {"m", "/nowhere/x.mlir", true});
  EXPECT_TRUE(result.good);
  EXPECT_TRUE(result.reproducer.empty() && result.problem.empty());
}

TEST_F(ReproducerTest, AnErrorOfTheUserWritesNothingUnlessAsked) {
  auto refuse = [](ModuleOp module) { return module.emitError("the model is wrong"), false; };
  PipelineResult result = run(refuse);
  EXPECT_FALSE(result.good || result.crashed || result.isInternal);
  EXPECT_TRUE(result.reproducer.empty());
  EXPECT_EQ(messages, "the model is wrong\n"); // and nothing of the pass manager's
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("reproducer", "mlir", path));
  result = run(refuse, {"m", std::string(path), false});
  EXPECT_FALSE(result.isInternal);
  EXPECT_EQ(result.reproducer, std::string(path));
  const std::string text = take(result.reproducer);
  EXPECT_NE(text.find("func.func @before"), std::string::npos);
  EXPECT_NE(text.find("pipeline: \"builtin.module(test-failure)\""), std::string::npos) << text;
}

TEST_F(ReproducerTest, AFailureWithoutAMessageIsInternal) {
  PipelineResult result = run([](ModuleOp) { return false; });
  EXPECT_TRUE(result.isInternal && !result.crashed);
  EXPECT_NE(result.pass.find("builtin.module"), std::string::npos) << result.pass;
  EXPECT_NE(result.reproducer.find("mlc-a_model-"), std::string::npos) << result.reproducer;
  EXPECT_NE(take(result.reproducer).find("@before"), std::string::npos);
}

TEST_F(ReproducerTest, InvalidIRIsInternalAndTheModuleBeforeIsWritten) {
  PipelineResult result = run([](ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>()) {
      function.setSymName("after");
      function.getBody().front().getTerminator()->erase();
    }
    return true;
  });
  EXPECT_TRUE(result.isInternal && !result.crashed);
  EXPECT_NE(take(result.reproducer).find("@before"), std::string::npos);
}

TEST_F(ReproducerTest, ACrashIsSurvivedAndWritten) {
  PipelineResult result = run([](ModuleOp) {
    std::raise(SIGSEGV);
    return true;
  });
  EXPECT_TRUE(result.crashed && result.isInternal);
  EXPECT_NE(take(result.reproducer).find("@before"), std::string::npos);
}

TEST_F(ReproducerTest, AFileThatCannotBeWrittenIsTold) {
  PipelineResult result = run([](ModuleOp) { return false; }, {"m", "/nowhere/x.mlir", false});
  EXPECT_TRUE(result.isInternal);
  EXPECT_TRUE(result.reproducer.empty());
  EXPECT_NE(result.problem.find("/nowhere/x.mlir"), std::string::npos) << result.problem;
}

// Each tells what its own passes found, whichever began first.
TEST(ReproducerThreads, TwoPipelinesOfAContextKeepTheirDiagnosticsApart) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  std::string messages;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  std::atomic<int> begun{0};
  auto run = [&](ModuleOp module, const char *what, std::vector<Diagnostic> *held) {
    PassManager passes(&context, ModuleOp::getOperationName());
    passes.addPass(std::make_unique<TestPass>([&begun, what](ModuleOp its) {
      for (++begun; begun < 2;)
        std::this_thread::yield();
      return its.emitError(what), false;
    }));
    ReproducerOptions options{"m", "", false};
    options.held = held;
    return runPipeline(passes, module, options);
  };
  OwningOpRef<ModuleOp> first = ModuleOp::create(UnknownLoc::get(&context)), second = first->clone();
  std::vector<Diagnostic> held;
  PipelineResult ofSecond;
  std::thread beside([&] { ofSecond = run(*second, "of the second", &held); });
  const PipelineResult ofFirst = run(*first, "of the first", nullptr);
  beside.join();
  for (const PipelineResult &result : {ofFirst, ofSecond}) {
    EXPECT_FALSE(result.good || result.crashed || result.isInternal);
    EXPECT_NE(result.pass.find("builtin.module"), std::string::npos) << result.pass;
  }
  EXPECT_EQ(messages, "of the first\n");
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held.front().str(), "of the second");
}

} // namespace

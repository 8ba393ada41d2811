// Mutated inputs of the tests through passes, pipelines and the whole compiler: whatever the text, there is no signal,
// no hang, and no failure without an error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc_mutation_test [--first=N] [--count=N]   trials to run (default: 0, 600); MLC_TEST_MUTATIONS=N for the long mode
//   mlc_mutation_test --print --first=N         writes the module of a trial to stdout, its pass to stderr
//   mlc_mutation_test --here --first=N          runs one trial in this process, for a debugger
//
#include "MutatedInput.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Driver/Register.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlc;
using namespace mlc::mutation;

namespace {

int64_t firstTrial = 0, numTrials = 600;

/// Seconds of CPU that a trial may take. The largest inputs take a tenth of one.
constexpr unsigned kMostSeconds = 20;
/// What a trial may allocate: a size that a text names must not be what is taken.
constexpr rlim_t kMostMemory = rlim_t(8) << 30;

const Corpus &corpus() {
  static const Corpus all(std::getenv("MLC_SOURCE_DIR") ? std::getenv("MLC_SOURCE_DIR") : ".");
  return all;
}

/// A context for some trials: making one takes longer than most of them.
mlir::MLIRContext &contextOfTrial(bool renew) {
  static std::unique_ptr<mlir::MLIRContext> context;
  if (!context || renew) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  }
  return *context;
}

/// Shared with the process that runs trials, which may not live to tell.
struct Progress {
  int64_t current;
  int64_t numRead; ///< texts that are modules
  int64_t numRun;  ///< passes that came to their end
  char problem[512];
};

std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// What was wrong with a trial, or nothing.
std::string runPass(const Trial &trial, mlir::MLIRContext &context, Progress &progress) {
  unsigned errors = 0;
  mlir::ScopedDiagnosticHandler count(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(trial.text, mlir::ParserConfig(&context));
  if (!module)
    return errors ? "" : "the text is refused without an error";
  ++progress.numRead;
  if (trial.run.empty()) {
    std::string once = printed(*module);
    mlir::OwningOpRef<mlir::ModuleOp> again =
        mlir::parseSourceString<mlir::ModuleOp>(once, mlir::ParserConfig(&context));
    if (!again)
      return "what is printed does not parse";
    return printed(*again) == once ? "" : "what is printed reads as something else";
  }
  llvm::StringRef name, options;
  std::tie(name, options) = llvm::StringRef(trial.run).split('=');
  const mlir::PassRegistryEntry *entry = mlir::PassInfo::lookup(name);
  if (!entry)
    entry = mlir::PassPipelineInfo::lookup(name);
  mlir::PassManager passes(&context);
  passes.enableVerifier(false);
  auto ignore = [](const llvm::Twine &) { return mlir::failure(); };
  if (!entry || failed(entry->addToPipeline(passes, options, ignore)))
    return "no such pass";
  if (failed(passes.run(*module)))
    return errors ? "" : "the pass fails without an error";
  ++progress.numRun;
  return {};
}

std::string runCompiler(const Trial &trial) {
  CompileOptions options;
  options.input = "mutated.mlir";
  options.content = trial.text;
  options.phase = Phase::Llvm;
  common::MessageList messages;
  std::string text;
  CompileResult result = compile(options, messages, text);
  if (result.code == common::ExitCode::Success)
    return {};
  for (const common::Message &message : messages.messages())
    if (message.code == "E0704")
      return "internal failure: " + message.what;
  return messages.messages().empty() ? "it fails without a message" : "";
}

std::string runTrial(uint64_t number, bool renewContext, Progress &progress) {
  Trial trial = corpus().makeTrial(number);
  if (trial.run == "compile")
    return runCompiler(trial);
  return runPass(trial, contextOfTrial(renewContext), progress);
}

constexpr int kExitNoMemory = 100;
const std::string kNoMemory = "it takes more than 8 GiB", kNoEnd = "it does not end";

/// Whether a program may just take as much: what is interpreted runs, and a loop of a mutated program need not end.
bool mayTakeMuch(const Trial &trial, const std::string &problem) {
  return llvm::StringRef(trial.run).starts_with("df-interpret") && (problem == kNoMemory || problem == kNoEnd);
}

/// Runs trials [first, last) in a process of their own until one is wrong: its number, or `last`.
int64_t runUntilWrong(int64_t first, int64_t last, Progress *shared, std::string &problem) {
  shared->current = first;
  shared->problem[0] = 0;
  pid_t child = fork();
  if (child == 0) {
    rlimit memory = {kMostMemory, kMostMemory}, core = {0, 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
    std::set_new_handler([] { _exit(kExitNoMemory); });
    std::freopen("/dev/null", "w", stdout);
    std::freopen("/dev/null", "w", stderr);
    for (int64_t trial = first; trial < last; ++trial) {
      shared->current = trial;
      itimerval limit = {};
      limit.it_value.tv_sec = kMostSeconds;
      setitimer(ITIMER_PROF, &limit, nullptr);
      std::string wrong = runTrial(trial, trial == first || trial % 50 == 0, *shared);
      if (!wrong.empty()) {
        std::strncpy(shared->problem, wrong.c_str(), sizeof(shared->problem) - 1);
        _exit(1);
      }
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return last;
  problem = shared->problem;
  if (WIFSIGNALED(status))
    problem = WTERMSIG(status) == SIGPROF ? kNoEnd : std::string("signal ") + strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) == kExitNoMemory)
    problem = kNoMemory;
  else if (problem.empty())
    problem = "exit " + std::to_string(WEXITSTATUS(status));
  return shared->current;
}

TEST(Mutation, NoTextMakesASignalOrAHang) {
  ASSERT_FALSE(corpus().empty()) << "no .mlir files below MLC_SOURCE_DIR";
  auto *shared = static_cast<Progress *>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(shared, MAP_FAILED);
  const int64_t last = firstTrial + numTrials;
  for (int64_t next = firstTrial; next < last;) {
    std::string problem;
    int64_t wrong = runUntilWrong(next, last, shared, problem);
    if (wrong < last) {
      Trial trial = corpus().makeTrial(wrong);
      if (!mayTakeMuch(trial, problem))
        ADD_FAILURE() << "trial " << wrong << ", " << (trial.run.empty() ? "print and parse" : trial.run) << ", of "
                      << trial.file << ": " << problem;
    }
    next = wrong + 1;
  }
  // What no parser takes tests the parser alone.
  EXPECT_GT(shared->numRead, numTrials / 6);
  EXPECT_GT(shared->numRun, numTrials / 12);
  RecordProperty("read", std::to_string(shared->numRead));
  RecordProperty("run", std::to_string(shared->numRun));
  munmap(shared, sizeof(Progress));
}

TEST(TokenMutator, TokensAreTheText) {
  llvm::StringRef text = "%0 = \"df.add\"(%a, %b) {x = -1.0e-3 : f32} : (tensor<?x4xf32>, !df.rows<8xi64>) -> @f\n";
  std::string joined;
  unsigned numbers = 0, elements = 0;
  for (const Token &token : tokenize(text)) {
    joined += token.text;
    numbers += token.kind == TokenKind::Number;
    elements += token.kind == TokenKind::Element;
  }
  EXPECT_EQ(joined, text);
  EXPECT_EQ(numbers, 3u);  // ?, 4, 8
  EXPECT_EQ(elements, 3u); // f32, f32, i64
}

TEST(TokenMutator, IsAFunctionOfTheSeed) {
  std::vector<Token> tokens = tokenize("%0 = df.add %a, %b : tensor<4xf32>\n%1 = df.neg %0 : tensor<4xf32>\n");
  TokenPool pool;
  pool.add(tokens);
  unsigned changed = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 one(seed), two(seed), none(seed);
    std::string text = mutate(tokens, 2, pool, one);
    EXPECT_EQ(text, mutate(tokens, 2, pool, two));
    changed += text != mutate(tokens, 0, pool, none);
  }
  EXPECT_GT(changed, 40u);
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(catch_exceptions, false); // one in a trial is a signal
  registerPasses();
  if (const char *count = std::getenv("MLC_TEST_MUTATIONS");
      count && llvm::StringRef(count).getAsInteger(10, numTrials)) {
    llvm::errs() << "MLC_TEST_MUTATIONS is '" << count << "'; expected a number of trials\n";
    return 2;
  }
  bool print = false, here = false;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--print") {
      print = true;
    } else if (argument == "--here") {
      here = true;
    } else if (!(argument.consume_front("--first=") && !argument.getAsInteger(10, firstTrial)) &&
               !(argument.consume_front("--count=") && !argument.getAsInteger(10, numTrials))) {
      llvm::errs() << "unknown argument '" << argv[i] << "'\n";
      return 2;
    }
  }
  if (print) {
    Trial trial = corpus().makeTrial(firstTrial);
    llvm::errs() << "// " << (trial.run.empty() ? "print and parse" : "--" + trial.run) << ", of " << trial.file
                 << '\n';
    llvm::outs() << trial.text;
    return 0;
  }
  if (here) {
    Progress progress = {};
    std::string problem = runTrial(firstTrial, true, progress);
    llvm::errs() << (problem.empty() ? "nothing is wrong" : problem) << '\n';
    return !problem.empty();
  }
  return RUN_ALL_TESTS();
}

// Compiles and loads modules; checks what the artifact imports and exports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompiledModule.h"
#include "mlc/Driver/Compile.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace mlc;
using namespace mlc::execute;

DynamicSymbols mlc::execute::dynamicSymbolsOf(const std::string &path) {
  DynamicSymbols symbols;
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (!file) {
    ADD_FAILURE() << path << ": " << llvm::toString(file.takeError());
    return symbols;
  }
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->getBinary());
  for (const llvm::object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    std::string name = llvm::cantFail(symbol.getName()).str();
    bool isImport = llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined;
    if (!name.empty())
      (isImport ? symbols.imports : symbols.exports).push_back(name);
  }
  return symbols;
}

/// The lines of `text` that messages name.
static std::string linesOf(llvm::StringRef text, const common::MessageList &messages) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::string result;
  for (const common::Message &message : messages.messages())
    if (message.place.line > 0 && message.place.line <= static_cast<int64_t>(lines.size()))
      result += lines[message.place.line - 1].str() + '\n';
  return result;
}

std::string mlc::execute::withoutFile(std::string message) {
  static constexpr char kAt[] = " at ", kEnding[] = ".mlir:";
  const size_t begin = message.find(kAt), end = message.find(kEnding);
  return begin == std::string::npos || end == std::string::npos ? message : message.erase(begin, end - begin);
}

std::unique_ptr<CompiledModule> CompiledModule::create(const std::string &text, const std::string &cpu, bool optimize) {
  llvm::SmallString<128> input, output;
  if (llvm::sys::fs::createTemporaryFile("execute", "mlir", input) ||
      llvm::sys::fs::createTemporaryFile("execute", "so", output)) {
    ADD_FAILURE() << "cannot make a temporary file";
    return nullptr;
  }
  {
    std::error_code error;
    llvm::raw_fd_ostream(input, error) << text;
  }
  CompileOptions options;
  options.input = input.str().str();
  options.output = output.str().str();
  options.phase = Phase::Shared;
  options.target = cpu == kTwoSpaces ? "cpu-two-spaces" : cpu == kCuda ? "cuda" : "cpu";
  options.cpu = options.target == "cpu" ? cpu : "x86-64-v3";
  // Of a GPU, what its kernels compute is compared; what the host does is to launch them.
  options.hasHostCode = cpu != kCuda;
  options.optimize = optimize && cpu != kCuda;
  common::MessageList messages;
  std::string unused;
  CompileResult result = compile(options, messages, unused);
  void *handle = nullptr;
  if (result.code == common::ExitCode::Success) {
    DynamicSymbols symbols = dynamicSymbolsOf(options.output);
    EXPECT_THAT(symbols.imports, testing::IsSubsetOf({"memcpy", "memmove", "memset"}));
    EXPECT_THAT(symbols.exports, testing::ElementsAre(MLCRT_ARTIFACT_QUERY_SYMBOL));
    handle = dlopen(options.output.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      ADD_FAILURE() << dlerror();
  } else {
    ADD_FAILURE() << "the module does not compile:\n" << messages.format() << linesOf(text, messages);
  }
  // A library that is loaded needs no name any more.
  llvm::sys::fs::remove(input);
  llvm::sys::fs::remove(output);
  if (!handle)
    return nullptr;
  auto query = reinterpret_cast<mlcrt_artifact_query_fn>(dlsym(handle, MLCRT_ARTIFACT_QUERY_SYMBOL));
  EXPECT_EQ(query(MLCRT_ABI_VERSION - 1, nullptr), nullptr) << "a caller that knows an older ABI only";
  return std::unique_ptr<CompiledModule>(new CompiledModule(handle, query(MLCRT_ABI_VERSION, nullptr)));
}

CompiledModule::~CompiledModule() { dlclose(handle); }

const mlcrt_entry *CompiledModule::lookup(const std::string &name) const {
  for (int32_t i = 0; i < table->num_entries; ++i)
    if (table->entries[i].name == name)
      return &table->entries[i];
  return nullptr;
}

EntryResult CompiledModule::run(const EntryCall &call, interp::State &state, FakeServices &services) const {
  if (const mlcrt_entry *entry = lookup(call.entry))
    return runEntry(*table, *entry, call, state, services);
  ADD_FAILURE() << "the artifact has no entry '" << call.entry << "'";
  return {MLCRT_INTERNAL, {}, {}, {}};
}

EntryResult CompiledModule::run(const EntryCall &call, interp::State &state, const RunOptions &options) const {
  FakeServices services(*table, options);
  return run(call, state, services);
}

// The C API: contexts, modules, passes and compilation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc-c/MLC.h"
#include "lib/Driver/DiagnosticCollector.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Driver/Plugins.h"
#include "mlc/Driver/Register.h"
#include "mlc/Driver/Version.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlc;
using common::ExitCode;

/// Hands messages to a caller of the C API.
static void tell(const common::MessageList &messages, mlc_diagnostic_fn diagnose, void *user) {
  if (!diagnose)
    return;
  for (const common::Message &message : messages.messages()) {
    const std::string text = common::formatMessage(message);
    const mlc_severity severity = message.severity == common::Severity::Error     ? MLC_SEVERITY_ERROR
                                  : message.severity == common::Severity::Warning ? MLC_SEVERITY_WARNING
                                                                                  : MLC_SEVERITY_NOTE;
    const mlc_diagnostic diagnostic = {severity,           message.code.c_str(), message.place.file.c_str(),
                                       message.place.line, message.place.column, message.what.c_str(),
                                       text.c_str()};
    diagnose(&diagnostic, user);
  }
}

struct mlc_context {
  mlc_context(mlc_diagnostic_fn diagnose, void *user) : diagnose(diagnose), user(user) {
    DialectRegistry registry;
    registerDialects(registry);
    // Threads are the caller's matter.
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    context->printOpOnDiagnostic(false);
    // Handlers that come with the dialects see diagnostics first, and add to them.
    collector.emplace(context.get(), messages);
    context->loadAllAvailableDialects();
  }

  /// Tells what was collected.
  void tellAll() {
    tell(messages, diagnose, user);
    messages = {};
  }
  int fail(ExitCode code, common::Message message) {
    messages.add(std::move(message));
    tellAll();
    return exitStatus(code);
  }

  mlc_diagnostic_fn diagnose;
  void *user;
  std::unique_ptr<MLIRContext> context;
  common::MessageList messages;
  std::optional<DiagnosticCollector> collector;
  std::vector<std::string> plugins;
};

struct mlc_module {
  mlc_context &context;
  OwningOpRef<ModuleOp> module;
  std::string name;
};

const char *mlc_version(void) {
  static const std::string text = versionText();
  return text.c_str();
}

mlc_context *mlc_context_create(mlc_diagnostic_fn diagnose, void *user) { return new mlc_context(diagnose, user); }

void mlc_context_destroy(mlc_context *context) { delete context; }

int mlc_context_load_plugin(mlc_context *context, const char *path) {
  DialectRegistry registry;
  llvm::Error error = loadDialectPlugin(path, registry);
  if (!error)
    error = registerPluginPasses(path);
  if (error)
    return context->fail(ExitCode::Usage, common::makeError("E0705", llvm::toString(std::move(error))));
  context->context->appendDialectRegistry(registry);
  context->context->loadAllAvailableDialects();
  context->plugins.push_back(path);
  return 0;
}

mlc_module *mlc_module_parse(mlc_context *context, const char *content, size_t size, const char *name) {
  // Texts end with a 0 for MLIR's parser.
  const std::string copy(content, size);
  context->collector->file = name;
  context->collector->text = copy;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(copy, ParserConfig(context->context.get()), name);
  context->collector->text.clear();
  context->tellAll();
  return module ? new mlc_module{*context, std::move(module), name} : nullptr;
}

mlc_module *mlc_module_parse_file(mlc_context *context, const char *path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
  if (buffer)
    return mlc_module_parse(context, (*buffer)->getBufferStart(), (*buffer)->getBufferSize(), path);
  common::Message message = common::makeError("E0114", "cannot read the file: " + buffer.getError().message());
  message.place.file = path;
  context->fail(ExitCode::Usage, std::move(message));
  return nullptr;
}

void mlc_module_destroy(mlc_module *module) { delete module; }

int mlc_module_run_passes(mlc_module *module, const char *pipeline) {
  // The registry is of the process, and never the same for two threads at once.
  static const bool registered = (registerPasses(), true);
  (void)registered;
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  mlc_context &context = module->context;
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, stream);
  const StringRef anchor = ModuleOp::getOperationName();
  if (failed(parsed)) {
    common::Message message =
        common::makeError("E0203", "a pipeline that cannot be read: " + StringRef(problem).trim().str());
    message.expected = "passes as in \"builtin.module(df-simplify,cse)\"";
    return context.fail(ExitCode::Usage, std::move(message));
  }
  if (parsed->getOpAnchorName() != anchor && parsed->getOpAnchorName() != OpPassManager::getAnyOpAnchorName())
    return context.fail(ExitCode::Usage, common::makeError("E0203", "a pipeline of " + parsed->getOpAnchorName().str() +
                                                                        "; expected one of " + anchor.str()));
  PassManager passes(context.context.get(), anchor);
  static_cast<OpPassManager &>(passes) = std::move(*parsed);
  const bool good = succeeded(passes.run(*module->module));
  context.tellAll();
  return exitStatus(good ? ExitCode::Success : ExitCode::CompileFailed);
}

void mlc_module_print(const mlc_module *module, mlc_write_fn write, void *user) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->module.get().print(stream);
  stream << '\n';
  write(text.data(), text.size(), user);
}

/// Compiles what `options` name further: the input. Options that an older caller does not know have their defaults.
static int compileTo(mlc_context &context, CompileOptions options, const mlc_compile_options *given,
                     const char *output) {
  auto has = [&](size_t end) { return given && given->size >= end; };
  const char *emit = has(offsetof(mlc_compile_options, emit) + sizeof(char *)) ? given->emit : nullptr;
  const char *cpu = has(offsetof(mlc_compile_options, cpu) + sizeof(char *)) ? given->cpu : nullptr;
  if (emit) {
    std::optional<Phase> phase = parsePhase(emit);
    if (!phase)
      return context.fail(ExitCode::Usage, common::makeError("E0203", "there is no stage '" + std::string(emit) + "'"));
    options.phase = *phase;
  }
  if (cpu)
    options.cpu = cpu;
  options.output = output;
  options.plugins = context.plugins;
  common::MessageList messages;
  std::string text;
  CompileResult result = compile(options, messages, text);
  tell(messages, context.diagnose, context.user);
  return exitStatus(result.code);
}

int mlc_module_compile(const mlc_module *module, const mlc_compile_options *options, const char *output) {
  CompileOptions compiled;
  compiled.input = module->name;
  llvm::raw_string_ostream stream(compiled.content.emplace());
  if (failed(writeBytecodeToFile(module->module.get(), stream)))
    return module->context.fail(ExitCode::Internal, common::makeError("E0500", "the module has no bytecode"));
  return compileTo(module->context, std::move(compiled), options, output);
}

int mlc_compile_file(mlc_context *context, const char *input, const mlc_compile_options *options, const char *output) {
  CompileOptions compiled;
  compiled.input = input;
  return compileTo(*context, std::move(compiled), options, output);
}

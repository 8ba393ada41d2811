// mlc._native: compiler and runtime for the package mlc.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine/ByteCount.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Driver/Version.h"
#include "mlc/Frontend/SpecInit/Recipe.h"
#include "python/native/Arrays.h"
#include "python/native/Builder.h"
#include "python/native/Errors.h"
#include "python/native/Files.h"
#include "python/native/Observer.h"
#include "python/native/Process.h"
#include "python/native/Runs.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "tools/mlc/Program.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace mlc::python {

/// Compiles. The path of what was made, and warnings.
static std::pair<std::string, nb::list> compileWith(const CompileOptions &options) {
  checkProcess();
  common::MessageList messages;
  CompileResult result;
  {
    const GilRelease release;
    std::string printed;
    result = compile(options, messages, printed);
  }
  if (result.code != common::ExitCode::Success)
    raise(messages, result.code);
  return {result.path, messageList(messages)};
}

/// What both functions below have in common. `target`, `chips`, `hostTables` and `kernelTable` are those of
/// `mlc compile`.
static CompileOptions compileOptions(const std::string &text, const std::string &name, const std::string &cpu,
                                     const std::string &target, const std::vector<std::string> &chips,
                                     const std::optional<std::string> &hostTables,
                                     const std::optional<std::string> &kernelTable) {
  CompileOptions options;
  options.input = name;
  options.content = text;
  options.cpu = cpu;
  options.target = target;
  options.chips = chips;
  options.kernelTable = kernelTable.value_or("");
  if (!hostTables)
    return options;
  const std::optional<int64_t> bytes = common::parseByteCount(*hostTables);
  if (!bytes) {
    common::Message message = common::makeError("E0203", "host_tables is '" + *hostTables + "'");
    message.expected = common::kByteCountForm;
    common::MessageList messages;
    messages.add(std::move(message));
    raise(messages, common::ExitCode::Usage);
  }
  options.hostTables = *bytes;
  return options;
}

/// Compiles the text of a spec, or of a module, to a shared library in a cache. Unless `isOptimized`, LLVM does not
/// optimize it: results are the same.
static std::pair<std::string, nb::list> compileText(const std::string &text, const std::string &cpu,
                                                    const std::optional<std::string> &cacheDirectory,
                                                    const std::string &name, const std::string &target,
                                                    const std::vector<std::string> &chips,
                                                    const std::optional<std::string> &hostTables,
                                                    const std::optional<std::string> &kernelTable, bool isOptimized) {
  CompileOptions options = compileOptions(text, name, cpu, target, chips, hostTables, kernelTable);
  options.optimize = isOptimized;
  options.phase = Phase::Shared;
  options.canExport = true;
  options.cacheDirectory = cacheDirectory.value_or(defaultCacheDirectory());
  return compileWith(options);
}

/// Compiles the text of a spec, or of a module, to an executable trainer.
static nb::list compileTrainer(const std::string &text, const std::string &output, const std::string &cpu,
                               const std::string &name, const std::string &target,
                               const std::vector<std::string> &chips, const std::optional<std::string> &hostTables,
                               const std::optional<std::string> &kernelTable) {
  CompileOptions options = compileOptions(text, name, cpu, target, chips, hostTables, kernelTable);
  options.output = output;
  options.phase = Phase::Trainer;
  return compileWith(options).second;
}

/// The command mlc with these arguments, of which the first is the program.
static int commandMain(std::vector<std::string> arguments) {
  checkProcess();
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const GilRelease release;
  return programMain(static_cast<int>(arguments.size()), pointers.data());
}

/// The directory of the checkpoint of a step, or of the newest one.
static std::string checkpointOf(const std::string &modelDir, std::optional<int64_t> step) {
  absl::StatusOr<std::string> path = mlcrt::findCheckpoint(modelDir, step);
  if (!path.ok())
    raise(path.status());
  return *path;
}

static mlcrt::CheckpointManifest manifestOf(const std::string &path) {
  absl::StatusOr<mlcrt::CheckpointManifest> manifest = mlcrt::readManifest(path);
  if (!manifest.ok())
    raise(manifest.status());
  return *std::move(manifest);
}

static std::vector<int64_t> checkpoints(const std::string &modelDir) {
  absl::StatusOr<std::vector<mlcrt::CheckpointPath>> all = mlcrt::CheckpointStore(modelDir).list();
  if (!all.ok())
    raise(all.status());
  std::vector<int64_t> steps;
  for (const mlcrt::CheckpointPath &each : *all)
    steps.push_back(each.step);
  return steps;
}

static std::map<std::string, std::pair<std::string, std::vector<int64_t>>> variables(const std::string &modelDir,
                                                                                     std::optional<int64_t> step) {
  std::map<std::string, std::pair<std::string, std::vector<int64_t>>> found;
  for (const mlcrt::VariableRecord &variable : manifestOf(checkpointOf(modelDir, step)).variables)
    found[variable.name] = {mlcrt::dtypeName(variable.dtype), variable.shape};
  return found;
}

static nb::object variable(const std::string &modelDir, std::optional<int64_t> step, const std::string &name) {
  const std::string path = checkpointOf(modelDir, step);
  const mlcrt::CheckpointManifest manifest = manifestOf(path);
  const auto record = std::find_if(manifest.variables.begin(), manifest.variables.end(),
                                   [&](const mlcrt::VariableRecord &each) { return each.name == name; });
  if (record == manifest.variables.end())
    throw nb::key_error(name.c_str());
  mlcrt::Tensor value;
  const absl::Status status = [&] {
    const GilRelease release;
    absl::StatusOr<mlcrt::CheckpointReader> reader = mlcrt::CheckpointReader::open(path, manifest);
    return reader.ok() ? reader->read(*record, value) : reader.status();
  }();
  if (!status.ok())
    raise(status);
  return toNumpy(value.buffer());
}

/// What the rules of `mlc spec init` say of a table of a size.
static nb::dict tableRecipe(int64_t rows, int64_t inputs, int64_t columns, bool isRegression) {
  const frontend::Recipe recipe = frontend::makeRecipe({rows, inputs, columns, isRegression});
  nb::dict result;
  result["hidden_units"] = recipe.hiddenUnits;
  result["dropout"] = recipe.dropout;
  result["l2"] = recipe.l2;
  result["learning_rate"] = recipe.learningRate;
  result["batch_size"] = recipe.batchSize;
  result["epochs"] = recipe.epochs;
  result["validation_share"] = frontend::validationShare(rows);
  result["evaluation_steps"] = recipe.evaluationSteps;
  result["patience"] = recipe.patienceSteps / recipe.evaluationSteps;
  return result;
}

} // namespace mlc::python

NB_MODULE(_native, module) {
  using namespace mlc::python;
  module.doc() = "Compiler and runtime of mlc.";
  // What a program holds at its end is its own affair: a library prints nothing.
  nb::set_leak_warnings(false);
  watchEnd();
  addErrors(module);
  addArrays(module);
  addBuilder(module);
  addFiles(module);
  addRuns(module);
  addPredictions(module);
  addObservers(module);
  module.def("version", [] { return std::string(MLC_VERSION); });
  module.def("build", [] { return mlc::versionText(); });
  module.def("compile", compileText, nb::arg("spec"), nb::arg("cpu") = "native", nb::arg("cache_dir") = nb::none(),
             nb::arg("name") = "<spec>", nb::arg("target") = "cpu", nb::arg("chips") = std::vector<std::string>(),
             nb::arg("host_tables") = nb::none(), nb::arg("kernel_table") = nb::none(), nb::arg("optimize") = true);
  module.def("compile_trainer", compileTrainer, nb::arg("spec"), nb::arg("output"), nb::arg("cpu") = "native",
             nb::arg("name") = "<spec>", nb::arg("target") = "cpu", nb::arg("chips") = std::vector<std::string>(),
             nb::arg("host_tables") = nb::none(), nb::arg("kernel_table") = nb::none());
  module.def("main", commandMain, nb::arg("arguments"));
  module.def("table_recipe", tableRecipe, nb::arg("rows"), nb::arg("inputs"), nb::arg("columns"),
             nb::arg("is_regression"));
  module.def("embedding_dimension", mlc::frontend::embeddingDimension, nb::arg("categories"));
  module.def("is_skewed", mlc::frontend::isSkewed, nb::arg("skew"), nb::arg("least"));
  module.attr("FEW_CELLS") = mlc::frontend::kFewCells;
  module.def("checkpoints", checkpoints, nb::arg("model_dir"));
  module.def("variables", variables, nb::arg("model_dir"), nb::arg("step") = nb::none());
  module.def("variable", variable, nb::arg("model_dir"), nb::arg("step").none(), nb::arg("name"));
}

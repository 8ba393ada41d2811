// What this machine has and lacks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Doctor.h"
#include "common/cluster/TfConfig.h"
#include "common/machine/MachineLimits.h"
#include "lib/Driver/Ptxas.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Driver/Version.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlc;

namespace {

/// One thing that was looked at.
struct Check {
  enum Verdict { Ok, Note, Fail };
  std::string name;
  Verdict verdict = Ok;
  std::vector<std::string> details; ///< a line each
  std::string help;
};

} // namespace

static Check checkCpu() {
  Check check{"cpu", Check::Ok, {}, {}};
  auto target = resolveCpu("native");
  if (!target) {
    check.verdict = Check::Fail;
    check.details = {llvm::toString(target.takeError())};
    check.help = "code of mlc needs x86-64-v3 (2013 or later)";
    return check;
  }
  check.details = {target->cpu + ", level " + (target->isWide ? "x86-64-v4" : "x86-64-v3") + ", " +
                   std::to_string(target->getMachine().getLanes()) + " floats in a vector"};
  return check;
}

/// What this process may use of it.
static Check checkMachine() {
  Check check{"machine", Check::Ok, {common::machineText(common::machineLimits())}, {}};
  if (common::machineLimits().memory < 0) {
    check.verdict = Check::Note;
    check.details.push_back("how much memory there is cannot be told: /proc/meminfo and cgroups are not readable");
  }
  return check;
}

static Check checkCompiler() {
  std::string text = versionText();
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).trim().split(lines, '\n');
  Check check{"compiler", Check::Ok, {llvm::join(lines, ", ")}, {}};
  llvm::SmallString<128> program;
  if (!llvm::sys::fs::real_path("/proc/self/exe", program))
    check.details.push_back(program.str().str());
  if (std::string library = compilerPath(); library != program.str())
    check.details.push_back(library);
  return check;
}

static Check checkLinker() {
  std::string path = linkerPath();
  if (llvm::sys::fs::can_execute(path))
    return {"linker", Check::Ok, {path}, {}};
  return {"linker",
          Check::Fail,
          {"'" + path + "' cannot be run"},
          "build target mlc_linker, or install mlc again: without it nothing can be compiled to .so or a trainer"};
}

static Check checkRuntime() {
  Check check{"runtime", Check::Ok, {runtimeDirectory()}, {}};
  std::vector<std::string> missing = missingLinkInputs();
  if (missing.empty())
    return check;
  check.verdict = Check::Fail;
  for (const std::string &path : missing)
    check.details.push_back("missing: " + path);
  check.help =
      "trainers are linked with these: build target mlc_runtime_object, or install the system's packages again";
  return check;
}

static Check checkCache(const std::string &directory) {
  Check check{"cache", Check::Ok, {directory}, {}};
  std::error_code error = llvm::sys::fs::create_directories(directory);
  llvm::SmallString<128> path;
  if (!error)
    error = llvm::sys::fs::createUniqueFile(directory + "/doctor-%%%%%%", path);
  if (!error) {
    llvm::sys::fs::remove(path);
    return check;
  }
  check.verdict = Check::Fail;
  check.details = {"'" + directory + "' cannot be written: " + error.message()};
  check.help = "--cache_dir DIRECTORY, or set XDG_CACHE_HOME";
  return check;
}

/// What the driver says of itself.
static std::string describeDriver() {
  std::string error;
  llvm::sys::DynamicLibrary driver = llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &error);
  if (!driver.isValid())
    return "no driver (libcuda.so.1)";
  auto init = reinterpret_cast<int (*)(unsigned)>(driver.getAddressOfSymbol("cuInit"));
  auto version = reinterpret_cast<int (*)(int *)>(driver.getAddressOfSymbol("cuDriverGetVersion"));
  auto count = reinterpret_cast<int (*)(int *)>(driver.getAddressOfSymbol("cuDeviceGetCount"));
  int number = 0, devices = 0;
  if (!init || !version || !count)
    return "a driver that lacks cuInit, cuDriverGetVersion or cuDeviceGetCount";
  if (int code = init(0))
    return "a driver whose cuInit fails with code " + std::to_string(code);
  if (version(&number) || count(&devices))
    return "a driver that does not tell its version and devices";
  return "driver for CUDA " + std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10) + ", " +
         std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

static Check checkCuda() {
  Check check{"cuda", Check::Note, {describeDriver()}, {}};
  const std::optional<std::string> ptxas = findPtxas();
  check.details.push_back(ptxas ? "toolkit: " + *ptxas
                                : "no toolkit (ptxas), which only --emit=cubin needs: the driver compiles PTX");
  return check;
}

static Check checkTfConfig() {
  auto text = llvm::sys::Process::GetEnv("TF_CONFIG");
  if (!text)
    return {"TF_CONFIG", Check::Ok, {"not set: this process trains alone"}, {}};
  common::TfConfig config;
  common::MessageList messages;
  Check check{"TF_CONFIG", Check::Ok, {}, {}};
  if (parseTfConfig(*text, config, messages)) {
    check.details = explainTfConfig(config);
  } else {
    check.verdict = Check::Fail;
    check.help = "as schedulers set it: {\"cluster\": {\"chief\": [\"h:p\"], \"worker\": [\"h:p\"]}, \"task\": "
                 "{\"type\": \"worker\", \"index\": 0}}";
  }
  for (const common::Message &message : messages.messages())
    check.details.push_back(std::string(severityName(message.severity)) + ": " +
                            (message.field.empty() ? "" : message.field + ": ") + message.what +
                            (message.expected.empty() ? "" : "; expected: " + message.expected) +
                            (message.help.empty() ? "" : "; " + message.help));
  return check;
}

common::ExitCode mlc::runDoctor(const common::CommandLine &line, std::string &text) {
  const std::vector<Check> checks = {checkCpu(),      checkMachine(),
                                     checkCompiler(), checkLinker(),
                                     checkRuntime(),  checkCache(line.text("cache_dir", defaultCacheDirectory())),
                                     checkCuda(),     checkTfConfig()};
  static constexpr const char *verdicts[] = {"ok", "note", "fail"};
  bool good = true;
  llvm::json::Array list;
  llvm::raw_string_ostream stream(text);
  for (const Check &check : checks) {
    good &= check.verdict != Check::Fail;
    if (line.on("json")) {
      llvm::json::Object object{
          {"name", check.name}, {"verdict", verdicts[check.verdict]}, {"details", llvm::json::Array(check.details)}};
      if (!check.help.empty())
        object["help"] = check.help;
      list.push_back(std::move(object));
      continue;
    }
    for (size_t i = 0; i < check.details.size(); ++i)
      stream << llvm::left_justify(i ? "" : verdicts[check.verdict], 6) << llvm::left_justify(i ? "" : check.name, 11)
             << check.details[i] << '\n';
    if (!check.help.empty())
      stream << std::string(17, ' ') << "help: " << check.help << '\n';
  }
  if (line.on("json"))
    stream << llvm::json::Value(llvm::json::Object{{"ok", good}, {"checks", std::move(list)}}) << '\n';
  return good ? common::ExitCode::Success : common::ExitCode::Usage;
}

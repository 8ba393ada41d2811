// Loading of plug-ins. MLIR's own loader (mlir/Tools/Plugins) does the same, but says less of what is wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Plugins.h"
#include "mlc/Driver/Version.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace llvm;
using namespace mlc;

static Error failed(StringRef path, const Twine &what) {
  return make_error<StringError>("plug-in '" + path + "': " + what, inconvertibleErrorCode());
}

static constexpr char kDialectEntry[] = "mlirGetDialectPluginInfo", kPassEntry[] = "mlirGetPassPluginInfo";
/// Says which libMLC a plug-in is built with (PluginBuild.cmake).
static constexpr char kBuildEntry[] = "mlcGetPluginBuild";

/// The library at `path`, loaded.
static Expected<void *> open(StringRef path) {
  SmallString<256> file;
  // A name without a directory is a file here, and none that the loader looks for.
  if (std::error_code error = sys::fs::real_path(path, file, /*expand_tilde=*/true))
    return failed(path, error.message());
  if (sys::fs::is_directory(file))
    return failed(path, "is a directory");
  // All symbols at once: one that is missing is an error here, and not the end of the process when it is called.
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failed(path, Twine("cannot be loaded: ") + dlerror());
  return library;
}

/// Fails unless the plug-in is built with this mlc. What another one declares may lie elsewhere in memory here: nothing
/// of the plug-in is called before.
static Error checkBuild(StringRef path, void *library) {
  auto *get = reinterpret_cast<const char *(*)()>(dlsym(library, kBuildEntry));
  if (!get)
    return failed(path, Twine("does not say which mlc it is built with: it has no function '") + kBuildEntry +
                            "', which mlc_add_plugin adds");
  const std::string expected = buildId();
  if (!StringRef(get()).starts_with(expected))
    return failed(path, "is built with another mlc, build " + StringRef(get()).take_front(expected.size()) +
                            "; this one is build " + expected + ", with which it must be built anew");
  return Error::success();
}

/// What the function `entry` of a plug-in returns.
template <typename Info> static Expected<Info> infoOf(StringRef path, const char *entry) {
  Expected<void *> library = open(path);
  if (!library)
    return library.takeError();
  auto *get = reinterpret_cast<Info (*)()>(dlsym(*library, entry));
  if (!get)
    return failed(path, Twine("has no function '") + entry + "', its entry");
  if (Error error = checkBuild(path, *library))
    return error;
  Info info = get();
  if (info.apiVersion != MLIR_PLUGIN_API_VERSION)
    return failed(path, "is made for version " + Twine(info.apiVersion) + " of MLIR's plug-in interface; expected " +
                            Twine(MLIR_PLUGIN_API_VERSION));
  return info;
}

static Expected<mlir::DialectPluginLibraryInfo> dialectInfoOf(StringRef path) {
  auto info = infoOf<mlir::DialectPluginLibraryInfo>(path, kDialectEntry);
  if (info && !info->registerDialectRegistryCallbacks)
    return failed(path, "registers no dialects");
  return info;
}

static Expected<mlir::PassPluginLibraryInfo> passInfoOf(StringRef path) {
  auto info = infoOf<mlir::PassPluginLibraryInfo>(path, kPassEntry);
  if (info && !info->registerPassRegistryCallbacks)
    return failed(path, "registers no passes");
  return info;
}

Error mlc::loadDialectPlugin(StringRef path, mlir::DialectRegistry &registry) {
  auto info = dialectInfoOf(path);
  if (!info)
    return info.takeError();
  info->registerDialectRegistryCallbacks(&registry);
  return Error::success();
}

Error mlc::registerPluginPasses(StringRef path) {
  Expected<void *> library = open(path);
  if (!library)
    return library.takeError();
  if (!dlsym(*library, kPassEntry))
    return Error::success();
  auto info = passInfoOf(path);
  if (!info)
    return info.takeError();
  info->registerPassRegistryCallbacks();
  return Error::success();
}

/// Calls `found` for each value of the option `name`, written `-name=VALUE` or `-name VALUE`, with the first of its
/// arguments and how many they are; goes on after them. Stops at a failure.
static Error forEachValue(ArrayRef<const char *> arguments, StringRef name,
                          function_ref<Error(StringRef value, size_t first, size_t count)> found) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef argument(arguments[i]);
    if (argument == "--")
      break;
    if (!argument.consume_front("-"))
      continue;
    argument.consume_front("-");
    if (!argument.consume_front(name))
      continue;
    const bool isJoined = argument.consume_front("=");
    if (!isJoined && (!argument.empty() || i + 1 == arguments.size()))
      continue;
    if (Error error = found(isJoined ? argument : StringRef(arguments[i + 1]), i, isJoined ? 1 : 2))
      return error;
    i += isJoined ? 0 : 1;
  }
  return Error::success();
}

Error mlc::loadPluginArguments(ArrayRef<const char *> arguments) {
  if (Error error = forEachValue(arguments, "load-dialect-plugin",
                                 [](StringRef path, size_t, size_t) { return dialectInfoOf(path).takeError(); }))
    return error;
  return forEachValue(arguments, "load-pass-plugin", [](StringRef path, size_t, size_t) {
    auto info = passInfoOf(path);
    if (info)
      info->registerPassRegistryCallbacks();
    return info.takeError();
  });
}

Error mlc::takePluginArguments(SmallVectorImpl<char *> &arguments, mlir::DialectRegistry &registry) {
  SmallVector<std::pair<size_t, size_t>> taken;
  Error error = forEachValue(arguments, "load-dialect-plugin", [&](StringRef path, size_t first, size_t count) {
    taken.emplace_back(first, count);
    if (Error error = loadDialectPlugin(path, registry))
      return error;
    return registerPluginPasses(path);
  });
  for (auto [first, count] : llvm::reverse(taken))
    arguments.erase(arguments.begin() + first, arguments.begin() + first + count);
  return error;
}

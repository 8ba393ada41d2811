// Links objects into shared libraries and executables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LinkRecipe.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

using namespace llvm;
using namespace mlc;

static Error failed(const Twine &what) { return createStringError(inconvertibleErrorCode(), what); }

/// Splits one of the recipe's lists.
static void append(SmallVectorImpl<StringRef> &arguments, StringRef list) {
  SmallVector<StringRef> items;
  list.split(items, ';', -1, false);
  llvm::append_range(arguments, items);
}

std::string mlc::linkerPath() { return kLinker; }

std::string mlc::runtimeDirectory() {
  SmallString<256> program;
  if (!sys::fs::real_path("/proc/self/exe", program)) {
    SmallString<256> beside = sys::path::parent_path(sys::path::parent_path(program));
    sys::path::append(beside, "lib");
    if (sys::fs::exists(beside + "/libmlcrt_main.a"))
      return beside.str().str();
  }
  return kRuntimeDirectory;
}

std::vector<std::string> mlc::missingLinkInputs() {
  std::string directory = runtimeDirectory();
  std::vector<std::string> missing;
  SmallVector<StringRef> names, paths;
  append(names, kLinkRuntime);
  for (StringRef list : {StringRef(kLinkHead), StringRef(kLinkSystem), StringRef(kLinkTail)})
    append(paths, list);
  for (StringRef name : names)
    if (std::string path = directory + "/" + name.str(); !sys::fs::exists(path))
      missing.push_back(path);
  // The lists have flags, too.
  for (StringRef path : paths)
    if (sys::path::is_absolute(path) && !sys::fs::exists(path))
      missing.push_back(path.str());
  return missing;
}

Error mlc::link(ArrayRef<char> object, StringRef path, bool executable) {
  SmallString<128> input, output;
  if (std::error_code error = sys::fs::createTemporaryFile("mlc", "o", input))
    return failed("cannot write a temporary file: " + error.message());
  sys::RemoveFileOnSignal(input);
  scope_exit removeInput([&] {
    sys::fs::remove(input);
    sys::DontRemoveFileOnSignal(input);
  });
  {
    std::error_code error;
    raw_fd_ostream stream(input, error);
    stream.write(object.data(), object.size());
    stream.close();
    if (error || stream.has_error())
      return failed("cannot write '" + input + "'");
  }
  // A device is written to; a file is replaced by one beside it, so that the rename is atomic.
  bool isFile = !sys::fs::exists(path) || sys::fs::is_regular_file(path);
  if (sys::fs::is_directory(path))
    return failed("cannot write '" + path + "': it is a directory");
  if (std::error_code error = isFile ? sys::fs::createUniqueFile(path + ".tmp-%%%%%%", output)
                                     : sys::fs::createTemporaryFile("mlc", "out", output))
    return failed("cannot write '" + path + "': " + error.message());
  sys::RemoveFileOnSignal(output);
  scope_exit removeOutput([&] {
    sys::fs::remove(output);
    sys::DontRemoveFileOnSignal(output);
  });

  SmallVector<StringRef> arguments = {"ld.lld", "-o", output};
  std::vector<std::string> runtime;
  if (executable) {
    append(arguments, kLinkHead);
    arguments.push_back(input);
    std::string directory = runtimeDirectory();
    SmallVector<StringRef> names;
    append(names, kLinkRuntime);
    runtime.reserve(names.size()); // arguments refer to them
    arguments.push_back("--start-group");
    for (StringRef name : names)
      arguments.push_back(runtime.emplace_back(directory + "/" + name.str()));
    append(arguments, kLinkSystem);
    arguments.push_back("--end-group");
    append(arguments, kLinkTail);
  } else {
    arguments.append({"-shared", "--hash-style=gnu", input});
  }
  std::string message;
  int code = sys::ExecuteAndWait(kLinker, arguments, std::nullopt, {}, 0, 0, &message);
  if (code)
    return failed(Twine("the linker ") + kLinker + " failed with code " + Twine(code) +
                  (message.empty() ? "" : ": " + message));
  sys::fs::setPermissions(output, executable ? sys::fs::perms(0755) : sys::fs::perms(0644));
  if (std::error_code error = isFile ? sys::fs::rename(output, path) : sys::fs::copy_file(output, path))
    return failed("cannot write '" + path + "': " + error.message());
  return Error::success();
}

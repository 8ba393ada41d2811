// Links objects into shared libraries and executables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LinkRecipe.h"
#include "common/machine/MachineLimits.h"
#include "mlc/Support/UnfinishedFile.h"
#include "mlc/Target/CPU/CpuTarget.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <sys/auxv.h>

using namespace llvm;
using namespace mlc;

static Error failed(const Twine &what, std::error_code cause = inconvertibleErrorCode()) {
  return make_error<StringError>(what, cause);
}

/// "cannot write 'x': No space left on device", with the code as what it converts to.
static Error unwritten(StringRef path, std::error_code cause) {
  return failed("cannot write '" + path + "': " + cause.message(), cause);
}

/// The error of the system that the linker's output tells; none if it tells of another.
static std::optional<std::error_code> writeErrorIn(StringRef output) {
  for (std::errc code : {std::errc::no_space_on_device, std::errc::file_too_large, std::errc::io_error,
                         std::errc::read_only_file_system})
    if (output.contains(std::make_error_code(code).message()))
      return std::make_error_code(code);
  if (output.contains(std::error_code(EDQUOT, std::generic_category()).message()))
    return std::error_code(EDQUOT, std::generic_category());
  return std::nullopt;
}

static std::error_code writeFile(StringRef path, ArrayRef<char> bytes) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  stream.write(bytes.data(), bytes.size());
  stream.close();
  if (!error)
    error = stream.error();
  stream.clear_error(); // a stream with an error that nobody looked at ends the process
  return error;
}

/// Room that any trainer has enough of, without large vocabularies.
static constexpr uint64_t kTrainerBytes = 64 << 20;

/// Whether there is no room for `bytes` more beside `path`.
static bool isFull(StringRef path, uint64_t bytes) {
  StringRef directory = sys::path::parent_path(path);
  ErrorOr<sys::fs::space_info> space = sys::fs::disk_space(directory.empty() ? "." : directory);
  return space && space->available < bytes;
}

bool mlc::needsRoom(std::error_code cause) {
  return cause == std::errc::no_space_on_device || cause == std::errc::file_too_large ||
         cause == std::error_code(EDQUOT, std::generic_category());
}

/// The arguments that one of the recipe's lists stands for: flags, and paths of files.
static std::vector<std::string> linkArguments(StringRef list) {
  SmallVector<StringRef> items;
  list.split(items, ';', -1, false);
  const std::string directory = runtimeDirectory();
  std::vector<std::string> arguments;
  for (StringRef item : items) {
    SmallString<256> argument(item);
    if (!item.starts_with("-"))
      sys::path::make_absolute(directory, argument);
    arguments.push_back(argument.str().str());
  }
  return arguments;
}

std::string mlc::linkerPath() { return linkArguments(kLinker).front(); }

std::string mlc::compilerPath() {
  Dl_info here, program;
  const bool isLibrary = dladdr(reinterpret_cast<const void *>(&compilerPath), &here) &&
                         dladdr(reinterpret_cast<const void *>(getauxval(AT_PHDR)), &program) &&
                         here.dli_fbase != program.dli_fbase;
  // Of a program, dladdr has the name that it was called by.
  SmallString<256> path;
  return sys::fs::real_path(isLibrary ? here.dli_fname : "/proc/self/exe", path) ? "" : path.str().str();
}

std::string mlc::runtimeDirectory() {
  const std::string compiler = compilerPath();
  const StringRef directory = sys::path::parent_path(compiler);
  SmallString<256> beside = sys::path::parent_path(directory);
  sys::path::append(beside, "lib");
  for (StringRef candidate : {directory, beside.str()})
    if (sys::fs::exists(candidate + "/mlcrt_main.o"))
      return candidate.str();
  SmallString<256> built(kRuntimeDirectory);
  sys::path::make_absolute(directory, built);
  return built.str().str();
}

std::vector<std::string> mlc::runtimeLibraries() { return linkArguments(kLinkRuntime); }

std::vector<std::string> mlc::missingLinkInputs() {
  std::vector<std::string> missing;
  // The lists have flags, too.
  for (StringRef list : {StringRef(kLinkRuntime), StringRef(kLinkHead), StringRef(kLinkSystem), StringRef(kLinkTail)})
    for (std::string &path : linkArguments(list))
      if (sys::path::is_absolute(path) && !sys::fs::exists(path))
        missing.push_back(std::move(path));
  return missing;
}

Error mlc::link(ArrayRef<ArrayRef<char>> objects, StringRef path, bool executable) {
  std::vector<UnfinishedFile> inputs;
  uint64_t bytes = 0;
  for (ArrayRef<char> object : objects) {
    bytes += object.size();
    SmallString<128> input;
    if (std::error_code error = sys::fs::createTemporaryFile("mlc", "o", input))
      return failed("cannot write a temporary file: " + error.message(), error);
    inputs.emplace_back(input);
    if (std::error_code error = writeFile(input, object))
      return unwritten(input, error);
  }
  SmallString<128> output;
  // A device is written to; a file is replaced by one beside it, so that the rename is atomic.
  bool isFile = !sys::fs::exists(path) || sys::fs::is_regular_file(path);
  if (sys::fs::is_directory(path))
    return failed("cannot write '" + path + "': it is a directory", std::make_error_code(std::errc::is_a_directory));
  if (std::error_code error = isFile ? sys::fs::createUniqueFile(path + ".tmp-%%%%%%", output)
                                     : sys::fs::createTemporaryFile("mlc", "out", output))
    return unwritten(path, error);
  const UnfinishedFile unfinished(output); // not there any more after the rename

  // As many threads as this process may use, not as the host has.
  const std::string threads = "--threads=" + std::to_string(common::machineLimits().processors);
  std::vector<std::string> command = {"ld.lld", threads, "-o", output.str().str()};
  const auto addInputs = [&] {
    for (const UnfinishedFile &input : inputs)
      command.push_back(input.path().str());
  };
  if (executable) {
    llvm::append_range(command, linkArguments(kLinkHead));
    addInputs();
    command.push_back("--start-group");
    llvm::append_range(command, runtimeLibraries());
    llvm::append_range(command, linkArguments(kLinkSystem));
    command.push_back("--end-group");
    llvm::append_range(command, linkArguments(kLinkTail));
  } else {
    llvm::append_range(command, ArrayRef<const char *>{"-shared", "--hash-style=gnu", "--gc-sections", "-O0"});
    addInputs();
  }
  const SmallVector<StringRef> arguments(command.begin(), command.end());
  // What it prints is kept: of a disk that fills the caller hears one sentence.
  SmallString<128> log;
  if (std::error_code error = sys::fs::createTemporaryFile("mlc", "log", log))
    return failed("cannot write a temporary file: " + error.message(), error);
  scope_exit removeLog([&] { sys::fs::remove(log); });
  std::string message;
  const std::string linker = linkerPath();
  const std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log), StringRef(log)};
  if (int code = sys::ExecuteAndWait(linker, arguments, std::nullopt, redirects, 0, 0, &message)) {
    auto printed = MemoryBuffer::getFile(log);
    const StringRef text = printed ? (*printed)->getBuffer().trim() : StringRef();
    if (std::optional<std::error_code> cause = writeErrorIn(text))
      return unwritten(path, *cause);
    if (code < 0 && StringRef(message).contains(strsignal(SIGXFSZ)))
      return unwritten(path, std::make_error_code(std::errc::file_too_large));
    // The linker writes through a mapping, where a full disk is a signal without a reason; what it wrote is removed
    // again by then.
    if (code < 0 && isFull(output, executable ? kTrainerBytes : 4 * bytes))
      return unwritten(path, std::make_error_code(std::errc::no_space_on_device));
    return failed("the linker " + linker + " failed with code " + Twine(code) +
                  (message.empty() ? "" : ": " + message) + (text.empty() ? "" : "\n" + text));
  }
  sys::fs::setPermissions(output, executable ? sys::fs::perms(0755) : sys::fs::perms(0644));
  if (std::error_code error = isFile ? sys::fs::rename(output, path) : sys::fs::copy_file(output, path))
    return unwritten(path, error);
  return Error::success();
}

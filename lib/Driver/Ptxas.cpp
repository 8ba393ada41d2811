// NVIDIA's assembler of PTX, where a toolkit is installed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Ptxas.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace mlc;

std::optional<std::string> mlc::findPtxas() {
  std::vector<std::string> places;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto value = llvm::sys::Process::GetEnv(variable))
      places.push_back(*value + "/bin");
  places.push_back("/usr/local/cuda/bin");
  llvm::SmallVector<llvm::StringRef> directories(places.begin(), places.end());
  auto found = llvm::sys::findProgramByName("ptxas", directories);
  if (!found)
    found = llvm::sys::findProgramByName("ptxas");
  return found ? std::optional(*found) : std::nullopt;
}

llvm::Expected<std::string> mlc::assemblePtx(llvm::StringRef ptx, llvm::StringRef chip) {
  const std::optional<std::string> program = findPtxas();
  if (!program)
    return llvm::createStringError("no ptxas in $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin or on PATH");
  // Files that are gone in the end.
  llvm::SmallString<64> text, cubin, printed;
  llvm::SmallVector<llvm::FileRemover, 3> removers;
  const std::pair<const char *, llvm::SmallString<64> *> files[] = {
      {"ptx", &text}, {"cubin", &cubin}, {"txt", &printed}};
  for (auto [ending, path] : files) {
    if (std::error_code cause = llvm::sys::fs::createTemporaryFile("mlc-kernels", ending, *path))
      return llvm::createStringError(cause, "cannot write a temporary file: " + cause.message());
    removers.emplace_back(*path);
  }
  std::error_code cause;
  llvm::raw_fd_ostream file(text, cause);
  if (!cause) {
    file << ptx;
    file.close();
    cause = file.error();
    file.clear_error();
  }
  if (cause)
    return llvm::createStringError(cause, "cannot write '" + text + "': " + cause.message());
  const std::string architecture = ("-arch=" + chip).str();
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(printed),
                                                      llvm::StringRef(printed)};
  std::string problem;
  const int code = llvm::sys::ExecuteAndWait(*program, {*program, architecture, text, "-o", cubin}, std::nullopt,
                                             redirects, 0, 0, &problem);
  if (code != 0) {
    auto lines = llvm::MemoryBuffer::getFile(printed);
    return llvm::createStringError(*program + " fails for " + chip + ": " +
                                   (problem.empty() && lines ? (*lines)->getBuffer().trim().str() : problem));
  }
  auto bytes = llvm::MemoryBuffer::getFile(cubin, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!bytes)
    return llvm::createStringError(bytes.getError(), "cannot read '" + cubin + "': " + bytes.getError().message());
  return (*bytes)->getBuffer().str();
}

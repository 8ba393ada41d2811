// Keys and files of what is kept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/CodeCache.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Driver/OutputFile.h"
#include "mlc/Driver/Version.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace mlc;

std::string mlc::cacheFile(const std::string &directory, llvm::StringRef kind, llvm::StringRef name) {
  // The one prefix that LLVM's pruning removes.
  return (directory + "/" + kind + "/llvmcache-" + name).str();
}

void mlc::markUsed(const std::string &file) {
  // The times of reading that a file system keeps may be a day old, or none.
  int descriptor = -1;
  if (llvm::sys::fs::openFileForRead(file, descriptor))
    return;
  (void)llvm::sys::fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
  (void)llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
}

void mlc::pruneFor(const std::string &file, uint64_t mostBytes) {
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(24 * 30);
  policy.MaxSizeBytes = mostBytes;
  (void)llvm::pruneCache(llvm::sys::path::parent_path(file), policy);
}

/// What stands for the content of files that no id names.
static std::string stampOf(const std::vector<std::string> &files) {
  std::string stamp;
  llvm::raw_string_ostream stream(stamp);
  for (const std::string &file : files)
    if (llvm::sys::fs::file_status status; !llvm::sys::fs::status(file, status))
      stream << status.getSize() << ' ' << status.getLastModificationTime().time_since_epoch().count() << ' ';
  return stamp;
}

std::string mlc::cacheKey(llvm::StringRef text, const CpuTarget &target, bool optimize) {
  std::string key = text.str();
  llvm::raw_string_ostream stream(key);
  stream << target.cpu << target.features << optimize << MLC_VERSION;
  // By its content: what is installed anew is the same compiler, and times say nothing where they are all set to one.
  if (const std::string id = buildId(); !id.empty())
    stream << id;
  else
    stream << stampOf({compilerPath()});
  return fingerprint(key);
}

std::string mlc::runtimeStamp() { return stampOf(runtimeLibraries()); }

std::string mlc::codeText(ModuleOp module) {
  OwningOpRef<ModuleOp> code = module.clone();
  for (NamedAttribute attribute : llvm::to_vector((*code)->getDiscardableAttrs()))
    if (llvm::StringRef name = attribute.getName(); name.starts_with("mlc.") || name == df::DfDialect::kSettingsAttr)
      (*code)->removeAttr(name);
  for (auto table : code->getOps<df::VocabularyOp>())
    table.setTermsAttr(Builder(module.getContext()).getArrayAttr({}));
  std::string text;
  llvm::raw_string_ostream stream(text);
  code->print(stream, OpPrintingFlags().enableDebugInfo(false).assumeVerified());
  return text;
}

static std::unique_ptr<llvm::MemoryBuffer> readKept(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return nullptr;
  markUsed(file);
  return std::move(*buffer);
}

std::optional<KeptCode> CodeCache::load() const {
  auto file = readKept(path_ + ".a");
  if (!file)
    return std::nullopt;
  if (llvm::Error error = checkCode(file->getBuffer())) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  KeptCode kept{CodeArchive(file->getBufferStart(), file->getBufferEnd()), {}};
  if (!hasDevice_)
    return kept;
  auto device = readKept(path_ + ".device");
  if (!device)
    return std::nullopt;
  kept.device = device->getBuffer().str();
  return kept;
}

void CodeCache::store(const CodeArchive &code, llvm::StringRef device) const {
  if (llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path_)))
    return;
  pruneFor(path_, kMostCodeBytes);
  if (hasDevice_)
    (void)writeOutputFile(path_ + ".device", device);
  (void)writeOutputFile(path_ + ".a", llvm::StringRef(code.data(), code.size()));
}

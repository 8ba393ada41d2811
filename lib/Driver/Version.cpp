// Which mlc this is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Version.h"
#include "mlcrt/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"
#include <link.h>

using namespace mlc;

/// Whether a segment of an object holds code of this file.
static bool hasThisCode(const struct dl_phdr_info &info) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&hasThisCode);
  return llvm::any_of(llvm::ArrayRef(info.dlpi_phdr, info.dlpi_phnum), [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_LOAD && here - info.dlpi_addr - header.p_vaddr < header.p_memsz;
  });
}

/// Of the object that has the compiler, a library or a program, takes the note with the build's id.
static int findBuildId(struct dl_phdr_info *info, size_t, void *out) {
  if (!hasThisCode(*info))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    const char *note = reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr), *end = note + header.p_memsz;
    while (end - note >= static_cast<ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      const auto &head = *reinterpret_cast<const ElfW(Nhdr) *>(note);
      const char *name = note + sizeof(head), *data = name + llvm::alignTo(head.n_namesz, 4);
      if (head.n_type == NT_GNU_BUILD_ID && llvm::StringRef(name, head.n_namesz) == llvm::StringRef("GNU", 4))
        *static_cast<std::string *>(out) =
            llvm::toHex(llvm::StringRef(data, std::min<size_t>(head.n_descsz, 8)), /*LowerCase=*/true);
      note = data + llvm::alignTo(head.n_descsz, 4);
    }
  }
  return 1;
}

std::string mlc::buildId() {
  std::string id;
  dl_iterate_phdr(findBuildId, &id);
  return id;
}

std::string mlc::sourceRevision() { return MLC_REVISION; }

std::string mlc::versionText() {
  std::string text = std::string("mlc ") + MLC_VERSION + "\n";
  if (std::string id = buildId(); !id.empty())
    text += "build " + id + "\n";
  if (!sourceRevision().empty())
    text += "configured at commit " + sourceRevision() + "\n";
  return text + "LLVM " + LLVM_VERSION_STRING + "\nabi " + std::to_string(MLCRT_ABI_MAJOR) + "." +
         std::to_string(MLCRT_ABI_MINOR) + "\n";
}

// Functions of C libraries after glibc 2.34, which the archives of this system call: what is in a wheel runs with 2.34.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// 2.36, of LLVM and libstdc++.
uint32_t arc4random(void) {
  uint32_t value;
  while (getrandom(&value, sizeof value, 0) != sizeof value)
    if (errno != EINTR)
      abort(); // as the one it takes the place of
  return value;
}

struct search {
  uintptr_t address;
  struct dl_find_object *found;
};

static int findObject(struct dl_phdr_info *info, size_t size, void *argument) {
  struct search *search = argument;
  void *ehFrame = NULL;
  const ElfW(Phdr) *part = NULL;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME)
      ehFrame = (void *)begin;
    else if (header->p_type == PT_LOAD && search->address - begin < header->p_memsz)
      part = header;
  }
  if (!part || !ehFrame)
    return 0;
  char *begin = (char *)(info->dlpi_addr + part->p_vaddr);
  *search->found =
      (struct dl_find_object){.dlfo_map_start = begin, .dlfo_map_end = begin + part->p_memsz, .dlfo_eh_frame = ehFrame};
  return 1;
}

// 2.35, of the unwinder: what holds an address, and where the table of its frames is.
int _dl_find_object(void *address, struct dl_find_object *result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(findObject, &search) ? 0 : -1;
}

// Preloaded into a trainer: a write to a file whose path has MLC_FAULT_AT in it fails with the error of that number
// (MLC_FAULT=NUMBER), finds the disk full (full), or kills the process after the first half (kill). With
// MLC_FAULT=other the third write kills the process whose number stands in the file MLC_FAULT_OTHER, and goes well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int isMeant(int descriptor) {
  const char *checkpoint = getenv("MLC_FAULT_AT");
  char link[64], path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof(path) - 1);
  if (length < 0 || !checkpoint)
    return 0;
  path[length] = 0;
  return strstr(path, checkpoint) != NULL;
}

ssize_t write(int descriptor, const void *data, size_t size) {
  ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  if (!isMeant(descriptor))
    return real(descriptor, data, size);
  if (strcmp(getenv("MLC_FAULT"), "kill") == 0) {
    real(descriptor, data, size / 2);
    kill(getpid(), SIGKILL);
  }
  if (strcmp(getenv("MLC_FAULT"), "other") == 0) {
    static int writes;
    FILE *file = ++writes == 3 ? fopen(getenv("MLC_FAULT_OTHER"), "r") : NULL;
    int process = 0;
    if (file && fscanf(file, "%d", &process) == 1)
      kill(process, SIGKILL);
    if (file)
      fclose(file);
    return real(descriptor, data, size);
  }
  const int number = atoi(getenv("MLC_FAULT"));
  errno = number ? number : ENOSPC;
  return -1;
}

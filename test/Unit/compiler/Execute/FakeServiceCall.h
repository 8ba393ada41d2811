// What the fakes of services share, and those of strings and files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_FAKESERVICECALL_H
#define MLC_TEST_EXECUTE_FAKESERVICECALL_H

#include "AllocationCount.h"
#include "FakeServices.h"

namespace mlc::execute {

/// One call of a service: notes it, and that what it allocates is its own.
struct ServiceCall {
  FakeServices &fakes;
  int64_t allocationsBefore = mlcrt::allocationCount();
  bool fails;

  ServiceCall(void *env, const char *name) : fakes(*static_cast<FakeServices *>(env)) {
    fakes.calls.emplace_back(name);
    fails = ++fakes.numCalls[name] == fakes.options.failCall && name == fakes.options.failService;
    if (fails)
      fakes.errors.push_back({fakes.options.failCode, -1, "as asked for"});
  }
  ~ServiceCall() { fakes.allocations += mlcrt::allocationCount() - allocationsBefore; }
  ServiceCall(const ServiceCall &) = delete;

  int32_t failCode() const { return fakes.options.failCode; }
  int32_t report(int32_t code, int64_t row, std::string message) {
    fakes.errors.push_back({code, row, std::move(message)});
    return code;
  }
  const mlcrt_table *table(int32_t index, int32_t dtype) {
    bool found = index >= 0 && index < fakes.artifact.num_tables && fakes.artifact.tables[index].dtype == dtype;
    return found ? &fakes.artifact.tables[index] : nullptr;
  }
};

/// Services on strings.
struct StringServices {
  static int32_t constant_strings(void *env, const char *bytes, const int64_t *sizes, int64_t n, mlcrt_string *out);
  static int32_t map_strings(void *env, int64_t n, int32_t map, const mlcrt_string *in, mlcrt_string *out);
  static int32_t substrings(void *env, const int64_t *starts, int64_t n, const int64_t *lengths, const mlcrt_string *in,
                            mlcrt_string *out);
  static int32_t compare_strings(void *env, const mlcrt_string *lhs, const mlcrt_string *rhs, int64_t n,
                                 int32_t predicate, uint8_t *out);
  static int32_t count_parts(void *env, const mlcrt_string *in, int64_t n, const char *delimiter, int32_t size,
                             int32_t any_byte, int32_t skip_empty, int64_t *ends, int64_t *count);
  static int32_t split_strings(void *env, const int64_t *ends, int64_t n, const mlcrt_string *in, const char *delimiter,
                               int32_t size, int32_t any_byte, int32_t skip_empty, mlcrt_string *out);
  static int32_t join_strings(void *env, int64_t outer, int64_t n, int64_t inner, const char *separator, int32_t size,
                              const mlcrt_string *in, mlcrt_string *out);
  static int32_t join_segments(void *env, const int64_t *ends, int64_t rows, int64_t n, const char *separator,
                               int32_t size, const char *what, const mlcrt_string *in, mlcrt_string *out);
  static int32_t format_numbers(void *env, const void *in, int32_t dtype, int32_t precision, int64_t n,
                                mlcrt_string *out);
  static int32_t parse_numbers(void *env, int64_t n, int64_t per_row, const mlcrt_string *in, int32_t dtype,
                               const char *what, void *out);
};

/// Files of tensors, which lie in the fakes.
struct FileServices {
  static int32_t state_stage(void *env, const char *name, int32_t dtype, int32_t rank, const int64_t *dims,
                             const void *data);
  static int32_t state_save(void *env, const mlcrt_string *path, const char *what);
  static int32_t state_load(void *env, const mlcrt_string *path, const char *what);
  static int32_t state_loaded(void *env, int32_t index, void *out);
};

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_FAKESERVICECALL_H

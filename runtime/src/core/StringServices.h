//===- StringServices.h - Services on strings ---------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As mlcrt/services.def says, which the names are of; and what other services need of them.
#ifndef MLCRT_CORE_STRINGSERVICES_H
#define MLCRT_CORE_STRINGSERVICES_H

#include "mlcrt/abi.h"

#include <cstdint>

namespace mlcrt {

class Environment;

/// Makes `cells` point to copies of their bytes among the call's texts. The code of the service that is called.
int32_t keepTexts(Environment &env, mlcrt_string *cells, int64_t n);

int32_t constant_strings(void *env, const char *bytes, const int64_t *sizes, int64_t n, mlcrt_string *out);
int32_t map_strings(void *env, int64_t n, int32_t map, const mlcrt_string *in, mlcrt_string *out);
int32_t substrings(void *env, const int64_t *starts, int64_t n, const int64_t *lengths, const mlcrt_string *in,
                   mlcrt_string *out);
int32_t compare_strings(void *env, const mlcrt_string *lhs, const mlcrt_string *rhs, int64_t n, int32_t predicate,
                        uint8_t *out);
int32_t count_parts(void *env, const mlcrt_string *in, int64_t n, const char *delimiter, int32_t size, int32_t any_byte,
                    int32_t skip_empty, int64_t *ends, int64_t *count);
int32_t split_strings(void *env, const int64_t *ends, int64_t n, const mlcrt_string *in, const char *delimiter,
                      int32_t size, int32_t any_byte, int32_t skip_empty, mlcrt_string *out);
int32_t join_strings(void *env, int64_t outer, int64_t n, int64_t inner, const char *separator, int32_t size,
                     const mlcrt_string *in, mlcrt_string *out);
int32_t join_segments(void *env, const int64_t *ends, int64_t rows, int64_t n, const char *separator, int32_t size,
                      const char *what, const mlcrt_string *in, mlcrt_string *out);
int32_t format_numbers(void *env, const void *in, int32_t dtype, int32_t precision, int64_t n, mlcrt_string *out);
int32_t parse_numbers(void *env, int64_t n, int64_t per_row, const mlcrt_string *in, int32_t dtype, const char *what,
                      void *out);

} // namespace mlcrt

#endif // MLCRT_CORE_STRINGSERVICES_H

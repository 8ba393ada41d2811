//===- StringServices.cpp - Services on strings -------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/StringServices.h"

#include "runtime/src/core/Environment.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace mlcrt {

static Environment &environment(void *env) { return *static_cast<Environment *>(env); }

static std::string_view viewOf(const mlcrt_string &cell) { return {cell.data, static_cast<size_t>(cell.size)}; }
static mlcrt_string cellOf(std::string_view text) { return {text.data(), static_cast<int64_t>(text.size())}; }

/// `bytes` bytes of the call's texts, or null after the error was reported.
static char *allocateText(Environment &env, int64_t bytes) {
  if (void *memory = env.texts().allocate(bytes))
    return static_cast<char *>(memory);
  env.report({MLCRT_INVALID_ARGUMENT, -1, absl::StrCat("no memory for strings of ", bytes, " bytes")});
  return nullptr;
}

int32_t keepTexts(Environment &env, mlcrt_string *cells, int64_t n) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < n; ++i)
    bytes += cells[i].size;
  char *text = allocateText(env, bytes);
  if (!text)
    return MLCRT_INVALID_ARGUMENT;
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(cells[i].data, cells[i].size, text);
    cells[i].data = text;
    text += cells[i].size;
  }
  return MLCRT_OK;
}

int32_t constant_strings(void *, const char *bytes, const int64_t *sizes, int64_t n, mlcrt_string *out) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] = {bytes, sizes[i]};
    bytes += sizes[i];
  }
  return MLCRT_OK;
}

static constexpr std::string_view kBlanks = " \t\n\v\f\r";

static std::string_view strip(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos)
    return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

int32_t map_strings(void *env, int64_t n, int32_t map, const mlcrt_string *in, mlcrt_string *out) {
  if (map == MLCRT_STRING_STRIP) {
    std::transform(in, in + n, out, [](const mlcrt_string &cell) { return cellOf(strip(viewOf(cell))); });
    return MLCRT_OK;
  }
  int64_t bytes = 0;
  for (int64_t i = 0; i < n; ++i)
    bytes += in[i].size;
  char *text = allocateText(environment(env), bytes);
  if (!text)
    return MLCRT_INVALID_ARGUMENT;
  const char first = map == MLCRT_STRING_LOWER ? 'A' : 'a';
  constexpr char kCaseBit = 'a' ^ 'A';
  for (int64_t i = 0; i < n; ++i) {
    std::transform(in[i].data, in[i].data + in[i].size, text,
                   [&](char c) { return c >= first && c < first + 26 ? static_cast<char>(c ^ kCaseBit) : c; });
    out[i] = {text, in[i].size};
    text += in[i].size;
  }
  return MLCRT_OK;
}

int32_t substrings(void *, const int64_t *starts, int64_t n, const int64_t *lengths, const mlcrt_string *in,
                   mlcrt_string *out) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t size = in[i].size;
    const int64_t begin = std::clamp<int64_t>(starts[i] < 0 ? starts[i] + size : starts[i], 0, size);
    out[i] = {in[i].data + begin, std::clamp<int64_t>(lengths[i], 0, size - begin)};
  }
  return MLCRT_OK;
}

int32_t compare_strings(void *, const mlcrt_string *lhs, const mlcrt_string *rhs, int64_t n, int32_t predicate,
                        uint8_t *out) {
  for (int64_t i = 0; i < n; ++i) {
    // char_traits<char> compares bytes as unsigned numbers.
    const int order = viewOf(lhs[i]).compare(viewOf(rhs[i]));
    const bool holds[] = {order == 0, order != 0, order < 0, order <= 0, order > 0, order >= 0};
    out[i] = holds[predicate];
  }
  return MLCRT_OK;
}

namespace {
/// How strings are cut.
struct Delimiter {
  std::string_view bytes;
  bool anyByte, skipEmpty;

  /// Calls `take` with each part of `text`.
  template <typename Fn> void split(std::string_view text, Fn take) const {
    while (true) {
      const size_t at = anyByte ? text.find_first_of(bytes) : text.find(bytes);
      if (const std::string_view part = text.substr(0, at); !skipEmpty || !part.empty())
        take(part);
      if (at == std::string_view::npos)
        return;
      text.remove_prefix(at + (anyByte ? 1 : bytes.size()));
    }
  }
};
} // namespace

static Delimiter delimiterOf(const char *delimiter, int32_t size, int32_t anyByte, int32_t skipEmpty) {
  return {{delimiter, static_cast<size_t>(size)}, anyByte != 0, skipEmpty != 0};
}

int32_t count_parts(void *, const mlcrt_string *in, int64_t n, const char *delimiter, int32_t size, int32_t any_byte,
                    int32_t skip_empty, int64_t *ends, int64_t *count) {
  const Delimiter cut = delimiterOf(delimiter, size, any_byte, skip_empty);
  *count = 0;
  for (int64_t i = 0; i < n; ++i) {
    cut.split(viewOf(in[i]), [&](std::string_view) { ++*count; });
    ends[i] = *count;
  }
  return MLCRT_OK;
}

int32_t split_strings(void *, const int64_t *, int64_t n, const mlcrt_string *in, const char *delimiter, int32_t size,
                      int32_t any_byte, int32_t skip_empty, mlcrt_string *out) {
  const Delimiter cut = delimiterOf(delimiter, size, any_byte, skip_empty);
  for (int64_t i = 0; i < n; ++i)
    cut.split(viewOf(in[i]), [&](std::string_view part) { *out++ = cellOf(part); });
  return MLCRT_OK;
}

/// Joins `count` cells that are `stride` apart. A single one is not copied.
static bool join(Environment &env, const mlcrt_string *in, int64_t count, int64_t stride, std::string_view separator,
                 mlcrt_string &out) {
  if (count <= 1) {
    out = count == 1 ? *in : mlcrt_string{nullptr, 0};
    return true;
  }
  int64_t bytes = (count - 1) * static_cast<int64_t>(separator.size());
  for (int64_t k = 0; k < count; ++k)
    bytes += in[k * stride].size;
  char *text = allocateText(env, bytes);
  out = {text, bytes};
  if (!text)
    return false;
  for (int64_t k = 0; k < count; ++k) {
    if (k)
      text = std::copy(separator.begin(), separator.end(), text);
    const std::string_view part = viewOf(in[k * stride]);
    text = std::copy(part.begin(), part.end(), text);
  }
  return true;
}

int32_t join_strings(void *env, int64_t outer, int64_t n, int64_t inner, const char *separator, int32_t size,
                     const mlcrt_string *in, mlcrt_string *out) {
  const std::string_view between(separator, static_cast<size_t>(size));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      if (!join(environment(env), in + o * n * inner + i, n, inner, between, out[o * inner + i]))
        return MLCRT_INVALID_ARGUMENT;
  return MLCRT_OK;
}

int32_t join_segments(void *env, const int64_t *ends, int64_t rows, int64_t n, const char *separator, int32_t size,
                      const char *what, const mlcrt_string *in, mlcrt_string *out) {
  const std::string_view between(separator, static_cast<size_t>(size));
  for (int64_t row = 0, begin = 0; row < rows; begin = ends[row++]) {
    if (ends[row] < begin || ends[row] > n)
      return environment(env).report(
          {MLCRT_INVALID_ARGUMENT, -1,
           absl::StrCat(what, ": row ", row, " ends at ", ends[row], ", not in [", begin, ", ", n, "]")});
    if (!join(environment(env), in + begin, ends[row] - begin, 1, between, out[row]))
      return MLCRT_INVALID_ARGUMENT;
  }
  return MLCRT_OK;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Calls `fn` with a zero of the type of a number dtype; false for others.
template <typename Fn> static bool withNumberType(int32_t dtype, Fn fn) {
  switch (dtype) {
  case MLCRT_F32:
    return fn(float()), true;
  case MLCRT_F64:
    return fn(double()), true;
  case MLCRT_I8:
    return fn(int8_t()), true;
  case MLCRT_I16:
    return fn(int16_t()), true;
  case MLCRT_I32:
    return fn(int32_t()), true;
  case MLCRT_I64:
    return fn(int64_t()), true;
  case MLCRT_U8:
    return fn(uint8_t()), true;
  case MLCRT_U16:
    return fn(uint16_t()), true;
  case MLCRT_U32:
    return fn(uint32_t()), true;
  case MLCRT_U64:
    return fn(uint64_t()), true;
  default:
    return false;
  }
}

/// Appends the text of a number.
template <typename T> static void appendNumber(std::string &text, T value, int32_t precision) {
  // 309 digits of the largest double, a point and what the compiler lets stand after it.
  char digits[400];
  std::to_chars_result end;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {
      text += "nan";
      return;
    }
    if (precision >= 0)
      end = std::to_chars(digits, std::end(digits), value, std::chars_format::fixed, precision);
    else
      end = std::to_chars(digits, std::end(digits), value);
  } else {
    end = std::to_chars(digits, std::end(digits), value);
  }
  text.append(digits, end.ptr);
}

int32_t format_numbers(void *env, const void *in, int32_t dtype, int32_t precision, int64_t n, mlcrt_string *out) {
  std::string text;
  for (int64_t i = 0; i < n; ++i) {
    const size_t begin = text.size();
    if (dtype == MLCRT_BOOL)
      text += static_cast<const uint8_t *>(in)[i] ? "true" : "false";
    else if (!withNumberType(
                 dtype, [&](auto zero) { appendNumber(text, static_cast<const decltype(zero) *>(in)[i], precision); }))
      return environment(env).report({MLCRT_INTERNAL, -1, absl::StrCat("no text of numbers of dtype ", dtype)});
    out[i].size = static_cast<int64_t>(text.size() - begin);
  }
  char *copy = allocateText(environment(env), static_cast<int64_t>(text.size()));
  if (!copy)
    return MLCRT_INVALID_ARGUMENT;
  std::copy(text.begin(), text.end(), copy);
  for (int64_t i = 0; i < n; copy += out[i++].size)
    out[i].data = copy;
  return MLCRT_OK;
}

/// Whether all of `text`, but for blanks around it, is a number of type T.
template <typename T> static bool parse(std::string_view text, T &value) {
  text = strip(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-')
      return false;
  }
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

int32_t parse_numbers(void *env, int64_t n, int64_t per_row, const mlcrt_string *in, int32_t dtype, const char *what,
                      void *out) {
  int64_t bad = -1;
  const bool known = withNumberType(dtype, [&](auto zero) {
    for (int64_t i = 0; i < n && bad < 0; ++i)
      if (!parse(viewOf(in[i]), static_cast<decltype(zero) *>(out)[i]))
        bad = i;
  });
  if (!known)
    return environment(env).report({MLCRT_INTERNAL, -1, absl::StrCat("no numbers of dtype ", dtype, " of texts")});
  if (bad < 0)
    return MLCRT_OK;
  constexpr size_t kLongest = 60;
  const std::string_view text = viewOf(in[bad]);
  return environment(env).report(
      {MLCRT_INVALID_ARGUMENT, -1,
       absl::StrCat(what, ": row ", bad / std::max<int64_t>(per_row, 1), ": '",
                    absl::Utf8SafeCEscape(absl::string_view(text.data(), std::min(text.size(), kLongest))),
                    text.size() > kLongest ? "..." : "", "' is no number of ", dtypeName(dtype))});
}

} // namespace mlcrt

// The services on strings and files of tensors, done plainly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeServiceCall.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>

namespace mlc::execute {

static std::string textOf(const mlcrt_string &cell) { return {cell.data, static_cast<size_t>(cell.size)}; }

/// A cell of `text`, which the fakes keep.
static mlcrt_string keep(std::deque<std::string> &texts, std::string text) {
  texts.push_back(std::move(text));
  return {texts.back().data(), static_cast<int64_t>(texts.back().size())};
}

int32_t StringServices::constant_strings(void *env, const char *bytes, const int64_t *sizes, int64_t n,
                                         mlcrt_string *out) {
  ServiceCall call(env, "constant_strings");
  int64_t at = 0;
  for (int64_t i = 0; i < n; at += sizes[i++])
    out[i] = keep(call.fakes.texts, std::string(bytes + at, sizes[i]));
  return call.fails ? call.failCode() : MLCRT_OK;
}

static bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static std::string stripped(std::string text) {
  while (!text.empty() && isBlank(text.back()))
    text.pop_back();
  while (!text.empty() && isBlank(text.front()))
    text.erase(0, 1);
  return text;
}

int32_t StringServices::map_strings(void *env, int64_t n, int32_t map, const mlcrt_string *in, mlcrt_string *out) {
  ServiceCall call(env, "map_strings");
  for (int64_t i = 0; i < n; ++i) {
    std::string text = textOf(in[i]);
    if (map == MLCRT_STRING_STRIP)
      text = stripped(text);
    else
      for (char &c : text)
        if (static_cast<unsigned char>(c) < 0x80)
          c = static_cast<char>(map == MLCRT_STRING_LOWER ? std::tolower(c) : std::toupper(c));
    out[i] = keep(call.fakes.texts, text);
  }
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t StringServices::substrings(void *env, const int64_t *starts, int64_t n, const int64_t *lengths,
                                   const mlcrt_string *in, mlcrt_string *out) {
  ServiceCall call(env, "substrings");
  for (int64_t i = 0; i < n; ++i) {
    int64_t start = starts[i] < 0 ? starts[i] + in[i].size : starts[i];
    start = std::min(std::max<int64_t>(start, 0), in[i].size);
    out[i] = keep(call.fakes.texts, lengths[i] <= 0 ? "" : textOf(in[i]).substr(start, lengths[i]));
  }
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t StringServices::compare_strings(void *env, const mlcrt_string *lhs, const mlcrt_string *rhs, int64_t n,
                                        int32_t predicate, uint8_t *out) {
  ServiceCall call(env, "compare_strings");
  for (int64_t i = 0; i < n; ++i) {
    std::vector<uint8_t> x(lhs[i].data, lhs[i].data + lhs[i].size), y(rhs[i].data, rhs[i].data + rhs[i].size);
    out[i] = predicate == 0   ? x == y
             : predicate == 1 ? x != y
             : predicate == 2 ? x < y
             : predicate == 3 ? x <= y
             : predicate == 4 ? x > y
                              : x >= y;
  }
  return call.fails ? call.failCode() : MLCRT_OK;
}

/// The parts of a string, byte by byte.
static std::vector<std::string> partsOf(const std::string &text, const std::string &delimiter, bool anyByte,
                                        bool skipEmpty) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < text.size();) {
    bool cuts =
        anyByte ? delimiter.find(text[i]) != std::string::npos : text.compare(i, delimiter.size(), delimiter) == 0;
    if (cuts)
      parts.emplace_back();
    else
      parts.back() += text[i];
    i += cuts && !anyByte ? delimiter.size() : 1;
  }
  if (skipEmpty)
    parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return parts;
}

int32_t StringServices::count_parts(void *env, const mlcrt_string *in, int64_t n, const char *delimiter, int32_t size,
                                    int32_t any_byte, int32_t skip_empty, int64_t *ends, int64_t *count) {
  ServiceCall call(env, "count_parts");
  *count = 0;
  for (int64_t i = 0; i < n; ++i) {
    *count += static_cast<int64_t>(
        partsOf(textOf(in[i]), std::string(delimiter, size), any_byte != 0, skip_empty != 0).size());
    ends[i] = *count;
  }
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t StringServices::split_strings(void *env, const int64_t *ends, int64_t n, const mlcrt_string *in,
                                      const char *delimiter, int32_t size, int32_t any_byte, int32_t skip_empty,
                                      mlcrt_string *out) {
  ServiceCall call(env, "split_strings");
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (const std::string &part : partsOf(textOf(in[i]), std::string(delimiter, size), any_byte != 0, skip_empty != 0))
      out[at++] = keep(call.fakes.texts, part);
    if (at != ends[i])
      return call.report(MLCRT_INTERNAL, -1, "ends are not those of the strings");
  }
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t StringServices::join_strings(void *env, int64_t outer, int64_t n, int64_t inner, const char *separator,
                                     int32_t size, const mlcrt_string *in, mlcrt_string *out) {
  ServiceCall call(env, "join_strings");
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      std::string text;
      for (int64_t k = 0; k < n; ++k)
        text += (k ? std::string(separator, size) : "") + textOf(in[(o * n + k) * inner + i]);
      out[o * inner + i] = keep(call.fakes.texts, text);
    }
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t StringServices::join_segments(void *env, const int64_t *ends, int64_t rows, int64_t n, const char *separator,
                                      int32_t size, const char *what, const mlcrt_string *in, mlcrt_string *out) {
  ServiceCall call(env, "join_segments");
  int64_t i = 0;
  for (int64_t r = 0; r < rows; ++r) {
    if (ends[r] < i || ends[r] > n)
      return call.report(MLCRT_INVALID_ARGUMENT, -1, std::string(what) + ": row " + std::to_string(r));
    std::string text;
    for (bool first = true; i < ends[r]; ++i, first = false)
      text += (first ? "" : std::string(separator, size)) + textOf(in[i]);
    out[r] = keep(call.fakes.texts, text);
  }
  return call.fails ? call.failCode() : MLCRT_OK;
}

/// Calls `fn` with a zero of the dtype's type.
template <typename Fn> static void withType(int32_t dtype, Fn fn) {
  switch (dtype) {
  case MLCRT_F32:
    return fn(float());
  case MLCRT_F64:
    return fn(double());
  case MLCRT_I8:
    return fn(int8_t());
  case MLCRT_I16:
    return fn(int16_t());
  case MLCRT_I32:
    return fn(int32_t());
  case MLCRT_I64:
    return fn(int64_t());
  case MLCRT_U8:
    return fn(uint8_t());
  case MLCRT_U16:
    return fn(uint16_t());
  case MLCRT_U32:
    return fn(uint32_t());
  default:
    return fn(uint64_t());
  }
}

int32_t StringServices::format_numbers(void *env, const void *in, int32_t dtype, int32_t precision, int64_t n,
                                       mlcrt_string *out) {
  ServiceCall call(env, "format_numbers");
  for (int64_t i = 0; i < n; ++i) {
    std::string text;
    if (dtype == MLCRT_BOOL)
      text = static_cast<const uint8_t *>(in)[i] ? "true" : "false";
    else
      withType(dtype, [&](auto zero) {
        auto value = static_cast<const decltype(zero) *>(in)[i];
        if constexpr (std::is_floating_point_v<decltype(zero)>) {
          char digits[512];
          if (std::isnan(value))
            text = "nan";
          else if (precision >= 0)
            text = {digits, static_cast<size_t>(
                                std::snprintf(digits, sizeof digits, "%.*f", precision, static_cast<double>(value)))};
          else
            text = {digits, std::to_chars(digits, std::end(digits), value).ptr};
        } else {
          text = std::to_string(value);
        }
      });
    out[i] = keep(call.fakes.texts, text);
  }
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t StringServices::parse_numbers(void *env, int64_t n, int64_t per_row, const mlcrt_string *in, int32_t dtype,
                                      const char *what, void *out) {
  ServiceCall call(env, "parse_numbers");
  if (call.fails)
    return call.failCode();
  for (int64_t i = 0; i < n; ++i) {
    std::string text = stripped(textOf(in[i]));
    if (text.size() > 1 && text[0] == '+' && text[1] != '-')
      text.erase(0, 1);
    bool ok = false;
    withType(dtype, [&](auto value) {
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      ok = error == std::errc() && end == text.data() + text.size();
      static_cast<decltype(value) *>(out)[i] = value;
    });
    if (!ok)
      return call.report(MLCRT_INVALID_ARGUMENT, -1,
                         std::string(what) + ": row " + std::to_string(i / per_row) + ": '" + text + "'");
  }
  return MLCRT_OK;
}

int32_t FileServices::state_stage(void *env, const char *name, int32_t dtype, int32_t rank, const int64_t *dims,
                                  const void *data) {
  ServiceCall call(env, "state_stage");
  int64_t bytes = dtype == MLCRT_BOOL || dtype == MLCRT_I8 || dtype == MLCRT_U8    ? 1
                  : dtype == MLCRT_F64 || dtype == MLCRT_I64 || dtype == MLCRT_U64 ? 8
                  : dtype == MLCRT_F32 || dtype == MLCRT_I32 || dtype == MLCRT_U32 ? 4
                                                                                   : 2;
  for (int32_t d = 0; d < rank; ++d)
    bytes *= dims[d];
  auto *first = static_cast<const char *>(data);
  call.fakes.stagedFile.push_back({name, dtype, {dims, dims + rank}, {}});
  if (data)
    call.fakes.stagedFile.back().bytes.assign(first, first + bytes);
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t FileServices::state_save(void *env, const mlcrt_string *path, const char *) {
  ServiceCall call(env, "state_save");
  call.fakes.files[textOf(*path)] = std::move(call.fakes.stagedFile);
  call.fakes.stagedFile.clear();
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t FileServices::state_load(void *env, const mlcrt_string *path, const char *what) {
  ServiceCall call(env, "state_load");
  FakeServices &fakes = call.fakes;
  fakes.loadedFile = std::move(fakes.stagedFile);
  fakes.stagedFile.clear();
  for (FakeServices::FileTensor &tensor : fakes.loadedFile) {
    bool found = false;
    for (const FakeServices::FileTensor &held : fakes.files[textOf(*path)])
      if (held.name == tensor.name && held.dtype == tensor.dtype && held.dims == tensor.dims) {
        tensor.bytes = held.bytes;
        found = true;
      }
    if (!found)
      return call.report(MLCRT_INVALID_ARGUMENT, -1, std::string(what) + ": no " + tensor.name);
  }
  return call.fails ? call.failCode() : MLCRT_OK;
}

int32_t FileServices::state_loaded(void *env, int32_t index, void *out) {
  ServiceCall call(env, "state_loaded");
  const std::vector<char> &bytes = call.fakes.loadedFile[index].bytes;
  std::memcpy(out, bytes.data(), bytes.size());
  return call.fails ? call.failCode() : MLCRT_OK;
}

} // namespace mlc::execute

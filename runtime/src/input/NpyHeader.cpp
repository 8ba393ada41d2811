// The header of the .npy format.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/NpyHeader.h"

#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <utility>

namespace mlcrt {

static constexpr std::string_view kMagic = "\x93NUMPY";

/// Types that both sides have.
static constexpr struct {
  const char *descr;
  mlcrt_dtype dtype;
} kTypes[] = {{"<f4", MLCRT_F32}, {"<f8", MLCRT_F64}, {"<f2", MLCRT_F16}, {"|V2", MLCRT_BF16}, {"<V2", MLCRT_BF16},
              {"|i1", MLCRT_I8},  {"<i2", MLCRT_I16}, {"<i4", MLCRT_I32}, {"<i8", MLCRT_I64},  {"|u1", MLCRT_U8},
              {"<u2", MLCRT_U16}, {"<u4", MLCRT_U32}, {"<u8", MLCRT_U64}, {"|b1", MLCRT_BOOL}};

namespace {

/// What the dict of a header says.
struct HeaderText {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the dict of a header: its three keys in any order, each once.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  bool read(HeaderText &header) {
    bool seen[3] = {};
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return false;
      const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : 3;
      if (which == 3 || std::exchange(seen[which], true))
        return false;
      if (!(which == 0 ? string(header.descr) : which == 1 ? boolean(header.fortranOrder) : tuple(header.shape)))
        return false;
      if (!take(',')) {
        if (!take('}'))
          return false;
        break;
      }
    }
    skip();
    return text_.empty() && seen[0] && seen[1] && seen[2];
  }

private:
  void skip() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t'))
      text_.remove_prefix(1);
  }
  bool take(char c) {
    skip();
    if (text_.empty() || text_[0] != c)
      return false;
    text_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view expected) {
    skip();
    if (text_.substr(0, expected.size()) != expected)
      return false;
    text_.remove_prefix(expected.size());
    return true;
  }
  bool string(std::string &out) {
    skip();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"'))
      return false;
    const size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos)
      return false;
    out.assign(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool &out) {
    out = word("True");
    return out || word("False");
  }
  bool tuple(std::vector<int64_t> &out) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skip();
      int64_t value = 0;
      auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0)
        return false;
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      out.push_back(value);
      if (!take(','))
        return take(')');
    }
    return true;
  }

  std::string_view text_;
};

} // namespace

bool isNpy(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

std::string_view npyDescr(int32_t dtype) {
  for (const auto &type : kTypes)
    if (type.dtype == dtype)
      return type.descr;
  return {};
}

std::string npyFront(std::string_view descr, const int64_t *dims, int32_t rank) {
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (int32_t i = 0; i < rank; ++i)
    header += std::to_string(dims[i]) + (i + 1 < rank ? ", " : rank == 1 ? "," : "");
  header += "), }";
  constexpr size_t kAlignment = 64;
  const size_t used = kMagic.size() + 4 + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string front(kMagic);
  front += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return front + header;
}

absl::Status arrayError(std::string_view path, std::string_view array, std::string what, std::string_view expected,
                        std::string_view help) {
  if (!array.empty())
    what = "array '" + std::string(array) + "' " + what;
  return dataError({path}, data_code::kUnreadable, what, expected, help);
}

/// Characters of a text type, or -1: "|S7", "<U7".
static int64_t textWidth(const std::string &descr) {
  if (descr.size() < 3 || (descr.compare(0, 2, "|S") != 0 && descr.compare(0, 2, "<U") != 0))
    return -1;
  int64_t width = 0;
  auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width);
  return error == std::errc() && end == descr.data() + descr.size() && width < (1 << 24) ? width : -1;
}

absl::StatusOr<NpyHeader> readNpyHeader(std::string_view path, std::string_view array, std::string_view bytes) {
  const auto bad = [&](std::string what, std::string_view expected = {}, std::string_view help = {}) {
    return arrayError(path, array, std::move(what), expected, help);
  };
  if (!isNpy(bytes) || bytes.size() < kMagic.size() + 4)
    return bad("is no .npy file", "a file that numpy.save wrote");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  const size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    return bad("has version " + std::to_string(major) + "." + std::to_string(minor), "1.0, 2.0 or 3.0");
  size_t begin = 10, length = byte(8) | byte(9) << 8;
  if (major > 1) {
    begin = 12;
    if (bytes.size() < begin)
      return bad("ends within its header");
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (length > bytes.size() - begin)
    return bad("ends within its header");
  const std::string_view text = bytes.substr(begin, length);
  HeaderText found;
  if (text.empty() || text.back() != '\n' || !HeaderReader(text).read(found))
    return bad("has a header that cannot be read", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}");
  NpyHeader header;
  header.begin = begin + length;
  header.shape = std::move(found.shape);
  const int64_t width = textWidth(found.descr);
  const auto type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto &known) { return found.descr == known.descr; });
  if (width < 0 && type == std::end(kTypes)) {
    const bool big = !found.descr.empty() && found.descr[0] == '>';
    return bad("has elements of type '" + found.descr + "'",
               "float16 to float64, int8 to int64, uint8 to uint64, bool, bytes or str",
               big ? "little-endian: a.astype(a.dtype.newbyteorder('<'))" : "");
  }
  if (found.fortranOrder && header.shape.size() > 1)
    return bad("is in Fortran order", "row-major", "numpy.ascontiguousarray");
  header.isWide = width >= 0 && found.descr[1] == 'U';
  header.dtype = width >= 0 ? MLCRT_STRING : type->dtype;
  header.elementBytes = width < 0 ? dtypeSize(header.dtype) : width * (header.isWide ? 4 : 1);
  const int64_t count = elementCount(header.shape.data(), static_cast<int32_t>(header.shape.size()));
  const auto left = static_cast<int64_t>(bytes.size() - header.begin);
  int64_t expected = 0;
  if (count < 0 || __builtin_mul_overflow(count, header.elementBytes, &expected) || left != expected)
    return bad("has " + std::to_string(left) + " bytes of elements",
               count < 0 ? "a shape that fits into memory" : std::to_string(expected) + ", as its shape says");
  return header;
}

bool areBools(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0 || c == 1; });
}

static void appendUtf8(uint32_t code, std::string &out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

bool appendNpyText(std::string_view cell, bool isWide, std::string &out) {
  if (!isWide) {
    out.append(cell.substr(0, cell.find_last_not_of('\0') + 1));
    return true;
  }
  const size_t begin = out.size();
  for (size_t k = 0; k < cell.size(); k += sizeof(uint32_t)) {
    uint32_t code;
    std::memcpy(&code, cell.data() + k, sizeof(code));
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return false;
    appendUtf8(code, out);
  }
  out.resize(begin + std::string_view(out).substr(begin).find_last_not_of('\0') + 1);
  return true;
}

} // namespace mlcrt

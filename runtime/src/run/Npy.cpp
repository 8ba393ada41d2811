// Reading and writing of .npy files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/run/Npy.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace mlcrt {

static constexpr std::string_view kMagic = "\x93NUMPY";
static constexpr int64_t kMaxFile = int64_t{1} << 40;
static constexpr size_t kAlignment = 64;

/// Types that both sides have.
static constexpr struct {
  const char *descr;
  mlcrt_dtype dtype;
} kTypes[] = {{"<f4", MLCRT_F32}, {"<f8", MLCRT_F64}, {"<f2", MLCRT_F16}, {"|V2", MLCRT_BF16}, {"<V2", MLCRT_BF16},
              {"|i1", MLCRT_I8},  {"<i2", MLCRT_I16}, {"<i4", MLCRT_I32}, {"<i8", MLCRT_I64},  {"|u1", MLCRT_U8},
              {"<u2", MLCRT_U16}, {"<u4", MLCRT_U32}, {"<u8", MLCRT_U64}, {"|b1", MLCRT_BOOL}};

namespace {

/// The header of a file.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the dict of a header: its three keys in any order, each once.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  bool read(Header &header) {
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

static absl::Status bad(const std::string &path, std::string what, std::string expected = {}, std::string help = {}) {
  mlc::common::Message message = mlc::common::makeError("E0311", std::move(what), std::move(help));
  message.place.file = path;
  message.expected = std::move(expected);
  return messageStatus(absl::StatusCode::kDataLoss, message);
}

/// Takes the header off `bytes`.
static absl::Status readHeader(const std::string &path, std::string_view &bytes, Header &header) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < kMagic.size() + 4)
    return bad(path, "is no .npy file", "a file that numpy.save wrote");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  const size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    return bad(path, "has version " + std::to_string(major) + "." + std::to_string(minor), "1.0, 2.0 or 3.0");
  size_t begin = 10, length = byte(8) | byte(9) << 8;
  if (major > 1) {
    begin = 12;
    if (bytes.size() < begin)
      return bad(path, "ends within its header");
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (length > bytes.size() - begin)
    return bad(path, "ends within its header");
  const std::string_view text = bytes.substr(begin, length);
  if (text.empty() || text.back() != '\n' || !HeaderReader(text).read(header))
    return bad(path, "has a header that cannot be read", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}");
  bytes.remove_prefix(begin + length);
  return absl::OkStatus();
}

/// Characters of a text type, or -1: "|S7", "<U7".
static int64_t textWidth(const std::string &descr) {
  if (descr.size() < 3 || (descr.compare(0, 2, "|S") != 0 && descr.compare(0, 2, "<U") != 0))
    return -1;
  int64_t width = 0;
  auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width);
  return error == std::errc() && end == descr.data() + descr.size() && width < (1 << 24) ? width : -1;
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

/// Texts of a fixed width; zeros at their end are no part of them.
static absl::Status readTexts(const std::string &path, std::string_view bytes, bool wide, int64_t width,
                              NpyArray &array) {
  std::string texts;
  std::vector<size_t> ends;
  const int64_t count = array.tensor.elements();
  for (int64_t i = 0; i < count; ++i) {
    if (!wide) {
      std::string_view cell = bytes.substr(static_cast<size_t>(i * width), static_cast<size_t>(width));
      texts.append(cell.substr(0, cell.find_last_not_of('\0') + 1));
    } else {
      const size_t begin = texts.size();
      for (int64_t k = 0; k < width; ++k) {
        uint32_t code;
        std::memcpy(&code, bytes.data() + (i * width + k) * sizeof(code), sizeof(code));
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
          return bad(path, "element " + std::to_string(i) + " has a character that is none");
        appendUtf8(code, texts);
      }
      texts.resize(begin + std::string_view(texts).substr(begin).find_last_not_of('\0') + 1);
    }
    ends.push_back(texts.size());
  }
  array.texts.assign(texts.begin(), texts.end());
  for (int64_t i = 0; i < count; ++i) {
    const size_t begin = i > 0 ? ends[i - 1] : 0;
    array.tensor.as<mlcrt_string>()[i] = {array.texts.data() + begin, static_cast<int64_t>(ends[i] - begin)};
  }
  return absl::OkStatus();
}

absl::StatusOr<NpyArray> readNpy(const std::string &path) {
  absl::StatusOr<std::string> file = readWholeFile(path, kMaxFile);
  if (absl::IsNotFound(file.status()))
    return fileError(absl::StatusCode::kNotFound, "E0310", path, "no such file");
  if (!file.ok())
    return file.status();
  std::string_view bytes = *file;
  Header header;
  if (absl::Status status = readHeader(path, bytes, header); !status.ok())
    return status;
  const int64_t width = textWidth(header.descr);
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                 [&](const auto &known) { return header.descr == known.descr; });
  if (width < 0 && type == std::end(kTypes)) {
    const bool big = !header.descr.empty() && header.descr[0] == '>';
    return bad(path, "has elements of type '" + header.descr + "'",
               "float16 to float64, int8 to int64, uint8 to uint64, bool, bytes or str",
               big ? "little-endian: a.astype(a.dtype.newbyteorder('<'))" : "");
  }
  if (header.shape.size() > MLCRT_MAX_RANK)
    return bad(path, "has " + std::to_string(header.shape.size()) + " dimensions",
               "at most " + std::to_string(MLCRT_MAX_RANK));
  if (header.fortranOrder && header.shape.size() > 1)
    return bad(path, "is in Fortran order", "row-major", "numpy.ascontiguousarray");
  const bool wide = width >= 0 && header.descr[1] == 'U';
  const int64_t elementBytes = width < 0 ? dtypeSize(type->dtype) : width * (wide ? 4 : 1);
  const int64_t count = elementCount(header.shape.data(), static_cast<int32_t>(header.shape.size()));
  int64_t expected = 0;
  if (count < 0 || __builtin_mul_overflow(count, elementBytes, &expected) ||
      static_cast<int64_t>(bytes.size()) != expected)
    return bad(path, "has " + std::to_string(bytes.size()) + " bytes of elements",
               count < 0 ? "a shape that fits into memory" : std::to_string(expected) + ", as its shape says");
  NpyArray array;
  if (width >= 0) {
    array.tensor = Tensor(MLCRT_STRING, header.shape);
    if (absl::Status status = readTexts(path, bytes, wide, width, array); !status.ok())
      return status;
    return array;
  }
  array.tensor = Tensor(type->dtype, header.shape);
  if (expected > 0)
    std::memcpy(array.tensor.data(), bytes.data(), bytes.size());
  if (type->dtype == MLCRT_BOOL)
    for (unsigned char c : bytes)
      if (c > 1)
        return bad(path, "has a bool that is neither 0 nor 1");
  return array;
}

absl::Status writeNpy(const std::string &path, const mlcrt_buffer &buffer) {
  const int64_t count = elementCount(buffer);
  std::string descr, texts;
  if (buffer.dtype == MLCRT_STRING) {
    const auto *cells = static_cast<const mlcrt_string *>(buffer.data);
    int64_t width = 1;
    for (int64_t i = 0; i < count; ++i)
      width = std::max(width, cells[i].size);
    descr = "|S" + std::to_string(width);
    texts.resize(static_cast<size_t>(count * width));
    for (int64_t i = 0; i < count; ++i) {
      if (cells[i].size > 0 && cells[i].data[cells[i].size - 1] == '\0')
        return absl::InvalidArgumentError(path + ": element " + std::to_string(i) +
                                          " ends in a zero byte, which arrays of texts cannot hold");
      std::copy_n(cells[i].data, cells[i].size, texts.data() + i * width);
    }
  } else {
    for (const auto &type : kTypes)
      if (descr.empty() && type.dtype == buffer.dtype)
        descr = type.descr;
  }
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int32_t i = 0; i < buffer.rank; ++i)
    header += std::to_string(buffer.dims[i]) + (i + 1 < buffer.rank ? ", " : buffer.rank == 1 ? "," : "");
  header += "), }";
  const size_t used = kMagic.size() + 4 + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string front(kMagic);
  front += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  front += header;
  absl::StatusOr<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  if (absl::Status status = file->write(front.data(), static_cast<int64_t>(front.size())); !status.ok())
    return status;
  const void *data = buffer.dtype == MLCRT_STRING ? texts.data() : buffer.data;
  const int64_t bytes = buffer.dtype == MLCRT_STRING ? static_cast<int64_t>(texts.size()) : byteCount(buffer);
  if (absl::Status status = file->write(data, bytes); !status.ok())
    return status;
  return file->commit();
}

} // namespace mlcrt

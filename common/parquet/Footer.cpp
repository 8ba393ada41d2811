// What a Parquet file says of itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/Footer.h"

#include "common/parquet/Schema.h"
#include "common/parquet/ThriftReader.h"

#include <algorithm>
#include <cstring>

namespace mlc::common::parquet {

using Type = ThriftReader::Type;

/// Rows that a byte of a file may stand for: runs of one value make files small, but writers begin pages anew.
static constexpr int64_t kMostRowsPerByte = 8192;
/// The length of the footer and the magic after it.
static constexpr size_t kTail = 8;

std::string encodingName(Encoding encoding) {
  static constexpr std::string_view names[] = {"PLAIN",
                                               "",
                                               "PLAIN_DICTIONARY",
                                               "RLE",
                                               "BIT_PACKED",
                                               "DELTA_BINARY_PACKED",
                                               "DELTA_LENGTH_BYTE_ARRAY",
                                               "DELTA_BYTE_ARRAY",
                                               "RLE_DICTIONARY",
                                               "BYTE_STREAM_SPLIT"};
  const auto number = static_cast<uint32_t>(encoding);
  if (number < std::size(names) && number != 1)
    return std::string(names[number]);
  return "encoding " + std::to_string(static_cast<int32_t>(encoding));
}

//===-- Row groups ------------------------------------------------------------------------------------------------===//

static bool readChunkMetadata(ThriftReader &in, Type type, Chunk &chunk) {
  int64_t data = 0, dictionary = 0;
  const bool good = in.readStruct(type, [&](int64_t id, Type field) {
    switch (id) {
    case 1:
      return in.read(field, chunk.physical);
    case 4:
      return in.read(field, chunk.codec);
    case 5:
      return in.read(field, chunk.values);
    case 7:
      return in.read(field, chunk.size);
    case 9:
      return in.read(field, data);
    case 11:
      return in.read(field, dictionary);
    default:
      return in.skip(field);
    }
  });
  // Some writers give 0 for a dictionary that is not there.
  chunk.begin = dictionary > 0 && dictionary < data ? dictionary : data;
  return good;
}

static bool readChunk(ThriftReader &in, Type type, Chunk &chunk) {
  return in.readStruct(type, [&](int64_t id, Type field) {
    switch (id) {
    case 1:
      chunk.isElsewhere = true;
      return in.skip(field);
    case 3:
      return readChunkMetadata(in, field, chunk);
    case 8:
      chunk.isEncrypted = true;
      return in.skip(field);
    default:
      return in.skip(field);
    }
  });
}

static bool readRowGroup(ThriftReader &in, Type type, RowGroup &group) {
  return in.readStruct(type, [&](int64_t id, Type field) {
    if (id == 1)
      return in.readList(field, [&](Type element) { return readChunk(in, element, group.chunks.emplace_back()); });
    return id == 3 ? in.read(field, group.rows) : in.skip(field);
  });
}

//===-- Footer ----------------------------------------------------------------------------------------------------===//

static bool fail(Problem &problem, std::string what, std::string expected = {}) {
  problem = {"E0311", std::move(what), std::move(expected), {}, 0};
  return false;
}

/// Checks what row groups say against the file, whose pages end at byte `pagesEnd`.
static bool checkGroups(const Footer &footer, size_t leaves, int64_t pagesEnd, Problem &problem) {
  const int64_t most = pagesEnd * kMostRowsPerByte;
  int64_t rows = 0, number = 0;
  for (const RowGroup &group : footer.groups) {
    const std::string where = "row group " + std::to_string(++number) + " ";
    if (group.chunks.size() != leaves)
      return fail(problem, where + "has " + std::to_string(group.chunks.size()) + " columns",
                  std::to_string(leaves) + " as in the schema");
    if (group.rows < 0 || group.rows > most - rows)
      return fail(problem, where + "claims " + std::to_string(group.rows) + " rows",
                  "at most " + std::to_string(kMostRowsPerByte) + " for each byte of the file");
    rows += group.rows;
    for (const Chunk &chunk : group.chunks)
      if (!chunk.isElsewhere && !chunk.isEncrypted && chunk.values != 0 &&
          (chunk.begin < static_cast<int64_t>(kMagic.size()) || chunk.size < 0 || chunk.values < 0 ||
           chunk.values > most || chunk.begin > pagesEnd || chunk.size > pagesEnd - chunk.begin))
        return fail(problem, where + "has a column whose pages do not lie in the file");
  }
  return rows == footer.rows ||
         fail(problem, "its row groups have " + std::to_string(rows) + " rows", std::to_string(footer.rows));
}

bool readFooter(std::string_view file, Footer &footer, Problem &problem) {
  if (!isParquet(file))
    return fail(problem, "is no Parquet file", "PAR1 as its first bytes");
  const std::string_view end = file.size() < kMagic.size() + kTail ? "" : file.substr(file.size() - kTail);
  const std::string_view magic = end.substr(std::min(end.size(), kTail - kMagic.size()));
  if (magic == "PARE")
    return fail(problem, "the footer of the Parquet file is encrypted", "a file without encryption");
  if (magic != kMagic)
    return fail(problem, "the Parquet file ends early: its last bytes are no footer", "PAR1 as its last bytes");
  uint32_t size = 0;
  std::memcpy(&size, end.data(), sizeof(size));
  const size_t room = file.size() - kMagic.size() - kTail;
  if (size > room)
    return fail(problem, "the Parquet file has a footer of " + std::to_string(size) + " bytes",
                "at most " + std::to_string(room));
  const size_t begin = file.size() - kTail - size;
  ThriftReader in(file.substr(begin, size));
  std::vector<SchemaElement> schema;
  bool isEncrypted = false;
  const bool good = in.readStruct([&](int64_t id, Type field) {
    switch (id) {
    case 2:
      return in.readList(field, [&](Type element) { return readElement(in, element, schema.emplace_back()); });
    case 3:
      return in.read(field, footer.rows);
    case 4:
      return in.readList(field, [&](Type element) { return readRowGroup(in, element, footer.groups.emplace_back()); });
    case 8:
      isEncrypted = true;
      return in.skip(field);
    default:
      return in.skip(field);
    }
  });
  if (!good)
    return fail(problem, "the footer of the Parquet file is damaged at byte " + std::to_string(begin + in.position()));
  if (isEncrypted)
    return fail(problem, "the Parquet file is encrypted", "a file without encryption");
  size_t leaves = 0;
  if (std::string what = columnsOf(schema, footer.columns, leaves); !what.empty())
    return fail(problem, "the schema of the Parquet file " + what);
  return checkGroups(footer, leaves, static_cast<int64_t>(begin), problem);
}

//===-- Pages -----------------------------------------------------------------------------------------------------===//

static bool readEncoding(ThriftReader &in, Type type, Encoding &encoding) {
  int32_t number = 0;
  const bool good = in.read(type, number);
  encoding = static_cast<Encoding>(number);
  return good;
}

static bool readDataHeader(ThriftReader &in, Type type, PageHeader &header) {
  return in.readStruct(type, [&](int64_t id, Type field) {
    switch (id) {
    case 1:
      return in.read(field, header.values);
    case 2:
      return readEncoding(in, field, header.encoding);
    case 3:
      return readEncoding(in, field, header.definitionEncoding);
    case 4:
      return readEncoding(in, field, header.repetitionEncoding);
    default:
      return in.skip(field);
    }
  });
}

static bool readDictionaryHeader(ThriftReader &in, Type type, PageHeader &header) {
  return in.readStruct(type, [&](int64_t id, Type field) {
    if (id == 1)
      return in.read(field, header.values);
    return id == 2 ? readEncoding(in, field, header.encoding) : in.skip(field);
  });
}

static bool readDataHeaderV2(ThriftReader &in, Type type, PageHeader &header) {
  return in.readStruct(type, [&](int64_t id, Type field) {
    switch (id) {
    case 1:
      return in.read(field, header.values);
    case 4:
      return readEncoding(in, field, header.encoding);
    case 5:
      return in.read(field, header.definitionBytes);
    case 6:
      return in.read(field, header.repetitionBytes);
    case 7:
      return in.read(field, header.isPacked);
    default:
      return in.skip(field);
    }
  });
}

bool readPageHeader(std::string_view bytes, PageHeader &header, size_t &size) {
  ThriftReader in(bytes);
  const bool good = in.readStruct([&](int64_t id, Type field) {
    switch (id) {
    case 1:
      return in.read(field, header.kind);
    case 2:
      return in.read(field, header.unpackedSize);
    case 3:
      return in.read(field, header.packedSize);
    case 4:
      return in.read(field, header.crc.emplace());
    case 5:
      return readDataHeader(in, field, header);
    case 7:
      return readDictionaryHeader(in, field, header);
    case 8:
      return readDataHeaderV2(in, field, header);
    default:
      return in.skip(field);
    }
  });
  size = in.position();
  return good && header.unpackedSize >= 0 && header.packedSize >= 0;
}

} // namespace mlc::common::parquet

//===- LookupTables.h - Vocabularies of an artifact, hashed for look-up -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_LOOKUPTABLES_H
#define MLCRT_CORE_LOOKUPTABLES_H

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "mlcrt/abi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// FarmHash Fingerprint64 of `size` bytes.
uint64_t fingerprint64(const char *data, int64_t size);
/// Fingerprint64 of the decimal text of `value`.
uint64_t fingerprint64(int64_t value);

/// Term -> position, for each table of an artifact; built once. Terms are views into the artifact's memory.
class LookupTables {
public:
  /// Fails with kDataLoss on a term that occurs twice. The artifact must have passed its checks and must stay loaded.
  static absl::StatusOr<LookupTables> build(const mlcrt_artifact &artifact);

  int64_t size() const { return static_cast<int64_t>(tables_.size()); }
  /// The description in the artifact; 0 <= table < size().
  const mlcrt_table &table(int64_t table) const { return *tables_[table].source; }
  /// Term `i` as text, for messages.
  std::string term(int64_t table, int64_t i) const;

  /// Term `i` of a table of strings; the bytes lie in the artifact.
  mlcrt_string stringTerm(int64_t table, int64_t i) const;

  /// Position of the term; else Fingerprint64 mod num_oov + num_terms, or the default value if there are no OOV
  /// buckets. The table must be one of strings.
  int64_t lookup(int64_t table, const mlcrt_string &term) const;
  /// The same for a table of integers.
  int64_t lookup(int64_t table, int64_t term) const;

private:
  struct Table {
    const mlcrt_table *source;
    absl::flat_hash_map<absl::string_view, int64_t> strings;
    absl::flat_hash_map<int64_t, int64_t> ints;
  };
  std::vector<Table> tables_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_LOOKUPTABLES_H

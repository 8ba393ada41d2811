//===- LookupTables.cpp - Vocabularies of an artifact, hashed for look-up ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/LookupTables.h"

#include "absl/strings/str_cat.h"

#include <charconv>
#include <farmhash.h>

namespace mlcrt {

uint64_t fingerprint64(const char *data, int64_t size) { return util::Fingerprint64(data, static_cast<size_t>(size)); }

uint64_t fingerprint64(int64_t value) {
  char text[24];
  auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  (void)error; // 20 characters always fit
  return fingerprint64(text, end - text);
}

static absl::string_view termView(const mlcrt_table &table, int64_t i) {
  return {table.data + table.offsets[i], static_cast<size_t>(table.offsets[i + 1] - table.offsets[i])};
}

absl::StatusOr<LookupTables> LookupTables::build(const mlcrt_artifact &artifact) {
  LookupTables result;
  result.tables_.resize(artifact.num_tables);
  for (int32_t t = 0; t < artifact.num_tables; ++t) {
    Table &table = result.tables_[t];
    table.source = &artifact.tables[t];
    int64_t terms = table.source->num_terms;
    bool strings = table.source->dtype == MLCRT_STRING;
    if (strings)
      table.strings.reserve(terms);
    else
      table.ints.reserve(terms);
    for (int64_t i = 0; i < terms; ++i) {
      bool fresh = strings ? table.strings.emplace(termView(*table.source, i), i).second
                           : table.ints.emplace(table.source->ints[i], i).second;
      if (!fresh)
        return absl::DataLossError(
            absl::StrCat("table '", table.source->name, "': term '", result.term(t, i), "' occurs twice"));
    }
  }
  return result;
}

std::string LookupTables::term(int64_t table, int64_t i) const {
  const mlcrt_table &source = *tables_[table].source;
  return source.dtype == MLCRT_STRING ? std::string(termView(source, i)) : absl::StrCat(source.ints[i]);
}

mlcrt_string LookupTables::stringTerm(int64_t table, int64_t i) const {
  absl::string_view term = termView(*tables_[table].source, i);
  return {term.data(), static_cast<int64_t>(term.size())};
}

/// Where a term that is not in the table goes; `hash` gives its fingerprint.
template <typename Hash> static int64_t outside(const mlcrt_table &table, Hash hash) {
  if (table.num_oov <= 0)
    return table.default_value;
  return table.num_terms + static_cast<int64_t>(hash() % static_cast<uint64_t>(table.num_oov));
}

int64_t LookupTables::lookup(int64_t table, const mlcrt_string &term) const {
  const Table &entry = tables_[table];
  auto it = entry.strings.find(absl::string_view(term.data, static_cast<size_t>(term.size)));
  if (it != entry.strings.end())
    return it->second;
  return outside(*entry.source, [&] { return fingerprint64(term.data, term.size); });
}

int64_t LookupTables::lookup(int64_t table, int64_t term) const {
  const Table &entry = tables_[table];
  auto it = entry.ints.find(term);
  if (it != entry.ints.end())
    return it->second;
  return outside(*entry.source, [&] { return fingerprint64(term); });
}

} // namespace mlcrt

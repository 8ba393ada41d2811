//===- Artifact.cpp - A loaded or linked-in artifact whose table has been checked ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Artifact.h"

#include "runtime/src/core/CpuFeatures.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace mlcrt {

static std::string versionText(uint32_t version) { return absl::StrCat(version >> 16, ".", version & 0xffff); }

/// `status` with the artifact's origin in front.
static absl::Status at(const std::string &origin, const absl::Status &status) {
  return absl::Status(status.code(), absl::StrCat(origin, ": ", status.message()));
}

static int64_t symbolCount(const mlcrt_value *values, int32_t count) {
  int64_t symbols = 0;
  for (int32_t v = 0; v < count; ++v)
    for (int32_t i = 0; i < values[v].rank; ++i)
      if (values[v].dims[i] != MLCRT_DIM_OF_CALL)
        symbols = std::max(symbols, -values[v].dims[i]);
  return symbols;
}

static int64_t symbolCount(const mlcrt_artifact &table) {
  int64_t count = std::max({int64_t{MLCRT_SYMBOL_BATCH + 1}, symbolCount(table.features, table.num_features),
                            symbolCount(table.sums, table.num_sums)});
  for (int64_t d = 0; d < table.num_dimensions; ++d)
    count = std::max<int64_t>(count, table.dimensions[d].symbol + 1);
  for (int32_t e = 0; e < table.num_entries; ++e) {
    const mlcrt_entry &entry = table.entries[e];
    count = std::max({count, symbolCount(entry.intermediates, entry.num_intermediates),
                      symbolCount(entry.outputs, entry.num_outputs)});
    for (int32_t s = 0; s < entry.num_segments; ++s)
      for (int32_t i = 0; i < entry.segments[s].num_operands; ++i)
        if (const mlcrt_operand &operand = entry.segments[s].operands[i]; operand.source == MLCRT_SOURCE_DIMENSION)
          count = std::max<int64_t>(count, operand.index + 1);
  }
  for (int64_t u = 0; u < table.num_updates; ++u) {
    const mlcrt_update &update = table.updates[u];
    count = std::max({count, int64_t{update.rows_symbol} + 1,
                      symbolCount(update.operands, static_cast<int32_t>(update.num_operands))});
  }
  return count;
}

int32_t findEnds(const mlcrt_artifact &table, int32_t feature) {
  const std::string name = absl::StrCat(table.features[feature].name, MLCRT_ENDS_SUFFIX);
  for (int32_t f = 0; f < table.num_features; ++f)
    if (name == table.features[f].name)
      return f;
  return -1;
}

bool writesRows(const mlcrt_segment &segment) {
  int32_t variables = 0;
  bool hasFirstRow = false;
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const mlcrt_operand &operand = segment.operands[i];
    variables += operand.source == MLCRT_SOURCE_VARIABLE;
    hasFirstRow |= operand.source == MLCRT_SOURCE_CONTEXT && operand.index == MLCRT_CONTEXT_FIRST_ROW;
  }
  return variables == 1 && hasFirstRow;
}

Artifact::Artifact(const mlcrt_artifact &table, std::string origin, void *handle)
    : table_(table), origin_(std::move(origin)), handle_(handle), endsOfSymbol_(mlcrt::symbolCount(table), -1),
      tensors_(table) {
  for (int32_t f = 0; f < table.num_features; ++f)
    if (int32_t symbol = firstSymbol(table.features[f]); symbol > MLCRT_SYMBOL_BATCH)
      endsOfSymbol_[symbol] = std::max(endsOfSymbol_[symbol], findEnds(table, f));
}

Artifact::~Artifact() {
  if (handle_)
    dlclose(handle_);
}

/// An artifact that gives no table of a version known here; `other` is the one it has, or null.
static absl::Status refuseVersion(const mlcrt_artifact *other) {
  std::string own = other ? absl::StrCat("the artifact has ABI version ", versionText(other->version))
                          : std::string("the artifact needs a newer ABI");
  const bool isOlder = other && other->version < MLCRT_ABI_VERSION;
  return absl::FailedPreconditionError(absl::StrCat(own, "; expected: ", MLCRT_ABI_MAJOR, ".0 to ",
                                                    versionText(MLCRT_ABI_VERSION), ", which this runtime has; ",
                                                    isOlder ? "compile again" : "use a newer one, or compile again"));
}

/// Copies the table as far as it goes and checks version, contents and processor.
static absl::Status load(const mlcrt_artifact *table, CpuCheck cpu, mlcrt_artifact &copy) {
  if (table->version >> 16 != MLCRT_ABI_MAJOR || table->version > MLCRT_ABI_VERSION)
    return refuseVersion(table);
  // What version 3.0 has is always there; absent tail fields are zero.
  constexpr size_t kLeast = offsetof(mlcrt_artifact, num_checks) + sizeof(mlcrt_artifact::num_checks);
  if (table->struct_size < kLeast)
    return absl::DataLossError(
        absl::StrCat("bad artifact table: struct_size is ", table->struct_size, ", expected at least ", kLeast));
  copy = {};
  std::memcpy(&copy, table, std::min<size_t>(table->struct_size, sizeof(copy)));
  if (absl::Status status = checkTable(copy); !status.ok())
    return status;
  return cpu == CpuCheck::Required && copy.cpu_features ? checkCpuFeatures(copy.cpu_features) : absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Artifact>> Artifact::fromTable(const mlcrt_artifact *table,
                                                                    const std::string &origin, CpuCheck cpu) {
  if (!table)
    return at(origin, refuseVersion(nullptr));
  mlcrt_artifact copy;
  if (absl::Status status = load(table, cpu, copy); !status.ok())
    return at(origin, status);
  return std::shared_ptr<const Artifact>(new Artifact(copy, origin, /*handle=*/nullptr));
}

absl::StatusOr<std::shared_ptr<const Artifact>> Artifact::open(const std::string &path, CpuCheck cpu) {
  if (access(path.c_str(), F_OK) != 0)
    return absl::NotFoundError(absl::StrCat(path, ": no such file; expected: a compiled artifact (.so)"));
  // A name without a slash would be searched for along the library path.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return absl::DataLossError(absl::StrCat(path, ": not a loadable artifact: ", reason ? reason : "unknown reason"));
  }
  std::unique_ptr<void, int (*)(void *)> closer(handle, dlclose);
  auto query = reinterpret_cast<mlcrt_artifact_query_fn>(dlsym(handle, MLCRT_ARTIFACT_QUERY_SYMBOL));
  if (!query)
    return absl::DataLossError(
        absl::StrCat(path, ": not an artifact: it does not export ", MLCRT_ARTIFACT_QUERY_SYMBOL));
  const mlcrt_artifact *table = query(MLCRT_ABI_VERSION, nullptr);
  // Asked as by the newest runtime, for its version alone: size and version stand first in every table.
  if (!table)
    return at(path, refuseVersion(query(UINT32_MAX, nullptr)));
  mlcrt_artifact copy;
  if (absl::Status status = load(table, cpu, copy); !status.ok())
    return at(path, status);
  return std::shared_ptr<const Artifact>(new Artifact(copy, path, closer.release()));
}

const mlcrt_entry *Artifact::entry(mlcrt_role role) const {
  for (int32_t i = 0; i < table_.num_entries; ++i)
    if (table_.entries[i].role == role)
      return &table_.entries[i];
  return nullptr;
}

const mlcrt_entry *Artifact::entry(std::string_view name) const {
  for (int32_t i = 0; i < table_.num_entries; ++i)
    if (name == table_.entries[i].name)
      return &table_.entries[i];
  return nullptr;
}

absl::Status Artifact::require(std::initializer_list<mlcrt_role> roles) const {
  std::vector<std::string> missing;
  for (mlcrt_role role : roles)
    if (!entry(role))
      missing.emplace_back(roleName(role));
  if (missing.empty())
    return absl::OkStatus();
  std::vector<std::string> present;
  for (int32_t i = 0; i < table_.num_entries; ++i)
    present.emplace_back(table_.entries[i].name);
  const bool lacksParts = entry(MLCRT_ROLE_TRAIN) && !entry(MLCRT_ROLE_TRAIN_GRAD) &&
                          std::count(roles.begin(), roles.end(), MLCRT_ROLE_TRAIN_GRAD) > 0;
  const char *note = "";
  if (lacksParts)
    note = table_.num_queues > 0 ? "; a training step that uses queues is not cut into virtual shards"
                                 : "; its training step could not be cut into parts for virtual shards and clusters: "
                                   "'mlc compile MODEL --remarks=parts' says at which line";
  return absl::InvalidArgumentError(absl::StrCat(origin_, ": the model has no entry ", absl::StrJoin(missing, ", "),
                                                 "; it has ", absl::StrJoin(present, ", "), note));
}

int32_t Artifact::featureIndex(std::string_view name) const {
  for (int32_t i = 0; i < table_.num_features; ++i)
    if (name == table_.features[i].name)
      return i;
  return -1;
}

int32_t Artifact::variableIndex(std::string_view name) const {
  for (int32_t i = 0; i < table_.num_variables; ++i)
    if (name == table_.variables[i].value.name)
      return i;
  return -1;
}

int32_t Artifact::settingIndex(std::string_view path) const {
  for (int32_t i = 0; i < table_.num_settings; ++i)
    if (path == table_.settings[i].path)
      return i;
  return -1;
}

std::vector<bool> Artifact::usedFeatures(const mlcrt_entry &entry) const {
  std::vector<bool> used(table_.num_features);
  auto add = [&](const mlcrt_entry &part) {
    for (int32_t s = 0; s < part.num_segments; ++s)
      for (int32_t i = 0; i < part.segments[s].num_operands; ++i)
        forEachFeature(table_, part.segments[s].operands[i], [&](int32_t feature) { used[feature] = true; });
  };
  add(entry);
  // All parts of an entry have the symbols of what any of them reads.
  for (int64_t p = 0; p < table_.num_parts; ++p)
    if (&table_.entries[table_.parts[p].part] == &entry)
      for (int64_t other = 0; other < table_.num_parts; ++other)
        if (table_.parts[other].entry == table_.parts[p].entry)
          add(table_.entries[table_.parts[other].part]);
  for (int32_t f = 0; f < table_.num_features; ++f)
    if (int32_t symbol = firstSymbol(table_.features[f]); used[f] && symbol > MLCRT_SYMBOL_BATCH)
      used[endsOfSymbol_[symbol]] = true;
  return used;
}

std::string_view Artifact::roleName(int32_t role) {
  static constexpr std::string_view names[] = {
      "other",       "init",        "train",   "train_grad", "train_combine", "train_apply",  "eval_reset",
      "eval_update", "eval_result", "predict", "summary",    "train_partial", "train_shared", "train_update"};
  return role >= 0 && role <= MLCRT_ROLE_TRAIN_UPDATE ? names[role] : "unknown role";
}

} // namespace mlcrt

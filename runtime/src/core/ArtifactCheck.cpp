//===- ArtifactCheck.cpp - Checks the table of an artifact, so that a bad one is an error and not a crash --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ArtifactCheck.h"
#include "runtime/src/core/Tensor.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace mlcrt {

void addSymbols(const mlcrt_value &value, std::set<int64_t> &symbols) {
  for (int32_t i = 0; i < value.rank; ++i)
    if (value.dims[i] < 0 && value.dims[i] != MLCRT_DIM_OF_CALL)
      symbols.insert(-1 - value.dims[i]);
}

absl::Status checkList(const char *what, int32_t count, const void *items) {
  if (count < 0 || (count > 0 && !items))
    return bad(what, ": count ", count, items ? "" : " without a list");
  return absl::OkStatus();
}

/// `isOutput`: dims may be the call's.
static absl::Status checkValue(const std::string &what, const mlcrt_value &value, bool isOutput = false) {
  if (!value.name || !*value.name)
    return bad(what, " has no name");
  std::string place = absl::StrCat(what, " '", value.name, "'");
  if (dtypeSize(value.dtype) == 0)
    return bad(place, ": unknown ", dtypeName(value.dtype));
  if (value.rank < 0 || (value.rank > 0 && !value.dims))
    return bad(place, ": rank ", value.rank, value.rank < 0 ? "" : " without dims");
  for (int32_t i = 0; i < value.rank; ++i)
    if (value.dims[i] < -kMaxSymbols && !(isOutput && value.dims[i] == MLCRT_DIM_OF_CALL))
      return bad(place, ": dimension ", i, " is ", value.dims[i]);
  return absl::OkStatus();
}

static absl::Status checkValues(const std::string &what, int32_t count, const mlcrt_value *values,
                                bool areOutputs = false) {
  MLCRT_CHECK_OK(checkList(what.c_str(), count, values));
  absl::flat_hash_set<absl::string_view> names;
  for (int32_t i = 0; i < count; ++i) {
    MLCRT_CHECK_OK(checkValue(absl::StrCat(what, " ", i), values[i], areOutputs));
    if (!names.insert(values[i].name).second)
      return bad(what, " '", values[i].name, "' occurs twice");
  }
  return absl::OkStatus();
}

/// Features with another first dimension than rows, and the ends that tell which elements are whose.
static absl::Status checkMultiValued(const mlcrt_artifact &table) {
  std::set<int64_t> first, bounded;
  for (int32_t f = 0; f < table.num_features; ++f) {
    const int32_t symbol = firstSymbol(table.features[f]);
    if (symbol <= MLCRT_SYMBOL_BATCH)
      continue;
    first.insert(symbol);
    const int32_t ends = findEnds(table, f);
    if (ends < 0)
      continue;
    const mlcrt_value &value = table.features[ends];
    if (value.dtype != MLCRT_I64 || value.rank != 1 || firstSymbol(value) != MLCRT_SYMBOL_BATCH)
      return bad("feature '", value.name, "': ends of rows must be i64, one for each row");
    if (!bounded.insert(symbol).second)
      return bad("feature '", value.name, "': dimension symbol ", symbol, " has other ends");
  }
  for (int32_t f = 0; f < table.num_features; ++f) {
    const mlcrt_value &value = table.features[f];
    const int32_t symbol = firstSymbol(value);
    if (symbol > MLCRT_SYMBOL_BATCH && !bounded.count(symbol))
      return bad("feature '", value.name, "': no feature with the name of one of dimension symbol ", symbol, " and '",
                 MLCRT_ENDS_SUFFIX, "'");
    for (int32_t i = 1; i < value.rank; ++i)
      if (first.count(-1 - value.dims[i]))
        return bad("feature '", value.name, "': dimension ", i, " is the number of values of a multi-valued feature");
  }
  return absl::OkStatus();
}

/// Symbols that follow from others: below them, and products of those of multi-valued features.
static absl::Status checkDimensions(const mlcrt_artifact &table) {
  std::set<int64_t> ofFeatures;
  for (int32_t f = 0; f < table.num_features; ++f)
    addSymbols(table.features[f], ofFeatures);
  if (table.num_dimensions < 0 || (table.num_dimensions > 0 && !table.dimensions))
    return bad("dimensions: count ", table.num_dimensions, table.dimensions ? "" : " without a list");
  int64_t before = MLCRT_SYMBOL_BATCH;
  for (int64_t d = 0; d < table.num_dimensions; ++d) {
    const mlcrt_dimension &dimension = table.dimensions[d];
    const std::string place = absl::StrCat("dimension symbol ", dimension.symbol);
    if (dimension.symbol <= before || dimension.symbol >= kMaxSymbols || ofFeatures.count(dimension.symbol))
      return bad(place, ": a symbol that follows from others must be above those before it, below ", kMaxSymbols,
                 " and that of no feature");
    before = dimension.symbol;
    const bool product = dimension.kind == MLCRT_DIMENSION_PRODUCT;
    if (!product && dimension.kind != MLCRT_DIMENSION_SUM)
      return bad(place, ": unknown kind ", dimension.kind);
    if (dimension.num_terms < (product ? 2 : 1) || !dimension.terms ||
        (!product && dimension.num_terms > dimension.symbol))
      return bad(place, ": ", dimension.num_terms, " terms");
    for (int64_t t = 0; t < dimension.num_terms; ++t) {
      const int64_t term = dimension.terms[t];
      if (product ? term <= MLCRT_SYMBOL_BATCH || !ofFeatures.count(term) : term < 0)
        return bad(place, ": term ", t, " is ", term);
    }
  }
  return absl::OkStatus();
}

static absl::Status checkVariable(const mlcrt_artifact &table, int32_t index) {
  const mlcrt_variable &variable = table.variables[index];
  MLCRT_CHECK_OK(checkValue(absl::StrCat("variable ", index), variable.value));
  std::string place = absl::StrCat("variable '", variable.value.name, "'");
  if (variable.value.dtype == MLCRT_STRING)
    return bad(place, ": a variable cannot hold strings");
  int64_t count = elementCount(variable.value.dims, variable.value.rank);
  int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, dtypeSize(variable.value.dtype), &bytes))
    return bad(place, ": the shape must be static and its size a 64-bit number");
  if (variable.slot_of < -1 || variable.slot_of >= table.num_variables || variable.slot_of == index)
    return bad(place, ": slot_of is ", variable.slot_of, ", expected another variable below ", table.num_variables,
               " or -1");
  if (variable.slot_of >= 0 && (!variable.slot || !*variable.slot))
    return bad(place, ": a slot without a name");
  if (!variable.pack != !variable.unpack)
    return bad(place, ": pack and unpack must be given together");
  if (variable.storage_bytes < 0 || (variable.storage_bytes > 0 && !variable.pack && variable.storage_bytes < bytes))
    return bad(place, ": storage_bytes is ", variable.storage_bytes, ", the value has ", bytes);
  return absl::OkStatus();
}

static absl::Status checkVariables(const mlcrt_artifact &table) {
  MLCRT_CHECK_OK(checkList("variables", table.num_variables, table.variables));
  absl::flat_hash_set<absl::string_view> names;
  for (int32_t i = 0; i < table.num_variables; ++i) {
    MLCRT_CHECK_OK(checkVariable(table, i));
    if (!names.insert(table.variables[i].value.name).second)
      return bad("variable '", table.variables[i].value.name, "' occurs twice");
  }
  return absl::OkStatus();
}

/// Variables that are several tensors: all rows of each, in its order, and slots alike.
static absl::Status checkNamedRows(const mlcrt_artifact &table) {
  if (table.num_named_rows < 0 || (table.num_named_rows > 0 && !table.named_rows))
    return bad("named rows: count ", table.num_named_rows, table.named_rows ? "" : " without a list");
  absl::flat_hash_set<absl::string_view> names;
  for (int32_t i = 0; i < table.num_variables; ++i)
    names.insert(table.variables[i].value.name);
  std::vector<std::vector<int64_t>> rows(table.num_variables); // of the tensors of a variable
  for (int64_t n = 0; n < table.num_named_rows; ++n) {
    const mlcrt_named_rows &named = table.named_rows[n];
    if (!named.name || !*named.name)
      return bad("named rows ", n, " have no name");
    const std::string place = absl::StrCat("named rows '", named.name, "'");
    if (!names.insert(named.name).second)
      return bad(place, ": a variable or other rows have this name");
    const int32_t last = n == 0 ? 0 : table.named_rows[n - 1].variable;
    if (named.variable < last || named.variable >= table.num_variables)
      return bad(place, ": variable ", named.variable, ", expected from ", last, " to below ", table.num_variables);
    const mlcrt_variable &variable = table.variables[named.variable];
    if (variable.value.rank < 1 || variable.pack || variable.storage_bytes)
      return bad(place, ": variable '", variable.value.name, "' is not stored by rows");
    if (named.rows <= 0)
      return bad(place, ": ", named.rows, " rows");
    rows[named.variable].push_back(named.rows);
  }
  for (int32_t i = 0; i < table.num_variables; ++i) {
    const mlcrt_variable &variable = table.variables[i];
    const std::string place = absl::StrCat("variable '", variable.value.name, "'");
    int64_t left = rows[i].empty() ? 0 : variable.value.dims[0];
    for (int64_t each : rows[i])
      left = each > left ? -1 : left - each; // no sum of many overflows
    if (left != 0)
      return bad(place, ": its named rows are not its ", variable.value.dims[0], " rows");
    if (variable.slot_of >= 0 && rows[i] != rows[variable.slot_of])
      return bad(place, ": a slot of '", table.variables[variable.slot_of].value.name, "', which has other named rows");
  }
  return absl::OkStatus();
}

static absl::Status checkSettings(const mlcrt_artifact &table) {
  MLCRT_CHECK_OK(checkList("settings", table.num_settings, table.settings));
  absl::flat_hash_set<absl::string_view> paths;
  for (int32_t i = 0; i < table.num_settings; ++i) {
    const mlcrt_setting &setting = table.settings[i];
    if (!setting.path || !*setting.path)
      return bad("setting ", i, " has no path");
    if (!paths.insert(setting.path).second)
      return bad("setting '", setting.path, "' occurs twice");
    bool fits = true;
    switch (setting.dtype) {
    case MLCRT_F32:
      fits = !std::isfinite(setting.f64) || std::abs(setting.f64) <= std::numeric_limits<float>::max();
      break;
    case MLCRT_I32:
      fits = setting.i64 >= std::numeric_limits<int32_t>::min() && setting.i64 <= std::numeric_limits<int32_t>::max();
      break;
    case MLCRT_BOOL:
      fits = setting.i64 == 0 || setting.i64 == 1;
      break;
    case MLCRT_F64:
    case MLCRT_I64:
      break;
    default:
      return bad("setting '", setting.path, "': found ", dtypeName(setting.dtype),
                 ", expected f32, f64, i32, i64 or bool");
    }
    if (!fits)
      return bad("setting '", setting.path, "': its default does not fit ", dtypeName(setting.dtype));
  }
  return absl::OkStatus();
}

static absl::Status checkQueue(const mlcrt_queue &queue, const std::string &place) {
  if (queue.kind < MLCRT_QUEUE_FIFO || queue.kind > MLCRT_QUEUE_PRIORITY)
    return bad(place, ": unknown kind ", queue.kind);
  if (queue.capacity < 1 || queue.min_after_dequeue < 0 || queue.min_after_dequeue >= queue.capacity)
    return bad(place, ": capacity ", queue.capacity, " with ", queue.min_after_dequeue, " that stay behind");
  if (queue.num_components < 1)
    return bad(place, " has no component");
  MLCRT_CHECK_OK(checkValues(absl::StrCat(place, ": component"), queue.num_components, queue.components));
  for (int32_t c = 0; c < queue.num_components; ++c) {
    const mlcrt_value &value = queue.components[c];
    for (int32_t d = 0; d < value.rank; ++d)
      if (value.dims[d] < 0 && queue.kind != MLCRT_QUEUE_PADDING_FIFO)
        return bad(place, ": component ", c, " is not static");
  }
  const mlcrt_value &first = queue.components[0];
  if (queue.kind == MLCRT_QUEUE_PRIORITY && (first.dtype != MLCRT_I64 || first.rank != 0))
    return bad(place, ": its priority is ", typeText(first), ", expected a scalar i64");
  return absl::OkStatus();
}

static absl::Status checkQueues(const mlcrt_artifact &artifact) {
  if (artifact.num_queues < 0 || (artifact.num_queues > 0 && !artifact.queues))
    return bad("queues: count ", artifact.num_queues, artifact.queues ? "" : " without a list");
  for (int64_t q = 0; q < artifact.num_queues; ++q) {
    if (!artifact.queues[q].name || !*artifact.queues[q].name)
      return bad("queue ", q, " has no name");
    MLCRT_CHECK_OK(checkQueue(artifact.queues[q], absl::StrCat("queue '", artifact.queues[q].name, "'")));
  }
  return absl::OkStatus();
}

static absl::Status checkTables(const mlcrt_artifact &artifact) {
  MLCRT_CHECK_OK(checkList("tables", artifact.num_tables, artifact.tables));
  absl::flat_hash_set<absl::string_view> names;
  for (int32_t t = 0; t < artifact.num_tables; ++t) {
    const mlcrt_table &table = artifact.tables[t];
    if (!table.name || !*table.name)
      return bad("table ", t, " has no name");
    if (!names.insert(table.name).second)
      return bad("table '", table.name, "' occurs twice");
    if (table.num_terms < 0 || table.num_oov < 0)
      return bad("table '", table.name, "': ", table.num_terms, " terms, ", table.num_oov, " OOV buckets");
    if (table.dtype == MLCRT_I64) {
      if (table.num_terms > 0 && !table.ints)
        return bad("table '", table.name, "' has no terms");
      continue;
    }
    if (table.dtype != MLCRT_STRING)
      return bad("table '", table.name, "': found ", dtypeName(table.dtype), ", expected string or i64");
    if (table.num_terms > 0 && (!table.data || !table.offsets || table.offsets[0] < 0))
      return bad("table '", table.name, "' has no terms");
    for (int64_t i = 0; i < table.num_terms; ++i)
      if (table.offsets[i] > table.offsets[i + 1])
        return bad("table '", table.name, "': offset ", i + 1, " is below the one before");
  }
  return absl::OkStatus();
}

/// What must hold of every entry before any is looked into.
static absl::Status checkShape(const mlcrt_entry &entry, int32_t index) {
  if (!entry.name || !*entry.name)
    return bad("entry ", index, " has no name");
  std::string place = absl::StrCat("entry '", entry.name, "'");
  if (entry.role < MLCRT_ROLE_OTHER || entry.role > MLCRT_ROLE_TRAIN_UPDATE)
    return bad(place, ": unknown role ", entry.role);
  MLCRT_CHECK_OK(checkValues(place + ", intermediate", entry.num_intermediates, entry.intermediates));
  MLCRT_CHECK_OK(checkValues(place + ", output", entry.num_outputs, entry.outputs, /*areOutputs=*/true));
  MLCRT_CHECK_OK(checkList((place + ", segments").c_str(), entry.num_segments, entry.segments));
  for (int32_t s = 0; s < entry.num_segments; ++s) {
    const mlcrt_segment &segment = entry.segments[s];
    if (!segment.name)
      return bad(place, ": segment ", s, " has no name");
    if (segment.kind < MLCRT_SEGMENT_STEP || segment.kind > MLCRT_SEGMENT_CALLED)
      return bad(place, ", segment '", segment.name, "': unknown kind ", segment.kind);
    MLCRT_CHECK_OK(checkList((place + ", operands").c_str(), segment.num_operands, segment.operands));
  }
  return absl::OkStatus();
}

/// Roles at most once, and the ones that only make sense together.
static absl::Status checkRoles(const mlcrt_artifact &table) {
  bool has[MLCRT_ROLE_TRAIN_UPDATE + 1] = {};
  for (int32_t i = 0; i < table.num_entries; ++i) {
    int32_t role = table.entries[i].role;
    if (role != MLCRT_ROLE_OTHER && !isOfUpdate(role) && has[role])
      return bad("two entries of role ", std::string(Artifact::roleName(role)));
    has[role] = true;
  }
  auto together = [&](std::initializer_list<int32_t> roles) -> absl::Status {
    int32_t present = -1;
    for (int32_t role : roles)
      present = has[role] ? role : present;
    for (int32_t role : roles)
      if (present >= 0 && !has[role])
        return bad("entry of role ", std::string(Artifact::roleName(present)), " without one of role ",
                   std::string(Artifact::roleName(role)));
    return absl::OkStatus();
  };
  MLCRT_CHECK_OK(together({MLCRT_ROLE_TRAIN_GRAD, MLCRT_ROLE_TRAIN_COMBINE, MLCRT_ROLE_TRAIN_APPLY}));
  MLCRT_CHECK_OK(together({MLCRT_ROLE_EVAL_RESET, MLCRT_ROLE_EVAL_UPDATE, MLCRT_ROLE_EVAL_RESULT}));
  if ((has[MLCRT_ROLE_TRAIN] || has[MLCRT_ROLE_TRAIN_GRAD]) && !has[MLCRT_ROLE_INIT])
    return bad("training entries without one of role init");
  return absl::OkStatus();
}

/// The update over ranges of rows: each of its entries once, whose operands are those of the segment.
static absl::Status checkUpdates(const mlcrt_artifact &table) {
  // As many as entries of their roles at most.
  if (table.num_updates < 0 || table.num_updates > table.num_entries || (table.num_updates > 0 && !table.updates))
    return bad("updates: count ", table.num_updates, table.updates ? "" : " without a list");
  std::vector<bool> listed(table.num_entries);
  for (int64_t u = 0; u < table.num_updates; ++u) {
    const mlcrt_update &update = table.updates[u];
    if (update.entry < 0 || update.entry >= table.num_entries || !isOfUpdate(table.entries[update.entry].role))
      return bad("update ", u, ": entry ", update.entry, " is none of the update over ranges of rows");
    const mlcrt_entry &entry = table.entries[update.entry];
    std::string place = absl::StrCat("update '", entry.name, "'");
    if (listed[update.entry])
      return bad(place, " occurs twice");
    listed[update.entry] = true;
    if (entry.num_segments != 1 || entry.num_intermediates != 0)
      return bad(place, ": ", entry.num_segments, " segments, expected one without intermediates");
    if (update.rows_symbol < 0 || update.rows_symbol >= kMaxSymbols ||
        (update.rows > 0) != (entry.role != MLCRT_ROLE_TRAIN_SHARED))
      return bad(place, ": ", update.rows, " rows of symbol ", update.rows_symbol);
    const mlcrt_segment &segment = entry.segments[0];
    if (update.num_operands != segment.num_operands || (update.num_operands > 0 && !update.operands))
      return bad(place, ": ", update.num_operands, " operands, expected those of the segment, ", segment.num_operands);
    for (int32_t i = 0; i < segment.num_operands; ++i) {
      const mlcrt_operand &operand = segment.operands[i];
      const mlcrt_value &value = update.operands[i];
      if (value.rank < 0 || (value.rank > 0 && !value.dims))
        return bad(place, ": operand ", i, " has rank ", value.rank, value.rank < 0 ? "" : " without dims");
      if (operand.source != MLCRT_SOURCE_VARIABLE || entry.role == MLCRT_ROLE_TRAIN_SHARED)
        continue;
      const mlcrt_value &variable = table.variables[operand.index].value;
      if (value.rank != variable.rank || value.rank == 0 || variable.dims[0] != update.rows ||
          value.dims[0] != MLCRT_DIM_SYMBOL(update.rows_symbol))
        return bad(place, ": variable '", variable.name, "' has not the ", update.rows, " rows that are cut");
    }
  }
  for (int32_t i = 0; i < table.num_entries; ++i)
    if (isOfUpdate(table.entries[i].role) && !listed[i])
      return bad("entry '", table.entries[i].name, "' of role ", std::string(Artifact::roleName(table.entries[i].role)),
                 " is in no update");
  return absl::OkStatus();
}

/// Rows that train_grad and summary read: intermediates of features segments, and variables that have rows.
static absl::Status checkPulls(const mlcrt_artifact &table) {
  if (table.num_pulls < 0 || (table.num_pulls > 0 && !table.pulls))
    return bad("pulls: count ", table.num_pulls, table.pulls ? "" : " without a list");
  int32_t last = 0;
  for (int64_t p = 0; p < table.num_pulls; ++p) {
    const mlcrt_pull &pull = table.pulls[p];
    const int32_t role =
        pull.entry >= 0 && pull.entry < table.num_entries ? table.entries[pull.entry].role : int32_t{MLCRT_ROLE_OTHER};
    if (role != MLCRT_ROLE_TRAIN_GRAD && role != MLCRT_ROLE_SUMMARY && role != MLCRT_ROLE_EVAL_UPDATE &&
        role != MLCRT_ROLE_PREDICT)
      return bad("pull ", p, ": entry ", pull.entry, " is not of role train_grad, summary, eval_update or predict");
    if (p == 0 || pull.entry != table.pulls[p - 1].entry)
      last = 0;
    const mlcrt_entry &entry = table.entries[pull.entry];
    if (pull.intermediate < 0 || pull.intermediate >= entry.num_intermediates)
      return bad("pull ", p, ": intermediate ", pull.intermediate, ", expected below ", entry.num_intermediates);
    if (pull.variable < last || pull.variable >= table.num_variables)
      return bad("pull ", p, ": variable ", pull.variable, ", expected from ", last, " to below ", table.num_variables);
    last = pull.variable;
    const mlcrt_value &ids = entry.intermediates[pull.intermediate];
    bool isAhead = false;
    for (int32_t s = 0; s < entry.num_segments; ++s)
      for (int32_t i = 0; entry.segments[s].kind == MLCRT_SEGMENT_FEATURES && i < entry.segments[s].num_operands; ++i)
        isAhead |= entry.segments[s].operands[i].source == MLCRT_SOURCE_INTERMEDIATE &&
                   entry.segments[s].operands[i].index == pull.intermediate;
    if (ids.dtype != MLCRT_I64 || !isAhead)
      return bad("pull ", p, ": intermediate '", ids.name, "', expected an i64 that a features segment writes; found ",
                 dtypeName(ids.dtype));
    const mlcrt_variable &variable = table.variables[pull.variable];
    if (variable.value.rank < 1 || variable.pack)
      return bad("pull ", p, ": variable '", variable.value.name, "' is not stored by rows");
  }
  return absl::OkStatus();
}

template <typename T> static absl::Status checkCount(const char *what, int64_t count, const T *list) {
  return count < 0 || (count > 0 && !list) ? bad(what, ": count ", count, list ? "" : " without a list")
                                           : absl::OkStatus();
}

/// Devices, their memory, and what is made for them.
static absl::Status checkDevices(const mlcrt_artifact &table) {
  MLCRT_CHECK_OK(checkCount("devices", table.num_devices, table.devices));
  MLCRT_CHECK_OK(checkCount("spaces", table.num_spaces, table.spaces));
  MLCRT_CHECK_OK(checkCount("images", table.num_images, table.images));
  MLCRT_CHECK_OK(checkCount("homes", table.num_homes, table.homes));
  for (int64_t d = 0; d < table.num_devices; ++d) {
    const mlcrt_device &device = table.devices[d];
    if (!device.name || !*device.name)
      return bad("device ", d, " has no name");
    if (!device.kind || !*device.kind)
      return bad("device '", device.name, "' has no kind");
  }
  for (int64_t s = 0; s < table.num_spaces; ++s) {
    const mlcrt_space &space = table.spaces[s];
    if (!space.name || !*space.name)
      return bad("space ", s + 1, " has no name");
    if (space.device < 0 || space.device >= table.num_devices)
      return bad("space '", space.name, "': device ", space.device, ", expected below ", table.num_devices);
    if (space.alignment < MLCRT_ALIGNMENT || (space.alignment & (space.alignment - 1)) != 0)
      return bad("space '", space.name, "': alignment ", space.alignment, ", expected a power of two, at least ",
                 MLCRT_ALIGNMENT);
  }
  for (int64_t i = 0; i < table.num_images; ++i) {
    const mlcrt_image &image = table.images[i];
    if (!image.device_kind || !*image.device_kind || !image.chip || !*image.chip)
      return bad("image ", i, " has no kind of device or no chip");
    if (image.kind < MLCRT_IMAGE_PTX || image.kind > MLCRT_IMAGE_OBJECT)
      return bad("image ", i, ": unknown kind ", image.kind);
    const auto *bytes = static_cast<const char *>(image.data);
    if (!bytes || image.bytes <= 0)
      return bad("image ", i, " has ", image.bytes, " bytes");
    if (image.kind == MLCRT_IMAGE_PTX && bytes[image.bytes - 1] != '\0')
      return bad("image ", i, ": a text that does not end in a null byte");
  }
  for (int64_t h = 0; h < table.num_homes; ++h) {
    const mlcrt_home &home = table.homes[h];
    if (home.variable < 0 || home.variable >= table.num_variables || home.space < 1 || home.space > table.num_spaces)
      return bad("home ", h, ": variable ", home.variable, " in space ", home.space,
                 "; expected variables and spaces of devices that there are");
    const mlcrt_variable &variable = table.variables[home.variable];
    if (variable.pack || variable.storage_bytes)
      return bad("home ", h, ": variable '", variable.value.name, "' is not stored row-major");
    if (home.flags & ~MLCRT_HOME_ROWS)
      return bad("home ", h, ": unknown flags ", home.flags);
    if (h > 0 && std::make_pair(table.homes[h - 1].variable, table.homes[h - 1].space) >=
                     std::make_pair(home.variable, home.space))
      return bad("home ", h, ": homes do not ascend by variable and space");
    bool isPulled = false;
    for (int64_t p = 0; table.pulls && p < table.num_pulls; ++p)
      isPulled |= table.pulls[p].variable == home.variable;
    if ((home.flags & MLCRT_HOME_ROWS) && !isPulled)
      return bad("home ", h, ": has rows of variable '", variable.value.name, "', of which no pull names any");
  }
  return absl::OkStatus();
}

/// Features side by side: each once, one after the other.
static absl::Status checkMatrices(const mlcrt_artifact &table) {
  MLCRT_CHECK_OK(checkCount("matrices", table.num_matrices, table.matrices));
  std::vector<bool> isColumn(table.num_features);
  for (int64_t m = 0; m < table.num_matrices; ++m) {
    const mlcrt_matrix &matrix = table.matrices[m];
    MLCRT_CHECK_OK(checkValue(absl::StrCat("matrix ", m), matrix.value));
    const std::string place = absl::StrCat("matrix '", matrix.value.name, "'");
    if (matrix.value.rank != 2 || firstSymbol(matrix.value) != MLCRT_SYMBOL_BATCH || matrix.value.dims[1] <= 0)
      return bad(place, " is ", typeText(matrix.value), ", expected rows of a static width");
    MLCRT_CHECK_OK(checkCount((place + ": columns").c_str(), matrix.num_columns, matrix.columns));
    int64_t next = 0;
    for (int64_t c = 0; c < matrix.num_columns; ++c) {
      const mlcrt_column &column = matrix.columns[c];
      if (column.feature < 0 || column.feature >= table.num_features)
        return bad(place, ", column ", c, ": feature ", column.feature, ", expected below ", table.num_features);
      const mlcrt_value &value = table.features[column.feature];
      if (isColumn[column.feature])
        return bad(place, ", column ", c, ": feature '", value.name, "' is a column already");
      isColumn[column.feature] = true;
      const int64_t width = elementsOfRow(value);
      for (int32_t f = 0; f < table.num_features; ++f)
        if (firstSymbol(table.features[f]) > MLCRT_SYMBOL_BATCH && findEnds(table, f) == column.feature)
          return bad(place, ", column ", c, ": feature '", value.name, "' is the ends of a multi-valued one");
      if (value.dtype != matrix.value.dtype || firstSymbol(value) != MLCRT_SYMBOL_BATCH || width < 0)
        return bad(place, ", column ", c, ": feature '", value.name, "' is ", typeText(value), ", expected rows of ",
                   dtypeName(matrix.value.dtype));
      if (column.offset != next || __builtin_add_overflow(next, width, &next))
        return bad(place, ", column ", c, ": offset ", column.offset, ", expected ", next);
    }
    if (next != matrix.value.dims[1])
      return bad(place, " is ", matrix.value.dims[1], " wide, its columns ", next);
  }
  return absl::OkStatus();
}

static absl::Status checkChecks(const mlcrt_artifact &table) {
  MLCRT_CHECK_OK(checkCount("checks", table.num_checks, table.checks));
  if (table.num_checks > MLCRT_MAX_CHECKS)
    return bad("checks: count ", table.num_checks, ", expected at most ", MLCRT_MAX_CHECKS);
  for (int64_t c = 0; c < table.num_checks; ++c)
    if (table.checks[c].code <= MLCRT_OK || table.checks[c].code > MLCRT_CANCELLED || !table.checks[c].message)
      return bad("check ", c, ": code ", table.checks[c].code, table.checks[c].message ? "" : " without a message");
  return absl::OkStatus();
}

/// Parts of an entry stand in a row, the first one first; channels are queues between devices.
static absl::Status checkParts(const mlcrt_artifact &table) {
  MLCRT_CHECK_OK(checkCount("parts", table.num_parts, table.parts));
  MLCRT_CHECK_OK(checkCount("channels", table.num_channels, table.channels));
  std::vector<bool> seen(table.num_entries);
  for (int64_t p = 0; p < table.num_parts; ++p) {
    const mlcrt_part &part = table.parts[p];
    if (part.part < 0 || part.part >= table.num_entries || seen[part.part])
      return bad("part ", p, ": entry ", part.part, ", expected one below ", table.num_entries,
                 " that is no other part");
    seen[part.part] = true;
    if (part.device < 0 || part.device >= table.num_devices)
      return bad("part ", p, ": device ", part.device, ", expected below ", table.num_devices);
    const bool isFirst = part.part == part.entry;
    if (!isFirst && (p == 0 || table.parts[p - 1].entry != part.entry))
      return bad("part ", p, " of entry ", part.entry, " stands without the first one");
    const mlcrt_entry &entry = table.entries[part.part];
    if (!isFirst && (entry.role != MLCRT_ROLE_OTHER || entry.num_outputs != 0))
      return bad("part ", p, ": entry '", entry.name, "' is not the first part, and has a role or outputs");
  }
  for (int64_t c = 0; c < table.num_channels; ++c) {
    const mlcrt_channel &channel = table.channels[c];
    if (channel.queue < 0 || channel.queue >= table.num_queues || channel.entry < 0 ||
        channel.entry >= table.num_entries || channel.from < 0 || channel.from >= table.num_devices || channel.to < 0 ||
        channel.to >= table.num_devices || channel.from == channel.to)
      return bad("channel ", c, ": queue ", channel.queue, " of entry ", channel.entry, " from device ", channel.from,
                 " to ", channel.to, "; expected queues, entries and devices that there are, and two devices");
  }
  return absl::OkStatus();
}

absl::Status checkTable(const mlcrt_artifact &table) {
  for (const char *text : {table.name, table.state_fingerprint, table.plan_fingerprint, table.manifest})
    if (!text)
      return bad("name, fingerprints and manifest must be given");
  if (table.predict_image_bytes < 0 || !table.predict_image != (table.predict_image_bytes == 0))
    return bad("predict_image has ", table.predict_image_bytes, " bytes");
  MLCRT_CHECK_OK(checkValues("feature", table.num_features, table.features));
  MLCRT_CHECK_OK(checkMultiValued(table));
  MLCRT_CHECK_OK(checkDimensions(table));
  MLCRT_CHECK_OK(checkVariables(table));
  MLCRT_CHECK_OK(checkNamedRows(table));
  MLCRT_CHECK_OK(checkSettings(table));
  MLCRT_CHECK_OK(checkTables(table));
  MLCRT_CHECK_OK(checkQueues(table));
  MLCRT_CHECK_OK(checkDevices(table));
  MLCRT_CHECK_OK(checkMatrices(table));
  MLCRT_CHECK_OK(checkChecks(table));
  MLCRT_CHECK_OK(checkValues("sum", table.num_sums, table.sums));
  if (table.num_shared < 0 || table.num_shared > std::numeric_limits<int32_t>::max())
    return bad("shared values: count ", table.num_shared);
  MLCRT_CHECK_OK(checkValues("shared value", static_cast<int32_t>(table.num_shared), table.shared));
  MLCRT_CHECK_OK(checkList("entries", table.num_entries, table.entries));
  absl::flat_hash_set<absl::string_view> names;
  for (int32_t i = 0; i < table.num_entries; ++i) {
    MLCRT_CHECK_OK(checkShape(table.entries[i], i));
    if (!names.insert(table.entries[i].name).second)
      return bad("entry '", table.entries[i].name, "' occurs twice");
  }
  MLCRT_CHECK_OK(checkRoles(table));
  for (int32_t i = 0; i < table.num_entries; ++i) {
    MLCRT_CHECK_OK(checkEntry(table, table.entries[i]));
    // Init, resets and results run without a batch.
    int32_t role = table.entries[i].role;
    bool batchless = role == MLCRT_ROLE_INIT || role == MLCRT_ROLE_TRAIN_COMBINE || role == MLCRT_ROLE_TRAIN_APPLY ||
                     role == MLCRT_ROLE_EVAL_RESET || role == MLCRT_ROLE_EVAL_RESULT || isOfUpdate(role);
    for (int32_t s = 0; batchless && s < table.entries[i].num_segments; ++s)
      for (int32_t o = 0; o < table.entries[i].segments[s].num_operands; ++o)
        if (table.entries[i].segments[s].operands[o].source == MLCRT_SOURCE_FEATURE ||
            table.entries[i].segments[s].operands[o].source == MLCRT_SOURCE_MATRIX)
          return bad("entry '", table.entries[i].name, "' of role ", std::string(Artifact::roleName(role)),
                     " reads a feature");
  }
  MLCRT_CHECK_OK(checkUpdates(table));
  MLCRT_CHECK_OK(checkPulls(table));
  return checkParts(table);
}

} // namespace mlcrt

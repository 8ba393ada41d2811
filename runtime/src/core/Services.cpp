//===- Services.cpp - The table of services that compiled code calls ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Services.h"

#include "runtime/src/core/Devices.h"
#include "runtime/src/core/Environment.h"
#include "runtime/src/core/Grouping.h"
#include "runtime/src/core/LookupTables.h"
#include "runtime/src/core/Ranks.h"
#include "runtime/src/core/Sorting.h"
#include "runtime/src/core/StateFiles.h"
#include "runtime/src/core/StringServices.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace mlcrt {

static Environment &environment(void *env) { return *static_cast<Environment *>(env); }

static int32_t parallel_for(void *env, mlcrt_task_fn fn, void *args, int64_t tasks) {
  return environment(env).pool().parallelFor(fn, args, tasks);
}

static int32_t report_error(void *env, int32_t code, int64_t row, const char *message) {
  return environment(env).report({code, row, message ? message : "no message"});
}

static int32_t allocate(void *env, int64_t bytes, void **memory) {
  if ((*memory = environment(env).arena().allocate(bytes)))
    return MLCRT_OK;
  return environment(env).report(
      {MLCRT_INVALID_ARGUMENT, -1, absl::StrCat("no memory for a temporary of ", bytes, " bytes")});
}

static int32_t arena_mark(void *env, int64_t *mark) {
  *mark = environment(env).arena().mark();
  return MLCRT_OK;
}

static int32_t arena_release(void *env, int64_t mark) {
  environment(env).arena().release(mark);
  return MLCRT_OK;
}

static int32_t fingerprint_strings(void *env, const mlcrt_string *in, int64_t n, int64_t *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<int64_t>(fingerprint64(in[i].data, in[i].size));
  return MLCRT_OK;
}

static int32_t fingerprint_ints(void *env, const int64_t *in, int64_t n, int64_t *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<int64_t>(fingerprint64(in[i]));
  return MLCRT_OK;
}

/// The tables if number `table` is one with terms of `dtype`; else reports the bug in compiled code.
static const LookupTables *tablesFor(Environment &env, int32_t table, int32_t dtype) {
  const LookupTables *tables = env.tables();
  if (tables && table >= 0 && table < tables->size() && tables->table(table).dtype == dtype)
    return tables;
  env.report({MLCRT_INTERNAL, -1, absl::StrCat("lookup in table ", table, ", which is not one of that type")});
  return nullptr;
}

static int32_t lookup_strings(void *env, int32_t table, const mlcrt_string *in, int64_t n, int64_t *out) {
  const LookupTables *tables = tablesFor(environment(env), table, MLCRT_STRING);
  if (!tables)
    return MLCRT_INTERNAL;
  for (int64_t i = 0; i < n; ++i)
    out[i] = tables->lookup(table, in[i]);
  return MLCRT_OK;
}

static int32_t lookup_ints(void *env, int32_t table, const int64_t *in, int64_t n, int64_t *out) {
  const LookupTables *tables = tablesFor(environment(env), table, MLCRT_I64);
  if (!tables)
    return MLCRT_INTERNAL;
  for (int64_t i = 0; i < n; ++i)
    out[i] = tables->lookup(table, in[i]);
  return MLCRT_OK;
}

static int32_t unique_ids(void *env, const int64_t *ids, int64_t n, int64_t *unique, int64_t *ends, int64_t *order,
                          int64_t *count) {
  *count = groupIds(ids, n, unique, ends, order);
  return MLCRT_OK;
}

/// A cell for a message: quoted, control characters escaped, long text cut.
static std::string quote(absl::string_view text) {
  constexpr size_t kLongest = 60;
  bool cut = text.size() > kLongest;
  return absl::StrCat("'", absl::Utf8SafeCEscape(text.substr(0, kLongest)), cut ? "..." : "", "'");
}

/// "'<=50K' or '>50K'", or the first terms of a long vocabulary and their number.
static std::string listTerms(const LookupTables &tables, int32_t table) {
  constexpr int64_t kMost = 6;
  int64_t terms = tables.table(table).num_terms;
  std::string text;
  for (int64_t i = 0; i < std::min(terms, kMost); ++i)
    absl::StrAppend(&text, i == 0 ? "" : (i + 1 == terms ? " or " : ", "), quote(tables.term(table, i)));
  if (terms > kMost)
    absl::StrAppend(&text, ", ... (", terms, " terms)");
  return text;
}

/// The shortest decimal text that reads back as `value`.
template <typename T> static std::string shortestText(T value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

/// Cell `i` for a message.
static std::string cellText(const void *cells, int32_t dtype, int64_t i) {
  switch (dtype) {
  case MLCRT_STRING: {
    const mlcrt_string &cell = static_cast<const mlcrt_string *>(cells)[i];
    return quote(absl::string_view(cell.data, static_cast<size_t>(cell.size)));
  }
  case MLCRT_I64:
    return absl::StrCat(static_cast<const int64_t *>(cells)[i]);
  case MLCRT_F32:
    return shortestText(static_cast<const float *>(cells)[i]);
  case MLCRT_F64:
    return shortestText(static_cast<const double *>(cells)[i]);
  default:
    return absl::StrCat("a cell of dtype ", dtype);
  }
}

static int32_t check_segment_ids(void *env, const int64_t *ids, int64_t n, int64_t low, int64_t high, const void *cells,
                                 int32_t dtype, int32_t table, const char *what, const char *feature,
                                 const int64_t *ends, int64_t rows) {
  int64_t bad = 0;
  while (bad < n && ids[bad] >= low && ids[bad] < high)
    ++bad;
  if (bad == n)
    return MLCRT_OK;
  Environment &e = environment(env);
  const LookupTables *tables = e.tables();
  const bool hasTable = tables && table >= 0 && table < tables->size();
  StepError error;
  error.code = MLCRT_DATA_ERROR;
  error.row = ends ? std::upper_bound(ends, ends + rows, bad) - ends : bad;
  error.feature = feature ? feature : "";
  error.message = absl::StrCat(what, ": ", cells ? cellText(cells, dtype, bad) : cellText(ids, MLCRT_I64, bad),
                               hasTable ? " is not in the vocabulary" : " is out of range");
  // One right id for any number of cells says nothing of them: `what` does.
  if (hasTable)
    error.expected = listTerms(*tables, table);
  else if (!cells || high - low > 1)
    error.expected = low == std::numeric_limits<int64_t>::min()
                         ? absl::StrCat("an integer below ", high)
                         : absl::StrCat("an integer from ", low, " to ", high - 1);
  return e.report(std::move(error));
}

static int32_t check_ids(void *env, const int64_t *ids, int64_t n, int64_t low, int64_t high, const void *cells,
                         int32_t dtype, int32_t table, const char *what, const char *feature) {
  return check_segment_ids(env, ids, n, low, high, cells, dtype, table, what, feature, /*ends=*/nullptr, /*rows=*/n);
}

static int32_t check_columns(void *env, const int64_t *ids, int64_t n, int64_t low, const int64_t *highs,
                             int64_t columns, const char *what, const char *features) {
  // One pass over the rows; the first column at fault is looked for where there is one.
  bool ok = true;
  for (int64_t row = 0; row < n; row += columns)
    for (int64_t c = 0; c < columns; ++c)
      ok &= ids[row + c] >= low && ids[row + c] < highs[c];
  if (ok)
    return MLCRT_OK;
  for (int64_t c = 0; c < columns; ++c, features += std::strlen(features) + 1)
    for (int64_t row = 0; row * columns < n; ++row) {
      const int64_t id = ids[row * columns + c];
      if (id >= low && id < highs[c])
        continue;
      StepError error;
      error.code = MLCRT_DATA_ERROR;
      error.row = row;
      error.feature = features;
      error.message = absl::StrCat(what, " '", features, "': ", id, " is out of range");
      error.expected = absl::StrCat("an integer from ", low, " to ", highs[c] - 1);
      return environment(env).report(std::move(error));
    }
  return MLCRT_INTERNAL;
}

static int32_t segment_product(void *env, const int64_t *lhs_ends, int64_t lhs_per_row, const int64_t *rhs_ends,
                               int64_t rhs_per_row, int64_t rows, int64_t count, int64_t *lhs_positions,
                               int64_t *rhs_positions, int64_t *ends) {
  auto endOf = [](const int64_t *side, int64_t perRow, int64_t row) { return side ? side[row] : (row + 1) * perRow; };
  int64_t i = 0, first = 0, pairs = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t end = endOf(lhs_ends, lhs_per_row, row), last = endOf(rhs_ends, rhs_per_row, row);
    // Of ends that do not ascend, too: no more pairs than there is room for.
    int64_t of = 0;
    if (end > i && last > first && (__builtin_mul_overflow(end - i, last - first, &of) || of > count - pairs)) {
      pairs = -1;
      break;
    }
    for (; i < end; ++i)
      for (int64_t j = first; j < last; ++j, ++pairs) {
        lhs_positions[pairs] = i;
        rhs_positions[pairs] = j;
      }
    first = last;
    ends[row] = pairs;
  }
  if (pairs == count)
    return MLCRT_OK;
  return environment(env).report(
      {MLCRT_INTERNAL, -1, absl::StrCat("pairs of values of multi-valued features: expected ", count)});
}

static int32_t merge_rows_f32(void *env, const int64_t *a_ids, const float *a_rows, int64_t a_count,
                              const int64_t *b_ids, const float *b_rows, int64_t b_count, int64_t row_elems,
                              int64_t *out_ids, float *out_rows, int64_t *out_count) {
  *out_count = mergeRows(a_ids, a_rows, a_count, b_ids, b_rows, b_count, row_elems, out_ids, out_rows);
  return MLCRT_OK;
}

static int32_t table_terms(void *env, int32_t table, const int64_t *ids, int64_t n, mlcrt_string *out) {
  Environment &e = environment(env);
  const LookupTables *tables = tablesFor(e, table, MLCRT_STRING);
  if (!tables)
    return MLCRT_INTERNAL;
  for (int64_t i = 0; i < n; ++i) {
    if (ids[i] < 0 || ids[i] >= tables->table(table).num_terms)
      return e.report(
          {MLCRT_INTERNAL, -1, absl::StrCat("table '", tables->table(table).name, "' has no term ", ids[i])});
    out[i] = tables->stringTerm(table, ids[i]);
  }
  return MLCRT_OK;
}

static int32_t put_values(void *env, const void *values, int64_t n, int64_t cell_bytes, int64_t at, int64_t capacity,
                          void *store) {
  if (at < 0)
    return environment(env).report(
        {MLCRT_INVALID_ARGUMENT, -1, absl::StrCat("'df.put_values': position ", at, " is not >= 0")});
  if (at < capacity)
    std::memcpy(static_cast<char *>(store) + at * cell_bytes, values, std::min(n, capacity - at) * cell_bytes);
  return MLCRT_OK;
}

static int32_t add_to_bins(void *, const float *keys, const double *weights, int64_t n, int32_t bits, double *bins) {
  for (int64_t i = 0; i < n; ++i)
    bins[orderedBits(keys[i]) >> (32 - bits)] += weights[i];
  return MLCRT_OK;
}

static int32_t mid_ranks(void *env, const float *keys, const int64_t *groups, const double *weights, int64_t count,
                         int64_t n, double *ranks) {
  count = std::clamp<int64_t>(count, 0, n);
  for (int64_t i = 0; groups && i < count; ++i)
    if (groups[i] < 0)
      return environment(env).report(
          {MLCRT_INVALID_ARGUMENT, -1, absl::StrCat("'df.mid_ranks': row ", i, " is of group ", groups[i])});
  midRanks(keys, groups, weights, count, n, ranks);
  return MLCRT_OK;
}

static int32_t sort_positions(void *env, const void *keys, int32_t dtype, int64_t outer, int64_t n, int64_t inner,
                              int32_t descending, int64_t m, int64_t *positions) {
  if (sortPositions(keys, dtype, outer, n, inner, descending != 0, m, positions))
    return MLCRT_OK;
  return environment(env).report({MLCRT_INTERNAL, -1, absl::StrCat("no sort of keys of type ", dtype)});
}

static int32_t take_along(void *, const void *values, int64_t cell_bytes, int64_t outer, int64_t n, int64_t inner,
                          const int64_t *positions, int64_t m, void *out) {
  takeAlong(values, cell_bytes, outer, n, inner, positions, m, out);
  return MLCRT_OK;
}

namespace {
/// Indices of `components` numbers each, and the lowest number of one that is out of range.
struct IndexCheck {
  static constexpr int64_t kIndicesOfTask = 8192;

  const int64_t *bounds;
  int64_t components;
  bool skipNegative;
  const int64_t *numbers;
  int64_t indices;
  std::atomic<int64_t> first{std::numeric_limits<int64_t>::max()};

  int64_t tasks() const { return (indices + kIndicesOfTask - 1) / kIndicesOfTask; }

  /// The first of the numbers of the indices [begin, end) that is out of range; -1 if none is.
  int64_t firstWrong(int64_t begin, int64_t end) const {
    // As unsigned numbers negative ones are beyond every bound.
    const bool skip = skipNegative;
    for (int64_t i = begin; i < end; ++i)
      for (int64_t c = 0; c < components; ++c)
        if (int64_t x = numbers[i * components + c];
            skip ? x >= bounds[c] : static_cast<uint64_t>(x) >= static_cast<uint64_t>(bounds[c]))
          return i * components + c;
    return -1;
  }

  static int32_t run(void *args, int64_t begin, int64_t end, int64_t) {
    auto &check = *static_cast<IndexCheck *>(args);
    int64_t wrong = check.firstWrong(begin * kIndicesOfTask, std::min(end * kIndicesOfTask, check.indices));
    int64_t lowest = check.first.load();
    while (wrong >= 0 && wrong < lowest && !check.first.compare_exchange_weak(lowest, wrong))
      ;
    return MLCRT_OK;
  }
};
} // namespace

static int32_t check_indices(void *env, const int64_t *bounds, int64_t components, int32_t skip_negative,
                             const char *what, int64_t *indices, int64_t n) {
  if (n == 0)
    return MLCRT_OK;
  IndexCheck check{bounds, components, skip_negative != 0, indices, n / components};
  if (check.tasks() > 1)
    environment(env).pool().parallelFor(IndexCheck::run, &check, check.tasks());
  else
    IndexCheck::run(&check, 0, 1, 0);
  const int64_t i = check.first;
  if (i == std::numeric_limits<int64_t>::max())
    return MLCRT_OK;
  return environment(env).report({MLCRT_INVALID_ARGUMENT, -1,
                                  absl::StrCat(what, ": component ", i % components, " of index ", i / components,
                                               " is ", indices[i], ", not in [0, ", bounds[i % components], ")")});
}

static int32_t unique_values(void *, const int64_t *in, int64_t n, int32_t sorted, int64_t *values, int64_t *inverse,
                             int64_t *counts, int64_t *count) {
  uniqueValues(in, n, sorted, values, inverse, counts, count);
  return MLCRT_OK;
}

/// Queue number `index`, or null after reporting the bug in compiled code.
static Queue *queueOf(Environment &env, int32_t index) {
  if (env.queues() && index >= 0 && index < env.queues()->size())
    return &env.queues()->queue(index);
  env.report({MLCRT_INTERNAL, -1, absl::StrCat("there is no queue ", index)});
  return nullptr;
}

/// Reports what a queue said at `what`.
static int32_t reportQueue(Environment &env, const absl::Status &status, const char *what) {
  if (status.ok())
    return MLCRT_OK;
  return env.report({stepErrorOf(status).code, -1, absl::StrCat(what, ": ", status.message())});
}

static int32_t queue_stage(void *env, int32_t index, int32_t component, int32_t many, const int64_t *dims,
                           const void *data) {
  Queue *queue = queueOf(environment(env), index);
  if (!queue)
    return MLCRT_INTERNAL;
  const mlcrt_value &value = queue->description().components[component];
  Queue::Element &staged = environment(env).staged();
  staged.resize(queue->description().num_components);
  holdCells(staged[component], value.dtype, dims, value.rank + many, data);
  return MLCRT_OK;
}

static int32_t queue_enqueue(void *env, int32_t index, int32_t many, const char *what) {
  Environment &e = environment(env);
  Queue *queue = queueOf(e, index);
  if (!queue)
    return MLCRT_INTERNAL;
  Queue::Element staged = std::exchange(e.staged(), {});
  return reportQueue(e, many ? queue->enqueueMany(staged) : queue->enqueue(std::move(staged)), what);
}

static int32_t queue_dequeue(void *env, int32_t index, int64_t count, int32_t or_rest, const char *what) {
  Environment &e = environment(env);
  Queue *queue = queueOf(e, index);
  if (!queue)
    return MLCRT_INTERNAL;
  absl::StatusOr<Queue::Element> taken = count ? queue->dequeueMany(count, or_rest) : queue->dequeue();
  if (!taken.ok())
    return reportQueue(e, taken.status(), what);
  e.taken() = *std::move(taken);
  return MLCRT_OK;
}

static int32_t queue_taken_dims(void *env, int32_t component, int64_t *dims) {
  const Tensor &taken = environment(env).taken()[component];
  std::copy(taken.buffer().dims.begin(), taken.buffer().dims.end(), dims);
  return MLCRT_OK;
}

static int32_t queue_taken(void *env, int32_t component, void *out) {
  Environment &e = environment(env);
  const Tensor &taken = e.taken()[component];
  std::memcpy(out, taken.data(), taken.bytes());
  // The next element that is taken replaces this one; its strings go on as those of the call.
  if (taken.dtype() == MLCRT_STRING)
    return keepTexts(e, static_cast<mlcrt_string *>(out), taken.elements());
  return MLCRT_OK;
}

static int32_t queue_close(void *env, int32_t index, int32_t cancel_pending) {
  Queue *queue = queueOf(environment(env), index);
  if (!queue)
    return MLCRT_INTERNAL;
  queue->close(cancel_pending != 0);
  return MLCRT_OK;
}

static int32_t queue_size(void *env, int32_t index, int64_t *size) {
  Queue *queue = queueOf(environment(env), index);
  if (!queue)
    return MLCRT_INTERNAL;
  *size = queue->size();
  return MLCRT_OK;
}

static int32_t queue_is_closed(void *env, int32_t index, uint8_t *closed) {
  Queue *queue = queueOf(environment(env), index);
  if (!queue)
    return MLCRT_INTERNAL;
  *closed = queue->isClosed();
  return MLCRT_OK;
}

static int32_t state_stage(void *env, const char *name, int32_t dtype, int32_t rank, const int64_t *dims,
                           const void *data) {
  NamedTensor &staged = environment(env).stagedFile().emplace_back();
  staged.name = name;
  staged.value.resize(dtype, dims, rank);
  if (data)
    std::memcpy(staged.value.data(), data, staged.value.bytes());
  return MLCRT_OK;
}

/// Hands what was staged to `use`, with the files and the path.
template <typename Fn> static int32_t useFile(void *env, const mlcrt_string *path, const char *what, Fn use) {
  Environment &e = environment(env);
  std::vector<NamedTensor> staged = std::exchange(e.stagedFile(), {});
  absl::Status status = absl::InvalidArgumentError("this program runs where it may use no files");
  if (e.files())
    status = use(*e.files(), std::string(path->data, static_cast<size_t>(path->size)), staged);
  if (!status.ok())
    return e.report({MLCRT_INVALID_ARGUMENT, -1, absl::StrCat(what, ": ", status.message())});
  e.loadedFile() = std::move(staged);
  return MLCRT_OK;
}

static int32_t state_save(void *env, const mlcrt_string *path, const char *what) {
  return useFile(env, path, what, [&](const StateFiles &files, const std::string &name, auto &staged) {
    absl::Status status = files.save(name, staged);
    staged.clear();
    return status;
  });
}

static int32_t state_load(void *env, const mlcrt_string *path, const char *what) {
  return useFile(env, path, what, [&](const StateFiles &files, const std::string &name, auto &staged) {
    return files.load(name, staged);
  });
}

static int32_t state_loaded(void *env, int32_t index, void *out) {
  const Tensor &loaded = environment(env).loadedFile()[index].value;
  std::memcpy(out, loaded.data(), loaded.bytes());
  return MLCRT_OK;
}

/// Reports what is wrong with a call of a segment, which compiled code has no way to bring about.
static int32_t reportCall(void *env, const absl::Status &status) {
  return environment(env).report({stepErrorOf(status).code, -1, std::string(status.message())});
}

/// The runner that calls segments for the code of `env`; null after reporting that there is none.
static SegmentCaller *callerOf(void *env) {
  SegmentCaller *caller = environment(env).caller();
  if (!caller)
    reportCall(env, absl::InternalError("there is nothing that could be called"));
  return caller;
}

static int32_t intermediate_set(void *env, const char *intermediate, const int64_t *dims, const void *data) {
  SegmentCaller *caller = callerOf(env);
  if (!caller)
    return MLCRT_INTERNAL;
  absl::Status status = caller->setIntermediate(intermediate, dims, data);
  return status.ok() ? MLCRT_OK : reportCall(env, status);
}

static int32_t call_segment(void *env, const char *segment) {
  SegmentCaller *caller = callerOf(env);
  if (!caller)
    return MLCRT_INTERNAL;
  absl::StatusOr<int32_t> code = caller->callSegment(segment);
  return code.ok() ? *code : reportCall(env, code.status());
}

/// An intermediate of the entry; none after reporting why.
static std::optional<TensorView> intermediateOf(void *env, const char *intermediate) {
  SegmentCaller *caller = callerOf(env);
  if (!caller)
    return std::nullopt;
  absl::StatusOr<TensorView> buffer = caller->intermediate(intermediate);
  if (buffer.ok())
    return *buffer;
  reportCall(env, buffer.status());
  return std::nullopt;
}

static int32_t intermediate_dims(void *env, const char *intermediate, int64_t *dims) {
  const std::optional<TensorView> buffer = intermediateOf(env, intermediate);
  if (!buffer)
    return MLCRT_INTERNAL;
  std::copy(buffer->dims.begin(), buffer->dims.end(), dims);
  return MLCRT_OK;
}

static int32_t intermediate_get(void *env, const char *intermediate, void *out) {
  const std::optional<TensorView> buffer = intermediateOf(env, intermediate);
  if (!buffer)
    return MLCRT_INTERNAL;
  if (const int64_t bytes = byteCount(*buffer))
    std::memcpy(out, buffer->data, bytes);
  return MLCRT_OK;
}

static int32_t await_operand(void *env, int64_t operand) { return environment(env).await(operand); }

static int32_t operand_done(void *env, int64_t operand) {
  environment(env).done(operand);
  return MLCRT_OK;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Does something with a device of the call: `what(device)` is a status. Reports what is wrong.
template <typename Fn> static int32_t withDevice(void *env, const absl::StatusOr<Device *> &device, Fn what) {
  absl::Status status = device.ok() ? what(**device) : device.status();
  if (status.ok())
    return MLCRT_OK;
  StepError error = {stepErrorOf(status).code, -1, std::string(status.message())};
  error.status = status.code();
  return environment(env).report(std::move(error));
}

static absl::StatusOr<Device *> deviceOf(void *env, int32_t device) {
  Devices *devices = environment(env).devices();
  return devices ? devices->open(device) : absl::InternalError("there are no devices");
}

static int32_t device_launch(void *env, int32_t device, const char *kernel, const int64_t *shape,
                             const int64_t *arguments, int64_t count) {
  return withDevice(env, deviceOf(env, device), [&](Device &on) { return on.launch(kernel, shape, arguments, count); });
}

static int32_t device_copy(void *env, int32_t device, int32_t from_space, const void *from, int32_t to_space,
                           int64_t bytes, void *to) {
  return withDevice(env, deviceOf(env, device), [&](Device &on) -> absl::Status {
    for (int32_t space : {from_space, to_space}) {
      if (space == MLCRT_SPACE_HOST)
        continue;
      absl::StatusOr<Device *> other = environment(env).devices()->ofSpace(space);
      if (!other.ok() || *other != &on)
        return other.ok() ? absl::InternalError(absl::StrCat("space ", space, " is not of device ", device))
                          : other.status();
    }
    auto memory = [](int32_t space) {
      return space == MLCRT_SPACE_HOST ? Device::Memory::Host : Device::Memory::Device;
    };
    return on.copy(memory(from_space), from, memory(to_space), to, bytes);
  });
}

static int32_t device_wait(void *env, int32_t device) {
  return withDevice(env, deviceOf(env, device), [](Device &on) { return on.wait(); });
}

static int32_t device_branch(void *env, int32_t device, const void *condition, int32_t sides, int32_t *taken) {
  return withDevice(env, deviceOf(env, device), [&](Device &on) {
    absl::StatusOr<int32_t> found = on.branch(condition, sides);
    *taken = found.ok() ? *found : 0;
    return found.status();
  });
}

static int32_t device_side(void *env, int32_t device, int32_t side) {
  return withDevice(env, deviceOf(env, device), [&](Device &on) { return on.side(side); });
}

static int32_t device_loop(void *env, int32_t device, int32_t loop, const void *condition, int32_t *goes) {
  return withDevice(env, deviceOf(env, device), [&](Device &on) {
    absl::StatusOr<bool> found = on.loop(loop, condition);
    *goes = found.ok() && *found ? 1 : 0;
    return found.status();
  });
}

static absl::StatusOr<Device *> deviceOfSpace(void *env, int32_t space) {
  Devices *devices = environment(env).devices();
  return devices ? devices->ofSpace(space) : absl::InternalError("there are no devices");
}

static int32_t space_allocate(void *env, int32_t space, int64_t bytes, void **memory) {
  if (space == MLCRT_SPACE_HOST)
    return allocate(env, bytes, memory);
  return withDevice(env, deviceOfSpace(env, space), [&](Device &on) {
    absl::StatusOr<void *> made = on.allocate(bytes, environment(env).devices()->space(space).alignment);
    *memory = made.ok() ? *made : nullptr;
    return made.status();
  });
}

static int32_t space_free(void *env, int32_t space, const void *memory) {
  if (space == MLCRT_SPACE_HOST)
    return MLCRT_OK; // the arena's
  return withDevice(env, deviceOfSpace(env, space), [&](Device &on) {
    on.free(const_cast<void *>(memory));
    return absl::OkStatus();
  });
}

const mlcrt_services &services() {
  static const mlcrt_services table = {
      sizeof(mlcrt_services),
      MLCRT_ABI_VERSION,
#define MLCRT_SERVICE(name, parameters) name,
#include "mlcrt/services.def"
#undef MLCRT_SERVICE
  };
  return table;
}

} // namespace mlcrt

// A table of services that stands in for the runtime: what mlcrt/services.def says, done plainly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeServiceCall.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>
#include <farmhash.h>

namespace mlc::execute {

static std::string textOf(const mlcrt_string &cell) { return {cell.data, static_cast<size_t>(cell.size)}; }

static uint64_t fingerprint(const std::string &text) { return util::Fingerprint64(text.data(), text.size()); }

static std::string termOf(const mlcrt_table &table, int64_t i) {
  if (table.dtype != MLCRT_STRING)
    return std::to_string(table.ints[i]);
  return {table.data + table.offsets[i], table.data + table.offsets[i + 1]};
}

static int64_t positionOf(const mlcrt_table &table, const std::string &text) {
  for (int64_t i = 0; i < table.num_terms; ++i)
    if (termOf(table, i) == text)
      return i;
  if (table.num_oov == 0)
    return table.default_value;
  return static_cast<int64_t>(fingerprint(text) % static_cast<uint64_t>(table.num_oov)) + table.num_terms;
}

/// A number that grows as `key` does; zeros of both signs have the same.
static int64_t orderOf(float key) {
  uint32_t bits;
  std::memcpy(&bits, &key, sizeof bits);
  if (key == 0)
    bits = 0;
  return bits < 0x80000000u ? int64_t{bits} + 0x80000000 : int64_t{0xffffffff} - bits;
}

/// The services, as functions of the ABI.
struct ServiceTable : StringServices, FileServices {
  using Call = ServiceCall;

  // No destructor may be pending while a task runs: a fault in it jumps out.
  static int32_t parallel_for(void *env, mlcrt_task_fn fn, void *args, int64_t tasks) {
    {
      Call call(env, "parallel_for");
      if (call.fails)
        return call.failCode();
    }
    const RunOptions &options = static_cast<FakeServices *>(env)->options;
    int64_t ranges = (tasks + options.grain - 1) / options.grain;
    static_cast<FakeServices *>(env)->enter(/*device=*/true);
    for (int64_t i = 0; i < ranges; ++i) {
      int64_t range = options.reverse ? ranges - 1 - i : i;
      int64_t first = range * options.grain, last = std::min(first + options.grain, tasks);
      if (int32_t code = fn(args, first, last, i % options.threads))
        return code;
    }
    static_cast<FakeServices *>(env)->enter(/*device=*/false);
    return MLCRT_OK;
  }

  static int32_t report_error(void *env, int32_t code, int64_t row, const char *message) {
    return Call(env, "report_error").report(code, row, message);
  }

  static int32_t allocate(void *env, int64_t bytes, void **memory) {
    Call call(env, "allocate");
    if (call.fails)
      return call.failCode();
    if (bytes < 0)
      return call.report(MLCRT_INTERNAL, -1, "an allocation of " + std::to_string(bytes) + " bytes");
    call.fakes.arena.emplace_back(bytes, call.fakes.options.fill);
    *memory = call.fakes.arena.back().data();
    return MLCRT_OK;
  }
  static int32_t arena_mark(void *env, int64_t *mark) {
    Call call(env, "arena_mark");
    *mark = static_cast<int64_t>(call.fakes.arena.size());
    return call.fails ? call.failCode() : MLCRT_OK;
  }
  static int32_t arena_release(void *env, int64_t mark) {
    Call call(env, "arena_release");
    if (call.fails)
      return call.failCode();
    if (mark < 0 || mark > static_cast<int64_t>(call.fakes.arena.size()))
      return call.report(MLCRT_INTERNAL, -1, "no mark of the arena: " + std::to_string(mark));
    call.fakes.isArenaIntact();
    while (static_cast<int64_t>(call.fakes.arena.size()) > mark)
      call.fakes.arena.pop_back();
    return MLCRT_OK;
  }

  template <typename Cell, typename Fn>
  static int32_t map(void *env, const char *name, const Cell *in, int64_t n, int64_t *out, Fn f) {
    Call call(env, name);
    if (call.fails)
      return call.failCode();
    std::transform(in, in + n, out, f);
    return MLCRT_OK;
  }
  static int32_t fingerprint_strings(void *env, const mlcrt_string *in, int64_t n, int64_t *out) {
    return map(env, "fingerprint_strings", in, n, out,
               [](const mlcrt_string &cell) { return static_cast<int64_t>(fingerprint(textOf(cell))); });
  }
  static int32_t fingerprint_ints(void *env, const int64_t *in, int64_t n, int64_t *out) {
    return map(env, "fingerprint_ints", in, n, out,
               [](int64_t value) { return static_cast<int64_t>(fingerprint(std::to_string(value))); });
  }

  template <typename Cell, typename Fn>
  static int32_t lookUp(void *env, const char *name, int32_t index, int32_t dtype, const Cell *in, int64_t n,
                        int64_t *out, Fn text) {
    Call call(env, name);
    if (call.fails)
      return call.failCode();
    const mlcrt_table *table = call.table(index, dtype);
    if (!table)
      return call.report(MLCRT_INTERNAL, -1, "no table of this type has number " + std::to_string(index));
    for (int64_t i = 0; i < n; ++i)
      out[i] = positionOf(*table, text(in[i]));
    return MLCRT_OK;
  }
  static int32_t lookup_strings(void *env, int32_t table, const mlcrt_string *in, int64_t n, int64_t *out) {
    return lookUp(env, "lookup_strings", table, MLCRT_STRING, in, n, out, textOf);
  }
  static int32_t lookup_ints(void *env, int32_t table, const int64_t *in, int64_t n, int64_t *out) {
    return lookUp(env, "lookup_ints", table, MLCRT_I64, in, n, out, [](int64_t v) { return std::to_string(v); });
  }

  static int32_t unique_ids(void *env, const int64_t *ids, int64_t n, int64_t *unique, int64_t *ends, int64_t *order,
                            int64_t *count) {
    Call call(env, "unique_ids");
    if (call.fails)
      return call.failCode();
    std::map<int64_t, std::vector<int64_t>> groups;
    for (int64_t i = 0; i < n; ++i)
      if (ids[i] >= 0)
        groups[ids[i]].push_back(i);
    int64_t group = 0, end = 0;
    for (const auto &[id, positions] : groups) {
      std::copy(positions.begin(), positions.end(), order + end);
      end += static_cast<int64_t>(positions.size());
      unique[group] = id;
      ends[group++] = end;
    }
    *count = group;
    return MLCRT_OK;
  }

  static int32_t checkIds(void *env, const char *name, const int64_t *ids, int64_t n, int64_t low, int64_t high,
                          const void *cells, int32_t dtype, int32_t table, const char *what, const int64_t *ends) {
    Call call(env, name);
    if (call.fails)
      return call.failCode();
    auto *texts = dtype == MLCRT_STRING ? static_cast<const mlcrt_string *>(cells) : nullptr;
    for (int64_t i = 0; i < n; ++i) {
      if (ids[i] >= low && ids[i] < high)
        continue;
      int64_t row = ends ? 0 : i;
      while (ends && ends[row] <= i)
        ++row;
      return call.report(MLCRT_DATA_ERROR, row,
                         std::string(what) + ": " + (texts ? textOf(texts[i]) : std::to_string(ids[i])) +
                             (table < 0 ? "" : std::string(" in ") + call.fakes.artifact.tables[table].name));
    }
    return MLCRT_OK;
  }
  static int32_t check_ids(void *env, const int64_t *ids, int64_t n, int64_t low, int64_t high, const void *cells,
                           int32_t dtype, int32_t table, const char *what, const char *) {
    return checkIds(env, "check_ids", ids, n, low, high, cells, dtype, table, what, nullptr);
  }
  static int32_t check_segment_ids(void *env, const int64_t *ids, int64_t n, int64_t low, int64_t high,
                                   const void *cells, int32_t dtype, int32_t table, const char *what, const char *,
                                   const int64_t *ends, int64_t rows) {
    if (rows && ends[rows - 1] != n)
      return Call(env, "check_segment_ids").report(MLCRT_INTERNAL, -1, "ends are not those of the ids");
    return checkIds(env, "check_segment_ids", ids, n, low, high, cells, dtype, table, what, ends);
  }

  static int32_t check_columns(void *env, const int64_t *ids, int64_t n, int64_t low, const int64_t *highs,
                               int64_t columns, const char *what, const char *features) {
    Call call(env, "check_columns");
    if (call.fails)
      return call.failCode();
    std::string_view feature = features;
    for (int64_t c = 0; c < columns; ++c, feature = feature.data() + feature.size() + 1)
      for (int64_t i = c; i < n; i += columns)
        if (ids[i] < low || ids[i] >= highs[c])
          return call.report(MLCRT_DATA_ERROR, i / columns,
                             std::string(what) + " '" + std::string(feature) + "': " + std::to_string(ids[i]));
    return MLCRT_OK;
  }

  static int32_t segment_product(void *env, const int64_t *lhs_ends, int64_t lhs_per_row, const int64_t *rhs_ends,
                                 int64_t rhs_per_row, int64_t rows, int64_t count, int64_t *lhs_positions,
                                 int64_t *rhs_positions, int64_t *ends) {
    Call call(env, "segment_product");
    if (call.fails)
      return call.failCode();
    auto bound = [](const int64_t *of, int64_t perRow, int64_t row) {
      return of ? row ? of[row - 1] : 0 : row * perRow;
    };
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t lastI = lhs_ends ? lhs_ends[row] : (row + 1) * lhs_per_row;
      int64_t lastJ = rhs_ends ? rhs_ends[row] : (row + 1) * rhs_per_row;
      for (int64_t i = bound(lhs_ends, lhs_per_row, row); i < lastI; ++i)
        for (int64_t j = bound(rhs_ends, rhs_per_row, row); j < lastJ; ++j)
          pairs.emplace_back(i, j);
      ends[row] = static_cast<int64_t>(pairs.size());
    }
    if (static_cast<int64_t>(pairs.size()) != count)
      return call.report(MLCRT_INTERNAL, -1, "a wrong count of pairs");
    for (auto [i, j] : pairs) {
      *lhs_positions++ = i;
      *rhs_positions++ = j;
    }
    return MLCRT_OK;
  }

  static int32_t merge_rows_f32(void *env, const int64_t *a_ids, const float *a_rows, int64_t a_count,
                                const int64_t *b_ids, const float *b_rows, int64_t b_count, int64_t row_elems,
                                int64_t *out_ids, float *out_rows, int64_t *out_count) {
    Call call(env, "merge_rows_f32");
    if (call.fails)
      return call.failCode();
    std::map<int64_t, std::vector<float>> rows;
    for (int64_t i = 0; i < a_count; ++i)
      rows[a_ids[i]].assign(a_rows + i * row_elems, a_rows + (i + 1) * row_elems);
    for (int64_t i = 0; i < b_count; ++i) {
      const float *from = b_rows + i * row_elems;
      auto [it, isNew] = rows.try_emplace(b_ids[i], from, from + row_elems);
      if (!isNew)
        std::transform(it->second.begin(), it->second.end(), from, it->second.begin(), std::plus<float>());
    }
    int64_t next = 0;
    for (const auto &[id, row] : rows) {
      std::copy(row.begin(), row.end(), out_rows + next * row_elems);
      out_ids[next++] = id;
    }
    *out_count = next;
    return MLCRT_OK;
  }

  static int32_t put_values(void *env, const void *values, int64_t n, int64_t cell_bytes, int64_t at, int64_t capacity,
                            void *store) {
    Call call(env, "put_values");
    if (call.fails)
      return call.failCode();
    if (at < 0)
      return call.report(MLCRT_INVALID_ARGUMENT, -1, "position " + std::to_string(at));
    for (int64_t i = 0; i < n && at + i < capacity; ++i)
      std::memcpy(static_cast<char *>(store) + (at + i) * cell_bytes,
                  static_cast<const char *>(values) + i * cell_bytes, cell_bytes);
    return MLCRT_OK;
  }

  static int32_t add_to_bins(void *env, const float *keys, const double *weights, int64_t n, int32_t bits,
                             double *bins) {
    Call call(env, "add_to_bins");
    if (call.fails)
      return call.failCode();
    for (int64_t i = 0; i < n; ++i)
      bins[orderOf(keys[i]) >> (32 - bits)] += weights[i];
    return MLCRT_OK;
  }

  static int32_t mid_ranks(void *env, const float *keys, const int64_t *groups, const double *weights, int64_t count,
                           int64_t n, double *ranks) {
    Call call(env, "mid_ranks");
    if (call.fails)
      return call.failCode();
    count = std::clamp<int64_t>(count, 0, n);
    if (groups && std::any_of(groups, groups + count, [](int64_t group) { return group < 0; }))
      return call.report(MLCRT_INVALID_ARGUMENT, -1, "a group below 0");
    std::fill(ranks, ranks + n, 0);
    std::map<int64_t, std::map<int64_t, std::vector<int64_t>>> rows;
    for (int64_t i = 0; i < count; ++i)
      rows[groups ? groups[i] : 0][keys ? orderOf(keys[i]) : i].push_back(i);
    for (const auto &[group, places] : rows) {
      double below = 0;
      for (const auto &[place, equal] : places) {
        double own = 0;
        for (int64_t i : equal)
          own += weights[i];
        for (int64_t i : equal)
          ranks[i] = below + own / 2;
        below += own;
      }
    }
    return MLCRT_OK;
  }

  template <typename T>
  static void sortLine(const T *keys, int64_t n, int64_t stride, bool descending, int64_t m, int64_t *positions) {
    std::vector<int64_t> order(n);
    for (int64_t j = 0; j < n; ++j)
      order[j] = j;
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      T x = keys[i * stride], y = keys[j * stride];
      // A NaN is not itself.
      if (x != x || y != y)
        return x == x && y != y;
      return descending ? y < x : x < y;
    });
    for (int64_t j = 0; j < m; ++j)
      positions[j * stride] = order[j];
  }

  static int32_t sort_positions(void *env, const void *keys, int32_t dtype, int64_t outer, int64_t n, int64_t inner,
                                int32_t descending, int64_t m, int64_t *positions) {
    Call call(env, "sort_positions");
    if (call.fails)
      return call.failCode();
    auto sort = [&](auto type) {
      auto *typed = static_cast<const decltype(type) *>(keys);
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i)
          sortLine(typed + o * n * inner + i, n, inner, descending, m, positions + o * m * inner + i);
      return MLCRT_OK;
    };
    switch (dtype) {
    case MLCRT_F32:
      return sort(float());
    case MLCRT_F64:
      return sort(double());
    case MLCRT_I8:
      return sort(int8_t());
    case MLCRT_I16:
      return sort(int16_t());
    case MLCRT_I32:
      return sort(int32_t());
    case MLCRT_I64:
      return sort(int64_t());
    default:
      return call.report(MLCRT_INTERNAL, -1, "no sort of type " + std::to_string(dtype));
    }
  }

  static int32_t take_along(void *env, const void *values, int64_t cell_bytes, int64_t outer, int64_t n, int64_t inner,
                            const int64_t *positions, int64_t m, void *out) {
    Call call(env, "take_along");
    if (call.fails)
      return call.failCode();
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t j = 0; j < m; ++j)
        for (int64_t i = 0; i < inner; ++i) {
          int64_t to = (o * m + j) * inner + i, from = (o * n + positions[to]) * inner + i;
          std::memcpy(static_cast<char *>(out) + to * cell_bytes, static_cast<const char *>(values) + from * cell_bytes,
                      cell_bytes);
        }
    return MLCRT_OK;
  }

  static int32_t check_indices(void *env, const int64_t *bounds, int64_t components, int32_t skip_negative,
                               const char *what, int64_t *indices, int64_t n) {
    Call call(env, "check_indices");
    if (call.fails)
      return call.failCode();
    for (int64_t i = 0; i < n; ++i)
      if (indices[i] >= bounds[i % components] || (!skip_negative && indices[i] < 0))
        return call.report(MLCRT_INVALID_ARGUMENT, -1, std::string(what) + ": index " + std::to_string(indices[i]));
    return MLCRT_OK;
  }

  static int32_t unique_values(void *env, const int64_t *in, int64_t n, int32_t sorted, int64_t *values,
                               int64_t *inverse, int64_t *counts, int64_t *count) {
    Call call(env, "unique_values");
    if (call.fails)
      return call.failCode();
    std::vector<int64_t> distinct;
    for (int64_t i = 0; i < n; ++i)
      if (std::find(distinct.begin(), distinct.end(), in[i]) == distinct.end())
        distinct.push_back(in[i]);
    if (sorted)
      std::sort(distinct.begin(), distinct.end());
    *count = static_cast<int64_t>(distinct.size());
    for (int64_t k = 0; k < *count; ++k) {
      values[k] = distinct[k];
      counts[k] = std::count(in, in + n, distinct[k]);
    }
    for (int64_t i = 0; i < n; ++i)
      inverse[i] = std::find(distinct.begin(), distinct.end(), in[i]) - distinct.begin();
    return MLCRT_OK;
  }

  // Queues are FIFO and hold elements one by one; nobody else fills or empties them, so nothing waits.
  static int32_t queue_stage(void *env, int32_t queue, int32_t component, int32_t many, const int64_t *dims,
                             const void *data) {
    Call call(env, "queue_stage");
    if (call.fails)
      return call.failCode();
    const mlcrt_value &value = call.fakes.artifact.queues[queue].components[component];
    FakeServices::Component staged;
    staged.dims.assign(dims, dims + value.rank + many);
    int64_t bytes = value.dtype == MLCRT_BOOL || value.dtype == MLCRT_I8   ? 1
                    : value.dtype == MLCRT_F32 || value.dtype == MLCRT_I32 ? 4
                                                                           : 8;
    for (int64_t d : staged.dims)
      bytes *= d;
    staged.bytes.assign(static_cast<const char *>(data), static_cast<const char *>(data) + bytes);
    call.fakes.staged.resize(call.fakes.artifact.queues[queue].num_components);
    call.fakes.staged[component] = std::move(staged);
    return MLCRT_OK;
  }
  static int32_t queue_enqueue(void *env, int32_t queue, int32_t many, const char *what) {
    Call call(env, "queue_enqueue");
    if (call.fails)
      return call.failCode();
    FakeServices &fakes = call.fakes;
    if (fakes.closedQueues.count(queue))
      return call.report(MLCRT_CANCELLED, -1, std::string(what) + ": closed");
    int64_t rows = many ? fakes.staged[0].dims[0] : 1;
    for (int64_t i = 0; i < rows; ++i) {
      FakeServices::Element element = fakes.staged;
      for (FakeServices::Component &component : element)
        if (many) {
          auto bytes = static_cast<int64_t>(component.bytes.size()) / rows;
          component.dims.erase(component.dims.begin());
          component.bytes = {component.bytes.begin() + i * bytes, component.bytes.begin() + (i + 1) * bytes};
        }
      if (static_cast<int64_t>(fakes.queues[queue].size()) == fakes.artifact.queues[queue].capacity)
        return call.report(MLCRT_INTERNAL, -1, std::string(what) + ": would wait for ever");
      fakes.queues[queue].push_back(std::move(element));
    }
    return MLCRT_OK;
  }
  static int32_t queue_dequeue(void *env, int32_t queue, int64_t count, int32_t or_rest, const char *what) {
    Call call(env, "queue_dequeue");
    if (call.fails)
      return call.failCode();
    std::deque<FakeServices::Element> &held = call.fakes.queues[queue];
    auto taken = std::min<int64_t>(std::max<int64_t>(count, 1), static_cast<int64_t>(held.size()));
    bool isClosed = call.fakes.closedQueues.count(queue);
    if (taken < count || taken == 0) {
      if (!isClosed)
        return call.report(MLCRT_INTERNAL, -1, std::string(what) + ": would wait for ever");
      if (!or_rest || taken == 0)
        return call.report(MLCRT_OUT_OF_RANGE, -1, std::string(what) + ": closed");
    }
    call.fakes.taken = held.front();
    held.pop_front();
    for (FakeServices::Component &component : call.fakes.taken)
      if (count)
        component.dims.insert(component.dims.begin(), taken);
    for (int64_t i = 1; i < taken; ++i, held.pop_front())
      for (size_t c = 0; c < held.front().size(); ++c)
        call.fakes.taken[c].bytes.insert(call.fakes.taken[c].bytes.end(), held.front()[c].bytes.begin(),
                                         held.front()[c].bytes.end());
    return MLCRT_OK;
  }
  static int32_t queue_taken_dims(void *env, int32_t component, int64_t *dims) {
    Call call(env, "queue_taken_dims");
    const FakeServices::Component &taken = call.fakes.taken[component];
    std::copy(taken.dims.begin(), taken.dims.end(), dims);
    return call.fails ? call.failCode() : MLCRT_OK;
  }
  static int32_t queue_taken(void *env, int32_t component, void *out) {
    Call call(env, "queue_taken");
    const FakeServices::Component &taken = call.fakes.taken[component];
    std::memcpy(out, taken.bytes.data(), taken.bytes.size());
    return call.fails ? call.failCode() : MLCRT_OK;
  }
  static int32_t queue_close(void *env, int32_t queue, int32_t) {
    Call call(env, "queue_close");
    call.fakes.closedQueues.insert(queue);
    return call.fails ? call.failCode() : MLCRT_OK;
  }
  static int32_t queue_size(void *env, int32_t queue, int64_t *size) {
    Call call(env, "queue_size");
    *size = static_cast<int64_t>(call.fakes.queues[queue].size());
    return call.fails ? call.failCode() : MLCRT_OK;
  }
  static int32_t queue_is_closed(void *env, int32_t queue, uint8_t *closed) {
    Call call(env, "queue_is_closed");
    *closed = call.fakes.closedQueues.count(queue) != 0;
    return call.fails ? call.failCode() : MLCRT_OK;
  }

  /// Called segments are a runner's; entries here have none.
  static int32_t noCalls(void *env, const char *service) {
    return Call(env, service).report(MLCRT_INTERNAL, -1, "there is nothing that could be called");
  }
  static int32_t intermediate_set(void *env, const char *, const int64_t *, const void *) {
    return noCalls(env, "intermediate_set");
  }
  static int32_t call_segment(void *env, const char *) { return noCalls(env, "call_segment"); }
  static int32_t intermediate_dims(void *env, const char *, int64_t *) { return noCalls(env, "intermediate_dims"); }
  static int32_t intermediate_get(void *env, const char *, void *) { return noCalls(env, "intermediate_get"); }

  /// Nothing is on its way, and nobody takes sums.
  static int32_t await_operand(void *env, int64_t) {
    Call call(env, "await_operand");
    return call.fails ? call.failCode() : MLCRT_OK;
  }

  static int32_t operand_done(void *env, int64_t) {
    Call call(env, "operand_done");
    return call.fails ? call.failCode() : MLCRT_OK;
  }

  /// Entries here work on the host alone.
  static int32_t noDevice(void *env, const char *service) {
    return Call(env, service).report(MLCRT_INTERNAL, -1, "there is no device");
  }
  /// Done at once, by the emulator.
  static int32_t device_launch(void *env, int32_t device, const char *kernel, const int64_t *shape,
                               const int64_t *arguments, int64_t count) {
    Call call(env, "device_launch");
    if (call.fails)
      return call.failCode();
    FakeServices &fakes = call.fakes;
    if (device != 0)
      return call.report(MLCRT_INTERNAL, -1, "there is one device; found number " + std::to_string(device));
    if (!fakes.kernels)
      fakes.kernels = std::make_unique<EmulatedKernels>(fakes.artifact);
    std::vector<std::pair<void *, size_t>> memory;
    for (GuardedMemory *each : fakes.deviceMemories)
      memory.emplace_back(each->data(), each->size());
    for (GuardedMemory &each : fakes.deviceArena)
      memory.emplace_back(each.data(), each.size());
    fakes.enter(/*device=*/true);
    const std::string found = fakes.kernels->launch(kernel, shape, arguments, count, memory);
    fakes.enter(/*device=*/false);
    return found.empty() ? MLCRT_OK : call.report(MLCRT_INTERNAL, -1, found);
  }
  /// Done at once, and only between the memories that it says.
  static int32_t device_copy(void *env, int32_t device, int32_t fromSpace, const void *from, int32_t toSpace,
                             int64_t bytes, void *to) {
    Call call(env, "device_copy");
    if (call.fails)
      return call.failCode();
    FakeServices &fakes = call.fakes;
    auto holds = [&](int32_t space, const void *address) {
      const bool isOfDevice =
          llvm::any_of(fakes.deviceMemories, [&](const GuardedMemory *memory) { return memory->holds(address); }) ||
          llvm::any_of(fakes.deviceArena, [&](const GuardedMemory &memory) { return memory.holds(address); });
      return bytes == 0 || (space == MLCRT_SPACE_HOST ? !isOfDevice : isOfDevice);
    };
    if (device != 0 || !holds(fromSpace, from) || !holds(toSpace, to))
      return call.report(MLCRT_INTERNAL, -1, "a copy between other memories than it says");
    fakes.openDevice();
    std::memcpy(to, from, bytes);
    fakes.enter(/*device=*/false);
    return MLCRT_OK;
  }
  static int32_t device_wait(void *env, int32_t device) {
    Call call(env, "device_wait");
    return call.fails ? call.failCode() : device == 0 ? MLCRT_OK : noDevice(env, "device_wait");
  }
  /// Control flow waits for what it follows from.
  static int32_t device_branch(void *env, int32_t device, const void *condition, int32_t sides, int32_t *taken) {
    uint8_t byte = 0;
    const int32_t code = device_copy(env, device, 1, condition, MLCRT_SPACE_HOST, 1, &byte);
    *taken = sides & (byte ? 1 : 2);
    return code;
  }
  static int32_t device_side(void *env, int32_t device, int32_t side) {
    Call call(env, "device_side");
    return call.fails                              ? call.failCode()
           : device == 0 && side >= 0 && side <= 2 ? MLCRT_OK
                                                   : noDevice(env, "device_side");
  }
  static int32_t device_loop(void *env, int32_t device, int32_t, const void *condition, int32_t *goes) {
    uint8_t byte = 0;
    const int32_t code = device_copy(env, device, 1, condition, MLCRT_SPACE_HOST, 1, &byte);
    *goes = byte != 0;
    return code;
  }
  static int32_t space_allocate(void *env, int32_t space, int64_t bytes, void **memory) {
    Call call(env, "space_allocate");
    if (call.fails)
      return call.failCode();
    if (space == MLCRT_SPACE_HOST || bytes < 0)
      return call.report(MLCRT_INTERNAL, -1, "an allocation of " + std::to_string(bytes) + " bytes");
    GuardedMemory &piece = call.fakes.deviceArena.emplace_back(bytes, call.fakes.options.fill);
    piece.setAccessible(false);
    *memory = piece.data();
    return MLCRT_OK;
  }
  static int32_t space_free(void *env, int32_t, const void *memory) {
    Call call(env, "space_free");
    if (call.fails)
      return call.failCode();
    auto &arena = call.fakes.deviceArena;
    auto piece = llvm::find_if(arena, [&](GuardedMemory &each) { return each.data() == memory; });
    if (piece == arena.end())
      return call.report(MLCRT_INTERNAL, -1, "gives back what it has not got");
    piece->setAccessible(true);
    call.fakes.arenaIntact &= piece->isPatternIntact();
    arena.erase(piece);
    return MLCRT_OK;
  }

  static int32_t table_terms(void *env, int32_t index, const int64_t *ids, int64_t n, mlcrt_string *out) {
    Call call(env, "table_terms");
    if (call.fails)
      return call.failCode();
    const mlcrt_table *table = call.table(index, MLCRT_STRING);
    if (!table)
      return call.report(MLCRT_INTERNAL, -1, "no table of strings has number " + std::to_string(index));
    for (int64_t i = 0; i < n; ++i) {
      if (ids[i] < 0 || ids[i] >= table->num_terms)
        return call.report(MLCRT_INTERNAL, -1, "the table has no term " + std::to_string(ids[i]));
      out[i] = {table->data + table->offsets[ids[i]], table->offsets[ids[i] + 1] - table->offsets[ids[i]]};
    }
    return MLCRT_OK;
  }
};

FakeServices::FakeServices(const mlcrt_artifact &artifact, RunOptions options)
    : artifact(artifact), options(std::move(options)) {}

void FakeServices::enter(bool device) {
  if (artifact.num_spaces == 0)
    return;
  for (GuardedMemory *memory : hostMemories)
    memory->setAccessible(!device);
  for (GuardedMemory &memory : arena)
    memory.setAccessible(!device);
  for (GuardedMemory *memory : deviceMemories)
    memory->setAccessible(device);
  for (GuardedMemory &memory : deviceArena)
    memory.setAccessible(device);
}

void FakeServices::openDevice() {
  for (GuardedMemory *memory : deviceMemories)
    memory->setAccessible(true);
  for (GuardedMemory &memory : deviceArena)
    memory.setAccessible(true);
}

void FakeServices::setMemories(std::vector<GuardedMemory *> ofHost, std::vector<GuardedMemory *> ofDevice) {
  hostMemories = std::move(ofHost);
  deviceMemories = std::move(ofDevice);
  enter(/*device=*/false);
}

void FakeServices::clearMemories() {
  enter(/*device=*/false);
  openDevice();
  hostMemories.clear();
  deviceMemories.clear();
}

const mlcrt_services &FakeServices::table() const {
  static const mlcrt_services services = {
      sizeof(mlcrt_services),
      MLCRT_ABI_VERSION,
#define MLCRT_SERVICE(name, parameters) ServiceTable::name,
#include "mlcrt/services.def"
#undef MLCRT_SERVICE
  };
  return services;
}

bool FakeServices::isArenaIntact() {
  for (const GuardedMemory &piece : arena)
    arenaIntact &= piece.isPatternIntact();
  return arenaIntact;
}

int64_t FakeServices::countCalls(const std::string &name) const { return std::count(calls.begin(), calls.end(), name); }

} // namespace mlc::execute

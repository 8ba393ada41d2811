//===- RangeUpdate.cpp - The compiled update on the rows that a server holds -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/RangeUpdate.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace mlcrt {

/// Whether a dimension is the symbol that a function's rows have.
static bool hasRows(const mlcrt_update &update, const mlcrt_value &value) {
  return value.rank > 0 && value.dims[0] == MLCRT_DIM_SYMBOL(update.rows_symbol);
}

static const mlcrt_entry *findShared(const mlcrt_artifact &table) {
  const mlcrt_entry *found = nullptr;
  for (int64_t u = 0; u < table.num_updates; ++u)
    if (const mlcrt_entry &entry = table.entries[table.updates[u].entry]; entry.role == MLCRT_ROLE_TRAIN_SHARED)
      found = &entry;
  return found;
}

const mlcrt_entry &RangeUpdate::outputsEntry(const Artifact &artifact) {
  const mlcrt_entry *shared = findShared(artifact.table());
  return shared ? *shared : *artifact.entry(MLCRT_ROLE_TRAIN_APPLY);
}

absl::Status RangeUpdate::check(const Artifact &artifact) {
  if (artifact.table().num_updates && !findShared(artifact.table()))
    return absl::FailedPreconditionError(
        "the artifact's update by ranges of rows has no function of role train_shared");
  return artifact.require({MLCRT_ROLE_TRAIN_GRAD, MLCRT_ROLE_TRAIN_COMBINE, MLCRT_ROLE_TRAIN_APPLY});
}

//===----------------------------------------------------------------------===//
// What there is to run
//===----------------------------------------------------------------------===//

RangeUpdate::RangeUpdate(Program &program, ThreadPool &pool, const ShardPlan &plan, int server)
    : program_(program), pool_(pool), plan_(plan), server_(server), sparse_(findSparseSums(program.artifact().table())),
      shared_(program.artifact().table().num_shared), partials_(shared_.size()), totals_(sparse_.size()) {
  const mlcrt_artifact &table = program.artifact().table();
  std::vector<int> madeIn(table.num_shared, -1);
  Phase phase;
  for (int64_t u = 0; u < table.num_updates; ++u) {
    const mlcrt_update &update = table.updates[u];
    const mlcrt_entry &entry = table.entries[update.entry];
    Function function = makeFunction(&update, entry);
    for (int64_t i = 0; i < update.num_operands; ++i) {
      const mlcrt_operand &operand = entry.segments[0].operands[i];
      if (operand.source == MLCRT_SOURCE_SHARED && (operand.access & MLCRT_WRITE))
        madeIn[operand.index] = static_cast<int>(phases_.size());
      else if (operand.source == MLCRT_SOURCE_SHARED && entry.role != MLCRT_ROLE_TRAIN_SHARED)
        if (const int made = madeIn[operand.index]; made >= 0 && made < static_cast<int>(phases_.size()))
          if (std::vector<int32_t> &values = phases_[made].values;
              std::find(values.begin(), values.end(), operand.index) == values.end())
            values.push_back(operand.index);
    }
    if (entry.role == MLCRT_ROLE_TRAIN_UPDATE) {
      updates_.push_back(std::move(function));
    } else if (entry.role == MLCRT_ROLE_TRAIN_PARTIAL) {
      phase.partials.push_back(std::move(function));
    } else {
      phase.shared = std::move(function);
      addPartials(phase);
      phases_.push_back(std::move(phase));
      phase = Phase();
    }
  }
  if (table.num_updates == 0) {
    phase.shared = makeFunction(nullptr, *program.artifact().entry(MLCRT_ROLE_TRAIN_APPLY));
    phases_.push_back(std::move(phase));
  }
  for (Phase &each : phases_)
    std::sort(each.values.begin(), each.values.end());
  findDependent();
}

void RangeUpdate::findDependent() {
  // By variable: how many updates use it, and whether one of them writes it.
  std::map<int32_t, std::pair<int, bool>> uses;
  auto ofVariables = [](const Function &function, const auto &callback) {
    const mlcrt_segment &segment = function.runner->entry().segments[0];
    std::set<int32_t> seen;
    for (int32_t i = 0; i < segment.num_operands; ++i)
      if (segment.operands[i].source == MLCRT_SOURCE_VARIABLE)
        callback(segment.operands[i].index, seen.insert(segment.operands[i].index).second,
                 (segment.operands[i].access & MLCRT_WRITE) != 0);
  };
  for (const Function &function : updates_)
    ofVariables(function, [&](int32_t variable, bool isFirst, bool isWritten) {
      uses[variable].first += isFirst;
      uses[variable].second |= isWritten;
    });
  for (Function &function : updates_)
    ofVariables(function, [&](int32_t variable, bool, bool) {
      const auto &[count, isWritten] = uses.at(variable);
      function.isAlone &= count == 1 || !isWritten;
    });
}

RangeUpdate::Function RangeUpdate::makeFunction(const mlcrt_update *update, const mlcrt_entry &entry) {
  Function function;
  function.update = update;
  function.runner = std::make_unique<EntryRunner>(program_, entry, pool_);
  if (update && update->rows > 0)
    function.rows = rangeOf(rowsOf(*update), server_);
  return function;
}

int32_t RangeUpdate::rowsOf(const mlcrt_update &update) const {
  const mlcrt_artifact &table = program_.artifact().table();
  const mlcrt_segment &segment = table.entries[update.entry].segments[0];
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const mlcrt_operand &operand = segment.operands[i];
    if (operand.source == MLCRT_SOURCE_VARIABLE)
      return operand.index;
    if (operand.source == MLCRT_SOURCE_SUM_A)
      return table.num_variables + operand.index;
  }
  return 0; // no operand has rows: there is nothing to cut
}

RowRange RangeUpdate::rangeOf(int32_t thing, int server) const {
  const int32_t variables = program_.artifact().table().num_variables;
  return thing < variables ? plan_.rows(thing, server) : plan_.sums(server)[thing - variables].rows;
}

void RangeUpdate::addPartials(Phase &phase) const {
  const mlcrt_artifact &table = program_.artifact().table();
  for (size_t f = 0; f < phase.partials.size(); ++f) {
    const mlcrt_update &update = *phase.partials[f].update;
    const mlcrt_segment &segment = table.entries[update.entry].segments[0];
    for (int32_t i = 0; i < segment.num_operands; ++i) {
      const mlcrt_operand &operand = segment.operands[i];
      if (operand.source != MLCRT_SOURCE_SHARED || !(operand.access & MLCRT_WRITE))
        continue;
      Partial partial = {operand.index, static_cast<int32_t>(f), rowsOf(update), -1};
      const mlcrt_value &value = update.operands[i];
      for (int32_t j = 0; j < segment.num_operands && value.rank > 0 && !hasRows(update, value); ++j)
        if (segment.operands[j].source == MLCRT_SOURCE_SUM_A && update.operands[j].rank > 0 &&
            update.operands[j].dims[0] == value.dims[0])
          partial.ids = plan_.sums(server_)[segment.operands[j].index].ids;
      phase.made.push_back(partial);
    }
  }
  phase.needsParts = !phase.made.empty();
  const mlcrt_segment &segment = phase.shared.runner->entry().segments[0];
  for (int32_t i = 0; i < segment.num_operands; ++i)
    if (segment.operands[i].source == MLCRT_SOURCE_SUM_A) {
      const SumPlace &place = plan_.sums(server_)[segment.operands[i].index];
      phase.needsParts = phase.needsParts || (place.kind == SumPlace::Kind::Count && place.isExact);
    }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

absl::Status RangeUpdate::run(Function &function, const Call &call, std::vector<Tensor> &written) {
  SumOperands sums;
  sums.a = call.sums;
  if (!function.update)
    return function.runner->runSums(call.context, sums, *call.global);
  const mlcrt_update &update = *function.update;
  const mlcrt_segment &segment = function.runner->entry().segments[0];
  Symbols symbols = *call.global;
  if (update.rows_symbol > 0)
    symbols[update.rows_symbol] = function.rows.size();
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const mlcrt_operand &operand = segment.operands[i];
    const TensorView *buffer = nullptr;
    if (operand.source == MLCRT_SOURCE_SUM_A)
      buffer = &call.sums->sum(operand.index).buffer();
    else if (operand.source == MLCRT_SOURCE_SHARED && operand.access == MLCRT_READ)
      buffer = &shared_[operand.index].buffer();
    const mlcrt_value &value = update.operands[i];
    for (int32_t d = 0; buffer && d < value.rank; ++d)
      if (value.dims[d] < 0)
        symbols[-1 - value.dims[d]] = buffer->dims[d];
  }
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const mlcrt_operand &operand = segment.operands[i];
    if (operand.source != MLCRT_SOURCE_SHARED || !(operand.access & MLCRT_WRITE))
      continue;
    const mlcrt_value &value = update.operands[i];
    written[operand.index].resize(value.dtype, resolveDims(value, symbols));
  }
  // Functions read what earlier phases made and write what is theirs: never the same value.
  sums.shared = &shared_;
  sums.sharedOut = &written;
  return function.runner->runSums(call.context, sums, symbols);
}

int64_t RangeUpdate::elementBytes(int32_t index) const {
  return dtypeSize(program_.artifact().table().shared[index].dtype);
}

int64_t RangeUpdate::countOf(const Partial &partial, const Part &part, int server) const {
  if (partial.ids < 0)
    return rangeOf(partial.variable, server).size();
  const size_t number = std::find(sparse_.begin(), sparse_.end(), partial.ids) - sparse_.begin();
  return part.counts[number];
}

absl::StatusOr<RangeUpdate::Part> RangeUpdate::runPartials(int phase, const Call &call) {
  Part part;
  for (int32_t ids : sparse_)
    part.counts.push_back(
        plan_.sums(server_)[ids].kind == SumPlace::Kind::Absent ? 0 : *call.sums->sum(ids + 2).as<int64_t>());
  for (Function &function : phases_[phase].partials)
    if (function.rows.size() > 0)
      if (absl::Status status = run(function, call, partials_); !status.ok())
        return status;
  for (const Partial &partial : phases_[phase].made)
    if (phases_[phase].partials[partial.function].rows.size() > 0)
      part.values.append(partials_[partial.index].as<char>(),
                         countOf(partial, part, server_) * elementBytes(partial.index));
  return part;
}

absl::Status RangeUpdate::takeParts(int phase, const std::vector<const Part *> &parts) {
  if (!phases_[phase].needsParts)
    return absl::OkStatus();
  std::fill(totals_.begin(), totals_.end(), 0);
  for (int server = 0; server < plan_.servers(); ++server) {
    const Part &part = *parts[server];
    if (part.counts.size() != sparse_.size())
      return absl::InvalidArgumentError(
          absl::StrCat("ps ", server, " has ", part.counts.size(), " sparse sums, expected ", sparse_.size()));
    int64_t bytes = 0;
    for (size_t k = 0; k < sparse_.size(); ++k) {
      const int64_t most = plan_.sums(server)[sparse_[k]].rows.size();
      if (part.counts[k] < 0 || part.counts[k] > most)
        return absl::InvalidArgumentError(
            absl::StrCat("ps ", server, " has ", part.counts[k], " rows of a sum, of ", most));
      totals_[k] += part.counts[k];
    }
    for (const Partial &partial : phases_[phase].made)
      if (rangeOf(partial.variable, server).size() > 0)
        bytes += countOf(partial, part, server) * elementBytes(partial.index);
    if (bytes != static_cast<int64_t>(part.values.size()))
      return absl::InvalidArgumentError(
          absl::StrCat("ps ", server, " gave ", part.values.size(), " bytes to an update, expected ", bytes));
  }
  std::vector<size_t> at(parts.size());
  for (const Partial &partial : phases_[phase].made) {
    const mlcrt_value &value = program_.artifact().table().shared[partial.index];
    int64_t total = 0;
    for (int server = 0; server < plan_.servers(); ++server)
      total += rangeOf(partial.variable, server).size() > 0 ? countOf(partial, *parts[server], server) : 0;
    // Entries lie as the parts of their sum do: [n] or [n, k].
    Dims dims(value.dims, value.dims + value.rank);
    const int64_t perRow = std::max<int64_t>(1, elementsOfRow(value));
    dims[0] = (total + perRow - 1) / perRow;
    Tensor &all = shared_[partial.index];
    all.resize(value.dtype, dims);
    char *to = all.as<char>();
    for (int server = 0; server < plan_.servers(); ++server) {
      if (rangeOf(partial.variable, server).size() == 0)
        continue;
      const int64_t bytes = countOf(partial, *parts[server], server) * elementBytes(partial.index);
      std::memcpy(to, parts[server]->values.data() + at[server], bytes);
      at[server] += bytes;
      to += bytes;
    }
  }
  return absl::OkStatus();
}

absl::Status RangeUpdate::runShared(int phase, const Call &call) {
  Function &function = phases_[phase].shared;
  // Of a sum that is cut, the number of entries is that of all servers.
  std::vector<int64_t> own(sparse_.size());
  auto isCut = [&](size_t k) {
    const SumPlace &place = plan_.sums(server_)[sparse_[k]];
    return phases_[phase].needsParts && (place.kind == SumPlace::Kind::Absent || place.isExact);
  };
  for (size_t k = 0; k < sparse_.size(); ++k)
    if (isCut(k))
      own[k] = std::exchange(*call.sums->sum(sparse_[k] + 2).as<int64_t>(), totals_[k]);
  absl::Status status = run(function, call, shared_);
  for (size_t k = 0; k < sparse_.size(); ++k)
    if (isCut(k))
      *call.sums->sum(sparse_[k] + 2).as<int64_t>() = own[k];
  return status;
}

RangeUpdate::Values RangeUpdate::giveValues(int phase) const {
  Values values;
  for (int32_t index : phases_[phase].values) {
    values.dims.push_back(shared_[index].dims());
    values.bytes.append(shared_[index].as<char>(), shared_[index].bytes());
  }
  return values;
}

absl::Status RangeUpdate::takeValues(int phase, const Values &values) {
  const std::vector<int32_t> &indices = phases_[phase].values;
  int64_t at = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    const mlcrt_value &value = program_.artifact().table().shared[indices[i]];
    bool fits = i < values.dims.size() && static_cast<int32_t>(values.dims[i].size()) == value.rank;
    for (int32_t d = 0; fits && d < value.rank; ++d)
      fits = value.dims[d] < 0 || value.dims[d] == values.dims[i][d];
    const int64_t elements = fits ? elementCount(values.dims[i].data(), value.rank) : -1;
    int64_t bytes;
    if (elements < 0 || __builtin_mul_overflow(elements, dtypeSize(value.dtype), &bytes) ||
        bytes > static_cast<int64_t>(values.bytes.size()) - at)
      return absl::InvalidArgumentError(absl::StrCat("ps 0 gave no value '", value.name, "' of the type expected"));
    shared_[indices[i]].resize(value.dtype, values.dims[i].data(), value.rank);
    std::memcpy(shared_[indices[i]].data(), values.bytes.data() + at, bytes);
    at += bytes;
  }
  return absl::OkStatus();
}

void RangeUpdate::runTimed(Function &function, const Call &call) {
  const auto begin = std::chrono::steady_clock::now();
  function.status = run(function, call, shared_);
  function.took = std::chrono::steady_clock::now() - begin;
}

absl::Status RangeUpdate::runUpdates(const Call &call) {
  // A multiple of what it takes to wake a thread.
  constexpr std::chrono::microseconds kSmall{50};
  small_.clear();
  for (Function &function : updates_) {
    if (function.rows.size() == 0)
      continue;
    if (function.isAlone && function.took < kSmall && pool_.threads() > 1) {
      small_.push_back(&function);
      continue;
    }
    runTimed(function, call);
    if (!function.status.ok())
      return function.status;
  }
  struct Arguments {
    RangeUpdate *self;
    const Call *call;
  } arguments = {this, &call};
  pool_.parallelFor(
      [](void *opaque, int64_t first, int64_t last, int64_t) -> int32_t {
        const auto &[self, call] = *static_cast<Arguments *>(opaque);
        for (int64_t i = first; i < last; ++i)
          self->runTimed(*self->small_[i], *call);
        return 0;
      },
      &arguments, static_cast<int64_t>(small_.size()));
  for (const Function *function : small_)
    if (!function->status.ok())
      return function->status;
  return absl::OkStatus();
}

} // namespace mlcrt

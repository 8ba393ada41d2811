//===- ShardPlan.cpp - Which server holds which rows -------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ShardPlan.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace mlcrt {

std::vector<int32_t> findSparseSums(const mlcrt_artifact &table) {
  std::vector<int32_t> found;
  for (int32_t i = 0; i + 2 < table.num_sums; ++i)
    if (absl::EndsWith(table.sums[i].name, ".ids") && absl::EndsWith(table.sums[i + 1].name, ".rows") &&
        absl::EndsWith(table.sums[i + 2].name, ".count"))
      found.push_back(i);
  return found;
}

/// Variables and sums that are cut alike.
struct ShardPlan::Group {
  int64_t rows = 0;
  std::vector<int32_t> variables, sums;
  int64_t bytes = 0; ///< of the variables
  int64_t load = 0;  ///< bytes that go over the wire in a step
  const Pin *pin = nullptr;
};

namespace {
/// Which of a number of things belong together.
class Unions {
public:
  explicit Unions(int32_t size) : parents_(size) { std::iota(parents_.begin(), parents_.end(), 0); }
  int32_t find(int32_t i) const {
    while (parents_[i] != i)
      i = parents_[i];
    return i;
  }
  void join(int32_t a, int32_t b) { parents_[std::max(find(a), find(b))] = std::min(find(a), find(b)); }

private:
  std::vector<int32_t> parents_;
};
} // namespace

static int64_t bytesOf(const mlcrt_value &value) {
  return elementCount(value.dims, value.rank) * dtypeSize(value.dtype);
}

static bool isPacked(const mlcrt_variable &variable) {
  return variable.pack || variable.unpack || variable.storage_bytes != 0;
}

std::vector<ShardPlan::Group> ShardPlan::collectGroups() const {
  const mlcrt_artifact &table = artifact_.table();
  // Variables, then sums.
  const int32_t variables = table.num_variables, things = variables + table.num_sums;
  Unions unions(things);
  std::vector<int64_t> rows(things);
  std::vector<bool> isWhole(things), isSparse(variables);
  for (int32_t i = 0; i < variables; ++i) {
    isWhole[i] = table.variables[i].value.rank == 0 || isPacked(table.variables[i]);
    isSparse[i] = table.variables[i].flags & MLCRT_VARIABLE_SPARSE;
  }
  for (int64_t u = 0; u < table.num_updates; ++u) {
    const mlcrt_update &update = table.updates[u];
    const mlcrt_segment &segment = table.entries[update.entry].segments[0];
    int32_t first = -1;
    for (int32_t i = 0; i < segment.num_operands; ++i) {
      const mlcrt_operand &operand = segment.operands[i];
      if (operand.source != MLCRT_SOURCE_VARIABLE && operand.source != MLCRT_SOURCE_SUM_A)
        continue;
      const int32_t thing = operand.index + (operand.source == MLCRT_SOURCE_SUM_A ? variables : 0);
      if (update.rows == 0) {
        // The number of entries of a sum that is cut is of all its shards.
        isWhole[thing] = isWhole[thing] || operand.source == MLCRT_SOURCE_VARIABLE;
        continue;
      }
      if (first < 0)
        first = thing;
      unions.join(first, thing);
      rows[thing] = update.rows;
    }
  }
  // What no update changes is cut, too. Without updates by ranges train_apply takes all as it is.
  for (int32_t i = 0; i < variables; ++i)
    if (rows[i] == 0 && !isWhole[i]) {
      if (table.num_updates)
        rows[i] = table.variables[i].value.dims[0];
      else
        isWhole[i] = true;
    }
  // One of a group that must be whole keeps all of it so.
  std::vector<bool> isWholeGroup(things);
  for (int32_t i = 0; i < things; ++i)
    if (isWhole[i])
      isWholeGroup[unions.find(i)] = true;
  std::vector<Group> groups(things);
  for (int32_t i = 0; i < things; ++i) {
    const int32_t root = unions.find(i);
    if (rows[i] == 0 || isWholeGroup[root] || (i < variables && table.variables[i].flags & MLCRT_VARIABLE_EVAL))
      continue;
    Group &group = groups[root];
    group.rows = rows[i];
    (i < variables ? group.variables : group.sums).push_back(i < variables ? i : i - variables);
    if (i >= variables)
      continue;
    const int64_t bytes = bytesOf(table.variables[i].value);
    group.bytes += bytes;
    if (table.variables[i].slot_of < 0)
      group.load += isSparse[i] ? std::min(bytes, kTableLoad) : bytes;
  }
  groups.erase(std::remove_if(groups.begin(), groups.end(), [](const Group &group) { return group.rows == 0; }),
               groups.end());
  return groups;
}

void ShardPlan::deal(const std::vector<Group> &groups) {
  const mlcrt_artifact &table = artifact_.table();
  std::vector<int64_t> load(servers_);
  // What no group has is whole on server 0.
  for (int32_t i = 0; i < table.num_variables; ++i) {
    const mlcrt_variable &variable = table.variables[i];
    variables_[i].assign(servers_, RowRange());
    const bool isOfGroup = std::any_of(groups.begin(), groups.end(), [i](const Group &group) {
      return std::find(group.variables.begin(), group.variables.end(), i) != group.variables.end();
    });
    if ((variable.flags & MLCRT_VARIABLE_EVAL) || isOfGroup)
      continue;
    variables_[i][0] = {0, variable.value.rank ? variable.value.dims[0] : 1};
    load[0] += bytesOf(variable.value);
  }
  std::vector<const Group *> order;
  for (const Group &group : groups)
    order.push_back(&group);
  std::sort(order.begin(), order.end(), [](const Group *a, const Group *b) {
    // Others make room for what is pinned.
    if (!a->pin != !b->pin)
      return a->pin != nullptr;
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  for (const Group *group : order) {
    const int64_t worth = (group->bytes + leastShardBytes_ - 1) / leastShardBytes_;
    int shards = static_cast<int>(std::max<int64_t>(1, std::min({int64_t(servers_), group->rows, worth})));
    if (group->pin)
      shards = static_cast<int>(group->pin->count ? group->pin->count : group->pin->servers.size());
    std::vector<int> chosen(servers_);
    std::iota(chosen.begin(), chosen.end(), 0);
    std::sort(chosen.begin(), chosen.end(),
              [&](int a, int b) { return load[a] != load[b] ? load[a] < load[b] : a < b; });
    chosen.resize(shards);
    if (group->pin && !group->pin->servers.empty())
      chosen.assign(group->pin->servers.begin(), group->pin->servers.end());
    std::sort(chosen.begin(), chosen.end());
    for (int k = 0; k < shards; ++k) {
      const RowRange range = {group->rows * k / shards, group->rows * (k + 1) / shards};
      load[chosen[k]] += group->load / shards;
      for (int32_t variable : group->variables)
        variables_[variable][chosen[k]] = range;
      for (int32_t sum : group->sums)
        sums_[chosen[k]][sum] = {SumPlace::Kind::Rows, range, /*isExact=*/true, -1};
    }
  }
}

void ShardPlan::placeSums(const std::vector<Group> &groups) {
  const mlcrt_artifact &table = artifact_.table();
  std::vector<bool> isCut(table.num_sums);
  for (const Group &group : groups)
    for (int32_t sum : group.sums)
      isCut[sum] = true;
  for (int32_t i = 0; i < table.num_sums; ++i)
    if (!isCut[i])
      sums_[0][i].kind = SumPlace::Kind::Whole;
  constexpr SumPlace::Kind kKinds[] = {SumPlace::Kind::Ids, SumPlace::Kind::Parts, SumPlace::Kind::Count};
  for (int32_t ids : findSparseSums(table)) {
    const std::string name(table.sums[ids].name, std::strlen(table.sums[ids].name) - std::strlen(".ids"));
    const int32_t variable = artifact_.variableIndex(name);
    const int64_t all = variable < 0 ? INT64_MAX : allRows(table.variables[variable]).size();
    // The update may use some of the three only.
    int32_t known = ids;
    while (known < ids + 2 && !isCut[known])
      ++known;
    for (std::vector<SumPlace> &places : sums_) {
      SumPlace place = places[isCut[known] ? known : ids];
      if (place.kind == SumPlace::Kind::Whole)
        place.rows = {0, all};
      place.ids = ids;
      for (int32_t part = ids; part < ids + 3; ++part) {
        if (place.kind != SumPlace::Kind::Absent)
          place.kind = kKinds[part - ids];
        places[part] = place;
      }
    }
  }
}

ShardPlan::ShardPlan(const Artifact &artifact, int servers, int64_t leastShardBytes, Unplanned)
    : artifact_(artifact), servers_(servers), leastShardBytes_(leastShardBytes),
      variables_(artifact.table().num_variables), sums_(servers, std::vector<SumPlace>(artifact.table().num_sums)),
      pins_(artifact.table().num_variables) {}

ShardPlan::ShardPlan(const Artifact &artifact, int servers, int64_t leastShardBytes)
    : ShardPlan(artifact, servers, leastShardBytes, Unplanned()) {
  plan({}).IgnoreError(); // without pins nothing is refused
}

absl::StatusOr<std::unique_ptr<ShardPlan>> ShardPlan::create(const Artifact &artifact, int servers,
                                                             const std::vector<Pin> &pins, int64_t leastShardBytes) {
  std::unique_ptr<ShardPlan> plan(new ShardPlan(artifact, servers, leastShardBytes, Unplanned()));
  if (absl::Status status = plan->plan(pins); !status.ok())
    return status;
  return plan;
}

absl::Status ShardPlan::plan(const std::vector<Pin> &pins) {
  std::vector<Group> groups = collectGroups();
  if (absl::Status status = pinGroups(pins, groups); !status.ok())
    return status;
  deal(groups);
  placeSums(groups);
  return absl::OkStatus();
}

absl::Status ShardPlan::pinGroups(const std::vector<Pin> &pins, std::vector<Group> &groups) {
  for (const Pin &pin : pins) {
    auto refuse = [&](auto... what) { return absl::InvalidArgumentError(absl::StrCat(pin.name, ": ", what...)); };
    const int64_t shards = pin.count ? pin.count : static_cast<int64_t>(pin.servers.size());
    if (shards > servers_)
      return refuse(shards, " shards; the servers are ", servers_);
    for (int64_t server : pin.servers)
      if (server < 0 || server >= servers_)
        return refuse("server ", server, "; the servers are 0 to ", servers_ - 1);
    bool isUsed = false;
    for (int32_t variable : pin.variables) {
      auto group = std::find_if(groups.begin(), groups.end(), [variable](const Group &each) {
        return std::find(each.variables.begin(), each.variables.end(), variable) != each.variables.end();
      });
      if (group == groups.end())
        continue;
      isUsed = true;
      const char *name = artifact_.table().variables[variable].value.name;
      if (group->pin && group->pin != &pin)
        return refuse("'", name, "' is placed by ", group->pin->name, ", too");
      if (shards > group->rows)
        return refuse(shards, " shards of '", name, "', which has ", group->rows, " rows");
      group->pin = &pin;
      for (int32_t each : group->variables)
        pins_[each] = pin.name;
    }
    if (!isUsed)
      return refuse("no update of these variables splits by rows: they stay on server 0");
  }
  return absl::OkStatus();
}

std::vector<RowRange> ShardPlan::held(int server) const {
  std::vector<RowRange> ranges;
  for (const std::vector<RowRange> &variable : variables_)
    ranges.push_back(variable[server]);
  return ranges;
}

int64_t ShardPlan::bytes(int server) const {
  int64_t total = 0;
  for (int32_t i = 0; i < artifact_.table().num_variables; ++i) {
    const mlcrt_value &value = artifact_.table().variables[i].value;
    total += elementsOfRow(value) * dtypeSize(value.dtype) * rows(i, server).size();
  }
  return total;
}

std::vector<std::string> ShardPlan::describe() const {
  std::vector<std::string> lines;
  for (int32_t i = 0; i < artifact_.table().num_variables; ++i) {
    // Slots lie where their variables do.
    if (artifact_.table().variables[i].slot_of >= 0)
      continue;
    std::vector<std::string> pieces;
    for (int server = 0; server < servers_; ++server)
      if (const RowRange range = rows(i, server); range.size() > 0)
        pieces.push_back(absl::StrCat("[", range.begin, ", ", range.end, ") on ps ", server));
    if (pieces.size() > 1 || (!pieces.empty() && (rows(i, 0).size() == 0 || !pins_[i].empty())))
      lines.push_back(absl::StrCat(artifact_.table().variables[i].value.name, ": ", absl::StrJoin(pieces, ", "),
                                   pins_[i].empty() ? "" : absl::StrCat(" (", pins_[i], ")")));
  }
  return lines;
}

uint64_t ShardPlan::fingerprint() const {
  // FNV-1a of all bounds.
  uint64_t hash = 14695981039346656037u;
  for (const std::vector<RowRange> &variable : variables_)
    for (const RowRange &range : variable)
      for (int64_t bound : {range.begin, range.end})
        hash = (hash ^ static_cast<uint64_t>(bound)) * 1099511628211u;
  return hash;
}

} // namespace mlcrt

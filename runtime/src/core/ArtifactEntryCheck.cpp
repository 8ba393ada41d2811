//===- ArtifactEntryCheck.cpp - Checks the segments of an entry and what they work on ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ArtifactCheck.h"

#include <string>
#include <vector>

namespace mlcrt {

namespace {
/// Checks one entry, segment by segment, in the order in which the runtime runs them.
class EntryCheck {
public:
  EntryCheck(const mlcrt_artifact &table, const mlcrt_entry &entry)
      : table_(table), entry_(entry), place_(absl::StrCat("entry '", entry.name, "'")),
        written_(entry.num_intermediates), outputs_(entry.num_outputs) {}

  absl::Status run() {
    // Features segments run ahead of all others. What called ones read is set by the segments that call them.
    for (int32_t kind : {MLCRT_SEGMENT_FEATURES, MLCRT_SEGMENT_CALLED, MLCRT_SEGMENT_STEP})
      for (int32_t s = 0; s < entry_.num_segments; ++s)
        if (entry_.segments[s].kind == kind)
          MLCRT_CHECK_OK(checkSegment(entry_.segments[s]));
    for (int32_t i = 0; i < entry_.num_outputs; ++i)
      if (!outputs_[i])
        return bad(place_, ": no segment writes output '", entry_.outputs[i].name, "'");
    return checkSymbols();
  }

private:
  absl::Status checkSegment(const mlcrt_segment &segment) {
    std::string place = absl::StrCat(place_, ", segment '", segment.name, "'");
    MLCRT_CHECK_OK(checkList(place.c_str(), segment.num_operands, segment.operands));
    if (!segment.run)
      return bad(place, " has no function");
    MLCRT_CHECK_OK(checkPlace(place, segment));
    for (int32_t i = 0; i < segment.num_operands; ++i)
      MLCRT_CHECK_OK(checkOperand(absl::StrCat(place, ", operand ", i), segment, segment.operands[i]));
    // What this segment writes, later ones may read.
    for (int32_t i = 0; i < segment.num_operands; ++i) {
      const mlcrt_operand &operand = segment.operands[i];
      if (operand.source == MLCRT_SOURCE_INTERMEDIATE && (operand.access & MLCRT_WRITE))
        written_[operand.index] = true;
      if (operand.source == MLCRT_SOURCE_OUTPUT)
        outputs_[operand.index] = true;
    }
    return absl::OkStatus();
  }

  absl::Status checkOperand(const std::string &place, const mlcrt_segment &segment, const mlcrt_operand &operand) {
    if (operand.access < MLCRT_READ || operand.access > MLCRT_READ_WRITE)
      return bad(place, ": access is ", operand.access);
    int32_t count = 0;
    bool readOnly = true, ofFeatures = true;
    switch (operand.source) {
    case MLCRT_SOURCE_FEATURE:
      count = table_.num_features;
      break;
    case MLCRT_SOURCE_VARIABLE:
      count = table_.num_variables;
      readOnly = ofFeatures = false;
      break;
    case MLCRT_SOURCE_SETTING:
      count = table_.num_settings;
      break;
    case MLCRT_SOURCE_CONTEXT:
      count = MLCRT_CONTEXT_KEY + 1;
      if (operand.index == MLCRT_CONTEXT_KEY && (entry_.role != MLCRT_ROLE_INIT || !writesRows(segment)))
        return bad(place, ": the key of a tensor's name is for segments of init that write rows of one variable");
      break;
    case MLCRT_SOURCE_INTERMEDIATE:
      count = entry_.num_intermediates;
      readOnly = false;
      break;
    case MLCRT_SOURCE_OUTPUT:
      count = entry_.num_outputs;
      readOnly = ofFeatures = false;
      if (operand.access == MLCRT_READ)
        return bad(place, ": an output must be written");
      break;
    case MLCRT_SOURCE_SUM_A:
    case MLCRT_SOURCE_SUM_B:
    case MLCRT_SOURCE_SUM_OUT:
      count = table_.num_sums;
      ofFeatures = false;
      readOnly = operand.source != MLCRT_SOURCE_SUM_OUT;
      if (!sumAllowed(operand.source))
        return bad(place, ": an entry of role ", std::string(Artifact::roleName(entry_.role)),
                   " has no such sum (source ", operand.source, ")");
      break;
    case MLCRT_SOURCE_DIMENSION:
      count = kMaxSymbols;
      break;
    case MLCRT_SOURCE_MATRIX:
      count = static_cast<int32_t>(table_.num_matrices);
      break;
    case MLCRT_SOURCE_STEP:
      count = 1;
      break;
    case MLCRT_SOURCE_ERROR:
      count = 1;
      readOnly = false;
      break;
    case MLCRT_SOURCE_SHARED:
      count = static_cast<int32_t>(table_.num_shared);
      readOnly = entry_.role == MLCRT_ROLE_TRAIN_UPDATE;
      ofFeatures = false;
      if (!isOfUpdate(entry_.role))
        return bad(place, ": an entry of role ", std::string(Artifact::roleName(entry_.role)), " has no shared values");
      break;
    default:
      return bad(place, ": unknown source ", operand.source);
    }
    if (operand.index < 0 || operand.index >= count)
      return bad(place, ": index ", operand.index, ", expected below ", count, " (source ", operand.source, ")");
    if (readOnly && operand.access != MLCRT_READ)
      return bad(place, ": source ", operand.source, " can only be read");
    if (!ofFeatures && segment.kind == MLCRT_SEGMENT_FEATURES)
      return bad(place, ": a features segment has no source ", operand.source);
    const bool mayBeSignalled = entry_.role == MLCRT_ROLE_TRAIN_GRAD && segment.kind == MLCRT_SEGMENT_STEP &&
                                (operand.source == MLCRT_SOURCE_VARIABLE || operand.source == MLCRT_SOURCE_SUM_OUT);
    if ((operand.flags & MLCRT_OPERAND_SIGNALLED) && !mayBeSignalled)
      return bad(place, ": is signalled; only variables and sums of train_grad's steps are");
    if ((operand.flags & MLCRT_OPERAND_SIGNALLED) && (segment.flags & MLCRT_SEGMENT_CAPTURABLE))
      return bad(place, ": is signalled, and its segment can be captured: it waits for nothing");
    if ((operand.flags & MLCRT_OPERAND_STRIDED) && operand.source != MLCRT_SOURCE_FEATURE)
      return bad(place, ": may have strides; only features may");
    MLCRT_CHECK_OK(checkSpace(place, segment, operand));
    if (operand.source == MLCRT_SOURCE_INTERMEDIATE && (operand.access & MLCRT_READ) && !written_[operand.index] &&
        segment.kind != MLCRT_SEGMENT_CALLED)
      return bad(place, ": reads intermediate '", entry_.intermediates[operand.index].name, "' before it is written");
    return absl::OkStatus();
  }

  /// Device, flags and workspaces.
  absl::Status checkPlace(const std::string &place, const mlcrt_segment &segment) const {
    if (segment.device < MLCRT_DEVICE_HOST || segment.device >= table_.num_devices)
      return bad(place, ": device ", segment.device, ", expected the host (", MLCRT_DEVICE_HOST, ") or one below ",
                 table_.num_devices);
    if (segment.flags & ~MLCRT_SEGMENT_CAPTURABLE)
      return bad(place, ": unknown flags ", segment.flags);
    if ((segment.flags & MLCRT_SEGMENT_CAPTURABLE) && segment.device == MLCRT_DEVICE_HOST)
      return bad(place, ": can be captured, and has no device");
    if (segment.num_workspaces < 0 || (segment.num_workspaces > 0 && !segment.workspaces))
      return bad(place, ": workspaces: count ", segment.num_workspaces, segment.workspaces ? "" : " without a list");
    for (int64_t w = 0; w < segment.num_workspaces; ++w) {
      const mlcrt_workspace &workspace = segment.workspaces[w];
      MLCRT_CHECK_OK(checkSpaceOf(absl::StrCat(place, ", workspace ", w), segment, workspace.space));
      if (!workspace.size)
        return bad(place, ", workspace ", w, " has no function");
      for (int64_t other = 0; other < w; ++other)
        if (segment.workspaces[other].space == workspace.space)
          return bad(place, ": two workspaces in space ", workspace.space);
    }
    return absl::OkStatus();
  }

  /// Host memory, or memory of the segment's device.
  absl::Status checkSpaceOf(const std::string &place, const mlcrt_segment &segment, int32_t space) const {
    if (space < MLCRT_SPACE_HOST || space > table_.num_spaces)
      return bad(place, ": space ", space, ", expected ", MLCRT_SPACE_HOST, " to ", table_.num_spaces);
    if (space != MLCRT_SPACE_HOST && table_.spaces[space - 1].device != segment.device)
      return bad(place, ": space '", table_.spaces[space - 1].name, "' is not of the segment's device, ",
                 segment.device);
    return absl::OkStatus();
  }

  absl::Status checkSpace(const std::string &place, const mlcrt_segment &segment, const mlcrt_operand &operand) const {
    MLCRT_CHECK_OK(checkSpaceOf(place, segment, operand.space));
    if (operand.space == MLCRT_SPACE_HOST)
      return absl::OkStatus();
    const auto ofCall = [](const mlcrt_value &value) {
      return std::count(value.dims, value.dims + value.rank, MLCRT_DIM_OF_CALL) > 0;
    };
    if (operand.source == MLCRT_SOURCE_OUTPUT && ofCall(entry_.outputs[operand.index]))
      return bad(place, ": output '", entry_.outputs[operand.index].name,
                 "' has a size that only the call knows, and is not in host memory");
    if (operand.source == MLCRT_SOURCE_FEATURE && table_.features[operand.index].dtype == MLCRT_STRING)
      return bad(place, ": strings are in host memory alone");
    if (operand.flags & (MLCRT_OPERAND_SIGNALLED | MLCRT_OPERAND_STRIDED))
      return bad(place, ": flags ", operand.flags, " are for operands in host memory");
    bool isHome = operand.source != MLCRT_SOURCE_VARIABLE;
    for (int64_t h = 0; h < table_.num_homes; ++h)
      isHome |= table_.homes[h].variable == operand.index && table_.homes[h].space == operand.space;
    if (!isHome)
      return bad(place, ": variable '", table_.variables[operand.index].value.name, "' has no home in space '",
                 table_.spaces[operand.space - 1].name, "'");
    return absl::OkStatus();
  }

  bool sumAllowed(int32_t source) const {
    switch (entry_.role) {
    case MLCRT_ROLE_TRAIN_GRAD:
      return source == MLCRT_SOURCE_SUM_OUT;
    case MLCRT_ROLE_TRAIN_COMBINE:
      return true;
    case MLCRT_ROLE_TRAIN_APPLY:
    case MLCRT_ROLE_TRAIN_PARTIAL:
    case MLCRT_ROLE_TRAIN_SHARED:
    case MLCRT_ROLE_TRAIN_UPDATE:
      return source == MLCRT_SOURCE_SUM_A;
    default:
      return false;
    }
  }

  /// Every symbol of the entry must be found in a feature that it reads (combine and apply: that train_grad reads).
  absl::Status checkSymbols() const {
    // Those of ranges are no dimensions of features.
    if (isOfUpdate(entry_.role))
      return absl::OkStatus();
    std::set<int64_t> needed, bound = {MLCRT_SYMBOL_BATCH};
    for (int32_t i = 0; i < entry_.num_intermediates; ++i)
      addSymbols(entry_.intermediates[i], needed);
    for (int32_t i = 0; i < entry_.num_outputs; ++i)
      addSymbols(entry_.outputs[i], needed);
    bool sums = entry_.role == MLCRT_ROLE_TRAIN_GRAD;
    for (int32_t i = 0; sums && i < table_.num_sums; ++i)
      addSymbols(table_.sums[i], needed);
    for (int32_t e = 0; e < table_.num_entries; ++e) {
      const mlcrt_entry &other = table_.entries[e];
      bool folds = entry_.role == MLCRT_ROLE_TRAIN_COMBINE || entry_.role == MLCRT_ROLE_TRAIN_APPLY;
      if (&other != &entry_ && !(folds && other.role == MLCRT_ROLE_TRAIN_GRAD))
        continue;
      for (int32_t s = 0; s < other.num_segments; ++s)
        for (int32_t i = 0; i < other.segments[s].num_operands; ++i) {
          const mlcrt_operand &operand = other.segments[s].operands[i];
          const int64_t count = operand.source == MLCRT_SOURCE_FEATURE  ? table_.num_features
                                : operand.source == MLCRT_SOURCE_MATRIX ? table_.num_matrices
                                                                        : 0;
          if (operand.index >= 0 && operand.index < count)
            forEachFeature(table_, operand, [&](int32_t f) { addSymbols(table_.features[f], bound); });
        }
    }
    for (int32_t s = 0; s < entry_.num_segments; ++s)
      for (int32_t i = 0; i < entry_.segments[s].num_operands; ++i)
        if (entry_.segments[s].operands[i].source == MLCRT_SOURCE_DIMENSION)
          needed.insert(entry_.segments[s].operands[i].index);
    // By ascending symbol: a symbol is found where those that it follows from are.
    for (int64_t d = 0; d < table_.num_dimensions; ++d) {
      const mlcrt_dimension &dimension = table_.dimensions[d];
      bool found = true;
      for (int64_t t = 0; t < dimension.num_terms; ++t)
        found &= dimension.kind == MLCRT_DIMENSION_PRODUCT ? bound.count(dimension.terms[t]) > 0
                                                           : dimension.terms[t] == 0 || bound.count(t) > 0;
      if (found)
        bound.insert(dimension.symbol);
    }
    for (int64_t symbol : needed)
      if (!bound.count(symbol))
        return bad(place_, ": no feature that it reads gives dimension symbol ", symbol);
    return absl::OkStatus();
  }

  const mlcrt_artifact &table_;
  const mlcrt_entry &entry_;
  std::string place_;
  std::vector<bool> written_, outputs_;
};
} // namespace

absl::Status checkEntry(const mlcrt_artifact &table, const mlcrt_entry &entry) {
  return EntryCheck(table, entry).run();
}

} // namespace mlcrt

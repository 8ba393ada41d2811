//===- ArtifactTest.cpp - Opening artifacts, and errors for bad ones ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Artifact.h"
#include "FakeArtifact.h"
#include "runtime/src/core/CpuFeatures.h"
#include "runtime/src/core/LookupTables.h"
#include "test/Unit/runtime/core/StaticDims.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstddef>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <limits>

using namespace mlcrt;
using testing::HasSubstr;

static const mlcrt_artifact *fake() { return mlc_artifact_query(MLCRT_ABI_VERSION, nullptr); }

namespace {
/// A copy of the fake artifact's table that a test can spoil.
struct Copy {
  Copy() : table(*fake()) {
    features.assign(table.features, table.features + table.num_features);
    variables.assign(table.variables, table.variables + table.num_variables);
    settings.assign(table.settings, table.settings + table.num_settings);
    tables.assign(table.tables, table.tables + table.num_tables);
    sums.assign(table.sums, table.sums + table.num_sums);
    entries.assign(table.entries, table.entries + table.num_entries);
    for (mlcrt_entry &entry : entries) {
      segments.emplace_back(entry.segments, entry.segments + entry.num_segments);
      for (mlcrt_segment &segment : segments.back()) {
        operands.emplace_back(segment.operands, segment.operands + segment.num_operands);
        segment.operands = operands.back().data();
      }
      entry.segments = segments.back().data();
      intermediates.emplace_back(entry.intermediates, entry.intermediates + entry.num_intermediates);
      entry.intermediates = intermediates.back().data();
      outputs.emplace_back(entry.outputs, entry.outputs + entry.num_outputs);
      entry.outputs = outputs.back().data();
    }
    table.features = features.data();
    table.variables = variables.data();
    table.settings = settings.data();
    table.tables = tables.data();
    table.sums = sums.data();
    table.entries = entries.data();
  }

  mlcrt_entry &entry(const char *name) {
    for (mlcrt_entry &entry : entries)
      if (!std::strcmp(entry.name, name))
        return entry;
    throw name;
  }
  mlcrt_segment &segment(const char *name, int index) {
    return const_cast<mlcrt_segment &>(entry(name).segments[index]);
  }
  mlcrt_operand &operand(const char *name, int index, int operand) {
    return const_cast<mlcrt_operand &>(segment(name, index).operands[operand]);
  }

  /// Dims are the artifact's: what is spoiled gets its own.
  void setDim(mlcrt_value &value, int dimension, int64_t size) {
    std::vector<int64_t> &own = dims.emplace_back(value.dims, value.dims + value.rank);
    own[dimension] = size;
    value.dims = own.data();
  }
  void addPull(const char *entryName, int32_t intermediate, int32_t variable) {
    pulls.push_back({static_cast<int32_t>(&entry(entryName) - entries.data()), intermediate, variable, 0});
    table.pulls = pulls.data();
    table.num_pulls = static_cast<int64_t>(pulls.size());
  }
  /// `rows` of emb under the names a, b, ...
  void nameRows(const std::vector<int64_t> &rows) {
    static const char *const names[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < rows.size(); ++i)
      namedRows.push_back({names[i], FAKE_EMB, 0, rows[i]});
    setNamedRows();
  }
  void setNamedRows() {
    table.named_rows = namedRows.data();
    table.num_named_rows = static_cast<int64_t>(namedRows.size());
  }
  /// A slot of emb, of the same shape, without names for its rows.
  void addSlot() {
    variables.push_back(variables[FAKE_EMB]);
    variables.back().value.name = "emb/accumulator";
    variables.back().slot_of = FAKE_EMB;
    variables.back().slot = "accumulator";
    table.variables = variables.data();
    table.num_variables = static_cast<int32_t>(variables.size());
  }
  void addDimension(mlcrt_dimension dimension) {
    dimensions.push_back(dimension);
    table.dimensions = dimensions.data();
    table.num_dimensions = static_cast<int64_t>(dimensions.size());
  }

  /// Entry "train" on two devices, "silent" being its other part, and a channel between them.
  void place() {
    table.devices = devices.data();
    table.num_devices = static_cast<int64_t>(devices.size());
    const int32_t train = index("train"), silent = index("silent");
    parts = {{train, train, 0, 0}, {silent, train, 1, 0}};
    table.parts = parts.data();
    table.num_parts = static_cast<int64_t>(parts.size());
    table.queues = &queue;
    table.num_queues = 1;
    channels = {{0, train, 0, 1}};
    table.channels = channels.data();
    table.num_channels = static_cast<int64_t>(channels.size());
  }
  /// A device with memory of its own, in which emb has a home, and what is made for it.
  void addDevice() {
    devices = {{"/device:FAKE:0", "fake"}};
    table.devices = devices.data();
    table.num_devices = 1;
    table.spaces = spaces.data();
    table.num_spaces = static_cast<int64_t>(spaces.size());
    table.homes = homes.data();
    table.num_homes = static_cast<int64_t>(homes.size());
    table.images = images.data();
    table.num_images = static_cast<int64_t>(images.size());
    segment("predict", 0).device = 0;
    operand("predict", 0, 3).space = 1; // emb
  }
  /// "predict" takes x and y as rows of a matrix.
  void addMatrix() {
    table.matrices = &matrix;
    table.num_matrices = 1;
    operand("predict", 0, 1) = {MLCRT_SOURCE_MATRIX, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0};
  }
  void addChecks() {
    table.checks = checks.data();
    table.num_checks = static_cast<int64_t>(checks.size());
  }
  int32_t index(const char *name) { return static_cast<int32_t>(&entry(name) - entries.data()); }

  mlcrt_artifact table;
  std::deque<std::vector<int64_t>> dims;
  std::vector<mlcrt_device> devices = {{"/device:CPU:0", "cpu"}, {"/device:CPU:1", "cpu"}};
  std::vector<mlcrt_space> spaces = {{"fake memory", 0, 0, 256}};
  std::vector<mlcrt_home> homes = {{FAKE_EMB, 1, MLCRT_HOME_ROWS, 0}};
  std::vector<mlcrt_image> images = {{"fake", "one", MLCRT_IMAGE_PTX, 0, "text", 5}};
  std::vector<mlcrt_column> columns = {{FAKE_FEATURE_X, 0, 0}, {FAKE_FEATURE_Y, 0, 3}};
  mlcrt_value matrixValue = {"x|y", MLCRT_F32, 2, kDims<MLCRT_DIM_SYMBOL(0), 4>};
  mlcrt_matrix matrix = {matrixValue, 2, columns.data()};
  std::vector<mlcrt_check> checks = {{MLCRT_DATA_ERROR, 0, "an id out of range"}};
  mlcrt_workspace twice[2] = {{MLCRT_SPACE_HOST, 0, nothing}, {MLCRT_SPACE_HOST, 0, nothing}};
  static int64_t nothing(const int64_t *, int64_t) { return 0; }
  std::vector<mlcrt_part> parts;
  std::vector<mlcrt_channel> channels;
  mlcrt_value component = {"value", MLCRT_F32, 0, nullptr};
  mlcrt_queue queue = {"channel", MLCRT_QUEUE_FIFO, 1, 1, 0, 0, &component};
  std::vector<mlcrt_pull> pulls;
  std::vector<mlcrt_named_rows> namedRows;
  std::vector<mlcrt_dimension> dimensions;
  std::vector<mlcrt_value> features, sums;
  std::vector<mlcrt_variable> variables;
  std::vector<mlcrt_setting> settings;
  std::vector<mlcrt_table> tables;
  std::vector<mlcrt_entry> entries;
  std::vector<std::vector<mlcrt_segment>> segments;
  std::vector<std::vector<mlcrt_operand>> operands;
  std::vector<std::vector<mlcrt_value>> intermediates, outputs;
};

struct BadTable {
  const char *name;
  std::function<void(Copy &)> spoil;
  const char *message;
};
} // namespace

class BadTables : public testing::TestWithParam<BadTable> {};

TEST_P(BadTables, IsAnErrorThatSaysWhere) {
  Copy copy;
  ASSERT_TRUE(Artifact::fromTable(&copy.table).ok());
  GetParam().spoil(copy);
  auto artifact = Artifact::fromTable(&copy.table, "model.so");
  ASSERT_FALSE(artifact.ok());
  EXPECT_EQ(artifact.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(artifact.status().message()), HasSubstr("model.so: bad artifact table: "));
  EXPECT_THAT(std::string(artifact.status().message()), HasSubstr(GetParam().message));
}

TEST(Artifact, HasEntriesOnSeveralDevices) {
  Copy copy;
  copy.place();
  absl::Status status = Artifact::fromTable(&copy.table).status();
  EXPECT_TRUE(status.ok()) << status;
}

TEST(Artifact, HasDevicesMatricesAndChecks) {
  Copy copy;
  copy.addDevice();
  copy.addMatrix();
  copy.addChecks();
  absl::Status status = Artifact::fromTable(&copy.table).status();
  EXPECT_TRUE(status.ok()) << status;
}

TEST(Artifact, HasVariablesThatAreSeveralTensors) {
  Copy copy;
  copy.addSlot();
  copy.nameRows({2, 1, 2});
  const int32_t slot = static_cast<int32_t>(copy.variables.size()) - 1;
  copy.namedRows.insert(copy.namedRows.end(), {{"sa", slot, 0, 2}, {"sb", slot, 0, 1}, {"sc", slot, 0, 2}});
  copy.setNamedRows();
  absl::Status status = Artifact::fromTable(&copy.table).status();
  EXPECT_TRUE(status.ok()) << status;
}

static const int64_t kBadOffsets[] = {0, 2, 1, 3};
static const int64_t kFactors[] = {1, -1};
static const mlcrt_update kUpdateOfFirstEntry = {0, 1, 3, 0, nullptr};

INSTANTIATE_TEST_SUITE_P(
    Spoiled, BadTables,
    testing::ValuesIn(std::vector<BadTable>{
        {"Short", [](Copy &c) { c.table.struct_size = 8; }, "struct_size is 8"},
        {"ImageWithoutBytes", [](Copy &c) { c.table.predict_image = &c; }, "predict_image has 0 bytes"},
        {"BytesWithoutImage", [](Copy &c) { c.table.predict_image_bytes = 4; }, "predict_image has 4 bytes"},
        {"NoManifest", [](Copy &c) { c.table.manifest = nullptr; }, "manifest"},
        {"NegativeCount", [](Copy &c) { c.table.num_entries = -1; }, "entries: count -1"},
        {"NoList", [](Copy &c) { c.table.features = nullptr; }, "feature: count 3 without a list"},
        {"FeatureRank", [](Copy &c) { c.features[0].rank = -1; }, "feature 0 'x': rank -1"},
        {"FeatureDims", [](Copy &c) { c.features[0].dims = nullptr; }, "feature 0 'x': rank 2 without dims"},
        {"FeatureDtype", [](Copy &c) { c.features[2].dtype = 99; }, "dtype(99)"},
        {"FeatureName", [](Copy &c) { c.features[1].name = nullptr; }, "feature 1 has no name"},
        {"FeatureTwice", [](Copy &c) { c.features[1].name = "x"; }, "'x' occurs twice"},
        {"Symbol", [](Copy &c) { c.setDim(c.features[0], 0, -1000000); }, "dimension 0 is -1000000"},
        {"VariableDynamic", [](Copy &c) { c.setDim(c.variables[0].value, 0, -1); },
         "variable 'w': the shape must be static"},
        {"VariableHuge", [](Copy &c) { c.setDim(c.variables[0].value, 0, std::numeric_limits<int64_t>::max()); },
         "variable 'w'"},
        {"VariableString", [](Copy &c) { c.variables[0].value.dtype = MLCRT_STRING; }, "cannot hold strings"},
        {"SlotOf", [](Copy &c) { c.variables[1].slot_of = 17; }, "slot_of is 17"},
        {"SlotName", [](Copy &c) { c.variables[1].slot_of = 0; }, "a slot without a name"},
        {"OnlyPack", [](Copy &c) { c.variables[0].unpack = nullptr; }, "pack and unpack"},
        {"Storage", [](Copy &c) { c.variables[1].storage_bytes = 8; }, "storage_bytes is 8, the value has 40"},
        {"NamedRowsCount", [](Copy &c) { c.table.num_named_rows = -1; }, "named rows: count -1"},
        {"NamedRowsList", [](Copy &c) { c.table.num_named_rows = 1; }, "named rows: count 1 without a list"},
        {"NamedRowsName", [](Copy &c) { c.nameRows({2, 3}), c.namedRows[1].name = ""; }, "named rows 1 have no name"},
        {"NamedRowsTwice", [](Copy &c) { c.nameRows({2, 3}), c.namedRows[1].name = "a"; },
         "named rows 'a': a variable or other rows have this name"},
        {"NamedRowsAsAVariable", [](Copy &c) { c.nameRows({2, 3}), c.namedRows[1].name = "eval/sum"; },
         "named rows 'eval/sum': a variable or other rows have this name"},
        {"NamedRowsVariable", [](Copy &c) { c.nameRows({2, 3}), c.namedRows[1].variable = 17; },
         "named rows 'b': variable 17, expected from 1 to below 5"},
        {"NamedRowsOrder", [](Copy &c) { c.nameRows({2, 3}), c.namedRows[1].variable = 0; },
         "named rows 'b': variable 0, expected from 1 to below 5"},
        {"NamedRowsOfAScalar", [](Copy &c) { c.nameRows({2, 3}), c.namedRows[1].variable = FAKE_GLOBAL_STEP; },
         "named rows 'b': variable 'global_step' is not stored by rows"},
        {"NamedRowsPacked", [](Copy &c) { c.nameRows({3}), c.namedRows[0].variable = FAKE_W; },
         "named rows 'a': variable 'w' is not stored by rows"},
        {"NamedRowsNone", [](Copy &c) { c.nameRows({5, 0}); }, "named rows 'b': 0 rows"},
        {"NamedRowsMissing", [](Copy &c) { c.nameRows({2, 2}); }, "'emb': its named rows are not its 5 rows"},
        {"NamedRowsTooMany", [](Copy &c) { c.nameRows({2, std::numeric_limits<int64_t>::max(), 4}); },
         "'emb': its named rows are not its 5 rows"},
        {"NamedRowsOfNoSlot", [](Copy &c) { c.addSlot(), c.nameRows({2, 3}); },
         "'emb/accumulator': a slot of 'emb', which has other named rows"},
        {"NamedRowsOfSlot",
         [](Copy &c) {
           c.addSlot(), c.nameRows({2, 3});
           c.namedRows.push_back({"s", static_cast<int32_t>(c.variables.size()) - 1, 0, 5});
           c.setNamedRows();
         },
         "'emb/accumulator': a slot of 'emb', which has other named rows"},
        {"KeyInTrain", [](Copy &c) { c.operand("train", 1, 9).index = MLCRT_CONTEXT_KEY; },
         "the key of a tensor's name is for segments of init that write rows of one variable"},
        {"KeyOfSeveral", [](Copy &c) { c.operand("init", 0, 3).index = MLCRT_CONTEXT_KEY; },
         "the key of a tensor's name is for segments of init that write rows of one variable"},
        {"SettingType", [](Copy &c) { c.settings[0].dtype = MLCRT_STRING; }, "optimizer.learning_rate"},
        {"SettingRange", [](Copy &c) { c.settings[1].i64 = int64_t(1) << 40; }, "does not fit i32"},
        {"Offsets", [](Copy &c) { c.tables[0].offsets = kBadOffsets; }, "table 'keys': offset 2"},
        {"TableTerms", [](Copy &c) { c.tables[1].ints = nullptr; }, "table 'codes' has no terms"},
        {"Role", [](Copy &c) { c.entries[0].role = 44; }, "unknown role 44"},
        {"RoleTwice", [](Copy &c) { c.entry("silent").role = MLCRT_ROLE_TRAIN; }, "two entries of role train"},
        {"NoCombine", [](Copy &c) { c.entry("train_combine").role = MLCRT_ROLE_OTHER; }, "role train_combine"},
        {"NoReset", [](Copy &c) { c.entry("eval_reset").role = MLCRT_ROLE_OTHER; }, "role eval_reset"},
        {"NoInit", [](Copy &c) { c.entry("init").role = MLCRT_ROLE_OTHER; }, "without one of role init"},
        {"NoFunction", [](Copy &c) { c.segment("train", 1).run = nullptr; }, "segment 'step' has no function"},
        {"NoOperands", [](Copy &c) { c.segment("train", 1).operands = nullptr; }, "without a list"},
        {"SegmentKind", [](Copy &c) { c.segment("train", 1).kind = 5; }, "unknown kind 5"},
        {"Source", [](Copy &c) { c.operand("train", 1, 0).source = 99; }, "unknown source 99"},
        {"Index", [](Copy &c) { c.operand("train", 1, 7).index = 5; },
         "entry 'train', segment 'step', operand 7: index 5, expected below 5"},
        {"NegativeIndex", [](Copy &c) { c.operand("train", 1, 7).index = -1; }, "index -1"},
        {"Context", [](Copy &c) { c.operand("train", 1, 9).index = 4; }, "index 4, expected below 4"},
        {"Access", [](Copy &c) { c.operand("train", 1, 7).access = 0; }, "access is 0"},
        {"SignalledTrain", [](Copy &c) { c.operand("train", 1, 7).flags = MLCRT_OPERAND_SIGNALLED; }, "is signalled"},
        {"SignalledFeature", [](Copy &c) { c.operand("train_grad", 1, 0).flags = MLCRT_OPERAND_SIGNALLED; },
         "only variables and sums of train_grad's steps are"},
        {"WriteFeature", [](Copy &c) { c.operand("train", 1, 0).access = MLCRT_WRITE; }, "can only be read"},
        {"ReadOutput", [](Copy &c) { c.operand("train", 1, 14).access = MLCRT_READ; }, "an output must be written"},
        {"FeaturesReadState", [](Copy &c) { c.operand("train", 0, 0).source = MLCRT_SOURCE_VARIABLE; },
         "a features segment has no source 2"},
        {"SumInTrain", [](Copy &c) { c.operand("train", 1, 0).source = MLCRT_SOURCE_SUM_A; }, "has no such sum"},
        {"SumBInApply", [](Copy &c) { c.operand("train_apply", 0, 0).source = MLCRT_SOURCE_SUM_B; }, "no such sum"},
        {"ReadBeforeWrite", [](Copy &c) { c.operand("train", 0, 2).access = MLCRT_READ; },
         "reads intermediate 'ids' before it is written"},
        {"UnwrittenOutput", [](Copy &c) { c.operand("predict", 0, 5) = c.operand("predict", 0, 4); },
         "no segment writes output 'id'"},
        {"UnboundSymbol", [](Copy &c) { c.setDim(c.intermediates[1][0], 0, MLCRT_DIM_SYMBOL(3)); }, "dimension symbol 3"},
        {"UnboundSumSymbol", [](Copy &c) { c.setDim(c.sums[3], 0, MLCRT_DIM_SYMBOL(2)); }, "dimension symbol 2"},
        {"DimensionList", [](Copy &c) { c.table.num_dimensions = 1; }, "dimensions: count 1 without a list"},
        {"DimensionOfFeature", [](Copy &c) { c.addDimension({0, MLCRT_DIMENSION_SUM, 1, kFactors}); },
         "dimension symbol 0: a symbol that follows from others"},
        {"DimensionKind", [](Copy &c) { c.addDimension({5, 7, 1, kFactors}); }, "dimension symbol 5: unknown kind 7"},
        {"DimensionTerms", [](Copy &c) { c.addDimension({1, MLCRT_DIMENSION_SUM, 2, kFactors}); },
         "dimension symbol 1: 2 terms"},
        {"DimensionFactor", [](Copy &c) { c.addDimension({5, MLCRT_DIMENSION_SUM, 2, kFactors}); },
         "dimension symbol 5: term 1 is -1"},
        {"DimensionProduct", [](Copy &c) { c.addDimension({5, MLCRT_DIMENSION_PRODUCT, 2, kFactors}); },
         "dimension symbol 5: term 0 is 1"},
        {"DimensionUnbound", [](Copy &c) { c.operand("train", 1, 9) = {MLCRT_SOURCE_DIMENSION, 3, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0}; },
         "no feature that it reads gives dimension symbol 3"},
        {"SharedInTrain", [](Copy &c) { c.operand("train", 1, 9) = {MLCRT_SOURCE_SHARED, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0}; },
         "an entry of role train has no shared values"},
        {"SharedWithoutList", [](Copy &c) { c.table.shared = nullptr; }, "shared value: count 2 without a list"},
        {"UpdatesWithoutList", [](Copy &c) { c.table.updates = nullptr; }, "updates: count 3 without a list"},
        {"UpdateOfAnotherEntry",
         [](Copy &c) {
           c.table.updates = &kUpdateOfFirstEntry;
           c.table.num_updates = 1;
         },
         "update 0: entry 0 is none of the update over ranges of rows"},
        {"PullsWithoutList", [](Copy &c) { c.table.pulls = nullptr; }, "pulls: count 1 without a list"},
        {"PullOfTrain", [](Copy &c) { c.addPull("train", 0, 1); }, "is not of role train_grad, summary, eval_update or predict"},
        {"PullIntermediate", [](Copy &c) { c.addPull("train_grad", 9, 1); }, "pull 0: intermediate 9, expected below"},
        {"PullVariable", [](Copy &c) { c.addPull("train_grad", 0, 99); }, "pull 0: variable 99, expected from 0 to below"},
        {"PullOrder", [](Copy &c) { c.addPull("train_grad", 0, 1), c.addPull("train_grad", 0, 0); },
         "pull 1: variable 0, expected from 1 to below"},
        {"PullDtype", [](Copy &c) { c.intermediates[2][0].dtype = MLCRT_I32, c.addPull("train_grad", 0, 1); },
         "expected an i64 that a features segment writes; found i32"},
        {"DeviceKind", [](Copy &c) { c.place(), c.devices[1].kind = nullptr; }, "device '/device:CPU:1' has no kind"},
        {"SpaceName", [](Copy &c) { c.addDevice(), c.spaces[0].name = nullptr; }, "space 1 has no name"},
        {"SpaceDevice", [](Copy &c) { c.addDevice(), c.spaces[0].device = 1; },
         "space 'fake memory': device 1, expected below 1"},
        {"SpaceAlignment", [](Copy &c) { c.addDevice(), c.spaces[0].alignment = 96; },
         "space 'fake memory': alignment 96, expected a power of two, at least 64"},
        {"SmallAlignment", [](Copy &c) { c.addDevice(), c.spaces[0].alignment = 32; }, "alignment 32"},
        {"SpacesWithoutList", [](Copy &c) { c.addDevice(), c.table.spaces = nullptr; },
         "spaces: count 1 without a list"},
        {"ImageOfNoKind", [](Copy &c) { c.addDevice(), c.images[0].device_kind = ""; },
         "image 0 has no kind of device or no chip"},
        {"ImageOfNoChip", [](Copy &c) { c.addDevice(), c.images[0].chip = nullptr; },
         "image 0 has no kind of device or no chip"},
        {"ImageKind", [](Copy &c) { c.addDevice(), c.images[0].kind = 9; }, "image 0: unknown kind 9"},
        {"EmptyImage", [](Copy &c) { c.addDevice(), c.images[0].bytes = 0; }, "image 0 has 0 bytes"},
        {"OpenText", [](Copy &c) { c.addDevice(), c.images[0].bytes = 4; },
         "image 0: a text that does not end in a null byte"},
        {"HomeVariable", [](Copy &c) { c.addDevice(), c.homes[0].variable = 99; }, "home 0: variable 99 in space 1"},
        {"HomeSpace", [](Copy &c) { c.addDevice(), c.homes[0].space = 0; }, "home 0: variable 1 in space 0"},
        {"HomeOfPacked", [](Copy &c) { c.addDevice(), c.homes[0].variable = FAKE_W; },
         "home 0: variable 'w' is not stored row-major"},
        {"HomeFlags", [](Copy &c) { c.addDevice(), c.homes[0].flags = 8; }, "home 0: unknown flags 8"},
        {"HomeRowsWithoutPull",
         [](Copy &c) { c.addDevice(), c.table.num_pulls = 0; }, "has rows of variable 'emb', of which no pull names any"},
        {"HomesTwice",
         [](Copy &c) {
           c.homes.push_back(c.homes[0]);
           c.addDevice();
         },
         "home 1: homes do not ascend"},
        {"SegmentDevice", [](Copy &c) { c.segment("init", 0).device = 0; },
         "segment 'init': device 0, expected the host (-1) or one below 0"},
        {"SegmentFlags", [](Copy &c) { c.segment("init", 0).flags = 2; }, "segment 'init': unknown flags 2"},
        {"CapturedHost", [](Copy &c) { c.segment("init", 0).flags = MLCRT_SEGMENT_CAPTURABLE; },
         "can be captured, and has no device"},
        {"CapturedSignal",
         [](Copy &c) {
           c.addDevice();
           c.segment("train_grad", 1).device = 0;
           c.segment("train_grad", 1).flags = MLCRT_SEGMENT_CAPTURABLE;
         },
         "is signalled, and its segment can be captured: it waits for nothing"},
        {"OperandSpace", [](Copy &c) { c.operand("init", 0, 0).space = 1; }, "operand 0: space 1, expected 0 to 0"},
        {"OperandOtherDevice", [](Copy &c) { c.addDevice(), c.segment("predict", 0).device = MLCRT_DEVICE_HOST; },
         "space 'fake memory' is not of the segment's device, -1"},
        {"OperandWithoutHome", [](Copy &c) { c.addDevice(), c.table.num_homes = 0; },
         "variable 'emb' has no home in space 'fake memory'"},
        {"StringsInSpace", [](Copy &c) { c.addDevice(), c.operand("predict", 0, 0).space = 1; },
         "strings are in host memory alone"},
        {"StridedInSpace",
         [](Copy &c) {
           c.addDevice();
           c.operand("predict", 0, 1).space = 1;
           c.operand("predict", 0, 1).flags = MLCRT_OPERAND_STRIDED;
         },
         "flags 2 are for operands in host memory"},
        {"StridedVariable", [](Copy &c) { c.operand("init", 0, 0).flags = MLCRT_OPERAND_STRIDED; },
         "may have strides; only features may"},
        {"WorkspacesWithoutList", [](Copy &c) { c.segment("init", 0).num_workspaces = 1; },
         "workspaces: count 1 without a list"},
        {"WorkspaceSpace",
         [](Copy &c) {
           c.twice[0].space = 3;
           c.segment("init", 0).workspaces = c.twice;
           c.segment("init", 0).num_workspaces = 1;
         },
         "workspace 0: space 3, expected 0 to 0"},
        {"WorkspaceFunction",
         [](Copy &c) {
           c.twice[0].size = nullptr;
           c.segment("init", 0).workspaces = c.twice;
           c.segment("init", 0).num_workspaces = 1;
         },
         "workspace 0 has no function"},
        {"WorkspaceTwice",
         [](Copy &c) {
           c.segment("init", 0).workspaces = c.twice;
           c.segment("init", 0).num_workspaces = 2;
         },
         "two workspaces in space 0"},
        {"MatrixType", [](Copy &c) { c.addMatrix(), c.matrix.value.rank = 1; },
         "matrix 'x|y' is f32[?], expected rows of a static width"},
        {"MatrixWidth", [](Copy &c) { c.addMatrix(), c.setDim(c.matrix.value, 1, 5); },
         "matrix 'x|y' is 5 wide, its columns 4"},
        {"ColumnFeature", [](Copy &c) { c.addMatrix(), c.columns[1].feature = 7; }, "column 1: feature 7"},
        {"ColumnTwice", [](Copy &c) { c.addMatrix(), c.columns[1].feature = FAKE_FEATURE_X; },
         "column 1: feature 'x' is a column already"},
        {"ColumnType", [](Copy &c) { c.addMatrix(), c.columns[1].feature = FAKE_FEATURE_KEY; },
         "column 1: feature 'key' is string[?], expected rows of f32"},
        {"ColumnOffset", [](Copy &c) { c.addMatrix(), c.columns[1].offset = 4; }, "column 1: offset 4, expected 3"},
        {"MatrixIndex", [](Copy &c) { c.addMatrix(), c.operand("predict", 0, 1).index = 1; }, "index 1, expected below 1"},
        {"MatrixWritten", [](Copy &c) { c.addMatrix(), c.operand("predict", 0, 1).access = MLCRT_WRITE; },
         "can only be read"},
        {"StepWritten",
         [](Copy &c) { c.operand("predict", 0, 1) = {MLCRT_SOURCE_STEP, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}; },
         "can only be read"},
        {"StepIndex",
         [](Copy &c) { c.operand("predict", 0, 1) = {MLCRT_SOURCE_STEP, 1, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0}; },
         "index 1, expected below 1"},
        {"ErrorIndex",
         [](Copy &c) { c.operand("predict", 0, 1) = {MLCRT_SOURCE_ERROR, 2, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0}; },
         "index 2, expected below 1"},
        {"CheckCode", [](Copy &c) { c.addChecks(), c.checks[0].code = 0; }, "check 0: code 0"},
        {"CheckMessage", [](Copy &c) { c.addChecks(), c.checks[0].message = nullptr; },
         "check 0: code 3 without a message"},
        {"ChecksWithoutList", [](Copy &c) { c.table.num_checks = 2; }, "checks: count 2 without a list"},
        {"DevicesWithoutList", [](Copy &c) { c.place(), c.table.devices = nullptr; }, "devices: count 2 without a list"},
        {"DeviceName", [](Copy &c) { c.place(), c.devices[1].name = ""; }, "device 1 has no name"},
        {"PartsCount", [](Copy &c) { c.place(), c.table.num_parts = -1; }, "parts: count -1"},
        {"PartTwice", [](Copy &c) { c.place(), c.parts[1].part = c.parts[0].part; },
         "that is no other part"},
        {"PartDevice", [](Copy &c) { c.place(), c.parts[1].device = 2; }, "part 1: device 2, expected below 2"},
        {"PartAlone", [](Copy &c) { c.place(), c.parts[1].entry = c.index("init"); }, "stands without the first one"},
        {"PartRole", [](Copy &c) { c.place(), c.parts[1].part = c.index("init"); },
         "part 1: entry 'init' is not the first part, and has a role or outputs"},
        {"ChannelDevices", [](Copy &c) { c.place(), c.channels[0].to = 0; }, "from device 0 to 0"},
        {"ChannelQueue", [](Copy &c) { c.place(), c.channels[0].queue = 1; }, "channel 0: queue 1 of entry"},
        {"PullPacked", [](Copy &c) { c.addPull("train_grad", 0, 0); }, "variable 'w' is not stored by rows"},
        {"DimensionWritten", [](Copy &c) { c.operand("train", 1, 9) = {MLCRT_SOURCE_DIMENSION, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}; },
         "can only be read"},
        {"BatchlessFeature", [](Copy &c) { c.operand("init", 0, 3) = {MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0}; },
         "entry 'init' of role init reads a feature"},
    }),
    [](const testing::TestParamInfo<BadTable> &info) { return info.param.name; });

TEST(Artifact, FromTableFindsThings) {
  auto artifact = Artifact::fromTable(fake());
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  const Artifact &a = **artifact;
  EXPECT_STREQ(a.entry(MLCRT_ROLE_TRAIN)->name, "train");
  EXPECT_EQ(a.entry("train_grad")->role, MLCRT_ROLE_TRAIN_GRAD);
  EXPECT_EQ(a.entry("nothing"), nullptr);
  EXPECT_EQ(a.featureIndex("y"), FAKE_FEATURE_Y);
  EXPECT_EQ(a.featureIndex("z"), -1);
  EXPECT_EQ(a.variableIndex("eval/sum"), FAKE_EVAL_SUM);
  EXPECT_EQ(a.variableIndex(""), -1);
  EXPECT_EQ(a.settingIndex("model.width"), 1);
  EXPECT_EQ(a.usedFeatures(*a.entry("eval_update")), (std::vector<bool>{false, false, true}));
  EXPECT_TRUE(a.require({MLCRT_ROLE_TRAIN, MLCRT_ROLE_PREDICT}).ok());
}

TEST(Artifact, RequireNamesMissingRoles) {
  Copy copy;
  copy.entry("predict").role = MLCRT_ROLE_OTHER;
  auto artifact = Artifact::fromTable(&copy.table, "m.so");
  ASSERT_TRUE(artifact.ok());
  absl::Status status = (*artifact)->require({MLCRT_ROLE_TRAIN, MLCRT_ROLE_PREDICT});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              testing::StartsWith("m.so: the model has no entry predict; it has init, "));
}

TEST(Artifact, OpensASharedObject) {
  auto artifact = Artifact::open(FAKE_ARTIFACT);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  EXPECT_STREQ((*artifact)->table().name, "fake");
  EXPECT_NE(&(*artifact)->table().entries[0], &fake()->entries[0]) << "not the linked-in one";
}

static void expectOpenFails(const std::string &path, absl::StatusCode code, const std::string &message) {
  auto artifact = Artifact::open(path);
  ASSERT_FALSE(artifact.ok());
  EXPECT_EQ(artifact.status().code(), code) << artifact.status();
  EXPECT_THAT(std::string(artifact.status().message()), HasSubstr(message));
  EXPECT_THAT(std::string(artifact.status().message()), HasSubstr(path));
}

TEST(Artifact, OpenErrors) {
  expectOpenFails("/nonexistent/m.so", absl::StatusCode::kNotFound, "no such file");
  expectOpenFails(NOT_AN_ARTIFACT, absl::StatusCode::kDataLoss, "does not export mlc_artifact_query");
  expectOpenFails(FUTURE_ARTIFACT, absl::StatusCode::kFailedPrecondition,
                  "the artifact has ABI version 3." + std::to_string(MLCRT_ABI_MINOR + 1) + "; expected: 3.0 to 3." +
                      std::to_string(MLCRT_ABI_MINOR) + ", which this runtime has; use a newer one, or compile again");
  std::string text = testing::TempDir() + "text.so";
  std::ofstream(text) << "not a shared object";
  expectOpenFails(text, absl::StatusCode::kDataLoss, "not a loadable artifact");
}

TEST(Artifact, RefusesOtherVersions) {
  for (uint32_t version : {uint32_t(MLCRT_ABI_MAJOR + 1) << 16, uint32_t(MLCRT_ABI_VERSION) + 1, 0u}) {
    Copy copy;
    copy.table.version = version;
    auto artifact = Artifact::fromTable(&copy.table);
    ASSERT_FALSE(artifact.ok()) << version;
    EXPECT_EQ(artifact.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(artifact.status().message()), HasSubstr("ABI version"));
  }
  EXPECT_EQ(Artifact::fromTable(nullptr).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Artifact, NamesBothVersionsOfAnOlderArtifact) {
  Copy copy;
  copy.table.version = 2 << 16 | 11;
  EXPECT_THAT(std::string(Artifact::fromTable(&copy.table, "old.so").status().message()),
              HasSubstr("old.so: the artifact has ABI version 2.11; expected: 3.0 to " +
                        std::to_string(MLCRT_ABI_MAJOR) + "." + std::to_string(MLCRT_ABI_MINOR) +
                        ", which this runtime has; compile again"));
}

TEST(Artifact, TakesATableOfANewerSize) {
  struct Longer {
    mlcrt_artifact table;
    int64_t more = -1;
  } longer{*fake()};
  longer.table.struct_size = sizeof(longer);
  EXPECT_TRUE(Artifact::fromTable(&longer.table).ok());
}

TEST(Artifact, RefusesAProcessorThatLacksSomething) {
  Copy copy;
  copy.table.cpu_features = "sse2,no-such-feature";
  auto artifact = Artifact::fromTable(&copy.table);
  ASSERT_FALSE(artifact.ok());
  EXPECT_EQ(artifact.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Artifact::fromTable(&copy.table, "x", CpuCheck::Skip).ok());
}

#if defined(__x86_64__)
TEST(CpuFeatures, AgreesWithTheCompilersView) {
  EXPECT_TRUE(checkCpuFeatures("").ok());
  EXPECT_TRUE(checkCpuFeatures("sse,+sse2,64bit").ok()) << "every x86-64 has these";
#define AGREES(name)                                                                                                   \
  EXPECT_EQ(checkCpuFeatures(name).ok(), static_cast<bool>(__builtin_cpu_supports(name)))                              \
      << name << ": " << checkCpuFeatures(name)
  AGREES("sse4.2");
  AGREES("popcnt");
  AGREES("avx");
  AGREES("avx2");
  AGREES("fma");
  AGREES("bmi");
  AGREES("bmi2");
  AGREES("avx512f");
  AGREES("avx512bw");
  AGREES("avx512vl");
  AGREES("avx512vnni");
  AGREES("avx512bf16");
  AGREES("fma4");
  AGREES("sse4a");
  AGREES("gfni");
#undef AGREES
}

TEST(CpuFeatures, NamesWhatIsMissing) {
  // No processor has both of these.
  absl::Status status = checkCpuFeatures("sse2,lwp,amx-fp16");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), testing::AnyOf(HasSubstr("lwp"), HasSubstr("amx-fp16")));
  EXPECT_THAT(std::string(status.message()), testing::Not(HasSubstr("sse2")));
}
#endif

TEST(LookupTables, RefusesATermThatOccursTwice) {
  Copy copy;
  static const int64_t codes[] = {4, 4};
  copy.tables[1].ints = codes;
  auto tables = LookupTables::build(copy.table);
  ASSERT_FALSE(tables.ok());
  EXPECT_EQ(tables.status().message(), "table 'codes': term '4' occurs twice");
}

// What the artifact's table says, collected from a module of segments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_ARTIFACT_ARTIFACTINFO_H
#define MLC_TARGET_ARTIFACT_ARTIFACTINFO_H

#include "mlcrt/abi.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlc {

/// A named tensor: mlcrt_value.
struct ValueInfo {
  std::string name;
  mlcrt_dtype dtype;
  std::vector<int64_t> dims;
};

struct SegmentInfo {
  /// Symbol of the compiled function; that of its workspace in host memory is `<function>.workspace`, of one in space
  /// k > 0 `<function>.workspace.<k>`.
  std::string function;
  mlcrt_segment_kind kind;
  std::vector<mlcrt_operand> operands;
  int32_t device = MLCRT_DEVICE_HOST;
  std::string prefix = {}; ///< of these symbols
  int32_t flags = 0;       ///< mlcrt_segment_flags
};

struct EntryInfo {
  std::string name;
  mlcrt_role role;
  std::vector<SegmentInfo> segments;
  std::vector<ValueInfo> intermediates, outputs;
};

/// A tensor that is some rows of a variable.
struct NamedRowsInfo {
  std::string name;
  int64_t rows;
};

struct VariableInfo {
  ValueInfo value;
  int32_t flags;
  int32_t slotOf;
  std::string slot;
  std::vector<NamedRowsInfo> tensors; ///< none: it is one, of its own name
};

struct TableInfo {
  std::string name;
  std::vector<std::string> terms; ///< of a table of strings
  std::vector<int64_t> ints;      ///< of a table of integers
  int64_t numOov, defaultValue;
};

struct SettingInfo {
  std::string path;
  mlcrt_dtype dtype;
  double f64;
  int64_t i64;
};

/// mlcrt_queue.
struct QueueInfo {
  std::string name;
  mlcrt_queue_kind kind;
  int64_t capacity, minAfterDequeue, seed;
  std::vector<ValueInfo> components;
};

/// mlcrt_dimension.
struct DimensionInfo {
  int64_t symbol;
  mlcrt_dimension_kind kind;
  std::vector<int64_t> terms;
};

/// mlcrt_update.
struct UpdateInfo {
  int32_t entry;
  int32_t rowsSymbol;
  int64_t rows;
  std::vector<ValueInfo> operands;
};

/// mlcrt_device.
struct DeviceInfo {
  std::string name, kind;
};

/// mlcrt_space.
struct SpaceInfo {
  std::string name;
  int32_t device;
  int64_t alignment;
};

/// mlcrt_image.
struct ImageInfo {
  std::string deviceKind, chip;
  mlcrt_image_kind kind;
  int32_t flags;
  std::string bytes;
  std::string ofPredict = {}; ///< the same with the kernels of the entry predict alone; empty: there is no such entry
};

/// mlcrt_matrix.
struct MatrixInfo {
  ValueInfo value;
  std::vector<mlcrt_column> columns;
};

/// mlcrt_check.
struct CheckInfo {
  mlcrt_code code;
  std::string message;
};

/// Everything of mlcrt_artifact but code.
struct ArtifactInfo {
  std::string name, stateFingerprint, planFingerprint, cpuFeatures, manifest;
  std::vector<ValueInfo> features, sums;
  std::vector<VariableInfo> variables;
  std::vector<SettingInfo> settings;
  std::vector<TableInfo> tables;
  std::vector<EntryInfo> entries;
  std::vector<DimensionInfo> dimensions;
  std::vector<QueueInfo> queues;
  std::vector<UpdateInfo> updates;
  std::vector<ValueInfo> shared;
  std::vector<mlcrt_pull> pulls;
  std::vector<DeviceInfo> devices;
  std::vector<mlcrt_part> parts;
  std::vector<mlcrt_channel> channels;
  std::vector<SpaceInfo> spaces;
  std::vector<ImageInfo> images;
  std::vector<mlcrt_home> homes;
  std::vector<MatrixInfo> matrices;
  std::vector<CheckInfo> checks;
  std::shared_ptr<const ArtifactInfo> onHost; ///< the same model without devices; none: there is no such code
};

/// 128 bits that tell texts apart, as hex.
std::string fingerprint(llvm::StringRef text);

/// Collects the description of a module after convert-df-to-linalg: df.variables, df.tables and func.funcs with
/// bindings. `planText` is what the plan fingerprint covers besides the state. Fails with an error at the op at fault.
mlir::FailureOr<ArtifactInfo> collectArtifactInfo(mlir::ModuleOp module, llvm::StringRef planText);

/// The description of one entry alone, with the features, variables and settings that its segments name, and the
/// dimensions that follow from those features; tables stay as they are, since code names them by number. None if there
/// is no entry of that role, or it is placed on several devices.
std::optional<ArtifactInfo> selectEntry(const ArtifactInfo &info, mlcrt_role role);

} // namespace mlc

#endif // MLC_TARGET_ARTIFACT_ARTIFACTINFO_H

// Checkpoints of TensorFlow: where they are, and their tensors by the names that they have here. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_TENSORFLOWCHECKPOINT_H
#define MLCRT_CHECKPOINT_TENSORFLOWCHECKPOINT_H

#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/TensorBundle.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Name of the text file by which a directory tells its checkpoints.
inline constexpr const char *kTensorFlowState = "checkpoint";

/// Name of the text tensor that tells what variables of an object graph are called.
inline constexpr std::string_view kObjectGraph = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// The prefix of the checkpoint that `path` means: a prefix, its index file, a directory with a file "checkpoint" (the
/// newest that it names, or that of `step`), or a SavedModel (its variables). None: it is nothing of the kind.
/// kInvalidArgument (E0206): a step of what is one checkpoint; kNotFound (E0401): the file names no checkpoint, or one
/// that is not there; kDataLoss: it cannot be read.
absl::StatusOr<std::optional<std::string>> findTensorFlowCheckpoint(const std::string &path,
                                                                    std::optional<int64_t> step = {});
/// The prefixes that a directory's file "checkpoint" names, oldest first, those that are there. None without that file.
absl::StatusOr<std::vector<std::string>> listTensorFlowCheckpoints(const std::string &directory);
/// Notes a checkpoint as the newest in its directory's file "checkpoint". Errors as writeFileAtomically.
absl::Status noteTensorFlowCheckpoint(const std::string &prefix);
/// The step at the end of a prefix ("model.ckpt-1000"), or -1.
int64_t stepOfPrefix(std::string_view prefix);

/// A checkpoint's tensors by their names here. Those of an object graph have the names of their variables; the parts of
/// a table that were saved by themselves (NAME/part_0, ...) are put together along the first axis; slots have the names
/// of nameFromTensorFlow.
class TensorFlowCheckpoint {
public:
  /// Errors as TensorBundleReader::open.
  static absl::StatusOr<TensorFlowCheckpoint> open(const std::string &prefix);

  struct Tensor {
    BundleTensor values;
    std::string nameThere;
  };
  /// In the order of their names.
  const std::map<std::string, Tensor, std::less<>> &tensors() const { return tensors_; }
  /// The tensor of that name here; null if there is none.
  const BundleTensor *find(std::string_view name) const;
  /// Our name of the tensor that TensorFlow calls `name`, where it is another; null if there is none.
  const std::string *nameHere(std::string_view name) const;
  /// The value of global_step, if it is there. kDataLoss: damaged.
  absl::StatusOr<std::optional<int64_t>> globalStep() const;
  const TensorBundleReader &bundle() const { return bundle_; }

private:
  explicit TensorFlowCheckpoint(TensorBundleReader bundle) : bundle_(std::move(bundle)) {}
  absl::Status takeObjectNames();
  void joinParts();
  void renameSlots();

  TensorBundleReader bundle_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  std::map<std::string, std::string, std::less<>> names_; ///< ours by TensorFlow's, where they differ
};

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_TENSORFLOWCHECKPOINT_H

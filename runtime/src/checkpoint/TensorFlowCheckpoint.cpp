// Finding and naming of TensorFlow's tensors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/TensorFlowCheckpoint.h"

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/TensorFlowNames.h"
#include "runtime/src/core/ProtoWire.h"

#include <algorithm>
#include <filesystem>

namespace mlcrt {

namespace fs = std::filesystem;

static constexpr int64_t kMaxState = 16 << 20;

static bool isFile(const std::string &path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

//===-- Which one -------------------------------------------------------------------------------------------------===//

namespace {
/// The text file "checkpoint" of a directory.
struct StateFile {
  std::string newest;
  std::vector<std::string> all; ///< oldest first
};
} // namespace

/// Reads a line `key: "value"` of the text form of protos; false if it is another.
static bool readTextField(std::string_view line, std::string_view key, std::string &value) {
  const auto trim = [](std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
  };
  line = trim(line);
  if (line.substr(0, key.size()) != key)
    return false;
  line = trim(line.substr(key.size()));
  if (line.empty() || line[0] != ':')
    return false;
  line = trim(line.substr(1));
  if (line.size() < 2 || (line[0] != '"' && line[0] != '\'') || line.back() != line[0])
    return false;
  line = line.substr(1, line.size() - 2);
  return absl::CUnescape(absl::string_view(line.data(), line.size()), &value);
}

static absl::StatusOr<StateFile> readState(const std::string &path) {
  absl::StatusOr<std::string> text = readWholeFile(path, kMaxState);
  if (!text.ok())
    return text.status();
  StateFile state;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    std::string value;
    if (readTextField(line, "model_checkpoint_path", value))
      state.newest = value;
    else if (readTextField(line, "all_model_checkpoint_paths", value))
      state.all.push_back(value);
  }
  return state;
}

static bool isCheckpoint(const std::string &prefix) { return isFile(prefix + ".index"); }

/// The prefix that a state file in `directory` calls `name`. One that was moved there from elsewhere is taken by the
/// last part of its name.
static std::string prefixOf(const fs::path &directory, const std::string &name) {
  const std::string prefix = (directory / name).string();
  const std::string moved = (directory / fs::path(name).filename()).string();
  return isCheckpoint(prefix) || !isCheckpoint(moved) ? prefix : moved;
}

int64_t stepOfPrefix(std::string_view prefix) {
  const size_t dash = prefix.rfind('-');
  const std::string_view digits = dash == std::string_view::npos ? "" : prefix.substr(dash + 1);
  int64_t step = -1;
  const bool isNumber = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos &&
                        absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &step);
  return isNumber ? step : -1;
}

static absl::Status noCheckpoint(const std::string &path, std::string what, std::string expected) {
  mlc::common::Message message = mlc::common::makeError("E0401", std::move(what));
  message.place.file = path;
  message.expected = std::move(expected);
  return messageStatus(absl::StatusCode::kNotFound, message);
}

absl::StatusOr<std::vector<std::string>> listTensorFlowCheckpoints(const std::string &directory) {
  std::vector<std::string> found;
  const std::string path = (fs::path(directory) / kTensorFlowState).string();
  if (!isFile(path))
    return found;
  absl::StatusOr<StateFile> state = readState(path);
  if (!state.ok())
    return state.status();
  if (std::find(state->all.begin(), state->all.end(), state->newest) == state->all.end())
    state->all.push_back(state->newest);
  for (const std::string &name : state->all)
    if (const std::string prefix = prefixOf(directory, name); !name.empty() && isCheckpoint(prefix))
      found.push_back(prefix);
  return found;
}

absl::StatusOr<std::optional<std::string>> findTensorFlowCheckpoint(const std::string &path,
                                                                    std::optional<int64_t> step) {
  static constexpr std::string_view kIndex = ".index";
  const fs::path directory(path);
  const std::string variables = (directory / "variables" / "variables").string();
  std::optional<std::string> one;
  if (path.size() > kIndex.size() && path.substr(path.size() - kIndex.size()) == kIndex && isFile(path))
    one = path.substr(0, path.size() - kIndex.size());
  else if (isCheckpoint(path))
    one = path;
  else if (isCheckpoint(variables))
    one = variables;
  if (one && step)
    return messageStatus(
        absl::StatusCode::kInvalidArgument,
        mlc::common::makeError("E0206", "--step is for a directory of checkpoints; '" + path + "' is one checkpoint"));
  if (one)
    return one;
  const std::string statePath = (directory / kTensorFlowState).string();
  if (!isFile(statePath))
    return std::nullopt;
  absl::StatusOr<StateFile> state = readState(statePath);
  if (!state.ok())
    return state.status();
  if (!step) {
    if (state->newest.empty())
      return noCheckpoint(statePath, "names no checkpoint", "a line model_checkpoint_path: \"model.ckpt-1000\"");
    const std::string prefix = prefixOf(directory, state->newest);
    if (!isCheckpoint(prefix))
      return noCheckpoint(statePath, "names a checkpoint that is not there", prefix + ".index");
    return prefix;
  }
  absl::StatusOr<std::vector<std::string>> all = listTensorFlowCheckpoints(path);
  if (!all.ok())
    return all.status();
  std::string steps;
  for (const std::string &prefix : *all) {
    const int64_t found = stepOfPrefix(prefix);
    if (found == *step)
      return prefix;
    steps += (steps.empty() ? "" : ", ") + std::to_string(found);
  }
  return noCheckpoint(statePath, "no checkpoint of step " + std::to_string(*step), "one of the steps " + steps);
}

absl::Status noteTensorFlowCheckpoint(const std::string &prefix) {
  const fs::path path(prefix);
  const std::string name = path.filename().string();
  const std::string statePath = (path.parent_path() / kTensorFlowState).string();
  StateFile state;
  if (isFile(statePath)) {
    absl::StatusOr<StateFile> found = readState(statePath);
    if (!found.ok())
      return found.status();
    state = *std::move(found);
  }
  state.all.erase(std::remove(state.all.begin(), state.all.end(), name), state.all.end());
  state.all.push_back(name);
  const auto line = [](const char *key, const std::string &value) {
    return key + std::string(": \"") + absl::CEscape(value) + "\"\n";
  };
  std::string text = line("model_checkpoint_path", name);
  for (const std::string &each : state.all)
    text += line("all_model_checkpoint_paths", each);
  return writeFileAtomically(statePath, text);
}

//===-- Names -----------------------------------------------------------------------------------------------------===//

// Of tensorflow/core/protobuf/trackable_object_graph.proto.
enum GraphField { kNodes = 1 };
enum NodeField { kAttributes = 2 };
enum AttributeField { kFullName = 2, kCheckpointKey = 3 };

/// The names of variables by their keys in the bundle; false if the text is no TrackableObjectGraph.
static bool readObjectNames(std::string_view graph, std::map<std::string, std::string> &names) {
  for (FieldReader node(graph); !node.done();) {
    if (!node.next())
      return false;
    if (node.tag != tagOf(kNodes, kLength))
      continue;
    for (FieldReader attribute(node.bytes); !attribute.done();) {
      if (!attribute.next())
        return false;
      if (attribute.tag != tagOf(kAttributes, kLength))
        continue;
      std::string name, key;
      for (FieldReader field(attribute.bytes); !field.done();) {
        if (!field.next())
          return false;
        if (field.tag == tagOf(kFullName, kLength))
          name = field.bytes;
        else if (field.tag == tagOf(kCheckpointKey, kLength))
          key = field.bytes;
      }
      if (!name.empty() && !key.empty())
        names.emplace(std::move(key), std::move(name));
    }
  }
  return true;
}

/// Tensors of an object graph are called after objects ("layer/kernel/.ATTRIBUTES/VARIABLE_VALUE"); it tells what their
/// variables are called. Where two have one name, both keep that of their objects.
absl::Status TensorFlowCheckpoint::takeObjectNames() {
  absl::StatusOr<std::optional<std::string>> graph = bundle_.readString(kObjectGraph);
  if (!graph.ok())
    return graph.status();
  std::map<std::string, std::string> names;
  if (*graph && !readObjectNames(**graph, names))
    return fileError(absl::StatusCode::kDataLoss, "E0403", bundle_.prefix() + ".index",
                     "tensor '" + std::string(kObjectGraph) + "' is no TrackableObjectGraph");
  std::map<std::string, int> uses;
  for (const BundleTensor &tensor : bundle_.tensors()) {
    ++uses[tensor.name];
    if (const auto found = names.find(tensor.name); found != names.end() && found->second != tensor.name)
      ++uses[found->second];
  }
  for (const BundleTensor &tensor : bundle_.tensors()) {
    const auto found = names.find(tensor.name);
    const bool isNamed = found != names.end() && uses[found->second] == 1;
    tensors_.emplace(isNamed ? found->second : tensor.name, Tensor{tensor, tensor.name});
  }
  return absl::OkStatus();
}

/// NAME/part_0, NAME/part_1, ... become NAME.
void TensorFlowCheckpoint::joinParts() {
  static constexpr std::string_view kFirst = "/part_0";
  std::vector<std::string> firsts;
  for (const auto &[name, tensor] : tensors_)
    if (name.size() > kFirst.size() && name.substr(name.size() - kFirst.size()) == kFirst)
      firsts.push_back(name);
  for (const std::string &first : firsts) {
    const std::string stem = first.substr(0, first.size() - 1);
    const std::string whole = first.substr(0, first.size() - kFirst.size());
    if (tensors_.count(whole))
      continue;
    Tensor joined;
    joined.nameThere = tensors_.at(first).nameThere;
    std::vector<std::string> taken;
    bool fits = true;
    for (auto it = tensors_.find(first); it != tensors_.end();
         it = tensors_.find(stem + std::to_string(taken.size()))) {
      const BundleTensor &part = it->second.values;
      BundleTensor &all = joined.values;
      if (taken.empty()) {
        all.dtype = part.dtype;
        all.shape = part.shape;
        fits = !part.shape.empty();
        if (fits)
          all.shape[0] = 0;
      }
      fits = fits && part.dtype == all.dtype && part.shape.size() == all.shape.size() &&
             std::equal(part.shape.begin() + 1, part.shape.end(), all.shape.begin() + 1);
      const int64_t begin = fits ? all.shape[0] : 0;
      if (!fits || __builtin_add_overflow(begin, part.shape[0], &all.shape[0])) {
        fits = false;
        break;
      }
      for (BundlePart piece : part.parts) {
        piece.starts[0] += begin;
        all.parts.push_back(std::move(piece));
      }
      all.bytes += part.bytes;
      taken.push_back(it->first);
    }
    if (!fits)
      continue;
    joined.values.name = whole;
    for (const std::string &name : taken)
      tensors_.erase(name);
    tensors_.emplace(whole, std::move(joined));
  }
}

void TensorFlowCheckpoint::renameSlots() {
  const auto has = [&](std::string_view name) { return tensors_.find(name) != tensors_.end(); };
  std::vector<std::pair<std::string, std::string>> renamed;
  for (const auto &[name, tensor] : tensors_)
    if (std::string ours = nameFromTensorFlow(name, has); ours != name && !has(ours))
      renamed.emplace_back(name, std::move(ours));
  for (auto &[name, ours] : renamed)
    if (!has(ours)) {
      auto node = tensors_.extract(name);
      node.key() = ours;
      tensors_.insert(std::move(node));
    }
}

absl::StatusOr<TensorFlowCheckpoint> TensorFlowCheckpoint::open(const std::string &prefix) {
  absl::StatusOr<TensorBundleReader> bundle = TensorBundleReader::open(prefix);
  if (!bundle.ok())
    return bundle.status();
  TensorFlowCheckpoint checkpoint(*std::move(bundle));
  if (absl::Status status = checkpoint.takeObjectNames(); !status.ok())
    return status;
  checkpoint.joinParts();
  checkpoint.renameSlots();
  for (auto &[name, tensor] : checkpoint.tensors_)
    if (name != tensor.nameThere)
      checkpoint.names_.emplace(tensor.nameThere, name);
  return checkpoint;
}

const BundleTensor *TensorFlowCheckpoint::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second.values;
}

const std::string *TensorFlowCheckpoint::nameHere(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

absl::StatusOr<std::optional<int64_t>> TensorFlowCheckpoint::globalStep() const {
  const BundleTensor *tensor = find("global_step");
  int64_t step = 0;
  if (!tensor || tensor->dtype != MLCRT_I64 || tensor->bytes != sizeof(step))
    return std::nullopt;
  if (absl::Status status = bundle_.prove(*tensor); !status.ok())
    return status;
  if (absl::Status status = bundle_.read(*tensor, 0, tensor->bytes, &step); !status.ok())
    return status;
  return step;
}

} // namespace mlcrt

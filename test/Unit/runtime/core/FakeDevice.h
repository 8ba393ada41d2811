// A device that is host memory of its own, and a model whose segments work on it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_FAKEDEVICE_H
#define MLCRT_TEST_FAKEDEVICE_H

#include "runtime/src/core/Devices.h"
#include "runtime/src/core/EntryRunner.h"

#include "absl/strings/str_cat.h"
#include "test/Unit/runtime/core/StaticDims.h"
#include "gtest/gtest.h"

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlcrt {

/// A kernel of the fake device: runs once for all blocks.
using FakeKernel = std::function<absl::Status(class FakeDevice &device, const std::vector<int64_t> &arguments)>;

/// Does what it is asked for when it is waited for, in memory that begins as garbage: what is not copied, and what is
/// read too early, is seen. Addresses that are none of its memory are errors.
class FakeDevice : public Device {
public:
  static constexpr unsigned char kGarbage = 0x7f; ///< floats of 3.4e38
  /// Kernels by name, and the device that was opened last.
  static std::map<std::string, FakeKernel> &kernels() {
    static std::map<std::string, FakeKernel> all;
    return all;
  }
  static FakeDevice *&last() {
    static FakeDevice *device = nullptr;
    return device;
  }
  /// What devices say of the order of their sums.
  static std::string &order() {
    static std::string order;
    return order;
  }
  std::string sums() const override { return order(); }
  /// Makes "fake" a kind of device whose images are for the chip "one".
  static void registerKind() {
    registerDeviceKind("fake",
                       [](const mlcrt_device &, const std::vector<const mlcrt_image *> &images,
                          int64_t) -> absl::StatusOr<std::unique_ptr<Device>> {
                         if (images.size() != 1 || std::string(images[0]->chip) != "one")
                           return absl::FailedPreconditionError(
                               absl::StrCat(images.size(), " images, expected one for chip 'one'"));
                         return std::unique_ptr<Device>(new FakeDevice);
                       });
  }

  FakeDevice() { last() = this; }
  ~FakeDevice() override {
    EXPECT_TRUE(memory_.empty()) << "memory was not given back";
    last() = nullptr;
  }

  absl::StatusOr<void *> allocate(int64_t bytes, int64_t alignment) override {
    void *memory = std::aligned_alloc(alignment, (std::max<int64_t>(bytes, 1) + alignment - 1) / alignment * alignment);
    std::memset(memory, kGarbage, bytes);
    memory_[static_cast<char *>(memory)] = bytes;
    ++allocations;
    return memory;
  }
  void free(void *memory) override {
    EXPECT_TRUE(wait().ok());
    EXPECT_EQ(memory_.erase(static_cast<char *>(memory)), 1u) << "what was not allocated is given back";
    std::free(memory);
  }
  absl::Status copy(Memory fromMemory, const void *from, Memory toMemory, void *to, int64_t bytes) override {
    const bool isOfHost = fromMemory == Memory::Host || toMemory == Memory::Host;
    ask(
        [=]() -> absl::Status {
          for (auto [memory, address] : {std::pair{fromMemory, from}, {toMemory, static_cast<const void *>(to)}})
            if (isMine(address, bytes) != (memory == Memory::Device))
              return absl::InternalError("a copy of memory that is not what it is said to be");
          std::memcpy(to, from, bytes);
          return absl::OkStatus();
        },
        "copy", !isOfHost);
    copies += fromMemory != toMemory;
    recordingFailed_ |= isOfHost;
    return absl::OkStatus();
  }
  const void *peerGroup() const override { return arePeers() ? &arePeers() : nullptr; }
  /// Whether devices copy from each other.
  static bool &arePeers() {
    static bool peers = false;
    return peers;
  }
  absl::Status copyFrom(Device &source, const void *from, void *to, int64_t bytes) override {
    auto &other = static_cast<FakeDevice &>(source);
    // What the other one was asked for before is done when this one comes to the copy.
    asked_.push_back([=, &other]() -> absl::Status {
      if (absl::Status status = other.wait(); !status.ok())
        return status;
      if (!other.isMine(from, bytes) || !isMine(to, bytes))
        return absl::InternalError("a copy between devices of memory that is not theirs");
      std::memcpy(to, from, bytes);
      return absl::OkStatus();
    });
    ++peerCopies;
    return absl::OkStatus();
  }
  absl::Status launch(const char *kernel, const int64_t *shape, const int64_t *arguments, int64_t count) override {
    auto it = kernels().find(kernel);
    if (it == kernels().end())
      return absl::InternalError(absl::StrCat("no kernel '", kernel, "'"));
    shapes.emplace_back(shape, shape + 7);
    ask([=, given = std::vector<int64_t>(arguments, arguments + count)] { return it->second(*this, given); }, kernel,
        /*isRecorded=*/true);
    return absl::OkStatus();
  }
  absl::Status wait() override {
    recordingFailed_ = true;
    if (before_)
      return absl::FailedPreconditionError("a wait while the device records");
    endPiece();
    absl::Status first = failure;
    for (auto &each : std::exchange(asked_, {}))
      if (absl::Status status = each(); !status.ok() && first.ok())
        first = status;
    return first;
  }

  bool isMine(const void *address, int64_t bytes) const {
    for (auto [begin, size] : memory_)
      if (address >= begin && static_cast<const char *>(address) + bytes <= begin + size)
        return true;
    return bytes == 0;
  }

  /// What is asked for while it records is not done, and done again by replay. Copies of host memory and waits end it.
  struct Recording : DeviceRecording {
    bool isLike(const DeviceRecording &other) const override {
      return kernels == static_cast<const Recording &>(other).kernels;
    }
    int64_t size() const override { return static_cast<int64_t>(asked.size()); }
    std::vector<std::function<absl::Status()>> asked;
    std::string kernels;
    bool isReady = false;
  };
  absl::Status beginRecording() override {
    if (!mayRecord)
      return Device::beginRecording();
    EXPECT_EQ(before_, std::nullopt);
    endPiece();
    before_ = std::exchange(asked_, {});
    recordingFailed_ = false;
    kernels_.clear();
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<DeviceRecording>> endRecording() override {
    auto made = std::make_unique<Recording>();
    made->asked = std::exchange(asked_, *std::exchange(before_, std::nullopt));
    made->kernels = kernels_;
    if (recordingFailed_)
      return absl::FailedPreconditionError("what cannot be recorded");
    return made;
  }
  absl::Status prepare(DeviceRecording &recording, std::unique_ptr<DeviceRecording> earlier) override {
    if (!preparing.ok())
      return preparing;
    EXPECT_TRUE(!earlier || (earlier->isLike(recording) && static_cast<Recording &>(*earlier).isReady));
    static_cast<Recording &>(recording).isReady = true;
    ++(earlier ? changes : recordings);
    return absl::OkStatus();
  }
  absl::Status replay(const DeviceRecording &recording) override {
    EXPECT_TRUE(static_cast<const Recording &>(recording).isReady);
    for (const auto &each : static_cast<const Recording &>(recording).asked)
      asked_.push_back(each);
    ++replays;
    return absl::OkStatus();
  }
  absl::Status runOnce(DeviceRecording &recording) override {
    for (const auto &each : static_cast<const Recording &>(recording).asked)
      asked_.push_back(each);
    ++runsOfPieces;
    return absl::OkStatus();
  }
  absl::Status beginPieces(RecordedPieces &pieces) override {
    if (!mayRecord || pieces_)
      return Device::beginPieces(pieces);
    pieces_ = &pieces;
    return absl::OkStatus();
  }
  absl::Status endPieces() override {
    endPiece();
    pieces_ = nullptr;
    return absl::OkStatus();
  }

  absl::Status failure;   ///< what waiting for it returns
  absl::Status preparing; ///< what making recordings ready returns
  bool mayRecord = true;
  int recordings = 0, changes = 0, replays = 0; ///< recordings: those made ready of no other one
  int runsOfPieces = 0;                         ///< that were done without being made ready
  int allocations = 0, copies = 0, peerCopies = 0;
  std::vector<std::vector<int64_t>> shapes; ///< of launches

private:
  void ask(std::function<absl::Status()> what, const std::string &name, bool isRecorded) {
    if (pieces_ && !before_ && isRecorded) {
      if (!piece_)
        piece_ = std::make_unique<Recording>();
      piece_->asked.push_back(std::move(what));
      piece_->kernels += name + ' ';
      return;
    }
    if (!before_)
      endPiece();
    asked_.push_back(std::move(what));
    kernels_ += name + ' ';
  }
  void endPiece() {
    if (std::unique_ptr<Recording> made = std::move(piece_))
      EXPECT_TRUE(pieces_->run(*this, std::move(made)).ok());
  }

  RecordedPieces *pieces_ = nullptr; ///< who does them
  std::unique_ptr<Recording> piece_;
  std::map<char *, int64_t> memory_;
  std::vector<std::function<absl::Status()>> asked_;
  std::optional<std::vector<std::function<absl::Status()>>> before_; ///< what was asked for before a recording
  std::string kernels_;                                              ///< that were launched, since a recording began
  bool recordingFailed_ = false;
};

/// An artifact of one entry "e" that a test puts together: a segment with operands that it names.
struct OneSegment {
  mlcrt_device devices[1] = {{"/device:FAKE:0", "fake"}};
  mlcrt_space spaces[1] = {{"fake memory", 0, 0, 256}};
  mlcrt_image images[1] = {{"fake", "one", MLCRT_IMAGE_OBJECT, 0, "x", 1}};
  mlcrt_home homes[1] = {{0, 1, 0, 0}};
  mlcrt_value features[2] = {{"x", MLCRT_F32, 1, kRows}, {"y", MLCRT_F32, 2, kDims<MLCRT_DIM_SYMBOL(0), 2>}};
  mlcrt_column columns[2] = {{1, 0, 0}, {0, 0, 2}};
  mlcrt_matrix matrices[1] = {{{"y|x", MLCRT_F32, 2, kDims<MLCRT_DIM_SYMBOL(0), 3>}, 2, columns}};
  mlcrt_variable variables[1] = {
      {{"w", MLCRT_F32, 1, kDims<2>}, MLCRT_VARIABLE_TRAINABLE, -1, nullptr, 0, nullptr, nullptr}};
  mlcrt_setting settings[2] = {{"rate", MLCRT_F32, 0, 0.5, 0}, {"count", MLCRT_I64, 0, 0, 7}};
  mlcrt_value outputs[1] = {{"out", MLCRT_F32, 1, kRows}};
  mlcrt_check checks[2] = {{MLCRT_DATA_ERROR, 0, "x is negative"}, {MLCRT_INVALID_ARGUMENT, 0, "x is not finite"}};
  std::vector<mlcrt_workspace> workspaces;
  std::vector<mlcrt_operand> operands;
  mlcrt_segment segment = {"s", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 0, nullptr, nullptr, 0, nullptr};
  mlcrt_entry entry = {"e", MLCRT_ROLE_OTHER, 1, &segment, 0, 1, nullptr, outputs};
  mlcrt_artifact table = {};
  std::unique_ptr<Program> program;

  void add(mlcrt_source source, int32_t index, mlcrt_access access, int32_t space = MLCRT_SPACE_HOST,
           int32_t flags = 0) {
    operands.push_back({source, index, access, flags, space, 0});
  }
  /// The segment is `run`, on the device or the host. Makes the program.
  void make(mlcrt_segment_fn run, int32_t device = MLCRT_DEVICE_HOST) {
    segment.run = run;
    segment.device = device;
    segment.operands = operands.data();
    segment.num_operands = static_cast<int32_t>(operands.size());
    segment.workspaces = workspaces.data();
    segment.num_workspaces = static_cast<int64_t>(workspaces.size());
    table.struct_size = sizeof(table);
    table.version = MLCRT_ABI_VERSION;
    table.name = table.state_fingerprint = table.plan_fingerprint = table.manifest = "x";
    table.features = features, table.num_features = 2;
    table.matrices = matrices, table.num_matrices = 1;
    table.variables = variables, table.num_variables = 1;
    table.settings = settings, table.num_settings = 2;
    table.devices = devices, table.num_devices = 1;
    table.spaces = spaces, table.num_spaces = 1;
    table.images = images, table.num_images = 1;
    table.homes = homes, table.num_homes = 1;
    table.checks = checks, table.num_checks = 2;
    table.entries = &entry, table.num_entries = 1;
    auto artifact = Artifact::fromTable(&table);
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    program = *Program::create(*artifact);
  }
};

/// x = 0, 1, ... and y = 10 r, 10 r + 1.
struct TwoFeatures {
  explicit TwoFeatures(int64_t rows) : x(rows), y(2 * rows) {
    for (int64_t r = 0; r < rows; ++r) {
      x[r] = static_cast<float>(r);
      y[2 * r] = static_cast<float>(10 * r);
      y[2 * r + 1] = static_cast<float>(10 * r + 1);
    }
    view.rows = rows;
    view.features = {makeBuffer(x.data(), MLCRT_F32, {rows}), makeBuffer(y.data(), MLCRT_F32, {rows, 2})};
  }
  TwoFeatures(const TwoFeatures &) = delete;

  std::vector<float> x, y;
  BatchView view;
};

} // namespace mlcrt

#endif // MLCRT_TEST_FAKEDEVICE_H

// Runs of a model on behalf of Python. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYTHON_NATIVE_RUNS_H
#define PYTHON_NATIVE_RUNS_H

#include "python/native/Arrays.h"
#include "runtime/src/core/StopToken.h"
#include "runtime/src/train/TrainRun.h"

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace mlc::python {

/// A loaded artifact.
class Model {
public:
  /// Raises NativeError.
  explicit Model(const std::string &path);

  /// Of one with code for GPUs, too, that.
  const std::shared_ptr<const mlcrt::Artifact> &artifact() const { return artifact_; }
  /// The code that runs with these options, `whyHost` as of CodeChoice. Raises NativeError.
  std::shared_ptr<const mlcrt::Artifact> chosen(const mlcrt::RunOptions &options, std::string &whyHost) const;

private:
  std::shared_ptr<const mlcrt::Artifact> artifact_, onHost_; ///< null: there is one code alone
};

/// Keeps what a run says until the thread that called it hands it to Python's sink, and what a run asks of Python until
/// that thread does it: code of Python runs in the caller's thread alone.
class QueueListener : public mlcrt::RunListener {
public:
  /// `sink` has line(text), progress(text), event(json), message(dict); None: nobody listens. The caller's thread is
  /// the one that makes this.
  explicit QueueListener(nanobind::object sink) : sink_(std::move(sink)) {}

  void line(std::string_view text) override { add(Kind::Line, text); }
  void progress(std::string_view text) override { add(Kind::Progress, text); }
  void event(std::string_view json) override { add(Kind::Event, json); }
  void message(const common::Message &message) override;
  /// Ten times a second.
  std::optional<double> progressSeconds() const override { return 0.1; }

  /// Waits until something was said, `isDone` holds, or a moment passed. Without the GIL.
  void wait(const std::function<bool()> &isDone);
  /// Wakes wait().
  void wake() { said_.notify_all(); }
  /// Hands on what was said, and does what was asked for. Needs the GIL; what the sink raises comes through.
  void deliver();
  /// Calls `action` in the caller's thread, with the GIL, and waits for it. kCancelled: it raised, which raised()
  /// keeps.
  absl::Status call(const std::function<void()> &action);
  /// What an action raised first; null: none did.
  std::exception_ptr raised() const { return raised_; }

private:
  enum class Kind { Line, Progress, Event, Message, Call };
  enum class CallState { Waiting, Done, Failed };
  struct Call {
    const std::function<void()> &action;
    CallState state = CallState::Waiting;
  };
  struct Item {
    Kind kind;
    std::string text;
    common::Message message;
    Call *call = nullptr;
  };
  void add(Kind kind, std::string_view text);
  void answer(Call &call);

  nanobind::object sink_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::exception_ptr raised_; ///< used by the caller's thread alone
  std::mutex mutex_;
  std::condition_variable said_, answered_;
  std::deque<Item> items_;
};

/// The arrays of an object that is Arrays, or None: null. `what` gave it. Raises TypeError for another one.
std::shared_ptr<const mlcrt::MemoryArrays> arraysOf(const nanobind::object &object, const std::string &what);

/// Batches that a function of Python gives.
class Stream : public mlcrt::BatchStream {
public:
  /// `next`: a function of no argument that returns Arrays, or None at the end; `rewind` one after whose call it gives
  /// the first batch again, or None. `name` is that of messages; `isResumed` and `batchRows` as mlcrt::BatchStream has
  /// them.
  Stream(nanobind::object next, std::string name, nanobind::object rewind, bool isResumed, int64_t batchRows)
      : next_(std::move(next)), rewind_(std::move(rewind)), name_(std::move(name)), isResumed_(isResumed),
        canRewind_(!rewind_.is_none()), batchRows_(batchRows) {}
  ~Stream() override;

  /// Calls of next() and rewind() go through `listener`; a KeyboardInterrupt that one raises is the end of the batches,
  /// and stops the run. Both outlive them.
  void use(QueueListener &listener, mlcrt::StopToken &stop) { listener_ = &listener, stop_ = &stop; }

  absl::StatusOr<std::shared_ptr<const mlcrt::MemoryArrays>> next() override;
  int64_t batchRows() const override { return batchRows_; }
  bool canRewind() const override { return canRewind_; }
  absl::Status rewind() override;
  bool isResumed() const override { return isResumed_; }
  std::string name() const override { return name_; }

private:
  absl::Status call(const std::function<void()> &action);

  nanobind::object next_, rewind_;
  const std::string name_;
  const bool isResumed_, canRewind_;
  const int64_t batchRows_;
  QueueListener *listener_ = nullptr;
  mlcrt::StopToken *stop_ = nullptr;
};

/// Data of a run by the setting whose files they take the place of ("train.files"): Arrays, Files, a Stream, or None
/// for the files that options name.
using Sources = std::map<std::string, nanobind::handle>;

class Observer;

/// What a run has, from its arguments in Python.
struct Session {
  /// `options`: fields of RunOptions by their names with '_' between words. TypeError for others, and for `sources`
  /// that are none. Raises NativeError.
  Session(const Model &model, const std::string &verb, const nanobind::dict &options, const Sources &sources,
          nanobind::object sink, mlcrt::StopToken &stop);

  /// The observer sees the run's steps, and shows of it what the run counts. It outlives the run.
  void observe(Observer &observer);
  /// Runs `body` in a thread of its own, without the GIL, while this one hands on what is said and looks for signals:
  /// Ctrl-C stops the run, which saves, and raises KeyboardInterrupt then. Raises NativeError.
  void run(const std::function<absl::Status(mlcrt::RunContext &)> &body);

  mlcrt::Configuration configuration;
  mlcrt::RunOptions options;
  std::string whyHost; ///< as of CodeChoice
  QueueListener listener;
  mlcrt::Reporter reporter;
  mlcrt::StopToken &stop;
  mlcrt::RunContext context;
};

void addRuns(nanobind::module_ &module);
void addPredictions(nanobind::module_ &module);

} // namespace mlc::python

#endif // PYTHON_NATIVE_RUNS_H

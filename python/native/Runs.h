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
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace mlc::python {

/// A loaded artifact.
class Model {
public:
  /// Raises NativeError.
  explicit Model(const std::string &path);

  const std::shared_ptr<const mlcrt::Artifact> &artifact() const { return artifact_; }

private:
  std::shared_ptr<const mlcrt::Artifact> artifact_;
};

/// Keeps what a run says until the thread that called it hands it to Python's sink: code of Python runs in that thread
/// alone.
class QueueListener : public mlcrt::RunListener {
public:
  /// `sink` has line(text), progress(text), event(json), message(dict); None: nobody listens.
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
  /// Hands on what was said. Needs the GIL; what the sink raises comes through.
  void deliver();

private:
  enum class Kind { Line, Progress, Event, Message };
  struct Item {
    Kind kind;
    std::string text;
    common::Message message;
  };
  void add(Kind kind, std::string_view text);

  nanobind::object sink_;
  std::mutex mutex_;
  std::condition_variable said_;
  std::deque<Item> items_;
};

/// What a run has, from its arguments in Python.
struct Session {
  /// `options`: fields of RunOptions by their names with '_' between words. TypeError for others. `arrays`: data by the
  /// setting that they take the place of ("train.files"). Raises NativeError.
  Session(const Model &model, const std::string &verb, const nanobind::dict &options,
          const std::map<std::string, std::shared_ptr<const mlcrt::MemoryArrays>> &arrays, nanobind::object sink,
          mlcrt::StopToken &stop);

  /// Runs `body` in a thread of its own, without the GIL, while this one hands on what is said and looks for signals:
  /// Ctrl-C stops the run, which saves, and raises KeyboardInterrupt then. Raises NativeError.
  void run(const std::function<absl::Status(mlcrt::RunContext &)> &body);

  mlcrt::Configuration configuration;
  mlcrt::RunOptions options;
  QueueListener listener;
  mlcrt::Reporter reporter;
  mlcrt::StopToken &stop;
  mlcrt::RunContext context;
};

void addRuns(nanobind::module_ &module);
/// Model and predict.
void addPredictions(nanobind::module_ &module);

} // namespace mlc::python

#endif // PYTHON_NATIVE_RUNS_H

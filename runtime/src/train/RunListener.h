// Who is told what a run does. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_RUNLISTENER_H
#define MLCRT_TRAIN_RUNLISTENER_H

#include "absl/status/status.h"
#include "common/cli/Message.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mlcrt {

class RunObservation;

/// Who speaks.
struct LogTask {
  std::string name;                          ///< "worker 1"; empty: no task
  std::shared_ptr<const RunObservation> run; ///< whose step it is at
};

/// Gets the lines, messages, events and results of a run from its Reporter: one call at a time, by any thread of the
/// run. A program prints them, a library hands them on; what a listener leaves out is not asked for.
class RunListener {
public:
  virtual ~RunListener();

  /// Who speaks. Before the first line.
  virtual void setTask(const LogTask &) {}
  /// A line of text, without its end.
  virtual void line(std::string_view) {}
  virtual void message(const mlc::common::Message &) {}
  /// Messages that belong together.
  virtual void messages(const mlc::common::MessageList &list);
  /// Seconds between calls of progress(); none: how far the work is comes as a line, now and then.
  virtual std::optional<double> progressSeconds() const { return std::nullopt; }
  /// How far the work is, in place of the text before.
  virtual void progress(std::string_view) {}
  /// One JSON object (docs/command-line.md, "Output for programs").
  virtual void event(std::string_view) {}
  /// A piece of what a verb was asked for.
  virtual void result(std::string_view) {}
  /// Whether all results reached where they go to.
  virtual absl::Status resultStatus() const { return absl::OkStatus(); }
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_RUNLISTENER_H

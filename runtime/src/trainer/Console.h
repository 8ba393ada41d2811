// A program's listener: lines and messages on stderr, results and events on stdout. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAINER_CONSOLE_H
#define MLCRT_TRAINER_CONSOLE_H

#include "runtime/src/train/RunListener.h"

#include <string>

namespace mlcrt {

/// How a console speaks.
struct ConsoleOptions {
  bool json = false;     ///< events on stdout, messages as JSON on stderr
  bool quiet = false;    ///< no lines on stderr, messages only
  bool color = false;    ///< colours in messages
  bool terminal = false; ///< stderr is a terminal: one progress line that is written over
  /// > 0, for a program that shows progress itself: a plain line of progress on stderr each so many seconds, none in
  /// logs.
  double progressSeconds = 0;
  bool logJson = false; ///< lines and messages on stderr as JSON with time, task and step
};

class Console : public RunListener {
public:
  explicit Console(ConsoleOptions options) : options_(options) {}
  ~Console() override { clearProgress(); }

  bool json() const { return options_.json; }

  void setTask(const LogTask &task) override { task_ = task; }
  void line(std::string_view text) override;
  void message(const mlc::common::Message &message) override;
  void messages(const mlc::common::MessageList &list) override;
  /// On a terminal 10 lines a second.
  std::optional<double> progressSeconds() const override;
  void progress(std::string_view text) override;
  void event(std::string_view json) override;
  void result(std::string_view text) override;
  absl::Status resultStatus() const override;

private:
  void clearProgress();
  std::string lineText(std::string_view text) const;

  const ConsoleOptions options_;
  LogTask task_;
  bool hasProgress_ = false;
  int outputError_ = 0; ///< of the first write to stdout that failed
};

} // namespace mlcrt

#endif // MLCRT_TRAINER_CONSOLE_H

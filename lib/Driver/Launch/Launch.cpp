// Running the tasks of a local cluster until all have left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Launch.h"
#include "ClusterProgress.h"
#include "TaskProcess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

using namespace mlc;
using common::ExitCode;
using common::makeError;
using llvm::StringRef;
using Event = llvm::json::Object;

// What is left of a job leaves by itself, then at SIGTERM, then has to. A chief that saves because another task failed
// gets more. A task that fails because the chief does may end before it.
static constexpr double kLeaveSeconds = 5, kTerminateSeconds = 5, kSaveSeconds = 30, kBlameSeconds = 1;
// Signals that come so soon after the first are that one: sent to a process and its group, or by each thread of a
// parent that dies.
static constexpr double kSameMoment = 0.1;
static constexpr size_t kShownLines = 10;

namespace {

/// SIGINT, SIGTERM, SIGHUP and SIGCHLD as a file to poll for its lifetime; no SIGPIPE.
class SignalFile {
public:
  SignalFile() {
    sigset_t taken;
    sigemptyset(&taken);
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
      sigaddset(&taken, number);
    ::sigprocmask(SIG_BLOCK, &taken, &before_);
    file_ = ::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    pipeBefore_ = ::signal(SIGPIPE, SIG_IGN);
  }
  ~SignalFile() {
    ::close(file_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    ::signal(SIGPIPE, pipeBefore_);
  }
  SignalFile(const SignalFile &) = delete;
  SignalFile &operator=(const SignalFile &) = delete;

  int file() const { return file_; }
  /// The next signal, or 0.
  int next() {
    signalfd_siginfo info;
    return ::read(file_, &info, sizeof(info)) == sizeof(info) ? static_cast<int>(info.ssi_signo) : 0;
  }

private:
  int file_;
  sigset_t before_;
  void (*pipeBefore_)(int);
};

/// Where the launcher and, through it, the chief print.
class Output {
public:
  explicit Output(const common::CommandLine &line)
      : json_(line.on("json")), quiet_(line.on("quiet")), isLive_(!json_ && !quiet_ && ::isatty(STDERR_FILENO)) {}
  ~Output() { erase(); }

  bool json() const { return json_; }
  /// Whether the summary line is shown.
  bool isLive() const { return isLive_; }
  /// A line of the launcher's own: `text` for people, `event` with --json.
  void say(StringRef text, Event event) {
    if (json_)
      write(STDOUT_FILENO, llvm::formatv("{0}\n", llvm::json::Value(std::move(event))).str());
    else if (!quiet_)
      write(STDERR_FILENO, (text + "\n").str());
  }
  void write(int file, StringRef text) {
    erase();
    while (!text.empty()) {
      ssize_t size = ::write(file, text.data(), text.size());
      if (size < 0 && errno == EINTR)
        continue;
      if (size <= 0) {
        if (file == STDOUT_FILENO && !problem_)
          problem_ = errno;
        return;
      }
      text = text.drop_front(size);
    }
  }
  /// The summary line, which the next line takes the place of.
  void show(std::string text) {
    winsize size = {};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
      text.resize(std::min<size_t>(text.size(), size.ws_col - 1));
    text.insert(0, "\r\033[K");
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    isShown_ = true;
  }
  /// Why standard output could not be written, as an errno value, or 0.
  int problem() const { return problem_; }

private:
  void erase() {
    if (isShown_)
      (void)!::write(STDERR_FILENO, "\r\033[K", 4);
    isShown_ = false;
  }

  bool json_, quiet_, isLive_, isShown_ = false;
  int problem_ = 0;
};

/// One run of all tasks.
class Job {
public:
  Job(const LaunchPlan &plan, const common::CommandLine &line, common::MessageList &messages)
      : plan_(plan), messages_(messages), output_(line) {}

  int run();

private:
  using Clock = TaskProcess::Clock;
  using Time = std::optional<Clock::time_point>;
  static Clock::time_point in(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  static bool isDue(const Time &time) { return time && Clock::now() >= *time; }
  double now() const { return tasks_.empty() ? 0 : chief().seconds(); }

  TaskProcess &chief() { return *tasks_.front(); }
  const TaskProcess &chief() const { return *tasks_.front(); }
  bool isEvaluator(const TaskProcess &task) const { return StringRef(task.task().name).starts_with("evaluator"); }
  /// Whether the task may stay when the chief has ended: the last evaluation belongs to the job.
  bool mayStay(const TaskProcess &task) const {
    return isEvaluator(task) && chief().end().status == 0 && !isStopped_ && !failed_;
  }
  std::vector<TaskProcess *> running() {
    std::vector<TaskProcess *> result;
    for (auto &task : tasks_)
      if (task->isRunning())
        result.push_back(task.get());
    return result;
  }

  bool start();
  void wait();
  void readOutput(bool error);
  void passLine(bool error, StringRef line);
  void onSignal(int number);
  void lookForEnds();
  void onEnd(TaskProcess &task);
  void onFailure(TaskProcess &task);
  void leave();
  void checkTimes();

  const LaunchPlan &plan_;
  common::MessageList &messages_;
  Output output_;
  SignalFile signals_;
  std::vector<std::unique_ptr<TaskProcess>> tasks_;
  ClusterProgress progress_;
  std::string partial_[2]; ///< of the chief's lines
  TaskProcess *failed_ = nullptr, *suspect_ = nullptr;
  bool isStopped_ = false; ///< by a signal
  int cutShort_ = 0;       ///< the status of a run that was stopped after the chief's end, or 0
  Time secondFrom_, blameAt_, saveBy_, leaveBy_, endBy_, showAt_;
};

} // namespace

bool Job::start() {
  if (const char *text = ::getenv("TF_CONFIG"); text && *text) {
    common::Message message = makeError("E0222", "of this environment is not used: each task gets its own");
    message.severity = common::Severity::Warning;
    message.place.file = "TF_CONFIG";
    messages_.add(std::move(message));
  }
  std::string names;
  for (const PlannedTask &planned : plan_.tasks()) {
    std::unique_ptr<TaskProcess> process;
    // The summary line is the chief's progress.
    std::vector<std::string> variables = {plan_.tokenVariable()};
    if (output_.isLive() && tasks_.empty())
      variables.push_back("MLC_PROGRESS_SECONDS=1");
    if (int problem = TaskProcess::start(plan_, planned, tasks_.empty(), variables, process)) {
      messages_.add(makeError("E0413", "cannot start " + planned.name + ", '" + plan_.program() + "' with the log '" +
                                           planned.log + "': " + strerror(problem)));
      return false;
    }
    tasks_.push_back(std::move(process));
    names += (names.empty() ? "" : ", ") + planned.name;
    if (output_.json())
      output_.say(
          "",
          Event(
              {{"event", "task_start"}, {"task", planned.name}, {"pid", tasks_.back()->pid()}, {"log", planned.log}}));
  }
  if (!output_.json())
    output_.say("launch   " + names + "; logs in " + plan_.logDirectory(), Event());
  return true;
}

void Job::passLine(bool error, StringRef line) {
  if (!error)
    progress_.readEvent(line, now());
  const bool isProgress = error && progress_.readLine(line.rtrim('\n'), now());
  if (isProgress && output_.isLive())
    return;
  chief().log(line.str());
  output_.write(error ? STDERR_FILENO : STDOUT_FILENO, line);
}

void Job::readOutput(bool error) {
  char buffer[1 << 14];
  ssize_t size;
  // More than a pipe holds, but not without end: a chief that only prints must not hide signals.
  for (int i = 0; i < 64 && (size = ::read(chief().output(error), buffer, sizeof(buffer))) > 0; ++i) {
    std::string &text = partial_[error];
    text.append(buffer, size);
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      passLine(error, StringRef(text).slice(begin, end + 1));
    text.erase(0, begin);
  }
}

/// The others have some time to see that the chief has gone.
void Job::leave() {
  if (!leaveBy_)
    leaveBy_ = in(kLeaveSeconds);
}

void Job::onSignal(int number) {
  if (isStopped_ && !isDue(secondFrom_))
    return;
  if (isStopped_) {
    output_.say("signal   a second one: all tasks are killed", Event({{"event", "signal"}, {"signal", number}}));
    for (TaskProcess *task : running())
      task->signal(SIGKILL);
    return;
  }
  isStopped_ = true;
  secondFrom_ = in(kSameMoment);
  output_.say(std::string("signal   ") + strsignal(number) + ": the chief ends the run; a second one kills all tasks",
              Event({{"event", "signal"}, {"signal", number}}));
  if (chief().isRunning()) {
    chief().signal(number == SIGHUP ? SIGTERM : number);
  } else {
    cutShort_ = 128 + number;
    leaveBy_ = Clock::now();
  }
}

void Job::onFailure(TaskProcess &task) {
  failed_ = &task;
  common::Message message = makeError("E0413", task.task().name + ": " + task.end().text());
  message.place.file = task.task().log;
  messages_.add(std::move(message));
  if (&task == &chief())
    return; // its lines have been shown
  std::string text;
  for (const std::string &line : task.lastLines(kShownLines))
    text += "    | " + line + "\n";
  if (!output_.json())
    output_.write(STDERR_FILENO, text);
  if (chief().isRunning() && !saveBy_) {
    chief().signal(SIGTERM);
    saveBy_ = in(kSaveSeconds);
  }
}

void Job::onEnd(TaskProcess &task) {
  const TaskEnd &end = task.end();
  if (&task == &chief()) {
    for (bool error : {false, true}) {
      readOutput(error);
      if (!partial_[error].empty())
        passLine(error, partial_[error]);
      partial_[error].clear();
    }
  }
  Event event({{"event", "task_end"}, {"task", task.task().name}, {"status", end.status}});
  if (end.signal)
    event["signal"] = end.signal;
  event["seconds"] = std::round(task.seconds() * 1000) / 1000;
  // A task that was told to end, or that ends after the run was stopped, is no failure.
  const bool isFailure = end.status != 0 && !end.isStopped() && !isStopped_ && !task.isTold();
  if (isFailure && &task != &chief())
    event["log_tail"] = llvm::json::Array(task.lastLines(kShownLines));
  std::string text = "ended    " + task.task().name + ": " + end.text();
  llvm::raw_string_ostream(text) << llvm::format(", %.1f s", task.seconds());
  output_.say(text, std::move(event));
  if (isFailure && &task != &chief() && !failed_ && !suspect_) {
    suspect_ = &task;
    blameAt_ = in(kBlameSeconds);
  }
  if (&task != &chief())
    return;
  // Of a chief that fails the others take the exit status; one that lost a task does so because of it.
  const bool isCause = end.status != exitStatus(ExitCode::PeerLost) || !suspect_;
  if (isFailure && !failed_ && isCause) {
    suspect_ = nullptr;
    onFailure(task);
  }
  leave();
}

void Job::lookForEnds() {
  std::vector<TaskProcess *> ended;
  for (auto &task : tasks_)
    if (task->poll())
      ended.push_back(task.get());
  // Of those that ended at once, one that lost another did so because of it.
  for (bool hasLost : {false, true})
    for (TaskProcess *task : ended)
      if ((task->end().status == exitStatus(ExitCode::PeerLost)) == hasLost)
        onEnd(*task);
}

void Job::checkTimes() {
  if (suspect_ && !failed_ && (isDue(blameAt_) || !chief().isRunning()))
    onFailure(*suspect_);
  if (chief().isRunning() && isDue(saveBy_)) {
    output_.say("timeout  chief 0 has not ended: it is killed",
                Event({{"event", "kill"}, {"task", chief().task().name}}));
    chief().signal(SIGKILL);
    saveBy_ = in(kSaveSeconds);
  }
  if (isDue(leaveBy_)) {
    for (TaskProcess *task : running())
      if (!mayStay(*task) && !task->isTold()) {
        output_.say("timeout  " + task->task().name + " has not left: SIGTERM",
                    Event({{"event", "terminate"}, {"task", task->task().name}}));
        task->signal(SIGTERM);
        endBy_ = in(kTerminateSeconds);
      }
  }
  if (isDue(endBy_)) {
    for (TaskProcess *task : running())
      if (!mayStay(*task)) {
        output_.say("timeout  " + task->task().name + " has not left: it is killed",
                    Event({{"event", "kill"}, {"task", task->task().name}}));
        task->signal(SIGKILL);
      }
    endBy_.reset();
  }
}

/// Until something happens, or a time may have come.
void Job::wait() {
  pollfd files[3] = {{signals_.file(), POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
  if (chief().isRunning())
    for (bool error : {false, true})
      files[1 + error].fd = chief().output(error);
  constexpr int kMilliseconds = 100;
  ::poll(files, 3, kMilliseconds);
  for (bool error : {false, true})
    if (files[1 + error].revents & POLLIN)
      readOutput(error);
    else if (files[1 + error].revents)
      ::poll(nullptr, 0, 10); // it closed its output and runs on
  while (int number = signals_.next())
    if (number != SIGCHLD)
      onSignal(number);
}

int Job::run() {
  if (!start()) {
    for (auto &task : tasks_)
      task->kill();
    return exitStatus(ExitCode::Usage);
  }
  while (!running().empty()) {
    wait();
    lookForEnds();
    checkTimes();
    if (output_.isLive() && (!showAt_ || isDue(showAt_)) && !running().empty()) {
      output_.show(progress_.text(now(), running().size()));
      showAt_ = in(0.5);
    }
  }
  if (output_.problem()) {
    messages_.add(makeError("E0601", std::string("standard output cannot be written: ") + strerror(output_.problem())));
    if (!failed_ && chief().end().status == 0)
      return exitStatus(ExitCode::OutputNotWritable);
  }
  if (failed_)
    return failed_->end().status;
  return cutShort_ ? cutShort_ : chief().end().status;
}

int mlc::runLaunch(const common::CommandLine &line, common::MessageList &messages) {
  LaunchPlan plan;
  if (ExitCode code = plan.prepare(line, messages); code != ExitCode::Success)
    return exitStatus(code);
  return Job(plan, line, messages).run();
}

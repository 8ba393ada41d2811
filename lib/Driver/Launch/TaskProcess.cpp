// Starting and ending the processes of a local cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TaskProcess.h"
#include "common/cli/ExitCode.h"
#include "common/cluster/ForwardedSignal.h"
#include "llvm/ADT/StringRef.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlc;

std::string TaskEnd::text() const {
  if (signal)
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  return status ? "exit status " + std::to_string(status) : "done";
}

bool TaskEnd::isStopped() const {
  using common::ExitCode;
  return !signal && (status == exitStatus(ExitCode::Terminated) || status == exitStatus(ExitCode::Interrupted));
}

/// The environment with TF_CONFIG.
static std::vector<std::string> environmentWith(const std::string &tfConfig) {
  std::vector<std::string> result;
  for (char **variable = environ; *variable; ++variable)
    if (!llvm::StringRef(*variable).starts_with("TF_CONFIG="))
      result.emplace_back(*variable);
  result.push_back("TF_CONFIG=" + tfConfig);
  return result;
}

static std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> result;
  for (const std::string &text : texts)
    result.push_back(const_cast<char *>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// The child's part: nothing here may allocate. `report` takes an errno value if the program cannot be run.
[[noreturn]] static void become(const char *program, char *const *arguments, char *const *environment, int output,
                                int error, int report, pid_t parent) {
  // A group of its own: Ctrl-C at the terminal is the launcher's to pass on.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(127); // it is gone already
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD})
    ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int input = ::open("/dev/null", O_RDONLY);
  if (input >= 0 && ::dup2(input, 0) >= 0 && ::dup2(output, 1) >= 0 && ::dup2(error, 2) >= 0)
    ::execve(program, arguments, environment);
  int problem = errno;
  (void)!::write(report, &problem, sizeof(problem));
  ::_exit(127);
}

int TaskProcess::start(const LaunchPlan &plan, const PlannedTask &task, bool piped,
                       const std::vector<std::string> &variables, std::unique_ptr<TaskProcess> &process) {
  process.reset(new TaskProcess(task));
  process->log_ = ::open(task.log.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (process->log_ < 0)
    return errno;
  process->logStart_ = ::lseek(process->log_, 0, SEEK_END);
  int ends[2] = {process->log_, process->log_}, pipes[2], report[2];
  int problem = 0;
  for (int i = 0; i < 2 && piped && !problem; ++i) {
    if (::pipe2(pipes, O_CLOEXEC) != 0) {
      problem = errno;
      break;
    }
    process->output_[i] = pipes[0];
    ends[i] = pipes[1];
    ::fcntl(pipes[0], F_SETFL, O_NONBLOCK);
  }
  if (!problem && ::pipe2(report, O_CLOEXEC) != 0)
    problem = errno;
  if (!problem) {
    std::vector<std::string> environment = environmentWith(task.tfConfig);
    environment.insert(environment.end(), variables.begin(), variables.end());
    const std::vector<char *> arguments = pointersTo(plan.command()), pointers = pointersTo(environment);
    const pid_t parent = ::getpid();
    process->pid_ = ::fork();
    if (process->pid_ == 0)
      become(plan.program().c_str(), arguments.data(), pointers.data(), ends[0], ends[1], report[1], parent);
    problem = process->pid_ < 0 ? errno : 0;
    ::close(report[1]);
    // The end of the file tells that the program runs.
    if (!problem && ::read(report[0], &problem, sizeof(problem)) > 0)
      ::waitpid(process->pid_, nullptr, 0);
    ::close(report[0]);
  }
  for (int end : ends)
    if (end != process->log_)
      ::close(end);
  if (problem)
    process->pid_ = -1;
  return problem;
}

TaskProcess::~TaskProcess() {
  kill();
  for (int file : {log_, output_[0], output_[1]})
    if (file >= 0)
      ::close(file);
}

double TaskProcess::seconds() const {
  return std::chrono::duration<double>((isEnded_ ? endedAt_ : Clock::now()) - started_).count();
}

bool TaskProcess::poll() {
  int status = 0;
  siginfo_t info = {};
  if (!isRunning() || ::waitid(P_PID, pid_, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_)
    return false;
  ::kill(-pid_, SIGKILL); // what it may have started; its number is not free before it is waited for
  ::waitpid(pid_, &status, 0);
  isEnded_ = true;
  endedAt_ = Clock::now();
  end_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end_.status = WIFSIGNALED(status) ? 128 + end_.signal : WEXITSTATUS(status);
  return true;
}

void TaskProcess::signal(int number) {
  if (!isRunning())
    return;
  isTold_ = true;
  sigval value = {};
  value.sival_int = common::kForwardedSignal;
  ::sigqueue(pid_, number, value);
}

void TaskProcess::kill() {
  if (!isRunning())
    return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL); // its group may not be there yet
  ::waitpid(pid_, nullptr, 0);
  isEnded_ = true;
  endedAt_ = Clock::now();
  end_ = {128 + SIGKILL, SIGKILL};
}

void TaskProcess::log(const std::string &text) { (void)!::write(log_, text.data(), text.size()); }

std::vector<std::string> TaskProcess::lastLines(size_t count) const {
  constexpr int64_t kMostBytes = 64 << 10;
  struct stat file = {};
  if (::fstat(log_, &file) != 0)
    return {};
  const int64_t begin = std::max<int64_t>(logStart_, file.st_size - kMostBytes);
  std::string text(std::max<int64_t>(file.st_size - begin, 0), '\0');
  const ssize_t size = ::pread(log_, text.data(), text.size(), begin);
  text.resize(std::max<ssize_t>(size, 0));
  std::vector<std::string> lines;
  llvm::StringRef rest = llvm::StringRef(text).rtrim('\n');
  while (!rest.empty() && lines.size() < count) {
    auto [before, last] = rest.rsplit('\n');
    const bool isOnly = !rest.contains('\n');
    lines.insert(lines.begin(), (isOnly ? rest : last).str());
    rest = isOnly ? llvm::StringRef() : before;
  }
  return lines;
}

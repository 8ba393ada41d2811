// ptrace and seccomp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SyscallTracer.h"

#include <climits>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mlcrt {

namespace {

/// Where a call has its subject: a descriptor, a path, or a directory's descriptor and a path in it.
enum class Subject { Descriptor, Path, At };

struct KnownCall {
  long number;
  const char *name;
  Subject subject;
};

constexpr KnownCall kCalls[] = {
    {SYS_open, "open", Subject::Path},
    {SYS_openat, "open", Subject::At},
    {SYS_creat, "open", Subject::Path},
    {SYS_write, "write", Subject::Descriptor},
    {SYS_pwrite64, "write", Subject::Descriptor},
    {SYS_writev, "writev", Subject::Descriptor},
    {SYS_pwritev, "writev", Subject::Descriptor},
    {SYS_fsync, "fsync", Subject::Descriptor},
    {SYS_fdatasync, "fsync", Subject::Descriptor},
    {SYS_ftruncate, "truncate", Subject::Descriptor},
    {SYS_truncate, "truncate", Subject::Path},
    {SYS_rename, "rename", Subject::Path},
    {SYS_renameat, "rename", Subject::At},
    {SYS_renameat2, "rename", Subject::At},
    {SYS_unlink, "unlink", Subject::Path},
    {SYS_unlinkat, "unlink", Subject::At},
    {SYS_rmdir, "rmdir", Subject::Path},
    {SYS_mkdir, "mkdir", Subject::Path},
    {SYS_mkdirat, "mkdir", Subject::At},
};
constexpr size_t kNumCalls = sizeof(kCalls) / sizeof(kCalls[0]);

/// In the child: has the kernel stop at the calls of the table.
bool installFilter() {
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const KnownCall &call : kCalls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call.number), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

std::string linkTarget(const std::string &link) {
  char target[PATH_MAX];
  ssize_t size = ::readlink(link.c_str(), target, sizeof(target));
  return std::string(target, size < 0 ? 0 : static_cast<size_t>(size));
}

class Tracer {
public:
  Tracer(std::string directory, const Injection &injection) : directory_(std::move(directory)), injection_(injection) {}

  TracedRun run(const std::function<void()> &body);

private:
  void atCall(pid_t thread);
  static void finishCall(pid_t thread);
  std::optional<TracedCall> watched(pid_t thread, const KnownCall &call, const user_regs_struct &registers) const;
  std::string readPath(pid_t thread, uint64_t address) const;

  const std::string directory_;
  const Injection injection_;
  pid_t child_ = -1;
  TracedRun result_;
};

std::string Tracer::readPath(pid_t thread, uint64_t address) const {
  // Page by page: the text may end just before memory that is not there.
  std::string text;
  while (text.size() < PATH_MAX) {
    char buffer[4096];
    size_t size = 4096 - address % 4096;
    iovec local = {buffer, size}, remote = {reinterpret_cast<void *>(address), size};
    ssize_t got = ::process_vm_readv(thread, &local, 1, &remote, 1, 0);
    if (got <= 0)
      break;
    text.append(buffer, static_cast<size_t>(got));
    if (size_t end = text.find('\0'); end != std::string::npos)
      return text.substr(0, end);
    address += static_cast<uint64_t>(got);
  }
  return text;
}

std::optional<TracedCall> Tracer::watched(pid_t thread, const KnownCall &call,
                                          const user_regs_struct &registers) const {
  std::string process = "/proc/" + std::to_string(thread);
  auto descriptorPath = [&](uint64_t descriptor) {
    return linkTarget(process + "/fd/" + std::to_string(static_cast<int>(descriptor)));
  };
  TracedCall result{call.name, "", false};
  if (call.subject == Subject::Descriptor) {
    result.path = descriptorPath(registers.rdi);
  } else {
    bool at = call.subject == Subject::At;
    result.path = readPath(thread, at ? registers.rsi : registers.rdi);
    if (result.path.empty() || result.path[0] != '/') {
      bool fromCwd = !at || static_cast<int>(registers.rdi) == AT_FDCWD;
      result.path = (fromCwd ? linkTarget(process + "/cwd") : descriptorPath(registers.rdi)) + "/" + result.path;
    }
  }
  while (result.path.size() > 1 && result.path.back() == '/')
    result.path.pop_back();
  if (result.path != directory_ && result.path.compare(0, directory_.size() + 1, directory_ + "/") != 0)
    return std::nullopt;
  if (result.name == "open" && call.number != SYS_creat) {
    uint64_t flags = call.subject == Subject::At ? registers.rdx : registers.rsi;
    result.isDirectory = flags & O_DIRECTORY;
    if (!result.isDirectory && !(flags & (O_WRONLY | O_RDWR | O_CREAT)))
      return std::nullopt;
  }
  return result;
}

/// Lets the thread go on to the end of its call, where it stops.
void Tracer::finishCall(pid_t thread) {
  ::ptrace(PTRACE_SYSCALL, thread, nullptr, nullptr);
  ::waitpid(thread, nullptr, __WALL);
}

void Tracer::atCall(pid_t thread) {
  user_regs_struct registers;
  if (::ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0)
    return; // killed meanwhile
  const KnownCall *call = nullptr;
  for (size_t i = 0; i < kNumCalls; ++i)
    if (kCalls[i].number == static_cast<long>(registers.orig_rax))
      call = &kCalls[i];
  if (!call || (injection_.at >= 0 && static_cast<int>(result_.calls.size()) > injection_.at))
    return;
  std::optional<TracedCall> seen = watched(thread, *call, registers);
  if (!seen)
    return;
  int number = static_cast<int>(result_.calls.size());
  result_.calls.push_back(*seen);
  if (number != injection_.at) {
    // No other thread's call comes before this one has happened: what is listed has happened, up to the last.
    finishCall(thread);
    return;
  }
  switch (injection_.action) {
  case Injection::Kill:
    ::kill(child_, SIGKILL);
    break;
  case Injection::KillAfterHalf:
    if (seen->name == "write") {
      registers.rdx /= 2;
      ::ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    }
    finishCall(thread);
    ::kill(child_, SIGKILL);
    break;
  case Injection::Fail:
    registers.orig_rax = static_cast<unsigned long long>(-1); // no call: rax is its result
    registers.rax = static_cast<unsigned long long>(-injection_.error);
    ::ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    break;
  }
}

TracedRun Tracer::run(const std::function<void()> &body) {
  child_ = ::fork();
  if (child_ == 0) {
    // Leak checkers trace themselves, which a traced process cannot.
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0 || ::raise(SIGSTOP) != 0 || !installFilter())
      ::_exit(97);
    body();
    ::_exit(98);
  }
  int status = 0;
  ::waitpid(child_, &status, 0);
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  if (!WIFSTOPPED(status) || ::ptrace(PTRACE_SETOPTIONS, child_, nullptr, options) != 0) {
    result_.traced = false;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, &status, 0);
    return result_;
  }
  ::ptrace(PTRACE_CONT, child_, nullptr, nullptr);
  for (pid_t thread; (thread = ::waitpid(-1, &status, __WALL)) > 0;) {
    if (!WIFSTOPPED(status)) {
      if (thread == child_) {
        result_.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        break;
      }
      continue;
    }
    int signal = WSTOPSIG(status), event = status >> 16;
    if (signal == SIGTRAP && event == PTRACE_EVENT_SECCOMP)
      atCall(thread);
    // New threads stop once with SIGSTOP; other signals are the program's own.
    bool own = signal != SIGTRAP && signal != SIGSTOP;
    ::ptrace(PTRACE_CONT, thread, nullptr, reinterpret_cast<void *>(static_cast<intptr_t>(own ? signal : 0)));
  }
  if (result_.exit == 97)
    result_.traced = false;
  return result_;
}

} // namespace

TracedRun runTraced(const std::function<void()> &body, const std::string &directory, const Injection &injection) {
  return Tracer(directory, injection).run(body);
}

} // namespace mlcrt

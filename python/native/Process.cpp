// What runs of Python need of their process: forks, and the end of the interpreter.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Process.h"

#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace nb = nanobind;

namespace mlc::python {

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

static std::atomic<pid_t> user{0}; ///< the process that used mlc first; 0: none did

static void refuseAtEnd();

void checkProcess() {
  pid_t first = 0;
  if (user.compare_exchange_strong(first, ::getpid()) || first == ::getpid())
    return refuseAtEnd();
  const std::string text = "mlc was used in process " + std::to_string(first) +
                           ", which this one was forked from: use the start method 'spawn' "
                           "(multiprocessing.get_context(\"spawn\")), or mlc in the forked processes alone";
  PyErr_SetString(PyExc_RuntimeError, text.c_str());
  throw nb::python_error();
}

//===----------------------------------------------------------------------===//
// The end of the interpreter
//===----------------------------------------------------------------------===//

namespace {
/// What threads of Python do in this module.
struct Threads {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<mlcrt::StopToken *> runs;
  std::thread::id ender;             ///< written before isEnding
  std::atomic<bool> isEnding{false}; ///< none but `ender` begins anything
  std::atomic<int> outside{0};       ///< threads that work without the GIL
  std::atomic<bool> isFinal{false};  ///< none but `ender` takes the GIL again
};
} // namespace

/// Never destroyed: threads outlive what the end of a process destroys.
static Threads &threads() {
  static auto *const threads = new Threads();
  return *threads;
}

static bool isAnother() { return std::this_thread::get_id() != threads().ender; }

/// Whether this thread, which is not the one that ends the interpreter, must not take the GIL any more.
static bool isLeftBehind() { return threads().isFinal.load() && isAnother(); }

static void refuseAtEnd() {
  if (!threads().isEnding.load() || !isAnother())
    return;
  PyErr_SetString(PyExc_SystemExit, "the interpreter ends"); // of which threads end without a word
  throw nb::python_error();
}

[[noreturn]] static void stay() {
  for (;;)
    ::pause();
}

GilRelease::GilRelease() {
  threads().outside.fetch_add(1);
  state_ = PyEval_SaveThread();
  if (!isLeftBehind())
    return;
  threads().outside.fetch_sub(1);
  stay();
}

GilRelease::~GilRelease() {
  const bool stays = isLeftBehind();
  if (!stays)
    PyEval_RestoreThread(state_);
  // Afterwards: who ends the interpreter waits until none is between the look and the GIL.
  threads().outside.fetch_sub(1);
  if (stays)
    stay();
}

bool canTakeGil() { return Py_IsInitialized() && !isLeftBehind(); }

ActiveRun::ActiveRun(mlcrt::StopToken &stop) : stop_(stop) {
  Threads &all = threads();
  const std::lock_guard<std::mutex> lock(all.mutex);
  refuseAtEnd();
  all.runs.insert(&stop);
}

ActiveRun::~ActiveRun() {
  Threads &all = threads();
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.runs.erase(&stop_);
  }
  all.changed.notify_all();
}

/// Runs of daemon threads save and end, and what else they do here, if they do so in some seconds. Their threads end
/// when they come here next: who joins them later does not wait in vain.
static void end() {
  constexpr std::chrono::seconds kPatience{5};
  constexpr std::chrono::milliseconds kMoment{1};
  // Nothing was used, or by the process that this one was forked from: its threads are not here.
  if (user.load() != ::getpid())
    return;
  Threads &all = threads();
  nb::gil_scoped_release release; // what they wait for
  {
    std::unique_lock<std::mutex> lock(all.mutex);
    all.ender = std::this_thread::get_id();
    all.isEnding = true;
    for (mlcrt::StopToken *run : all.runs)
      run->raise(SIGTERM);
    all.changed.wait_for(lock, kPatience, [&] { return all.runs.empty(); });
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (all.outside.load() > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(kMoment);
  all.isFinal = true;
}

void watchEnd() { nb::module_::import_("atexit").attr("register")(nb::cpp_function(end)); }

} // namespace mlc::python

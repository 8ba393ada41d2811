// Starting trainers and reading how they ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Tune/TrialRunner.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace mlc;

static volatile std::sig_atomic_t signalNumber = 0;

int mlc::receivedSignal() { return signalNumber; }

void mlc::keepInterrupts() {
  for (int number : {SIGINT, SIGTERM})
    std::signal(number, [](int received) { signalNumber = received; });
}

static TrialEnd readEnd(const TrialRun &run, int status) {
  TrialEnd end;
  end.status = status;
  auto buffer = llvm::MemoryBuffer::getFile(run.log);
  if (!buffer)
    return end;
  llvm::StringRef rest = (*buffer)->getBuffer();
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    if (!line.starts_with("{\"event\":\"done\"") && !line.starts_with("{\"event\":\"eval\"") &&
        !line.starts_with("{\"event\":\"config\""))
      continue;
    llvm::Expected<llvm::json::Value> event = llvm::json::parse(line);
    if (!event) {
      llvm::consumeError(event.takeError());
      continue;
    }
    const llvm::json::Object &object = *event->getAsObject();
    const llvm::StringRef kind = object.getString("event").value_or("");
    if (kind == "done") {
      end.step = object.getInteger("step").value_or(0);
      end.reason = object.getString("reason").value_or("").str();
    } else if (kind == "config") {
      const llvm::json::Object *examples = object.getObject("examples");
      const llvm::json::Object *sets = examples ? examples->getObject("eval") : nullptr;
      end.heldOut = sets ? sets->getInteger(run.evalSet).value_or(0) : 0;
    } else if (const llvm::json::Object *metrics = object.getObject("metrics");
               metrics && object.getString("name").value_or("") == run.evalSet) {
      if (std::optional<double> value = metrics->getNumber(run.metric))
        end.curve[object.getInteger("step").value_or(0)] = *value;
    }
  }
  return end;
}

std::vector<TrialEnd> mlc::runTrials(const std::vector<TrialRun> &runs, unsigned jobs) {
  std::vector<TrialEnd> ends(runs.size());
  struct Running {
    size_t run;
    llvm::sys::ProcessInfo process;
    bool isTold = false;
  };
  std::vector<Running> running;
  size_t next = 0;
  while (!running.empty() || (next < runs.size() && !receivedSignal())) {
    while (next < runs.size() && running.size() < jobs && !receivedSignal()) {
      const TrialRun &run = runs[next];
      std::vector<llvm::StringRef> arguments = {run.program};
      arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
      const std::string errors = run.log + ".err";
      std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(run.log),
                                                    llvm::StringRef(errors)};
      bool failed = false;
      llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(run.program, arguments, /*Env=*/std::nullopt, redirects,
                                                                /*MemoryLimit=*/0, /*ErrMsg=*/nullptr, &failed);
      if (!failed)
        running.push_back({next, process});
      ++next;
    }
    for (size_t i = 0; i < running.size();) {
      Running &each = running[i];
      if (receivedSignal() && !each.isTold) {
        kill(each.process.Pid, receivedSignal());
        each.isTold = true;
      }
      llvm::sys::ProcessInfo ended = llvm::sys::Wait(each.process, /*SecondsToWait=*/0, /*ErrMsg=*/nullptr,
                                                     /*ProcStat=*/nullptr, /*Polling=*/true);
      if (ended.Pid == 0) {
        ++i;
        continue;
      }
      ends[each.run] = readEnd(runs[each.run], ended.ReturnCode);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return ends;
}

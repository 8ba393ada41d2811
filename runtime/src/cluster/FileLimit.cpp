// How many files this process may have open.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/FileLimit.h"

#include "runtime/src/cluster/Transients.h"

#include <algorithm>
#include <sys/resource.h>

namespace mlcrt {

int64_t raiseFileLimit() {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return 0;
  rlimit raised = limit;
  raised.rlim_cur = limit.rlim_max;
  if (limit.rlim_cur < limit.rlim_max && ::setrlimit(RLIMIT_NOFILE, &raised) == 0)
    limit = raised;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
}

int64_t filesOfTask(int64_t tasks) {
  constexpr int64_t kOwn = 100; // data, checkpoints, logs, event files
  return 2 * tasks + static_cast<int64_t>(kMostGreetings + kMostStrangers) + kOwn;
}

} // namespace mlcrt

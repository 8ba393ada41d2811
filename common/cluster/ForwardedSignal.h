// A signal that mlc launch passes on to a task. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_FORWARDEDSIGNAL_H
#define MLC_COMMON_FORWARDEDSIGNAL_H

namespace mlc::common {

/// The value that goes with it (sigqueue). Who signals all processes of a job at once signals the launcher, too: what
/// the launcher passes on then is no second signal, which would end the task in the midst of its save.
inline constexpr int kForwardedSignal = 0x6d6c63;

} // namespace mlc::common

#endif // MLC_COMMON_FORWARDEDSIGNAL_H

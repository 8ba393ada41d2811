// Completion queues, and what both sides of a connection share. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_GRPCEVENTS_H
#define MLCRT_CLUSTER_GRPCEVENTS_H

#include "runtime/src/cluster/GrpcMessage.h"

#include <grpcpp/grpcpp.h>

#include <memory>
#include <thread>
#include <vector>

namespace mlcrt {

inline constexpr char kMethodPrefix[] = "/mlc.Task/";
inline constexpr char kTokenKey[] = "mlc-token";
/// After a reply: nanoseconds that the peer had the call.
inline constexpr char kHeldKey[] = "mlc-held";

/// For messages of megabytes between hosts of one network: large reads and frames; a window that keeps a connection of
/// 8 GB/s and 1 ms busy, and bounds what lies here unread of a message in parts.
template <typename SetArgument> void setChannelArguments(SetArgument set) {
  set(GRPC_ARG_TCP_READ_CHUNK_SIZE, 1 << 20);
  set(GRPC_ARG_TCP_MIN_READ_CHUNK_SIZE, 1 << 16);
  set(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 1 << 20);
  set(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, (1 << 24) - 1);
  set(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 23);
  set(GRPC_ARG_HTTP2_BDP_PROBE, 0);
}

/// What a completion queue gives back.
class Event {
public:
  virtual ~Event() = default;
  /// `ok` as the operation defines it. The event may be gone after this.
  virtual void complete(bool ok) = 0;
};

/// A completion queue with threads that take events from it.
class EventQueue {
public:
  EventQueue() = default;
  /// Nothing is begun any more when this is called.
  ~EventQueue() {
    queue_->Shutdown();
    for (std::thread &thread : threads_)
      thread.join();
  }
  void run(std::unique_ptr<grpc::CompletionQueue> queue, int threads) {
    queue_ = std::move(queue);
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this] {
        void *event;
        for (bool ok; queue_->Next(&event, &ok);)
          static_cast<Event *>(event)->complete(ok);
      });
  }
  grpc::CompletionQueue *queue() const { return queue_.get(); }

private:
  std::unique_ptr<grpc::CompletionQueue> queue_;
  std::vector<std::thread> threads_;
};

/// One kind of event of a call, given to a member function of it.
template <typename CallT> class CallEvent : public Event {
public:
  CallEvent(CallT &call, void (CallT::*then)(bool)) : call_(call), then_(then) {}
  void complete(bool ok) override { call_.complete(then_, ok); }

private:
  CallT &call_;
  void (CallT::*const then_)(bool);
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_GRPCEVENTS_H

// The calling side of gRPC.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/GrpcConnection.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/src/cluster/BlockingCalls.h"

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace mlcrt {

namespace {

class GrpcConnection : public Connection {
public:
  GrpcConnection(const std::shared_ptr<grpc::Channel> &channel, std::shared_ptr<EventQueue> events, std::string peer,
                 std::string token, int64_t maxMessageBytes, Diagnose diagnose)
      : events_(std::move(events)), stub_(channel), peer_(std::move(peer)), token_(std::move(token)),
        maxMessageBytes_(maxMessageBytes), diagnose_(std::move(diagnose)) {}
  /// No callback comes after this.
  ~GrpcConnection() override {
    std::unique_lock<std::mutex> lock(mutex_);
    for (grpc::ClientContext *context : contexts_)
      context->TryCancel();
    idle_.wait(lock, [this] { return contexts_.empty(); });
  }

  void cancelCalls(const absl::Status &why) override {
    std::lock_guard<std::mutex> lock(mutex_);
    cancelledWhy_ = why;
    for (grpc::ClientContext *context : contexts_)
      context->TryCancel();
  }

  void start(std::string_view method, OutgoingMessage request, std::chrono::milliseconds timeout, Done done,
             PlaceFunction place) override {
    const std::string path = kMethodPrefix + std::string(method);
    // A message each way is one event, parts are several: for messages that are large, or may be.
    if (request.payloadSize() > kPartBytes || request.rest || place)
      (new StreamCall(*this, timeout, std::move(done), std::move(request), std::move(place)))->begin(path);
    else
      (new UnaryCall(*this, timeout, std::move(done)))->begin(path, std::move(request));
  }

private:
  /// One call to the peer. It goes with `end`.
  class ClientCall {
  public:
    ClientCall(GrpcConnection &connection, std::chrono::milliseconds timeout, Done done)
        : of_(connection), assembly_(connection.maxMessageBytes_), done_(std::move(done)) {
      context_.set_deadline(std::chrono::system_clock::now() + timeout);
      if (!of_.token_.empty())
        context_.AddMetadata(kTokenKey, of_.token_);
      std::lock_guard<std::mutex> lock(of_.mutex_);
      of_.contexts_.insert(&context_);
    }
    virtual ~ClientCall() = default;

  protected:
    /// With what is assembled, if all is well and there.
    void end(absl::Status own) {
      if (own.ok() && !status_.ok())
        own = absl::Status(static_cast<absl::StatusCode>(status_.error_code()), status_.error_message());
      if (own.ok() && !assembly_.isComplete())
        own = absl::InternalError("a reply that ends before its message");
      if (!absl::IsUnavailable(own) || !of_.mayDiagnose())
        return finish(own);
      // It takes time, which others of this thread do not have. The connection waits for the call.
      BlockingCalls::start([this, own] {
        absl::Status why = of_.diagnose_();
        finish(why.ok() ? own : why);
      });
    }

    void finish(const absl::Status &own) {
      if (own.ok())
        done_(received());
      else if (absl::Status why = of_.whyCancelled(); absl::IsCancelled(own) && !why.ok())
        done_(why);
      else
        done_(absl::Status(own.code(), absl::StrCat(of_.peer_, ": ", own.message())));
      done_ = nullptr;
      GrpcConnection &of = of_;
      grpc::ClientContext *const ended = &context_;
      std::lock_guard<std::mutex> lock(of.mutex_);
      of.contexts_.erase(ended);
      of.idle_.notify_all();
      delete this;
    }

    IncomingMessage received() {
      IncomingMessage message = assembly_.take();
      const auto &trailers = context_.GetServerTrailingMetadata();
      int64_t held = 0;
      if (auto found = trailers.find(kHeldKey); found != trailers.end())
        if (absl::SimpleAtoi(absl::string_view(found->second.data(), found->second.size()), &held) && held >= 0)
          message.setHeldFor(std::chrono::nanoseconds(held));
      return message;
    }

    GrpcConnection &of_;
    grpc::ClientContext context_;
    MessageAssembly assembly_;
    grpc::ByteBuffer reply_;
    grpc::Status status_;

  private:
    Done done_;
  };

  /// A message each way.
  class UnaryCall : public ClientCall, public Event {
  public:
    using ClientCall::ClientCall;
    void begin(const std::string &path, OutgoingMessage request) {
      reader_ = of_.stub_.PrepareUnaryCall(&context_, path, MessageParts(std::move(request), /*inParts=*/false).next(),
                                           of_.events_->queue());
      reader_->StartCall();
      reader_->Finish(&reply_, &status_, static_cast<Event *>(this)); // the queue knows an Event
    }
    void complete(bool) override { end(status_.ok() ? assembly_.add(reply_, nullptr) : absl::OkStatus()); }

  private:
    std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader_;
  };

  /// Messages in parts. Parts are written while others, of the reply, are read: it may be an early refusal.
  class StreamCall : public ClientCall {
  public:
    StreamCall(GrpcConnection &connection, std::chrono::milliseconds timeout, Done done, OutgoingMessage request,
               PlaceFunction place)
        : ClientCall(connection, timeout, std::move(done)), rest_(request.rest),
          parts_(std::move(request), /*inParts=*/true, /*takesParts=*/true), place_(std::move(place)) {}
    void begin(const std::string &path) {
      context_.set_initial_metadata_corked(true); // goes with the first part
      stream_ = of_.stub_.PrepareCall(&context_, path, of_.events_->queue());
      stream_->StartCall(nullptr);
      writePart();
      stream_->Read(&reply_, &read_);
    }
    void complete(void (StreamCall::*then)(bool), bool ok) { (this->*then)(ok); }

  private:
    void writePart() {
      if (isOver_)
        return release();
      // gRPC may be done with a part before this returns, and another thread with the call.
      if (!parts_.isDone()) {
        grpc::ByteBuffer part = parts_.next();
        return write(part, /*isLast=*/parts_.isDone() && !rest_);
      }
      std::vector<Slice> slices;
      // On a thread of the queue: who makes the payload goes on.
      auto ready = [this] { alarm_.Set(of_.events_->queue(), gpr_now(GPR_CLOCK_MONOTONIC), &ready_); };
      switch (rest_->take(kLeastPartBytes, kPartBytes, slices, ready)) {
      case PayloadStream::Next::Wait:
        return;
      case PayloadStream::Next::Abandoned:
        context_.TryCancel();
        return release();
      case PayloadStream::Next::Part:
        return write(makeBuffer(std::move(slices)), /*isLast=*/false);
      case PayloadStream::Next::End:
        return write(grpc::ByteBuffer(nullptr, 0), /*isLast=*/true);
      }
    }
    void write(const grpc::ByteBuffer &part, bool isLast) {
      isLast_ = isLast;
      if (isLast)
        stream_->WriteLast(part, grpc::WriteOptions(), &written_);
      else
        stream_->Write(part, &written_);
    }
    void written(bool ok) {
      if (ok && !isLast_)
        writePart();
      else
        release();
    }
    void ready(bool) { writePart(); }
    void read(bool ok) {
      if (ok) {
        error_ = assembly_.add(reply_, place_);
        reply_.Clear();
        if (error_.ok() && !assembly_.isComplete())
          return stream_->Read(&reply_, &read_);
        if (!error_.ok())
          context_.TryCancel();
      }
      isOver_ = true;
      stream_->Finish(&status_, &finished_);
    }
    void finished(bool) {
      // A writer that waits for more of the payload waits no longer.
      if (rest_ && rest_->forget())
        release();
      release();
    }
    /// Writing and reading end each on its own.
    void release() {
      if (--pending_ == 0)
        end(error_);
    }

    const std::shared_ptr<PayloadStream> rest_;
    MessageParts parts_;
    bool isLast_ = false;
    std::atomic<bool> isOver_{false}; ///< nothing is to be written any more
    grpc::Alarm alarm_;
    const PlaceFunction place_;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
    absl::Status error_; ///< of a reply that was received
    std::atomic<int> pending_{2};
    CallEvent<StreamCall> written_{*this, &StreamCall::written}, read_{*this, &StreamCall::read},
        finished_{*this, &StreamCall::finished}, ready_{*this, &StreamCall::ready};
  };

  /// Whether to look why the peer is not reached: not each time, as who is not there yet is called again and again.
  bool mayDiagnose() {
    constexpr std::chrono::seconds kPause{1};
    const auto now = std::chrono::steady_clock::now();
    std::lock_guard<std::mutex> lock(mutex_);
    if (!diagnose_ || !cancelledWhy_.ok() || (hasDiagnosed_ && now - diagnosed_ < kPause))
      return false;
    hasDiagnosed_ = true;
    diagnosed_ = now;
    return true;
  }

  absl::Status whyCancelled() {
    std::lock_guard<std::mutex> lock(mutex_);
    return cancelledWhy_;
  }

  const std::shared_ptr<EventQueue> events_;
  grpc::GenericStub stub_;
  const std::string peer_, token_;
  const int64_t maxMessageBytes_;
  const Diagnose diagnose_;
  std::mutex mutex_;
  bool hasDiagnosed_ = false;
  std::chrono::steady_clock::time_point diagnosed_;
  std::condition_variable idle_;
  std::set<grpc::ClientContext *> contexts_;
  absl::Status cancelledWhy_;
};

} // namespace

std::unique_ptr<Connection> makeGrpcConnection(const std::shared_ptr<grpc::Channel> &channel,
                                               std::shared_ptr<EventQueue> events, std::string peer, std::string token,
                                               int64_t maxMessageBytes, Diagnose diagnose) {
  return std::make_unique<GrpcConnection>(channel, std::move(events), std::move(peer), std::move(token),
                                          maxMessageBytes, std::move(diagnose));
}

} // namespace mlcrt

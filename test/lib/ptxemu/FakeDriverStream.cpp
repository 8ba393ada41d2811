// Functions of the driver about streams, events and copies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/FakeDriver.h"

using namespace ptxemu;
using Clock = std::chrono::steady_clock;

PTXEMU_EXPORT int cuStreamCreate(void **handle, unsigned flags) {
  PTXEMU_ENTER()
  if (flags > 1)
    return kInvalidValue;
  auto *stream = new Stream;
  stream->device = driver.current()->nullStream.device;
  stream->blocking = flags == 0;
  driver.current()->streams.insert(stream);
  *handle = stream;
  return kSuccess;
}
PTXEMU_EXPORT int cuStreamCreateWithPriority(void **handle, unsigned flags, int) {
  return cuStreamCreate(handle, flags);
}
PTXEMU_EXPORT int cuStreamDestroy_v2(void *handle) {
  PTXEMU_ENTER()
  auto *stream = static_cast<Stream *>(handle);
  if (!driver.devices[stream->device]->streams.erase(stream))
    return kInvalidHandle;
  // What is in it is done nevertheless, at the latest now.
  const int result = driver.finish(stream->last);
  if (stream->point.capture)
    stream->point.capture->broken = true;
  delete stream;
  return result;
}
PTXEMU_EXPORT int cuStreamSynchronize(void *handle) {
  PTXEMU_ENTER()
  Stream &stream = driver.streamOf(handle);
  if (const int refused = driver.mayWait(&stream))
    return refused;
  ++driver.waits;
  if (&stream == &driver.current()->nullStream)
    for (Stream *other : driver.current()->streams)
      if (other->blocking)
        driver.finish(other->last);
  return driver.finish(stream.last);
}
PTXEMU_EXPORT int cuStreamQuery(void *handle) {
  PTXEMU_ENTER()
  Stream &stream = driver.streamOf(handle);
  if (const int refused = driver.mayWait(&stream))
    return refused;
  if (!stream.last || stream.last->done)
    return kSuccess;
  // Who asks is told no, and finds it done the next time.
  const int result = driver.finish(stream.last);
  return result ? result : kNotReady;
}
PTXEMU_EXPORT int cuStreamWaitEvent(void *handle, void *eventHandle, unsigned) {
  PTXEMU_ENTER()
  Stream &stream = driver.streamOf(handle);
  Event &event = *static_cast<Event *>(eventHandle);
  if (event.point.capture) {
    // The stream joins the capture, after what the event stands for.
    Capture &capture = *event.point.capture;
    if (stream.point.capture && stream.point.capture != event.point.capture) {
      capture.broken = true;
      return kStreamCaptureIsolation;
    }
    if (!stream.point.capture) {
      stream.point.capture = event.point.capture;
      stream.point.nodes.clear();
      capture.streams.insert(&stream);
    }
    for (size_t node : event.point.nodes)
      stream.point.nodes.push_back(node);
    return kSuccess;
  }
  if (stream.point.capture) {
    stream.point.capture->broken = true;
    return kStreamCaptureIsolation;
  }
  if (!event.task || event.task->done)
    return kSuccess;
  const TaskRef before = event.task;
  TaskRef made;
  const int result = driver.submit(stream, "wait", [] { return kSuccess; }, &made);
  if (made)
    made->after.push_back(before);
  return result;
}

PTXEMU_EXPORT int cuStreamBeginCapture_v2(void *handle, int mode) {
  PTXEMU_ENTER()
  Stream &stream = driver.streamOf(handle);
  if (&stream == &driver.current()->nullStream)
    return kStreamCaptureUnsupported;
  if (stream.point.capture)
    return kIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->origin = &stream;
  capture->mode = mode;
  capture->streams.insert(&stream);
  driver.captures.insert(capture.get());
  stream.point = {std::move(capture), {}};
  return kSuccess;
}
PTXEMU_EXPORT int cuStreamIsCapturing(void *handle, int *status) {
  PTXEMU_ENTER()
  const std::shared_ptr<Capture> &capture = driver.streamOf(handle).point.capture;
  *status = capture ? (capture->broken ? 2 : 1) : 0;
  return kSuccess;
}
PTXEMU_EXPORT int cuStreamEndCapture(void *handle, void **graph) {
  PTXEMU_ENTER()
  Stream &stream = driver.streamOf(handle);
  *graph = nullptr;
  if (!stream.point.capture)
    return kIllegalState;
  const std::shared_ptr<Capture> capture = stream.point.capture;
  if (capture->origin != &stream) {
    capture->broken = true;
    return kStreamCaptureUnmatched;
  }
  // Whatever other streams did must come before the end of this one.
  std::vector<bool> reached(capture->graph.nodes.size(), false);
  std::vector<size_t> stack = stream.point.nodes;
  while (!stack.empty()) {
    const size_t node = stack.back();
    stack.pop_back();
    if (reached[node])
      continue;
    reached[node] = true;
    for (size_t before : capture->graph.nodes[node].after)
      stack.push_back(before);
  }
  bool joined = true;
  for (Stream *other : capture->streams) {
    for (size_t node : other->point.nodes)
      joined = joined && reached[node];
    other->point = {};
  }
  driver.captures.erase(capture.get());
  if (capture->broken)
    return kStreamCaptureInvalidated;
  if (!joined)
    return kStreamCaptureUnjoined;
  *graph = new Graph(std::move(capture->graph));
  return kSuccess;
}

PTXEMU_EXPORT int cuEventCreate(void **handle, unsigned flags) {
  PTXEMU_ENTER()
  auto *event = new Event;
  event->timed = !(flags & 2);
  event->device = driver.current()->nullStream.device;
  *handle = event;
  return kSuccess;
}
PTXEMU_EXPORT int cuEventDestroy_v2(void *handle) {
  PTXEMU_ENTER()
  delete static_cast<Event *>(handle);
  return kSuccess;
}
PTXEMU_EXPORT int cuEventRecord(void *handle, void *streamHandle) {
  PTXEMU_ENTER()
  Event &event = *static_cast<Event *>(handle);
  Stream &stream = driver.streamOf(streamHandle);
  // Any stream may wait for it, one of its device alone records it.
  if (event.device != stream.device) {
    driver.report("an event of device " + std::to_string(event.device) + " is recorded in a stream of device " +
                  std::to_string(stream.device));
    return kInvalidHandle;
  }
  event.queries = 0;
  if (stream.point.capture) {
    event.point = stream.point;
    return kSuccess;
  }
  event.point = {};
  event.time = std::make_shared<Clock::time_point>();
  return driver.submit(
      stream, "event",
      [time = event.time] {
        *time = Clock::now();
        return kSuccess;
      },
      &event.task);
}
PTXEMU_EXPORT int cuEventQuery(void *handle) {
  PTXEMU_ENTER()
  Event &event = *static_cast<Event *>(handle);
  if (event.point.capture)
    return kCapturedEvent;
  if (!event.task || event.task->done)
    return kSuccess;
  // Twice the answer is no.
  if (++event.queries < 3)
    return kNotReady;
  return driver.finish(event.task);
}
PTXEMU_EXPORT int cuEventSynchronize(void *handle) {
  PTXEMU_ENTER()
  Event &event = *static_cast<Event *>(handle);
  if (event.point.capture)
    return kCapturedEvent;
  ++driver.waits;
  const TaskRef task = event.task;
  const int result = driver.finish(task);
  if (task && driver.devices[event.device]->streams.count(task->stream) && !task->stream->last->done)
    ++driver.earlyWaits;
  return result;
}
PTXEMU_EXPORT int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  PTXEMU_ENTER()
  const Event &first = *static_cast<Event *>(begin), &last = *static_cast<Event *>(end);
  if (!first.timed || !last.timed || !first.task || !last.task)
    return kInvalidHandle;
  if (!first.task->done || !last.task->done)
    return kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(*last.time - *first.time).count();
  return kSuccess;
}
PTXEMU_EXPORT int cuEventElapsedTime_v2(float *milliseconds, void *begin, void *end) {
  return cuEventElapsedTime(milliseconds, begin, end);
}

/// Whether a range can be copied to or from; what will be freed until then is found when it happens.
static int checkRange(Driver &driver, uint64_t address, size_t size) {
  return driver.current()->memory.holding(address, size) ? kSuccess : kInvalidValue;
}

PTXEMU_EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream) {
  PTXEMU_ENTER()
  if (size == 0)
    return kSuccess;
  if (const int wrong = checkRange(driver, to, size))
    return wrong;
  DriverDevice *device = driver.current();
  return driver.submit(driver.streamOf(stream), "to device",
                       [device, to, from, size] { return copyToDevice(*device, to, from, size); });
}
PTXEMU_EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream) {
  PTXEMU_ENTER()
  if (size == 0)
    return kSuccess;
  if (const int wrong = checkRange(driver, from, size))
    return wrong;
  DriverDevice *device = driver.current();
  return driver.submit(driver.streamOf(stream), "to host",
                       [device, to, from, size] { return copyToHost(*device, to, from, size); });
}
PTXEMU_EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *stream) {
  PTXEMU_ENTER()
  if (size == 0)
    return kSuccess;
  if (checkRange(driver, to, size) || checkRange(driver, from, size))
    return kInvalidValue;
  DriverDevice *device = driver.current();
  return driver.submit(driver.streamOf(stream), "on device",
                       [device, to, from, size] { return copyOnDevice(*device, to, from, size); });
}
PTXEMU_EXPORT int cuMemcpyPeerAsync(uint64_t to, void *toContext, uint64_t from, void *fromContext, size_t size,
                                    void *stream) {
  PTXEMU_ENTER()
  DriverDevice *target = nullptr, *source = nullptr;
  for (const auto &device : driver.devices) {
    if (device.get() == toContext && device->retained)
      target = device.get();
    if (device.get() == fromContext && device->retained)
      source = device.get();
  }
  if (!target || !source)
    return kInvalidContext;
  if (size == 0)
    return kSuccess;
  if (!target->memory.holding(to, size) || !source->memory.holding(from, size))
    return kInvalidValue;
  return driver.submit(driver.streamOf(stream), "between devices",
                       [target, to, source, from, size] { return copyBetween(*target, to, *source, from, size); });
}
/// The forms that wait: the default stream's work comes before.
PTXEMU_EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  PTXEMU_ENTER()
  if (const int refused = driver.mayWait(nullptr))
    return refused;
  if (const int wrong = cuMemcpyHtoDAsync_v2(to, from, size, nullptr))
    return wrong;
  return driver.finish(driver.current()->nullStream.last);
}
PTXEMU_EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  PTXEMU_ENTER()
  if (const int refused = driver.mayWait(nullptr))
    return refused;
  if (const int wrong = cuMemcpyDtoHAsync_v2(to, from, size, nullptr))
    return wrong;
  return driver.finish(driver.current()->nullStream.last);
}

static int fill(Driver &driver, uint64_t to, uint32_t value, unsigned width, size_t count, void *stream) {
  if (count == 0)
    return kSuccess;
  if (to % width || checkRange(driver, to, count * width))
    return kInvalidValue;
  DriverDevice *device = driver.current();
  return driver.submit(driver.streamOf(stream), "fill",
                       [device, to, value, width, count] { return fillDevice(*device, to, value, width, count); });
}
PTXEMU_EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  PTXEMU_ENTER()
  return fill(driver, to, value, 1, count, stream);
}
PTXEMU_EXPORT int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  PTXEMU_ENTER()
  return fill(driver, to, value, 2, count, stream);
}
PTXEMU_EXPORT int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  PTXEMU_ENTER()
  return fill(driver, to, value, 4, count, stream);
}
PTXEMU_EXPORT int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
  PTXEMU_ENTER()
  return driver.submit(driver.streamOf(stream), "host", [function, data] {
    function(data);
    return kSuccess;
  });
}

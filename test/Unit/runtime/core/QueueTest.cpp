//===- QueueTest.cpp - Order, blocking, closing and cancelling of queues -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Queue.h"
#include "test/Unit/runtime/core/StaticDims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

using namespace mlcrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr mlcrt_value kNumber[] = {{"c0", MLCRT_I64, 0, nullptr}};
constexpr mlcrt_value kVector[] = {{"c0", MLCRT_F32, 2, kDims<-1, 3>}};
constexpr mlcrt_value kPair[] = {{"c0", MLCRT_I64, 0, nullptr}, {"c1", MLCRT_F32, 1, kDims<2>}};

Queue::Element number(int64_t value) {
  Queue::Element element;
  element.emplace_back(MLCRT_I64, std::vector<int64_t>{});
  *element[0].as<int64_t>() = value;
  return element;
}

Queue::Element numbers(std::vector<int64_t> values) {
  Queue::Element rows;
  rows.emplace_back(MLCRT_I64, std::vector<int64_t>{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), rows[0].as<int64_t>());
  return rows;
}

int64_t take(Queue &queue) {
  absl::StatusOr<Queue::Element> element = queue.dequeue();
  EXPECT_TRUE(element.ok()) << element.status();
  return element.ok() ? *(*element)[0].as<int64_t>() : -1;
}

std::vector<int64_t> list(const Tensor &tensor) {
  return {tensor.as<int64_t>(), tensor.as<int64_t>() + tensor.elements()};
}

mlcrt_queue fifo(int64_t capacity) { return {"q", MLCRT_QUEUE_FIFO, 1, capacity, 0, 0, kNumber}; }

TEST(Queue, FifoKeepsOrder) {
  mlcrt_queue description = fifo(4);
  Queue queue(description);
  for (int64_t i = 0; i < 4; ++i)
    ASSERT_TRUE(queue.enqueue(number(i)).ok());
  EXPECT_EQ(queue.size(), 4);
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(take(queue), i);
  EXPECT_EQ(queue.size(), 0);
}

constexpr mlcrt_value kWords[] = {{"c0", MLCRT_STRING, 1, kDims<-1>}};

/// Words in memory that goes when the caller's does.
Queue::Element words(const std::vector<std::string> &texts) {
  std::vector<mlcrt_string> cells;
  for (const std::string &text : texts)
    cells.push_back({text.data(), static_cast<int64_t>(text.size())});
  const int64_t count = static_cast<int64_t>(cells.size());
  Queue::Element element(1);
  holdCells(element[0], MLCRT_STRING, &count, 1, cells.data());
  return element;
}

std::vector<std::string> textsOf(const Tensor &tensor) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const mlcrt_string &cell = tensor.as<mlcrt_string>()[i];
    texts.emplace_back(cell.data ? cell.data : "", cell.size);
  }
  return texts;
}

TEST(Queue, KeepsCopiesOfStrings) {
  mlcrt_queue description = {"q", MLCRT_QUEUE_PADDING_FIFO, 1, 8, 0, 0, kWords};
  Queue queue(description);
  const std::string longText(100, 'x');
  ASSERT_TRUE(queue.enqueue(words({"a", longText})).ok());
  ASSERT_TRUE(queue.enqueue(words({""})).ok());
  ASSERT_TRUE(queue.enqueue(words({"b", "c", longText + "y"})).ok());
  absl::StatusOr<Queue::Element> two = queue.dequeueMany(2, /*orRest=*/false), one = queue.dequeue();
  ASSERT_TRUE(two.ok() && one.ok());
  EXPECT_THAT((*two)[0].dims(), ElementsAre(2, 2));
  EXPECT_THAT(textsOf((*two)[0]), ElementsAre("a", longText, "", ""));
  EXPECT_THAT(textsOf((*one)[0]), ElementsAre("b", "c", longText + "y"));

  // Rows of a batch, which ends before they are taken out.
  {
    Queue::Element rows = words({"k", longText, "m", ""});
    const int64_t dims[] = {2, 2};
    Queue::Element batch(1);
    holdCells(batch[0], MLCRT_STRING, dims, 2, rows[0].data());
    ASSERT_TRUE(queue.enqueueMany(batch).ok());
  }
  one = queue.dequeue();
  ASSERT_TRUE(one.ok());
  EXPECT_THAT(textsOf((*one)[0]), ElementsAre("k", longText));
  one = queue.dequeue();
  ASSERT_TRUE(one.ok());
  EXPECT_THAT(textsOf((*one)[0]), ElementsAre("m", ""));
}

TEST(Queue, PriorityGivesTheLeastAndTheOldestOfEquals) {
  mlcrt_queue description = {"q", MLCRT_QUEUE_PRIORITY, 2, 8, 0, 0, kPair};
  Queue queue(description);
  float tag = 0;
  for (int64_t priority : {3, 1, 2, 1, -5}) {
    Queue::Element element = number(priority);
    element.emplace_back(MLCRT_F32, std::vector<int64_t>{2});
    element[1].as<float>()[0] = tag++;
    ASSERT_TRUE(queue.enqueue(std::move(element)).ok());
  }
  std::vector<float> tags;
  for (int i = 0; i < 5; ++i)
    tags.push_back((*queue.dequeue())[1].as<float>()[0]);
  EXPECT_THAT(tags, ElementsAre(4, 1, 3, 2, 0));
}

TEST(Queue, ShuffleIsAFunctionOfTheSeed) {
  auto order = [](int64_t seed) {
    mlcrt_queue description = {"q", MLCRT_QUEUE_RANDOM_SHUFFLE, 1, 32, 0, seed, kNumber};
    Queue queue(description);
    for (int64_t i = 0; i < 32; ++i)
      EXPECT_TRUE(queue.enqueue(number(i)).ok());
    std::vector<int64_t> taken;
    for (int64_t i = 0; i < 32; ++i)
      taken.push_back(take(queue));
    return taken;
  };
  std::vector<int64_t> first = order(1), sorted = first;
  EXPECT_EQ(first, order(1));
  EXPECT_NE(first, order(2));
  std::sort(sorted.begin(), sorted.end());
  for (int64_t i = 0; i < 32; ++i)
    EXPECT_EQ(sorted[i], i);
  EXPECT_NE(first, sorted);
}

TEST(Queue, ShuffleKeepsSomeBehindUntilItIsClosed) {
  mlcrt_queue description = {"q", MLCRT_QUEUE_RANDOM_SHUFFLE, 1, 8, 2, 0, kNumber};
  Queue queue(description);
  ASSERT_TRUE(queue.enqueueMany(numbers({1, 2, 3})).ok());
  take(queue);
  // The second taker waits until another element or the end comes.
  std::promise<void> taken;
  std::thread taker([&] {
    take(queue);
    taken.set_value();
  });
  EXPECT_EQ(queue.size(), 2);
  queue.close(/*cancelPending=*/false);
  taker.join();
  EXPECT_EQ(queue.size(), 1);
}

TEST(Queue, PadsToTheLargestOfTheBatch) {
  mlcrt_queue description = {"q", MLCRT_QUEUE_PADDING_FIFO, 1, 8, 0, 0, kVector};
  Queue queue(description);
  for (int64_t rows : {1, 0, 2}) {
    Queue::Element element;
    element.emplace_back(MLCRT_F32, std::vector<int64_t>{rows, 3});
    for (int64_t i = 0; i < 3 * rows; ++i)
      element[0].as<float>()[i] = static_cast<float>(10 * rows + i);
    ASSERT_TRUE(queue.enqueue(std::move(element)).ok());
  }
  absl::StatusOr<Queue::Element> batch = queue.dequeueMany(3, /*orRest=*/false);
  ASSERT_TRUE(batch.ok());
  const Tensor &rows = (*batch)[0];
  EXPECT_THAT(rows.dims(), ElementsAre(3, 2, 3));
  std::vector<float> values(rows.as<float>(), rows.as<float>() + rows.elements());
  EXPECT_THAT(values, ElementsAre(10, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 21, 22, 23, 24, 25));
}

TEST(Queue, FullQueueHoldsBackWhoPutsIn) {
  mlcrt_queue description = fifo(2);
  Queue queue(description);
  std::thread producer([&] { EXPECT_TRUE(queue.enqueueMany(numbers({0, 1, 2, 3, 4, 5})).ok()); });
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_LE(queue.size(), 2);
    EXPECT_EQ(take(queue), i);
  }
  producer.join();
}

TEST(Queue, EmptyQueueHoldsBackWhoTakesOut) {
  mlcrt_queue description = fifo(2);
  Queue queue(description);
  std::future<int64_t> taken = std::async(std::launch::async, [&] { return take(queue); });
  ASSERT_TRUE(queue.enqueue(number(7)).ok());
  EXPECT_EQ(taken.get(), 7);
}

TEST(Queue, ClosedQueueGivesTheRest) {
  mlcrt_queue description = fifo(8);
  Queue queue(description);
  ASSERT_TRUE(queue.enqueueMany(numbers({1, 2, 3})).ok());
  queue.close(/*cancelPending=*/false);
  EXPECT_TRUE(queue.isClosed());
  EXPECT_EQ(queue.enqueue(number(4)).code(), absl::StatusCode::kCancelled);
  absl::Status many = queue.dequeueMany(4, /*orRest=*/false).status();
  EXPECT_EQ(many.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(many.message(), "queue 'q' is closed with 3 elements, 4 asked for");
  EXPECT_THAT(list((*queue.dequeueMany(2, /*orRest=*/false))[0]), ElementsAre(1, 2));
  EXPECT_THAT(list((*queue.dequeueMany(4, /*orRest=*/true))[0]), ElementsAre(3));
  EXPECT_EQ(queue.dequeueMany(4, /*orRest=*/true).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(queue.dequeue().status().code(), absl::StatusCode::kOutOfRange);
}

TEST(Queue, CloseWakesWhoTakesOut) {
  mlcrt_queue description = fifo(8);
  Queue queue(description);
  std::vector<std::thread> takers;
  std::atomic<int> ended{0};
  for (int i = 0; i < 3; ++i)
    takers.emplace_back([&] { ended += absl::IsOutOfRange(queue.dequeue().status()); });
  queue.close(/*cancelPending=*/false);
  for (std::thread &taker : takers)
    taker.join();
  EXPECT_EQ(ended, 3);
}

TEST(Queue, CloseCancelsWhatWaitsToGoIn) {
  mlcrt_queue description = fifo(1);
  Queue queue(description);
  ASSERT_TRUE(queue.enqueue(number(1)).ok());
  std::vector<std::thread> producers;
  std::atomic<int> cancelled{0};
  for (int i = 0; i < 3; ++i)
    producers.emplace_back([&] { cancelled += absl::IsCancelled(queue.enqueue(number(2))); });
  queue.close(/*cancelPending=*/true);
  for (std::thread &producer : producers)
    producer.join();
  EXPECT_EQ(cancelled, 3);
  EXPECT_EQ(take(queue), 1);
  EXPECT_TRUE(absl::IsOutOfRange(queue.dequeue().status()));
}

TEST(Queue, WhatWaitedBeforeTheCloseStillGoesIn) {
  mlcrt_queue description = fifo(1);
  Queue queue(description);
  std::atomic<bool> done{false};
  std::thread producer([&] {
    // The first element is in before the close; the rest wait for room.
    EXPECT_TRUE(queue.enqueueMany(numbers({1, 2, 3})).ok());
    done = true;
  });
  while (queue.size() == 0)
    std::this_thread::yield();
  queue.close(/*cancelPending=*/false);
  for (int64_t i = 1; i <= 3; ++i)
    EXPECT_EQ(take(queue), i);
  producer.join();
  EXPECT_TRUE(done);
  EXPECT_TRUE(absl::IsOutOfRange(queue.dequeue().status()));
}

TEST(Queue, RefusesWhatDoesNotFit) {
  mlcrt_queue description = fifo(2);
  Queue queue(description);
  absl::Status status = queue.enqueue(numbers({1, 2}));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("component 0 of queue 'q': found i64[2]"));
  EXPECT_EQ(queue.enqueue({}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(queue.dequeueMany(3, /*orRest=*/false).status().message(),
            "queue 'q' can give 1 to 2 elements at once; found 3");
}

} // namespace

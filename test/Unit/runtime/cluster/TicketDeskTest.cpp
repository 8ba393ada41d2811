// Who gets which ticket, by a clock of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/TicketDesk.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlcrt;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// A desk of steps up to `end`, with whatever it answered by task: steps, -1 for "ask again", -2 for the end, -3 for an
/// error.
class Desk : public testing::Test {
protected:
  void open(int64_t end, const cluster::RunPlan &plan = {}) {
    TicketDesk::Options options;
    options.stallTimeout = milliseconds(1000);
    options.self = "chief 0";
    options.now = [this] { return now; };
    desk.emplace(
        plan,
        [end](int64_t step) -> std::optional<cluster::Ticket> {
          if (step >= end)
            return std::nullopt;
          cluster::Ticket ticket;
          ticket.set_step(step);
          ticket.set_position(10 * step);
          return ticket;
        },
        options);
  }
  void ask(const std::string &task, int64_t number = 0) {
    auto answer = [this, task](absl::StatusOr<cluster::LeaseReply> reply) {
      answers[task].push_back(!reply.ok()            ? -3
                              : reply->has_ticket()  ? reply->ticket().step()
                              : reply->end().empty() ? -1
                                                     : -2);
    };
    desk->lease(task, answer, number);
  }
  void apply(std::initializer_list<int64_t> steps) {
    for (int64_t step : steps)
      applied.insert(step);
    desk->applied(applied);
  }

  TicketDesk::Clock::time_point now{};
  std::optional<TicketDesk> desk;
  std::map<std::string, std::vector<int64_t>> answers;
  TicketSet applied;
};

} // namespace

TEST_F(Desk, LeasesEachStepOnceInOrder) {
  open(4);
  for (const char *task : {"worker 0", "worker 1", "worker 0", "chief 0", "worker 1"})
    ask(task);
  EXPECT_THAT(answers["worker 0"], ElementsAre(0, 2));
  EXPECT_THAT(answers["worker 1"], ElementsAre(1));
  EXPECT_THAT(answers["chief 0"], ElementsAre(3));
  EXPECT_TRUE(desk->isOut());
  apply({0, 1, 3});
  EXPECT_THAT(answers["worker 1"], ElementsAre(1)); // step 2 may come back
  apply({2});
  EXPECT_THAT(answers["worker 1"], ElementsAre(1, -2));
}

TEST_F(Desk, ARequestThatIsSentAgainGetsTheSameTicket) {
  open(3);
  ask("worker 0", 1);
  ask("worker 0", 1); // the answer was lost
  ask("worker 0", 2);
  ask("worker 1", 1); // another task's
  EXPECT_THAT(answers["worker 0"], ElementsAre(0, 0, 1));
  EXPECT_THAT(answers["worker 1"], ElementsAre(2));
  // All are out: who asks waits, and once more is not twice.
  ask("worker 0", 3);
  ask("worker 0", 3);
  apply({0, 1, 2});
  EXPECT_THAT(answers["worker 0"], ElementsAre(0, 0, 1, -2));
  // One that is applied is nobody's any more.
  ask("worker 1", 1);
  EXPECT_THAT(answers["worker 1"], ElementsAre(2, -2));
}

TEST_F(Desk, WhoWaitsLongAsksAgain) {
  open(1);
  ask("chief 0");
  ask("worker 0");
  now += milliseconds(300);
  desk->tick();
  EXPECT_THAT(answers["worker 0"], ElementsAre(-1));
}

TEST_F(Desk, TicketsOfASilentTaskGoToAnother) {
  open(3);
  ask("worker 0");
  ask("worker 1");
  ask("chief 0");
  ask("worker 1");
  now += milliseconds(900);
  apply({1}); // worker 1 lives
  desk->tick();
  EXPECT_EQ(desk->reclaimed(), 0);
  ask("worker 1");
  now += milliseconds(200);
  desk->tick();
  EXPECT_EQ(desk->reclaimed(), 1);
  // Not that of the chief, however long it takes.
  EXPECT_THAT(answers["worker 1"], ElementsAre(1, -1, 0));
  apply({0, 2});
  ask("worker 1");
  EXPECT_THAT(answers["worker 1"], ElementsAre(1, -1, 0, -2));
}

TEST_F(Desk, APushOfATaskThoughtDeadCounts) {
  open(2);
  ask("worker 0");
  now += milliseconds(2000);
  desk->tick();
  EXPECT_EQ(desk->reclaimed(), 1);
  apply({0});
  ask("worker 1");
  EXPECT_THAT(answers["worker 1"], ElementsAre(1));
}

TEST_F(Desk, WhoLeavesGivesTicketsBack) {
  open(2);
  ask("worker 0");
  ask("worker 0");
  ask("worker 1");
  EXPECT_THAT(answers["worker 1"], IsEmpty());
  desk->leave("worker 0");
  ask("worker 1");
  EXPECT_THAT(answers["worker 1"], ElementsAre(0, 1));
}

TEST_F(Desk, RequestsOfWhoHasLeftGetNoTicket) {
  open(1);
  ask("worker 1");
  ask("worker 0"); // waits
  desk->leave("worker 0");
  EXPECT_THAT(answers["worker 0"], ElementsAre(-3));
  desk->leave("worker 1");
  ask("worker 0"); // as another process
  EXPECT_THAT(answers["worker 0"], ElementsAre(-3, 0));
}

TEST_F(Desk, EndAndErrorReachThoseWhoWaitAndThoseToCome) {
  open(0);
  open(1);
  ask("chief 0");
  ask("worker 0");
  desk->end("early_stopping");
  ask("worker 1");
  EXPECT_THAT(answers["worker 0"], ElementsAre(-2));
  EXPECT_THAT(answers["worker 1"], ElementsAre(-2));
  desk->fail(absl::UnavailableError("the server went away"));
  ask("worker 1");
  EXPECT_THAT(answers["worker 1"], ElementsAre(-2, -3));
}

TEST_F(Desk, OutstandingTicketsOfACheckpointComeFirst) {
  open(12);
  for (int i = 0; i < 9; ++i)
    ask("worker 0");
  for (int64_t step : {0, 1, 2, 4, 5, 7})
    applied.insert(step);
  TicketDesk::Rest rest = desk->restOf(applied);
  EXPECT_EQ(rest.next, 8); // 8 was leased, but nothing after it is in the state
  ASSERT_EQ(rest.outstanding.size(), 2u);
  EXPECT_EQ(rest.outstanding[0].step(), 3);
  EXPECT_EQ(rest.outstanding[1].position(), 60);

  // As many updates, and what they lack.
  cluster::RunPlan plan;
  plan.set_step(6);
  *plan.mutable_outstanding() = {rest.outstanding.begin(), rest.outstanding.end()};
  EXPECT_EQ(TicketSet::atStart(plan).message().SerializeAsString(), applied.message().SerializeAsString());
  open(10, plan);
  for (int i = 0; i < 5; ++i)
    ask("worker 1");
  EXPECT_THAT(answers["worker 1"], ElementsAre(3, 6, 8, 9));
  applied = TicketSet::atStart(plan);
  apply({8});
  rest = desk->restOf(applied);
  EXPECT_EQ(rest.next, 9);
  EXPECT_EQ(rest.outstanding.size(), 2u);
  apply({3, 6, 9});
  EXPECT_THAT(answers["worker 1"], ElementsAre(3, 6, 8, 9, -2));
  EXPECT_EQ(desk->restOf(applied).next, 10);
}

// Which way is kept, when both are tried.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/OverlapChoice.h"

#include "gtest/gtest.h"

using namespace mlcrt;
using std::chrono::microseconds;

namespace {
/// Steps of a clock of their own.
struct Steps {
  explicit Steps(OverlapChoice made) : choice(made) {}
  /// How many of `steps` were on, where steps take this long.
  int64_t run(int64_t steps, microseconds on, microseconds off) {
    int64_t numOn = 0;
    for (int64_t i = 0; i < steps; ++i) {
      numOn += choice.isOn();
      now += choice.isOn() ? on : off;
      if (i % 7 == 3)
        now += microseconds(90000); // now and then something else
      choice.stepDone(now);
    }
    return numOn;
  }
  OverlapChoice choice;
  OverlapChoice::Clock::time_point now{};
};

constexpr int64_t kTrial = OverlapChoice::kTurns * OverlapChoice::kTurn;
} // namespace

TEST(OverlapChoice, StaysWhereItIsNotMeasured) {
  Steps on(OverlapChoice(true, false)), off(OverlapChoice(false, false));
  EXPECT_EQ(on.run(10000, microseconds(900), microseconds(1)), 10000);
  EXPECT_EQ(off.run(10000, microseconds(1), microseconds(900)), 0);
}

TEST(OverlapChoice, KeepsWhatIsFaster) {
  for (bool isOnFaster : {false, true})
    for (bool isOn : {false, true}) {
      Steps run(OverlapChoice(isOn, true));
      const microseconds fast(900), slow(1000);
      auto go = [&](int64_t steps) { return run.run(steps, isOnFaster ? fast : slow, isOnFaster ? slow : fast); };
      EXPECT_EQ(go(OverlapChoice::kWarmUp), isOn ? OverlapChoice::kWarmUp : 0);
      EXPECT_EQ(go(kTrial), kTrial / 2) << "by turns";
      EXPECT_EQ(go(OverlapChoice::kKept), isOnFaster ? OverlapChoice::kKept : 0);
      // The network or the machine may have changed.
      isOnFaster = !isOnFaster;
      EXPECT_EQ(go(kTrial), kTrial / 2);
      EXPECT_EQ(go(OverlapChoice::kKept), isOnFaster ? OverlapChoice::kKept : 0);
      isOnFaster = !isOnFaster;
    }
}

TEST(OverlapChoice, ChangesForSomethingAlone) {
  for (bool isOn : {false, true}) {
    Steps run(OverlapChoice(isOn, true));
    run.run(OverlapChoice::kWarmUp + kTrial, microseconds(isOn ? 1000 : 990), microseconds(isOn ? 990 : 1000));
    EXPECT_EQ(run.choice.isOn(), isOn) << "1 % is noise";
  }
}

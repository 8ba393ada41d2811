// Which step tickets are applied. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_TICKETSET_H
#define MLCRT_CLUSTER_TICKETSET_H

#include "runtime/proto/cluster.pb.h"

#include <cstdint>
#include <set>

namespace mlcrt {

/// A set of step numbers of which most are consecutive from 0.
class TicketSet {
public:
  TicketSet() = default;
  /// What is applied when a run begins: all steps but the outstanding ones, as many as there are updates in the state.
  static TicketSet atStart(const cluster::RunPlan &plan) {
    TicketSet set;
    const int64_t end = plan.step() + plan.outstanding_size();
    std::set<int64_t> missing;
    for (const cluster::Ticket &ticket : plan.outstanding())
      missing.insert(ticket.step());
    set.below_ = missing.empty() ? end : *missing.begin();
    for (int64_t step = set.below_; step < end; ++step)
      if (!missing.count(step))
        set.above_.insert(step);
    return set;
  }
  static TicketSet of(const cluster::Applied &message) {
    TicketSet set;
    set.below_ = message.below();
    set.above_ = {message.above().begin(), message.above().end()};
    return set;
  }

  bool contains(int64_t step) const { return step < below_ || above_.count(step) > 0; }
  void insert(int64_t step) {
    if (step >= below_)
      above_.insert(step);
    while (!above_.empty() && *above_.begin() == below_) {
      above_.erase(above_.begin());
      ++below_;
    }
  }
  /// After the largest.
  int64_t end() const { return above_.empty() ? below_ : *above_.rbegin() + 1; }
  /// The smallest that is not in it.
  int64_t below() const { return below_; }

  cluster::Applied message() const {
    cluster::Applied message;
    message.set_below(below_);
    *message.mutable_above() = {above_.begin(), above_.end()};
    return message;
  }

private:
  int64_t below_ = 0;
  std::set<int64_t> above_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_TICKETSET_H

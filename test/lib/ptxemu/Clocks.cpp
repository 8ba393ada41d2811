// Vector clocks of a block.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Clocks.h"

#include <algorithm>

namespace ptxemu {

static void raise(ThreadClocks &into, const ThreadClocks &from) {
  if (into.size() < from.size())
    into.resize(from.size(), 0);
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

static void raise(ForeignClocks &into, const ForeignClocks &from) {
  for (const auto &[block, clocks] : from) {
    SharedClocks &mine = into[block];
    if (!mine) {
      mine = clocks;
    } else if (mine != clocks) {
      auto joined = std::make_shared<ThreadClocks>(*mine);
      raise(*joined, *clocks);
      mine = std::move(joined);
    }
  }
}

Clocks::Clocks(uint32_t block, uint32_t threads) : block_(block), threads_(threads), now_(threads, 1), knows_(threads) {
  auto nothing = std::make_shared<const ThreadClocks>(threads, 0);
  for (Knowledge &knowledge : knows_)
    knowledge.own = nothing;
}

bool Clocks::orderedForeign(uint32_t thread, uint32_t other, uint32_t clock) const {
  const Knowledge &knowledge = knows_[thread];
  if (!knowledge.foreign)
    return false;
  auto at = knowledge.foreign->find(other / threads_);
  return at != knowledge.foreign->end() && (*at->second)[other % threads_] >= clock;
}

void Clocks::joinInto(SyncPoint &point, const Knowledge &knowledge, uint32_t thread, uint32_t clock) {
  if (point.last_ != knowledge.own || point.clocks_.empty()) {
    raise(point.clocks_, *knowledge.own);
    point.last_ = knowledge.own;
  }
  if (knowledge.foreign)
    raise(point.foreign_, *knowledge.foreign);
  point.clocks_[thread] = std::max(point.clocks_[thread], clock);
}

void Clocks::release(uint32_t thread, SyncPoint &point) { joinInto(point, knows_[thread], thread, now_[thread]++); }

void Clocks::acquireAll(const std::vector<uint32_t> &threads, SyncPoint &point) {
  auto own = std::make_shared<const ThreadClocks>(point.clocks_);
  std::shared_ptr<const ForeignClocks> foreign;
  if (!point.foreign_.empty())
    foreign = std::make_shared<const ForeignClocks>(point.foreign_);
  for (uint32_t thread : threads)
    knows_[thread] = {own, foreign};
}

void Clocks::learn(uint32_t thread, const ThreadClocks &clocks, const ForeignClocks &foreign) {
  Knowledge &knowledge = knows_[thread];
  if (!clocks.empty()) {
    auto joined = std::make_shared<ThreadClocks>(*knowledge.own);
    raise(*joined, clocks);
    knowledge.own = std::move(joined);
  }
  if (!foreign.empty()) {
    auto joined =
        knowledge.foreign ? std::make_shared<ForeignClocks>(*knowledge.foreign) : std::make_shared<ForeignClocks>();
    raise(*joined, foreign);
    knowledge.foreign = std::move(joined);
  }
}

void Clocks::acquire(uint32_t thread, const SyncPoint &point) { learn(thread, point.clocks_, point.foreign_); }

void Clocks::meet(uint32_t firstThread, uint32_t lanes) {
  SyncPoint point;
  std::vector<uint32_t> threads;
  for (; lanes; lanes &= lanes - 1)
    threads.push_back(firstThread + static_cast<uint32_t>(__builtin_ctz(lanes)));
  for (uint32_t thread : threads)
    release(thread, point);
  acquireAll(threads, point);
}

void Clocks::fence(uint32_t thread) {
  hasFences_ = true;
  if (auto pending = pending_.find(thread); pending != pending_.end()) {
    acquire(thread, pending->second);
    pending_.erase(pending);
  }
  fences_[thread] = {knows_[thread], now_[thread]++};
}

void Clocks::fenceProxies(uint32_t thread) { proxyFences_[thread].push_back({now_[thread]++, knows_[thread].own}); }

bool Clocks::crossesProxies(uint32_t reader, uint32_t writer, uint32_t clock) const {
  const ThreadClocks &known = *knows_[reader].own;
  auto crosses = [&](uint32_t thread, const std::vector<ProxyFence> &fences) {
    // The last one that the reader knows of knew most.
    auto end = fences.end();
    if (thread != reader)
      end = std::upper_bound(fences.begin(), end, known[thread],
                             [](uint32_t at, const ProxyFence &fence) { return at < fence.clock; });
    if (end == fences.begin())
      return false;
    const ProxyFence &fence = *std::prev(end);
    return (thread == writer ? fence.clock : (*fence.knew)[writer]) >= clock;
  };
  // Mostly who wrote has the fence, or who reads.
  for (uint32_t thread : {writer, reader})
    if (auto own = proxyFences_.find(thread); own != proxyFences_.end() && crosses(thread, own->second))
      return true;
  return std::any_of(proxyFences_.begin(), proxyFences_.end(),
                     [&](const auto &each) { return crosses(each.first, each.second); });
}

// A word may be written from several blocks: what it holds is kept by block.
void Clocks::strongWrite(uint32_t thread, uint64_t address, bool releases,
                         std::unordered_map<uint64_t, SyncPoint> &words) {
  Knowledge knew;
  uint32_t clock = 0;
  if (releases) {
    knew = knows_[thread];
    clock = now_[thread]++;
  } else if (auto fence = fences_.find(thread); fence != fences_.end()) {
    knew = fence->second.knew;
    clock = fence->second.clock;
  } else {
    return;
  }
  SyncPoint &word = words[address];
  ForeignClocks all;
  auto own = std::make_shared<ThreadClocks>(*knew.own);
  (*own)[thread] = std::max((*own)[thread], clock);
  all[block_] = std::move(own);
  if (knew.foreign)
    raise(all, *knew.foreign);
  raise(word.foreign_, all);
}

void Clocks::strongRead(uint32_t thread, uint64_t address, bool acquires,
                        std::unordered_map<uint64_t, SyncPoint> &words) {
  auto at = words.find(address);
  if (at == words.end())
    return;
  SyncPoint read;
  read.foreign_ = at->second.foreign_;
  if (auto own = read.foreign_.find(block_); own != read.foreign_.end()) {
    read.clocks_ = *own->second;
    read.foreign_.erase(own);
  }
  if (acquires) {
    acquire(thread, read);
  } else {
    SyncPoint &pending = pending_[thread];
    raise(pending.clocks_, read.clocks_);
    raise(pending.foreign_, read.foreign_);
  }
}

} // namespace ptxemu

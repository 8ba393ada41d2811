// What a training task exchanges with servers in a step, while it computes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/StepExchange.h"

#include "absl/strings/str_cat.h"

namespace mlcrt {

StepExchange::StepExchange(const Artifact &artifact, std::deque<ServerTensors> &servers,
                           const StateCalls::Wanted &wanted, const OverlapOptions &options, StateCalls *before)
    : artifact_(artifact), servers_(servers), options_(options), before_(before),
      calls_(servers, wanted, options.least), requests_(servers.size()), final_(artifact.table().num_sums),
      isPart_(artifact.table().num_sums) {
  for (int32_t ids : findSparseSums(artifact.table()))
    isPart_[ids + 1] = isPart_[ids + 2] = true;
}

StepExchange::~StepExchange() {
  for (Request &request : requests_)
    if (request.stream && !isPushed_)
      request.stream->abandon();
}

void StepExchange::begin(Send send, const Symbols &symbols, int64_t nodes, const TableIds &rows) {
  send_ = std::move(send);
  for (size_t k = 0; k < servers_.size(); ++k) {
    OutgoingMessage ids;
    servers_[k].rows.sendIds(rows, ids);
    if (__builtin_mul_overflow(nodes, servers_[k].sums.mostSent(symbols), &requests_[k].most) ||
        __builtin_add_overflow(requests_[k].most, ids.payloadSize(), &requests_[k].most))
      requests_[k].most = INT64_MAX;
    requests_[k].isStreamed = options_.isOn && nodes * servers_[k].sums.bytes(symbols) > options_.least;
  }
}

void StepExchange::send(size_t server, std::vector<Slice> slices) {
  Request &request = requests_[server];
  for (Slice &slice : slices) {
    if (slice.size == 0)
      continue;
    pushed_ += slice.size;
    request.payload.push_back(slice);
    if (!request.isStreamed)
      continue;
    const bool isFirst = !request.stream;
    if (isFirst)
      request.stream = std::make_shared<PayloadStream>(request.most);
    request.stream->add(std::move(slice));
    if (isFirst)
      send_(server, {}, request.stream);
  }
}

void StepExchange::add(const SumSet &sums) {
  for (size_t k = 0; k < servers_.size(); ++k) {
    OutgoingMessage part;
    servers_[k].sums.send(sums, part);
    send(k, std::move(part.payload));
  }
}

void StepExchange::done(const SumSet &sums, int32_t sum) {
  final_[sum] = &sums;
  for (; next_ < static_cast<int32_t>(final_.size()) && (final_[next_] || isPart_[next_]); ++next_)
    for (size_t k = 0; !isPart_[next_] && k < servers_.size(); ++k) {
      std::vector<Slice> slices;
      servers_[k].sums.sendSum(*final_[next_], next_, slices);
      send(k, std::move(slices));
    }
}

absl::Status StepExchange::push(const TableIds &rows) {
  if (next_ != 0 && next_ != static_cast<int32_t>(final_.size()))
    return absl::InternalError(absl::StrCat("train_grad did not make sum '", artifact_.table().sums[next_].name, "'"));
  if (before_)
    if (absl::Status status = before_->awaitAll(); !status.ok())
      return status;
  isPushed_ = true;
  for (size_t k = 0; k < servers_.size(); ++k) {
    OutgoingMessage ids;
    servers_[k].rows.sendIds(rows, ids);
    send(k, std::move(ids.payload));
    if (Request &request = requests_[k]; request.stream)
      request.stream->finish();
    else
      send_(k, request.payload, nullptr);
  }
  return absl::OkStatus();
}

void StepExchange::pushAgain() {
  for (size_t k = 0; k < servers_.size(); ++k)
    if (calls_.hasFailed(k))
      send_(k, requests_[k].payload, nullptr);
}

} // namespace mlcrt

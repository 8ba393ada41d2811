// The chief's part of where the servers' rows come from.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ServerRows.h"

#include "common/checkpoint/Crc32c.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/ShardWriter.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

absl::StatusOr<std::vector<std::string>> ServerRows::prepare(const cluster::PrepareRequest &request) {
  std::vector<ServerAnswer<cluster::PrepareReply>> answers;
  const absl::Status called = callServersAgain(
      servers_,
      [&](size_t k, Connection::Done done) {
        servers_.links[k]->start("prepare", request, {}, timeout_, std::move(done));
      },
      answers);
  if (!called.ok())
    return called;
  std::vector<std::string> problems;
  for (const ServerAnswer<cluster::PrepareReply> &answer : answers)
    problems.push_back(answer.control.problem());
  return problems;
}

absl::Status ServerRows::initialize(int64_t seed) {
  cluster::PrepareRequest request;
  request.set_seed(seed);
  absl::StatusOr<std::vector<std::string>> problems = prepare(request);
  if (!problems.ok())
    return problems.status();
  for (const std::string &problem : *problems)
    if (!problem.empty())
      return absl::InternalError(problem);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ServerRows::restore(const std::string &checkpoint) {
  absl::StatusOr<std::string> text = readManifestText(checkpoint);
  if (!text.ok())
    return text.status();
  cluster::PrepareRequest request;
  request.set_checkpoint(checkpoint);
  request.set_manifest_crc(mlc::common::crc32c(text->data(), static_cast<int64_t>(text->size())));
  absl::StatusOr<std::vector<std::string>> problems = prepare(request);
  if (!problems.ok())
    return problems.status();
  std::string first;
  for (size_t k = 0; k < problems->size(); ++k) {
    const std::string &problem = (*problems)[k];
    if (problem.empty())
      continue;
    if (first.empty())
      first = absl::StrCat("ps ", k, " ", problem);
    if (absl::Status status = send(k, checkpoint); !status.ok())
      return status;
  }
  return first;
}

absl::Status ServerRows::send(size_t server, const std::string &checkpoint) {
  absl::StatusOr<CheckpointManifest> manifest = readManifest(checkpoint);
  if (!manifest.ok())
    return manifest.status();
  absl::StatusOr<CheckpointReader> reader = CheckpointReader::open(checkpoint, *manifest);
  if (!reader.ok())
    return reader.status();
  std::vector<char> piece;
  for (const VariableRecord &record : manifest->variables) {
    const StateTensor &tensor = artifact_.tensors()[artifact_.tensors().find(record.name)];
    const RowRange held = servers_.plan->rows(tensor.variable, static_cast<int>(server)),
                   rows = commonRows(tensor.rows, held), inTensor = rows.from(tensor.rows.begin);
    if (rows.size() == 0)
      continue;
    if (absl::Status status = reader->prove(record, inTensor); !status.ok())
      return status;
    const int64_t rowBytes = tensor.rowBytes(), first = inTensor.begin * rowBytes,
                  place = rows.from(held.begin).begin * rowBytes, all = rows.size() * rowBytes;
    for (int64_t at = 0; at < all; at += kMostFilled) {
      const int64_t bytes = std::min(kMostFilled, all - at);
      piece.resize(static_cast<size_t>(bytes));
      absl::Status status = reader->readBytes(record, first + at, bytes, piece.data());
      if (status.ok())
        status = fill(server, tensor.variable, place + at, piece.data(), bytes);
      if (!status.ok())
        return status;
    }
  }
  return absl::OkStatus();
}

absl::Status ServerRows::fill(size_t server, int32_t variable, int64_t offset, const void *data, int64_t bytes) {
  cluster::FillRequest request;
  request.set_variable(variable);
  request.set_offset(offset);
  cluster::FillReply reply;
  return callAgain(*servers_.links[server], "fill", request, {{data, bytes, nullptr}}, timeout_, reply);
}

absl::Status ServerRows::write(int32_t variable, int64_t offset, const void *data, int64_t bytes) {
  const int64_t rowBytes = rowBytesOf(artifact_.table().variables[variable].value);
  for (size_t k = 0; k < servers_.links.size(); ++k) {
    const RowRange rows = servers_.plan->rows(variable, static_cast<int>(k));
    const int64_t begin = rows.begin * rowBytes, from = std::max(offset, begin),
                  until = std::min(offset + bytes, rows.end * rowBytes);
    for (int64_t at = from; at < until; at += kMostFilled)
      if (absl::Status status = fill(k, variable, at - begin, static_cast<const char *>(data) + (at - offset),
                                     std::min(kMostFilled, until - at));
          !status.ok())
        return status;
  }
  return absl::OkStatus();
}

} // namespace mlcrt

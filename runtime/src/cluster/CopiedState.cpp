// What servers copied of the state, as the chief takes it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/CopiedState.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/checkpoint/CheckpointRows.h"
#include "runtime/src/checkpoint/ShardWriter.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>

namespace mlcrt {

absl::Status serverError(size_t server, const absl::Status &status, const std::string &place) {
  const std::string text = absl::StrCat(taskName("ps", static_cast<int64_t>(server)), ": ", status.message());
  switch (status.code()) {
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kUnauthenticated:
  case absl::StatusCode::kUnimplemented:
    return fileError(absl::StatusCode::kFailedPrecondition, "E0411", place, text);
  case absl::StatusCode::kResourceExhausted:
  case absl::StatusCode::kPermissionDenied:
    return fileError(status.code(), "E0405", place, text);
  default: // its bug, too, is a lost task to the chief
    return fileError(absl::StatusCode::kUnavailable, "E0410", place, text);
  }
}

/// Bytes of a server's rows of a variable, from `offset` on, or some of these rows.
struct CopiedState::Piece {
  size_t server;
  int32_t variable;
  int64_t offset, bytes;
  std::vector<int64_t> rows;
};

/// A piece on its way; who asked for it may have given it up.
struct CopiedState::Flight {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<absl::StatusOr<IncomingMessage>> reply;
};

std::shared_ptr<CopiedState::Flight> CopiedState::ask(const Piece &piece) const {
  cluster::CopiedRequest request;
  request.set_run(run_);
  request.set_variable(piece.variable);
  request.set_offset(piece.offset);
  request.set_bytes(piece.bytes);
  *request.mutable_rows() = {piece.rows.begin(), piece.rows.end()};
  auto flight = std::make_shared<Flight>();
  servers_.links[piece.server]->start("copied", std::move(request), {}, timeout_,
                                      [flight](absl::StatusOr<IncomingMessage> reply) {
                                        std::lock_guard<std::mutex> lock(flight->mutex);
                                        flight->reply = std::move(reply);
                                        flight->changed.notify_all();
                                      });
  return flight;
}

absl::Status CopiedState::take(const Piece &piece, std::shared_ptr<Flight> flight, char *to) const {
  CallRetry retry({servers_.links[piece.server].get()});
  while (true) {
    absl::StatusOr<IncomingMessage> reply;
    {
      std::unique_lock<std::mutex> lock(flight->mutex);
      flight->changed.wait(lock, [&] { return flight->reply.has_value(); });
      reply = *std::move(flight->reply);
    }
    absl::Status status = reply.status();
    if (status.ok())
      status = reply->read(to, piece.bytes);
    if (status.ok())
      return reply->finish();
    if (reply.ok() || !retry.again(status))
      return status;
    flight = ask(piece);
  }
}

absl::Status CopiedState::takeAll(const std::vector<Piece> &pieces, const std::string &place,
                                  const Write &write) const {
  // The network has the next ones while the disk has one.
  constexpr size_t kAhead = 4;
  std::deque<std::shared_ptr<Flight>> flights;
  std::vector<char> bytes;
  size_t asked = 0;
  for (const Piece &piece : pieces) {
    for (; asked < pieces.size() && flights.size() < kAhead; ++asked)
      flights.push_back(ask(pieces[asked]));
    bytes.resize(static_cast<size_t>(piece.bytes));
    const std::shared_ptr<Flight> flight = std::move(flights.front());
    flights.pop_front();
    if (absl::Status status = take(piece, flight, bytes.data()); !status.ok())
      return serverError(piece.server, status, place);
    if (absl::Status status = write(bytes.data(), piece.bytes); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

std::vector<std::pair<RowRange, size_t>> CopiedState::partsOf(int32_t variable) const {
  std::vector<std::pair<RowRange, size_t>> parts;
  for (size_t k = 0; k < servers_.links.size(); ++k)
    if (const RowRange rows = servers_.plan->rows(variable, static_cast<int>(k)); rows.size() > 0)
      parts.emplace_back(rows, k);
  std::sort(parts.begin(), parts.end(), [](const auto &a, const auto &b) { return a.first.begin < b.first.begin; });
  return parts;
}

absl::Status CopiedState::read(int32_t variable, const std::string &place, const Write &write) const {
  const mlcrt_variable &described = artifact_.table().variables[variable];
  return readBytes(variable, 0, allRows(described).size() * rowBytesOf(described.value), place, write);
}

absl::Status CopiedState::readBytes(int32_t variable, int64_t offset, int64_t bytes, const std::string &place,
                                    const Write &write) const {
  const int64_t rowBytes = rowBytesOf(artifact_.table().variables[variable].value);
  std::vector<Piece> pieces;
  for (const auto &[rows, server] : partsOf(variable)) {
    const int64_t begin = rows.begin * rowBytes, until = std::min(offset + bytes, rows.end * rowBytes);
    for (int64_t at = std::max(offset, begin); at < until; at += kMostFilled)
      pieces.push_back({server, variable, at - begin, std::min(kMostFilled, until - at), {}});
  }
  return takeAll(pieces, place, write);
}

absl::Status CopiedState::readRows(int32_t variable, const std::vector<int64_t> &rows, const std::string &place,
                                   const Write &write) const {
  const int64_t rowBytes = rowBytesOf(artifact_.table().variables[variable].value);
  // Numbers of rows, in the control part of a call, take a fraction of that.
  const int64_t most = std::clamp<int64_t>(kMostFilled / std::max<int64_t>(rowBytes, 1), 1, 1 << 16);
  std::vector<Piece> pieces;
  size_t next = 0;
  for (const auto &[range, server] : partsOf(variable))
    while (next < rows.size() && rows[next] < range.end) {
      size_t end = next;
      while (end < rows.size() && rows[end] < range.end && static_cast<int64_t>(end - next) < most)
        ++end;
      const auto count = static_cast<int64_t>(end - next);
      pieces.push_back({server, variable, 0, count * rowBytes, {rows.begin() + next, rows.begin() + end}});
      next = end;
    }
  if (next < rows.size())
    return absl::InternalError(absl::StrCat("row ", rows[next], " of variable ", variable, " is on no server"));
  return takeAll(pieces, place, write);
}

/// Copies what comes to a place.
static CopiedState::Write writeTo(void *to) {
  return [at = static_cast<char *>(to)](const void *data, int64_t bytes) mutable {
    std::memcpy(at, data, static_cast<size_t>(bytes));
    at += bytes;
    return absl::OkStatus();
  };
}

absl::StatusOr<std::unique_ptr<CopiedRows>> CopiedRows::open(const CopiedState &copied, const Artifact &artifact,
                                                             State &state, const std::string &place) {
  std::unique_ptr<CopiedRows> rows(new CopiedRows(copied, place));
  const ReadKinds kinds(artifact);
  const std::vector<bool> inState = CheckpointRows::variablesInState(artifact);
  for (int32_t i = 0; i < artifact.table().num_variables; ++i) {
    rows->isHere_.push_back(kinds.isRead[i] && !inState[i]);
    if (!inState[i])
      continue;
    absl::Status status = state.fill(i, [&](void *to, int64_t) { return copied.read(i, place, writeTo(to)); });
    if (!status.ok())
      return status;
  }
  return rows;
}

absl::Status CopiedRows::readRows(int32_t variable, const std::vector<int64_t> &rows, char *to) {
  return copied_.readRows(variable, rows, place_, writeTo(to));
}

absl::Status CopiedRows::readBytes(int32_t variable, int64_t offset, int64_t bytes, void *to) const {
  return copied_.readBytes(variable, offset, bytes, place_, writeTo(to));
}

} // namespace mlcrt

// A small HTTP server: requests of a few lines, answers that end the connection.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/MetricsServer.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <list>
#include <netinet/in.h>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace mlcrt {

using Clock = std::chrono::steady_clock;

static std::string respond(const char *status, const char *type, const std::string &body, bool isHead,
                           const char *more = "") {
  return absl::StrCat("HTTP/1.1 ", status, "\r\nContent-Type: ", type, "\r\nContent-Length: ", body.size(), "\r\n",
                      more, "Connection: close\r\n\r\n", isHead ? "" : body);
}

static std::string refuse(const char *status, const char *more = "") {
  return respond(status, "text/plain; charset=utf-8", absl::StrCat(status, "\n"), /*isHead=*/false, more);
}

/// The answer to a request's head; its first line is "GET /metrics HTTP/1.1".
static std::string answer(std::string_view head, const MetricsServer::Pages &pages) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || first == 0 ||
      std::any_of(line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }))
    return refuse("400 Bad Request");
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  std::string_view path = line.substr(first + 1, last - first - 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return refuse(version.substr(0, 5) == "HTTP/" ? "505 HTTP Version Not Supported" : "400 Bad Request");
  if (method != "GET" && method != "HEAD")
    return refuse("405 Method Not Allowed", "Allow: GET, HEAD\r\n");
  const bool isHead = method == "HEAD";
  path = path.substr(0, path.find('?'));
  if (path == "/metrics")
    return respond("200 OK", "text/plain; version=0.0.4; charset=utf-8", pages.metrics(), isHead);
  if (path == "/healthz") {
    const std::string problem = pages.problem();
    return respond(problem.empty() ? "200 OK" : "503 Service Unavailable", "text/plain; charset=utf-8",
                   problem.empty() ? "ok\n" : problem + "\n", isHead);
  }
  return refuse("404 Not Found");
}

/// Where the head of a request ends, after its empty line; npos while it does not.
static size_t endOfHead(std::string_view text) {
  const size_t crlf = text.find("\r\n\r\n"), lf = text.find("\n\n");
  return std::min(crlf, lf);
}

namespace {
/// A client: its request comes, then its answer goes.
struct Client {
  int socket = -1;
  Clock::time_point deadline;
  std::string request = {}, reply = {};
  size_t sent = 0;
  bool isClosing = false; ///< the answer went; what the client still sends is dropped
};
} // namespace

/// Reads what there is; true if the client is done with.
static bool receive(Client &client, const MetricsServerOptions &options, const MetricsServer::Pages &pages) {
  char buffer[4096];
  const ssize_t size = ::recv(client.socket, buffer, sizeof(buffer), 0);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
    return true;
  if (size < 0 || client.isClosing)
    return false;
  client.request.append(buffer, static_cast<size_t>(size));
  if (endOfHead(client.request) != std::string::npos)
    client.reply = answer(client.request, pages);
  else if (static_cast<int>(client.request.size()) > options.maxRequestBytes)
    client.reply = refuse("431 Request Header Fields Too Large");
  return false;
}

/// Sends what goes; true if the client is done with.
static bool send(Client &client) {
  const ssize_t size =
      ::send(client.socket, client.reply.data() + client.sent, client.reply.size() - client.sent, MSG_NOSIGNAL);
  if (size < 0)
    return errno != EAGAIN && errno != EINTR;
  client.sent += static_cast<size_t>(size);
  if (client.sent == client.reply.size()) {
    // Closing with bytes unread would reset the connection, and could take the answer with it.
    ::shutdown(client.socket, SHUT_WR);
    client.isClosing = true;
  }
  return false;
}

absl::Status MetricsServer::listen() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(options_.port));
  address.sin_addr.s_addr = htonl(options_.everywhere ? INADDR_ANY : INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto *const generic = reinterpret_cast<sockaddr *>(&address);
  if (listener_ < 0 || wake_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, generic, &size) != 0)
    return absl::UnavailableError(
        absl::StrCat("cannot listen on port ", options_.port, " for metrics: ", std::strerror(errno)));
  port_ = ntohs(address.sin_port);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::start(const MetricsServerOptions &options, Pages pages) {
  std::unique_ptr<MetricsServer> server(new MetricsServer(options, std::move(pages)));
  if (absl::Status status = server->listen(); !status.ok())
    return status;
  // Signals are for the thread that trains.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  server->thread_ = std::thread([self = server.get()] { self->serve(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return server;
}

MetricsServer::~MetricsServer() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof(one));
    thread_.join();
  }
  for (int file : {listener_, wake_})
    if (file >= 0)
      ::close(file);
}

void MetricsServer::serve() {
  std::list<Client> clients; // the oldest first
  auto drop = [&](std::list<Client>::iterator client) {
    ::close(client->socket);
    return clients.erase(client);
  };
  std::vector<pollfd> files;
  while (true) {
    files = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Client &client : clients)
      files.push_back(
          {client.socket, static_cast<short>(client.reply.empty() || client.isClosing ? POLLIN : POLLOUT), 0});
    int wait = -1;
    if (!clients.empty()) {
      const auto left = clients.front().deadline - Clock::now();
      wait = static_cast<int>(std::max<int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    }
    const int ready = ::poll(files.data(), files.size(), wait);
    if (ready < 0 && errno != EINTR)
      break; // no memory: without metrics the run goes on
    if (files[0].revents)
      break;
    size_t index = 2;
    for (auto client = clients.begin(); client != clients.end(); ++index) {
      bool isDone = Clock::now() >= client->deadline;
      if (const short events = ready > 0 ? files[index].revents : short(0); !isDone && events)
        isDone = client->reply.empty() || client->isClosing ? receive(*client, options_, pages_)
                                                            : (events & (POLLERR | POLLNVAL)) != 0 || send(*client);
      client = isDone ? drop(client) : std::next(client);
    }
    if (ready <= 0 || !(files[1].revents & POLLIN))
      continue;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EMFILE || errno == ENFILE)
        ::poll(nullptr, 0, 100); // no file is left for it, and it stays ready
      continue;
    }
    if (static_cast<int>(clients.size()) >= options_.maxConnections)
      drop(clients.begin());
    clients.push_back({socket, Clock::now() + options_.timeLimit});
  }
  for (auto client = clients.begin(); client != clients.end();)
    client = drop(client);
}

} // namespace mlcrt

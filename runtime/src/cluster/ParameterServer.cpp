// A server: holds rows of the state of a run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ParameterServer.h"

#include "runtime/src/cluster/ServerCalls.h"

#include "runtime/src/core/RunObservation.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace mlcrt {

/// How often those who wait look around.
static constexpr std::chrono::milliseconds kTick{100};
/// Of calls that heartbeats end.
static constexpr std::chrono::hours kMostWait{24};

ParameterServer::ParameterServer(Program &program, const ShardPlan &plan, const SumRanges &ranges, Sessions &sessions,
                                 ServerOptions options, ThreadPool &pool)
    : program_(program), plan_(plan), options_(std::move(options)), pool_(pool), ranges_(ranges),
      sumWire_(program.artifact(), ranges), rowWire_(program.artifact(), plan, options_.number, options_.pullsRows),
      all_(
          VariableWire::ofServer(program.state(), VariableWire::ofTraining(program.artifact()), plan, options_.number)),
      read_(VariableWire::ofServer(program.state(),
                                   VariableWire::readByTrainers(program.artifact(), options_.pullsRows), plan,
                                   options_.number)),
      update_(program, pool, plan, options_.number), sessions_(sessions), shards_(program, plan, options_.number, pool),
      credits_(options_.messageBytes, static_cast<int64_t>(options_.trainers.size()),
               [this] { changed_.notify_all(); }) {}

ParameterServer::~ParameterServer() = default;

void ParameterServer::handle(std::string_view method, IncomingMessage request, Reply reply) {
  if (method == "hello")
    return sessions_.hello(request, reply, credits_.credit());
  const bool isPull = method == "pull" || method == "fetch" || method == "progress" || method == "hold" ||
                      method == "rows" || isWait(method);
  const bool isExchange = (method == "exchange" && isFirst()) || isOfServers(method);
  const bool isOfChief = method == "load" || method == "prepare" || method == "fill" || method == "end" ||
                         method == "hold" || method == "release" || isOfShards(method);
  if (!isPull && method != pushMethod() && !isOfChief && !isExchange && method != "leave" && method != "credit")
    return reply(absl::UnimplementedError(absl::StrCat("this server has no method '", std::string(method), "'")));
  // Control parts of all methods have the session at the same place.
  cluster::LeaveRequest any;
  if (absl::Status status = parseControl(request, any); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(any.session());
  if (!task.ok())
    return reply(task.status());
  // The end of the run is the end of this server, too.
  if (absl::Status failure = this->failure(); !failure.ok() && method != "end" && method != "leave")
    return reply(failure);
  if (isOfChief && task->role != "chief")
    return reply(absl::PermissionDeniedError(
        absl::StrCat("'", std::string(method), "' is the chief's, not ", task->name(), "'s")));
  // Of training, a server calls nothing, and others no exchange.
  if (isExchange != (task->role == "ps"))
    return reply(absl::PermissionDeniedError(absl::StrCat("'", std::string(method), "' is not ", task->name(), "'s")));
  if (isPull)
    pull(std::string(method), request, *task, std::move(reply));
  else if (isOfShards(method))
    handleShards(method, request, *task, std::move(reply));
  else if (method == "load")
    load(std::move(request), reply);
  else if (method == "prepare")
    prepare(request, std::move(reply));
  else if (method == "fill")
    fill(request, reply);
  else if (method == "end")
    end(request, *task, reply);
  else if (method == "leave")
    leave(*task, reply);
  else if (method == "credit")
    credit(request, *task, std::move(reply));
  else if (method == "release")
    unhold(reply);
  else if (isOfServers(method))
    handleServer(std::move(request), task->name(), std::move(reply));
  else if (isExchange)
    exchange(std::move(request), *task, std::move(reply));
  else
    push(std::move(request), task->name(), std::move(reply));
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

absl::StatusOr<Placement> ParameterServer::place(std::string_view method, const std::string &control, int64_t size) {
  // Nothing is received of who was not let in. What a server brings to an update is small, and bounded by `exchange`.
  cluster::LeaveRequest any; // control parts of all methods have the session at the same place
  if (!any.ParseFromString(control))
    return absl::InvalidArgumentError("a message whose control part cannot be read");
  absl::StatusOr<Sessions::Task> task = sessions_.find(any.session());
  if (!task.ok())
    return task.status();
  if (task->role == "ps")
    return Placement();
  if (method == "load" && task->role == "chief")
    return placeState(size);
  if (method == "fill" && task->role == "chief" && size <= kMostFilled)
    return Placement();
  absl::StatusOr<std::shared_ptr<Credits::Hold>> hold = credits_.charge(task->name(), size);
  if (!hold.ok())
    return hold.status();
  Placement placement;
  placement.charge = *std::move(hold);
  if (method == pushMethod())
    placeSums(control, placement);
  return placement;
}

void ParameterServer::placeSums(const std::string &control, Placement &placement) {
  // What is wrong with a push is said by `push`.
  const std::optional<std::pair<Symbols, int64_t>> of = sumsOf(control);
  if (!of || of->second == 0 || !checkSums(of->first, of->second).ok())
    return;
  auto placed = std::make_shared<PlacedSums>();
  placed->sums = takeSpare();
  placed->next = sumWire_.place(of->first, *placed->sums, placement.spans);
  placement.isFront = true;
  placement.owner = std::move(placed);
}

absl::Status ParameterServer::receiveSums(IncomingMessage &request, const Symbols &symbols,
                                          std::unique_ptr<SumSet> &sums) {
  int32_t next = 0;
  if (auto placed = std::static_pointer_cast<PlacedSums>(request.takePlaced())) {
    sums = std::move(placed->sums);
    next = placed->next;
  } else {
    sums = takeSpare();
  }
  return sumWire_.receive(request, symbols, *sums, next);
}

std::unique_ptr<SumSet> ParameterServer::takeSpare() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (spare_.empty())
    return std::make_unique<SumSet>();
  std::unique_ptr<SumSet> set = std::move(spare_.back());
  spare_.pop_back();
  return set;
}

void ParameterServer::keepSpare(std::unique_ptr<SumSet> sums) {
  constexpr size_t kMost = 64;
  if (sums && spare_.size() < kMost)
    spare_.push_back(std::move(sums));
}

absl::StatusOr<Placement> ParameterServer::placeState(int64_t size) {
  std::lock_guard<std::mutex> lock(mutex_);
  Placement placement;
  int64_t bytes = 0;
  if (run_ || isLoading_ || !all_.place(placement.spans))
    return Placement();
  for (const Placement::Span &span : placement.spans)
    bytes += span.size;
  if (bytes != size)
    return Placement(); // `load` says what is wrong
  // One that breaks off leaves the way free for another.
  isLoading_ = true;
  placement.owner = std::shared_ptr<void>(this, [](void *server) {
    auto *self = static_cast<ParameterServer *>(server);
    std::lock_guard<std::mutex> own(self->mutex_);
    self->isLoading_ = false;
  });
  return placement;
}

void ParameterServer::load(IncomingMessage request, const Reply &reply) {
  cluster::LoadRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const cluster::RunPlan &plan = control.plan();
    if (run_ && run_->run() == plan.run() && plan.run() != 0)
      return reply(makeMessage(cluster::LoadReply())); // sent again
    if (run_)
      return reply(absl::AbortedError("this server was loaded already"));
    if (plan.virtual_shards() < 1 || plan.virtual_shards() > 1 << 20 || plan.step() < 0)
      return reply(absl::InvalidArgumentError(
          absl::StrCat("a run of ", plan.virtual_shards(), " virtual shards from step ", plan.step())));
    if ((isLoading_ && !request.placed()) || preparing_)
      return reply(absl::AbortedError("this server is being loaded"));
    absl::Status status = request.placed() || control.is_prepared() ? absl::OkStatus() : all_.receive(request);
    status.Update(request.finish());
    if (!status.ok())
      return reply(status);
    if (request.placed())
      for (int32_t variable : all_.variables())
        all_.changed(variable);
    run_ = plan;
    step_ = plan.step();
    loaded();
  }
  reply(makeMessage(cluster::LoadReply()));
  changed_.notify_all();
}

void ParameterServer::end(const IncomingMessage &request, const Sessions::Task &task, const Reply &reply) {
  cluster::EndRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  cluster::EndReply report;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!end_)
      end_ = control.reason().empty() ? "ended" : control.reason();
    exit_ = control.exit();
    told_.insert(task.name());
    addReport(report);
  }
  reply(makeMessage(report));
  changed_.notify_all();
}

void ParameterServer::leave(const Sessions::Task &task, const Reply &reply) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    told_.insert(task.name());
    left(task.name());
  }
  credits_.leave(task.name());
  reply(makeMessage(cluster::LeaveReply()));
  changed_.notify_all();
}

void ParameterServer::returned(const std::string &task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    told_.erase(task);
  }
  credits_.leave(task);
}

void ParameterServer::unhold(const Reply &reply) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    release();
  }
  reply(makeMessage(cluster::LeaveReply()));
  changed_.notify_all();
}

//===----------------------------------------------------------------------===//
// Updates with other servers
//===----------------------------------------------------------------------===//

absl::Status ParameterServer::update(int64_t key, const RangeUpdate::Call &call, int phase) {
  for (; phase < update_.phases(); ++phase) {
    absl::StatusOr<RangeUpdate::Part> part = update_.runPartials(phase, call);
    if (!part.ok())
      return part.status();
    if (absl::Status status = isFirst() ? lead(key, phase, *part, call) : ask(key, phase, *part); !status.ok())
      return status;
  }
  return update_.runUpdates(call);
}

absl::Status ParameterServer::lead(int64_t key, int phase, const RangeUpdate::Part &part,
                                   const RangeUpdate::Call &call) {
  std::map<int, Guest> guests;
  std::vector<const RangeUpdate::Part *> parts = {&part};
  if (update_.needsParts(phase) && plan_.servers() > 1) {
    if (absl::Status status = gather({key, phase}, guests); !status.ok())
      return status;
    for (const auto &[number, guest] : guests)
      parts.push_back(&guest.part);
  }
  absl::Status status = update_.takeParts(phase, parts);
  status.Update(status.ok() ? update_.runShared(phase, call) : status);
  if (plan_.servers() == 1 || !status.ok()) {
    for (auto &[number, guest] : guests)
      guest.reply(status);
    return status;
  }
  auto shared = std::make_shared<const Shared>(Shared{step_, update_.giveValues(phase)});
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (answers_.find(key) == answers_.end())
      answered_.push_back(key);
    answers_[key][phase] = shared;
    // Those who had no answer, as their connection broke, ask again; they have as many updates open as tasks push.
    for (; answered_.size() > 2 * options_.trainers.size() + 2; answered_.pop_front())
      answers_.erase(answered_.front());
    if (auto late = guests_.find({key, phase}); late != guests_.end()) {
      guests.merge(late->second);
      guests_.erase(late);
    }
  }
  for (auto &[number, guest] : guests)
    guest.reply(valuesMessage(*shared));
  return absl::OkStatus();
}

bool ParameterServer::areAllAt(int64_t key, int phase) const {
  auto found = guests_.find({key, phase});
  return plan_.servers() == 1 ||
         (found != guests_.end() && static_cast<int>(found->second.size()) == plan_.servers() - 1);
}

absl::Status ParameterServer::gather(Place place, std::map<int, Guest> &guests) {
  const Clock::time_point since = Clock::now();
  const auto patience = step_ > run_->step() ? options_.stallTimeout : options_.startTimeout;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!areAllAt(place.first, place.second)) {
    if (end_)
      return absl::AbortedError(*end_);
    if (isInterrupted_())
      return absl::CancelledError("the server was told to stop");
    std::vector<std::string> missing;
    for (int number = 1; number < plan_.servers(); ++number)
      if (!guests_[place].count(number))
        missing.push_back(options_.servers[number]);
    if (options_.peers && Clock::now() - since >= kTick)
      if (absl::Status status = options_.peers->judge({options_.servers.front(), step_, since, missing}, patience);
          !status.ok())
        return status;
    if (Clock::now() - since > patience && !options_.peers)
      return absl::DeadlineExceededError(absl::StrCat(
          options_.servers.front(), " waits since ", std::chrono::duration_cast<std::chrono::seconds>(patience).count(),
          " s in update ", step_, " for ", absl::StrJoin(missing, ", ")));
    changed_.wait_for(lock, kTick);
  }
  guests = std::move(guests_[place]);
  guests_.erase(place);
  return absl::OkStatus();
}

OutgoingMessage ParameterServer::valuesMessage(const Shared &shared) {
  cluster::ExchangeReply control;
  control.set_number(shared.number);
  for (const std::vector<int64_t> &dims : shared.values.dims)
    *control.add_values()->mutable_sizes() = {dims.begin(), dims.end()};
  OutgoingMessage message = makeMessage(control);
  auto bytes = std::make_shared<std::string>(shared.values.bytes);
  message.payload.push_back({bytes->data(), static_cast<int64_t>(bytes->size()), bytes});
  return message;
}

void ParameterServer::exchange(IncomingMessage request, const Sessions::Task &task, Reply reply) {
  cluster::ExchangeRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  const auto number = static_cast<int>(std::find(options_.servers.begin(), options_.servers.end(), task.name()) -
                                       options_.servers.begin());
  if (number == 0 || number >= plan_.servers())
    return reply(absl::PermissionDeniedError(absl::StrCat(task.name(), " is no other server of this run")));
  Guest guest;
  guest.part.counts.assign(control.counts().begin(), control.counts().end());
  guest.part.values.resize(request.remaining());
  if (absl::Status status = request.read(guest.part.values.data(), request.remaining()); !status.ok())
    return reply(status);
  std::shared_ptr<const Shared> known;
  std::optional<Reply> replaced;
  std::optional<std::string> ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const Place place = {control.update(), control.phase()};
    const auto answered = answers_.find(control.update());
    const bool isKnown = answered != answers_.end() && answered->second.count(control.phase()) > 0;
    if (end_) {
      ended = end_;
    } else if (control.phase() < 0 || control.phase() >= update_.phases()) {
      return reply(
          absl::InvalidArgumentError(absl::StrCat("phase ", control.phase(), " of an update of ", update_.phases())));
    } else if (isKnown) {
      known = answered->second.at(control.phase());
    } else {
      // A server has as many updates open as there are tasks that push.
      const int64_t open = std::count_if(guests_.begin(), guests_.end(),
                                         [&](const auto &each) { return each.second.count(number) > 0; });
      std::map<int, Guest> &here = guests_[place];
      auto before = here.find(number);
      if (before == here.end() && open > static_cast<int64_t>(options_.trainers.size())) {
        if (here.empty())
          guests_.erase(place);
        return reply(absl::ResourceExhaustedError(absl::StrCat(task.name(), " is in ", open, " updates at once")));
      }
      if (before != here.end())
        replaced = std::move(before->second.reply);
      guest.reply = std::move(reply);
      here[number] = std::move(guest);
    }
  }
  if (replaced)
    (*replaced)(absl::AbortedError(absl::StrCat(task.name(), " asked again before it had its answer")));
  if (ended) {
    cluster::ExchangeReply over;
    over.set_end(*ended);
    over.set_exit(endExit());
    return reply(makeMessage(over));
  }
  if (known)
    return reply(valuesMessage(*known));
  changed_.notify_all();
}

cluster::ExchangeRequest ParameterServer::exchangeRequest(int64_t key, int phase, const RangeUpdate::Part &part) {
  cluster::ExchangeRequest request;
  request.set_update(key);
  request.set_phase(phase);
  *request.mutable_counts() = {part.counts.begin(), part.counts.end()};
  return request;
}

absl::Status ParameterServer::takeValues(int phase, const cluster::ExchangeReply &control, IncomingMessage &reply) {
  RangeUpdate::Values values;
  for (const cluster::Dims &dims : control.values())
    values.dims.emplace_back(dims.sizes().begin(), dims.sizes().end());
  values.bytes.resize(reply.remaining());
  if (absl::Status status = reply.read(values.bytes.data(), reply.remaining()); !status.ok())
    return status;
  return update_.takeValues(phase, values);
}

absl::Status ParameterServer::ask(int64_t key, int phase, const RangeUpdate::Part &part) {
  cluster::ExchangeReply control;
  // Server 0 says who is missing; heartbeats say whether it lives.
  CallRetry retry({first_.get()});
  absl::StatusOr<IncomingMessage> reply;
  absl::Status status;
  do {
    reply = first_->call("exchange", exchangeRequest(key, phase, part),
                         {{part.values.data(), static_cast<int64_t>(part.values.size()), nullptr}}, kMostWait, control,
                         [this] { return isInterrupted_() || hasEnded(); });
    status = reply.status();
  } while (!reply.ok() && !hasEnded() && !isInterrupted_() && retry.again(status));
  if (!reply.ok())
    reply = status;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!reply.ok())
    return end_ ? absl::AbortedError(*end_) : reply.status();
  if (!control.end().empty()) {
    // The chief tells this server, too.
    if (!end_) {
      end_ = control.end();
      exit_ = control.exit();
    }
    return absl::AbortedError(*end_);
  }
  return takeValues(phase, control, *reply);
}

void ParameterServer::giveUpGuests(std::vector<Reply> &replies) {
  for (auto &[place, guests] : guests_)
    for (auto &[number, guest] : guests)
      replies.push_back(std::move(guest.reply));
  guests_.clear();
}

//===----------------------------------------------------------------------===//
// Those who wait
//===----------------------------------------------------------------------===//

template <typename IsDue> std::vector<ParameterServer::Waiter> ParameterServer::takeWaiters(IsDue isDue) {
  std::vector<Waiter> taken, left;
  for (Waiter &waiter : waiters_)
    (isDue(waiter) ? taken : left).push_back(std::move(waiter));
  waiters_ = std::move(left);
  return taken;
}

OutgoingMessage ParameterServer::stateMessage(const std::string &method, const TableIds &rows) {
  cluster::StateReply control;
  control.set_step(step_);
  OutgoingMessage message;
  if (end_) {
    control.set_end(*end_);
    control.set_exit(exit_);
  } else if (method != kSnapshot) {
    addState(method, rows, control, message);
  }
  message.control = makeMessage(control).control;
  return message;
}

absl::StatusOr<OutgoingMessage> ParameterServer::answerTo(const std::string &method, const std::string &task,
                                                          const TableIds &rows, std::shared_ptr<Credits::Hold> hold) {
  OutgoingMessage message = stateMessage(method, rows);
  int64_t copied = 0;
  Slice *last = nullptr;
  for (Slice &slice : message.payload)
    if (slice.owner && slice.size > 0) {
      copied += slice.size;
      last = &slice;
    }
  if (!last)
    return message;
  if (!hold) {
    absl::StatusOr<std::shared_ptr<Credits::Hold>> charged = credits_.charge(task, copied);
    if (!charged.ok())
      return charged.status();
    hold = *std::move(charged);
  } else if (absl::Status status = hold->add(copied); !status.ok()) {
    return status;
  }
  // Slices are sent in their order.
  using Kept = std::pair<std::shared_ptr<const void>, std::shared_ptr<Credits::Hold>>;
  last->owner = std::make_shared<Kept>(std::move(last->owner), std::move(hold));
  return message;
}

void ParameterServer::credit(const IncomingMessage &request, const Sessions::Task &task, Reply reply) {
  cluster::CreditRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  credits_.ask(task.name(), control.bytes(), canWaitForCredit(), [this, reply = std::move(reply)](absl::Status status) {
    cluster::CreditReply granted;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      granted.set_end(end_.value_or(""));
      granted.set_exit(exit_);
    }
    if (!status.ok() && granted.end().empty())
      return reply(status);
    reply(makeMessage(granted));
  });
}

/// Those who wait for credit, which others gave back, or will not.
void ParameterServer::grantCredits(std::unique_lock<std::mutex> &lock) {
  if (!end_ && !credits_.isAwaited())
    return;
  const std::optional<std::string> end = end_;
  lock.unlock();
  if (end)
    credits_.fail(absl::CancelledError(*end));
  if (options_.peers)
    for (const std::string &trainer : options_.trainers)
      if (options_.peers->isDead(trainer))
        credits_.leave(trainer);
  credits_.grant();
  lock.lock();
}

void ParameterServer::answerDue(std::unique_lock<std::mutex> &lock) {
  std::vector<Waiter> due = takeWaiters([this](const Waiter &waiter) { return end_ || (run_ && isDue(waiter)); });
  if (due.empty())
    return;
  for (const Waiter &waiter : due)
    if (waiter.method == kSnapshot && !end_) {
      // The state changes on this thread alone.
      const int64_t step = step_;
      lock.unlock();
      shards_.copy(step);
      lock.lock();
    }
  std::vector<absl::StatusOr<OutgoingMessage>> messages;
  for (Waiter &waiter : due) {
    messages.push_back(answerTo(waiter.method, waiter.task, waiter.rows, std::move(waiter.hold)));
    if (end_)
      told_.insert(waiter.task);
  }
  lock.unlock();
  for (size_t i = 0; i < due.size(); ++i)
    due[i].reply(std::move(messages[i]));
  lock.lock();
}

void ParameterServer::addWaiter(Waiter waiter) {
  absl::StatusOr<OutgoingMessage> message = OutgoingMessage();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const bool isDueNow = isDueInUpdate(waiter);
    if (!end_ && serveFailure_.ok() && !isDueNow) {
      waiters_.push_back(std::move(waiter));
      changed_.notify_all();
      return;
    }
    // Nobody may serve any more, or does now.
    if (end_ || (serveFailure_.ok() && isDueNow))
      message = stateMessage(waiter.method, waiter.rows);
    else
      message = serveFailure_;
    if (end_ || !serveFailure_.ok())
      told_.insert(waiter.task);
  }
  waiter.reply(std::move(message));
  changed_.notify_all();
}

void ParameterServer::pull(const std::string &method, IncomingMessage &request, const Sessions::Task &task,
                           Reply reply) {
  cluster::PullRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  std::vector<Waiter> older;
  bool isOutdated = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (run_ && !end_) {
      if (absl::Status status = checkPull(method, control); !status.ok())
        return reply(status);
      if (isAskedSingly(method)) {
        const auto isOfTask = [&](const Waiter &waiter) {
          return waiter.method == method && waiter.task == task.name();
        };
        older = takeWaiters([&](const Waiter &waiter) {
          return isOfTask(waiter) &&
                 std::pair(waiter.step, waiter.question) < std::pair(control.step(), control.question());
        });
        isOutdated = std::any_of(waiters_.begin(), waiters_.end(), isOfTask);
        if (!isOutdated)
          noteQuestion(task.name(), control);
      }
    }
  }
  const absl::Status again = absl::AbortedError("the task asked again");
  for (const Waiter &waiter : older)
    waiter.reply(again);
  if (isOutdated)
    return reply(again);
  absl::StatusOr<TableIds> rows;
  if (method == "rows")
    rows = rowWire_.receiveIds(request);
  else
    rows = TableIds();
  if (absl::Status status = rows.ok() ? request.finish() : rows.status(); !status.ok())
    return reply(status);
  addWaiter({method, task.name(), control.step(), Clock::now(), std::move(reply), *std::move(rows), takeHold(request),
             control.question()});
}

absl::Status ParameterServer::checkSums(const Symbols &symbols, int64_t sets) const {
  if (static_cast<int32_t>(symbols.size()) != program_.artifact().symbolCount() ||
      std::any_of(symbols.begin(), symbols.end(), [](int64_t value) { return value < 0; }))
    return absl::InvalidArgumentError(absl::StrCat("a push with ", symbols.size(), " dimension symbols; expected ",
                                                   program_.artifact().symbolCount(), " numbers >= 0"));
  const int64_t bytes = sumWire_.bytes(symbols);
  if (bytes < 0 || bytes > options_.messageBytes / std::max<int64_t>(1, sets))
    return absl::ResourceExhaustedError(absl::StrCat("a push of ", sets, " sums of ", bytes, " bytes"));
  return absl::OkStatus();
}

/// Tells servers that are in an update that there will be none.
void ParameterServer::endGuests(std::unique_lock<std::mutex> &lock) {
  std::vector<Reply> guests;
  giveUpGuests(guests);
  cluster::ExchangeReply over;
  over.set_end(*end_);
  over.set_exit(exit_);
  lock.unlock();
  for (const Reply &guest : guests)
    guest(makeMessage(over));
  lock.lock();
}

bool ParameterServer::hasBegun() {
  std::lock_guard<std::mutex> lock(mutex_);
  return run_.has_value();
}

bool ParameterServer::hasEnded() {
  std::lock_guard<std::mutex> lock(mutex_);
  return end_.has_value();
}

int ParameterServer::endExit() {
  std::lock_guard<std::mutex> lock(mutex_);
  return exit_;
}

/// A chief that does not begin the run, and does not live: it may be that it was here before.
absl::Status ParameterServer::checkBegin(Clock::time_point since) const {
  const std::string &chief = options_.trainers.front();
  if (run_ || Clock::now() - since <= options_.startTimeout || (options_.peers && options_.peers->isAlive(chief)))
    return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat(options_.servers[options_.number], " waits since ",
                   std::chrono::duration_cast<std::chrono::seconds>(options_.startTimeout).count(), " s for ", chief,
                   ", which has not begun the run"));
}

/// A run that nobody goes on with, and whose chief will not end it.
absl::Status ParameterServer::checkAlone() {
  const bool isAlone = run_ && options_.peers &&
                       std::none_of(options_.trainers.begin(), options_.trainers.end(),
                                    [&](const std::string &trainer) { return options_.peers->isAlive(trainer); });
  const Clock::time_point now = Clock::now();
  aloneSince_ = isAlone ? aloneSince_.value_or(now) : std::optional<Clock::time_point>();
  if (!isAlone || now - *aloneSince_ <= options_.stallTimeout)
    return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat(options_.peers->obituary(options_.trainers.front()),
                                                  ", and no other training task lives; the state is of step ", step_));
}

void ParameterServer::fail(const absl::Status &why) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    failed_.Update(why);
  }
  changed_.notify_all();
}

absl::Status ParameterServer::failure() {
  std::lock_guard<std::mutex> lock(mutex_);
  return serveFailure_;
}

/// What the failure of this server is to those who call it: what no restart mends stays what it is, anything else is a
/// lost task. Not kUnavailable, after which they would call again.
absl::Status ParameterServer::failureToOthers(const absl::Status &failure) const {
  switch (failure.code()) {
  case absl::StatusCode::kInvalidArgument:
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kOutOfRange:
  case absl::StatusCode::kDataLoss:
  case absl::StatusCode::kResourceExhausted:
    return absl::Status(failure.code(), failure.message());
  default:
    return absl::DeadlineExceededError(absl::StrCat(options_.servers[options_.number], " ends: ", failure.message()));
  }
}

absl::StatusOr<std::string> ParameterServer::serve(const std::function<bool()> &isInterrupted) {
  constexpr std::chrono::milliseconds kFarewell{2000};
  const Clock::time_point began = Clock::now();
  isInterrupted_ = isInterrupted;
  std::optional<Clock::time_point> ended;
  std::unique_lock<std::mutex> lock(mutex_);
  absl::Status failure;
  while (failure.ok()) {
    if (end_) {
      giveUp(waiters_);
      endGuests(lock);
    }
    prepareRows(lock);
    grantCredits(lock);
    answerDue(lock);
    if (end_) {
      if (!ended)
        ended = Clock::now();
      const bool allKnow = std::all_of(options_.trainers.begin(), options_.trainers.end(),
                                       [&](const std::string &trainer) { return told_.count(trainer) > 0; });
      if (allKnow || Clock::now() - *ended > kFarewell) {
        const std::string reason = *end_;
        lock.unlock();
        shards_.finish();
        return reason;
      }
    } else if (run_) {
      absl::StatusOr<bool> moved = advance(lock);
      if ((moved.ok() && *moved) || (end_ && absl::IsAborted(moved.status()))) {
        if (RunObservation *run = program_.observation())
          run->noteStep(step_);
        continue;
      }
      failure = moved.status();
    }
    if (failure.ok() && !end_)
      failure = failed_;
    if (failure.ok() && !end_)
      failure = checkStall();
    if (failure.ok() && !end_)
      failure = checkBegin(began);
    if (failure.ok() && !end_)
      failure = checkAlone();
    if (failure.ok() && isInterrupted())
      failure = absl::CancelledError("the server was told to stop");
    if (failure.ok())
      changed_.wait_until(lock, std::min(Clock::now() + kTick, wakeAt()));
  }
  const absl::Status told = serveFailure_ = failureToOthers(failure);
  giveUp(waiters_);
  std::vector<Waiter> left = takeWaiters([](const Waiter &) { return true; });
  std::vector<Reply> guests;
  giveUpGuests(guests);
  if (preparing_)
    guests.push_back(std::move(preparing_->second));
  preparing_.reset();
  lock.unlock();
  credits_.fail(told);
  for (Waiter &waiter : left)
    waiter.reply(told);
  for (const Reply &guest : guests)
    guest(told);
  shards_.finish();
  return failure;
}

} // namespace mlcrt

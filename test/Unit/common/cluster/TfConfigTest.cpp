// TF_CONFIG as schedulers write it, and what is wrong with others.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cluster/TfConfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

static TfConfig parse(const std::string &text) {
  TfConfig config;
  MessageList messages;
  EXPECT_TRUE(parseTfConfig(text, config, messages)) << text << "\n" << messages.format();
  return config;
}

static std::string errorOf(const std::string &text) {
  TfConfig config;
  MessageList messages;
  EXPECT_FALSE(parseTfConfig(text, config, messages)) << text;
  return messages.format();
}

/// A cluster with every role, seen by `task`.
static std::string cluster(const std::string &task) {
  return R"({"cluster": {"ps": ["p:1", "p:2"], "worker": ["w:1", "w:2"], "chief": ["c:1"]}, "task": )" + task + "}";
}

TEST(TfConfig, OrderIsChiefOthersPs) {
  TfConfig config = parse(cluster(R"({"type": "ps", "index": 1})"));
  std::vector<std::string> order;
  for (const ClusterTask &task : config.tasks)
    order.push_back(task.role + std::to_string(task.index) + "@" + task.address);
  EXPECT_THAT(order, ElementsAre("chief0@c:1", "worker0@w:1", "worker1@w:2", "ps0@p:1", "ps1@p:2"));
  EXPECT_EQ(config.globalId(), 4);
  EXPECT_EQ(config.self.address, "p:2");
  EXPECT_FALSE(config.isChief());
  EXPECT_TRUE(config.isDistributed());
  EXPECT_TRUE(parse(cluster(R"({"type": "chief", "index": 0})")).isChief());
}

TEST(TfConfig, WhatSchedulersWrite) {
  EXPECT_FALSE(parse("{}").isDistributed());
  EXPECT_TRUE(parse(R"({"task": {"type": "worker", "index": 0}})").isChief()) << "no cluster";
  EXPECT_FALSE(parse(R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}})").isDistributed());
  EXPECT_EQ(
      parse(R"({"cluster": {"master": ["a:1"], "ps": ["b:1"]}, "task": {"type": "master", "index": 0}})").self.role,
      "chief")
      << "the old name";
  TfConfig first = parse(R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": "0"}})");
  EXPECT_TRUE(first.isChief()) << "no chief: worker 0; an index as a text";
  EXPECT_THAT(explainTfConfig(first).front(), HasSubstr("so it is the chief"));
  TfConfig sparse =
      parse(R"({"cluster": {"worker": {"3": "a:1"}, "chief": ["c:1"]}, "task": {"type": "worker", "index": 3}})");
  EXPECT_EQ(sparse.self.address, "a:1");
  EXPECT_EQ(parse(cluster(R"({"type": "evaluator", "index": 0})")).globalId(), -1) << "not listed";
  EXPECT_EQ(parse(R"({"cluster": {"chief": ["a:1"], "evaluator": ["e:1"]}, "task": {"type": "evaluator", "index": 0}})")
                .globalId(),
            1);
  TfConfig beside = parse(R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})");
  EXPECT_TRUE(beside.isDistributed() && !beside.isChief()) << "the evaluator of a cluster of one task";
  TfConfig ignored;
  MessageList messages;
  EXPECT_TRUE(parseTfConfig(R"({"environment": "cloud", "rpc_layer": "grpc", "enviroment": "x"})", ignored, messages));
  EXPECT_THAT(messages.format(), HasSubstr("key 'enviroment' means nothing"));
}

TEST(TfConfig, Errors) {
  EXPECT_THAT(errorOf("{cluster"), HasSubstr("is no JSON"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("is no object"));
  EXPECT_THAT(errorOf(R"({"rpc_layer": "grpc+verbs"})"),
              AllOf(HasSubstr("'grpc+verbs'"), HasSubstr("\"grpc\", or no key")));
  EXPECT_THAT(errorOf(R"({"cluster": {"chef": ["a:1"]}})"), HasSubstr("did you mean 'chief'?"));
  EXPECT_THAT(errorOf(R"({"cluster": {"chief": ["a:1"], "master": ["b:1"]}})"), HasSubstr("both 'chief' and 'master'"));
  EXPECT_THAT(errorOf(R"({"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief", "index": 0}})"),
              HasSubstr("2 tasks of role chief"));
  EXPECT_THAT(errorOf(R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0}})"),
              HasSubstr("without a chief and without a worker"));
  for (const char *address : {"\"a\"", "\":1\"", "\"a:0\"", "\"a:65536\"", "\"a:x\"", "\"a:1x\"", "7"})
    EXPECT_THAT(
        errorOf(std::string(R"({"cluster": {"chief": [)") + address + R"(]}, "task": {"type": "chief", "index": 0}})"),
        HasSubstr("cluster.chief[0]"))
        << address;
  EXPECT_THAT(errorOf(R"({"cluster": {"chief": ["a:1"], "worker": ["a:1"]}, "task": {"type": "chief", "index": 0}})"),
              HasSubstr("'a:1' is also the address of chief 0"));
  EXPECT_THAT(errorOf(R"({"cluster": {"chief": ["a:1"]}})"), HasSubstr("a cluster without a task"));
  EXPECT_THAT(errorOf(cluster(R"({"type": "worker"})")), HasSubstr("task.index"));
  EXPECT_THAT(errorOf(cluster(R"({"index": 0})")), HasSubstr("task.type"));
  EXPECT_THAT(errorOf(cluster(R"({"type": "worker", "index": 2})")),
              HasSubstr("worker 2, which the cluster does not list"));
  EXPECT_THAT(errorOf(cluster(R"({"type": "worker", "index": -1})")), HasSubstr("task.index"));
  EXPECT_THAT(errorOf(cluster(R"({"type": "evaluator", "index": 1})")), HasSubstr("there is one evaluator"));
  EXPECT_THAT(errorOf(R"({"task": {"type": "ps", "index": 0}})"), HasSubstr("ps 0 of no cluster"));
  EXPECT_THAT(errorOf(R"({"task": {"type": "worker", "index": 1}})"), HasSubstr("worker 1 of no cluster"));
  EXPECT_THAT(errorOf(R"({"cluster": {"master": ["a:1"], "evaluator": ["b:1"]}})"), HasSubstr("beside a 'master'"));
  EXPECT_THAT(errorOf(R"({"cluster": {"master": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})"),
              HasSubstr("beside a 'master'"));
  EXPECT_THAT(errorOf(R"({"model_dir": ""})"), HasSubstr("an empty path"));
  EXPECT_THAT(errorOf(R"({"model_dir": 7})"), HasSubstr("found 7"));
  EXPECT_THAT(errorOf(R"({"service": "x"})"), HasSubstr("expected: an object"));
  EXPECT_THAT(errorOf(R"({"session_master": {}})"), HasSubstr("session_master"));
  EXPECT_THAT(errorOf(R"({"eval_session_master": "x"})"), HasSubstr("a task that is no evaluator"));
}

TEST(TfConfig, AddressesOnOneHost) {
  auto chiefAt = [](const std::string &address) {
    return R"({"cluster": {"chief": [")" + address + R"("]}, "task": {"type": "chief", "index": 0}})";
  };
  EXPECT_EQ(parse(chiefAt("unix:/tmp/a b")).self.address, "unix:/tmp/a b");
  EXPECT_EQ(parse(chiefAt("unix:/" + std::string(106, 'x'))).self.address.size(), 112u);
  for (const std::string &address :
       {std::string("unix:"), std::string("unix:/"), std::string("unix:relative"), "unix:/" + std::string(107, 'x')})
    EXPECT_THAT(errorOf(chiefAt(address)), HasSubstr("expected: unix:PATH")) << address;
}

TEST(TfConfig, WhatIsWrittenIsRead) {
  for (
      const char *text :
      {R"({"task":{"type":"worker","index":0}})",
       R"({"cluster":{"chief":["a:1"],"worker":["b:1","c:1"],"ps":["d:1"]},"task":{"type":"ps","index":0}})",
       R"({"cluster":{"master":["a:1"],"ps":["d:1"]},"task":{"type":"master","index":0},"model_dir":"m"})",
       R"({"cluster":{"chief":["a:1"],"worker":{"3":"b:1"}},"task":{"type":"worker","index":3},"session_master":"s"})",
       R"({"cluster":{"chief":["a:1"]},"task":{"type":"evaluator","index":0},"eval_session_master":"e","rpc_layer":"grpc","service":{"a":1}})"})
    EXPECT_EQ(formatTfConfig(parse(text)), text);
}

TEST(TfConfig, ALocalCluster) {
  std::vector<std::string> texts;
  for (const TfConfig &view : localCluster({3, 1, true}, {"a:1", "b:1", "c:1", "d:1"}))
    texts.push_back(formatTfConfig(view));
  const std::string cluster = R"({"cluster":{"chief":["a:1"],"worker":["b:1","c:1"],"ps":["d:1"]},"task":)";
  EXPECT_THAT(texts,
              ElementsAre(cluster + R"({"type":"chief","index":0}})", cluster + R"({"type":"worker","index":0}})",
                          cluster + R"({"type":"worker","index":1}})", cluster + R"({"type":"evaluator","index":0}})",
                          cluster + R"({"type":"ps","index":0}})"));
  ASSERT_EQ(localCluster({1, 0, false}, {"a:1"}).size(), 1u);
  EXPECT_FALSE(localCluster({1, 0, false}, {"a:1"}).front().isDistributed()) << "one task needs no connections";
}

TEST(RunConfig, OfTheTasksOfACluster) {
  RunConfig worker = runConfigOf(parse(cluster(R"({"type": "worker", "index": 1})")));
  EXPECT_EQ(worker.taskType, "worker");
  EXPECT_EQ(worker.taskId, 1);
  EXPECT_FALSE(worker.isChief);
  EXPECT_EQ(worker.clusterSpec, R"({"chief":["c:1"],"worker":["w:1","w:2"],"ps":["p:1","p:2"]})");
  EXPECT_EQ(worker.master, "grpc://w:2") << "each worker has its own";
  EXPECT_EQ(worker.evaluationMaster, "");
  EXPECT_EQ(worker.numPsReplicas, 2);
  EXPECT_EQ(worker.numWorkerReplicas, 3) << "the chief counts";
  EXPECT_EQ(worker.globalId, 2);
  EXPECT_THAT(worker.deviceFilters, ElementsAre("/job:ps", "/job:worker/task:1"));
  RunConfig chief = runConfigOf(parse(cluster(R"({"type": "chief", "index": 0})")));
  EXPECT_TRUE(chief.isChief);
  EXPECT_EQ(chief.globalId, 0);
  EXPECT_THAT(chief.deviceFilters, ElementsAre("/job:ps", "/job:chief"));
  RunConfig server = runConfigOf(parse(cluster(R"({"type": "ps", "index": 0})")));
  EXPECT_EQ(server.globalId, 3) << "servers come last";
  EXPECT_EQ(server.master, "grpc://p:1");
  EXPECT_THAT(server.deviceFilters, ElementsAre("/job:ps", "/job:worker", "/job:chief", "/job:master"));
}

TEST(RunConfig, TheEvaluatorSeesNoCluster) {
  for (const char *listed : {"", R"(, "evaluator": ["e:1"])"}) {
    RunConfig run = runConfigOf(parse(std::string(R"({"cluster": {"chief": ["a:1"], "ps": ["b:1"])") + listed +
                                      R"(}, "task": {"type": "evaluator", "index": 0}, "eval_session_master": "x"})"));
    EXPECT_EQ(run.taskType, "evaluator");
    EXPECT_FALSE(run.isChief);
    EXPECT_EQ(run.clusterSpec, "{}");
    EXPECT_EQ(run.master, "");
    EXPECT_EQ(run.evaluationMaster, "x");
    EXPECT_EQ(run.numPsReplicas, 0);
    EXPECT_EQ(run.numWorkerReplicas, 0);
    EXPECT_EQ(run.globalId, std::nullopt);
    EXPECT_TRUE(run.deviceFilters.empty());
  }
}

TEST(RunConfig, WithoutPeers) {
  for (const char *text : {"{}", R"({"task": {"type": "worker", "index": 0}})"}) {
    RunConfig run = runConfigOf(parse(text));
    EXPECT_EQ(run.taskType, "worker");
    EXPECT_EQ(run.taskId, 0);
    EXPECT_TRUE(run.isChief);
    EXPECT_EQ(run.clusterSpec, "{}");
    EXPECT_EQ(run.master, "");
    EXPECT_EQ(run.numPsReplicas, 0);
    EXPECT_EQ(run.numWorkerReplicas, 1);
    EXPECT_EQ(run.globalId, 0);
  }
  EXPECT_EQ(runConfigOf(parse(R"({"session_master": "s", "model_dir": "m", "service": {"a": 1}})")).master, "s");
  EXPECT_EQ(runConfigOf(parse(R"({"model_dir": "m"})")).modelDir, "m");
  EXPECT_EQ(runConfigOf(parse(R"({"service": {"a": 1}})")).service, R"({"a":1})");
  RunConfig one = runConfigOf(parse(R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}})"));
  EXPECT_EQ(one.master, "") << "the one task of a cluster needs no server";
  EXPECT_EQ(one.clusterSpec, R"({"chief":["a:1"]})");
  EXPECT_TRUE(one.isChief);
  EXPECT_EQ(one.numWorkerReplicas, 1);
}

TEST(RunConfig, OldNamesAndClustersWithoutAChief) {
  RunConfig master =
      runConfigOf(parse(R"({"cluster": {"master": ["a:1"], "ps": ["b:1"]}, "task": {"type": "master", "index": 0}})"));
  EXPECT_EQ(master.taskType, "master");
  EXPECT_TRUE(master.isChief);
  EXPECT_EQ(master.numWorkerReplicas, 1);
  EXPECT_THAT(master.deviceFilters, ElementsAre("/job:ps", "/job:master"));
  RunConfig first = runConfigOf(
      parse(R"({"cluster": {"worker": ["a:1", "b:1"], "ps": ["c:1"]}, "task": {"type": "worker", "index": 0}})"));
  EXPECT_EQ(first.taskType, "worker");
  EXPECT_TRUE(first.isChief);
  EXPECT_EQ(first.numWorkerReplicas, 2);
  RunConfig sparse = runConfigOf(
      parse(R"({"cluster": {"chief": ["c:1"], "worker": {"3": "a:1"}}, "task": {"type": "worker", "index": 3}})"));
  EXPECT_EQ(sparse.clusterSpec, R"({"chief":["c:1"],"worker":{"3":"a:1"}})");
  EXPECT_EQ(sparse.master, "grpc://a:1");
}

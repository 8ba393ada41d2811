// TF_CONFIG as schedulers write it, and what is wrong with others.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/TfConfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
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
}

// Parsing of command lines, help and the table of verbs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/CommandTable.h"

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlc::common;
using testing::ElementsAre;
using testing::HasSubstr;

static CommandLine parse(std::vector<std::string> args) {
  CommandLine line;
  MessageList messages;
  EXPECT_TRUE(parseCommandLine(trainerCommands("t"), args, line, messages)) << messages.format();
  return line;
}

static std::string fail(std::vector<std::string> args) {
  CommandLine line;
  MessageList messages;
  EXPECT_FALSE(parseCommandLine(trainerCommands("t"), args, line, messages));
  EXPECT_TRUE(messages.hasErrors());
  return messages.format();
}

TEST(CommandLine, Forms) {
  CommandLine line = parse({"train", "--model-dir", "m", "--max_steps=100", "--json", "--train_files=a",
                            "--train_files", "b=c", "--set", "x=-1", "--quiet=false"});
  EXPECT_EQ(line.verb, "train");
  EXPECT_EQ(line.text("model_dir"), "m");
  EXPECT_EQ(line.integer("max_steps"), 100);
  EXPECT_EQ(line.integer("epochs"), std::nullopt);
  EXPECT_TRUE(line.on("json"));
  EXPECT_FALSE(line.on("quiet"));
  EXPECT_THAT(line.texts("train_files"), ElementsAre("a", "b=c"));
  EXPECT_EQ(line.text("set"), "x=-1");
  for (const char *form : {"-o=x", "--output=x"})
    EXPECT_EQ(parse({"predict", "--model_dir=m", form}).text("output"), "x");
  EXPECT_EQ(parse({"predict", "--model_dir=m", "-o", "x"}).text("output"), "x");
  EXPECT_EQ(parse({"predict", "--model_dir=m", "-o", "-"}).text("output"), "-");
}

TEST(CommandLine, VerbOfTwoWordsAndPositionals) {
  CommandLine line = parse({"ckpt", "convert", "m", "--to", "f"});
  EXPECT_EQ(line.verb, "ckpt convert");
  EXPECT_THAT(line.positionals, ElementsAre("m"));
  EXPECT_THAT(parse({"ckpt", "convert", "--to=f", "--", "--odd"}).positionals, ElementsAre("--odd"));
  EXPECT_THAT(fail({"ckpt", "convert"}), HasSubstr("error[E0206]: ckpt convert needs MODEL_DIR"));
  EXPECT_THAT(fail({"train", "data.csv"}), HasSubstr("'data.csv' is an argument too many for train"));
}

TEST(CommandLine, UnknownVerbs) {
  EXPECT_THAT(fail({}), HasSubstr("error[E0201]: no verb\n    expected: one of train"));
  EXPECT_THAT(fail({"trian"}), HasSubstr("unknown verb 'trian'\n"));
  EXPECT_THAT(fail({"trian"}), HasSubstr("did you mean 'train'?"));
  EXPECT_THAT(fail({"ckpt", "convrt", "m"}), HasSubstr("did you mean 'ckpt convert'?"));
  std::string expected = "\n    expected: one of ckpt ls, ckpt show, ckpt verify, ckpt diff, ckpt convert\n";
  EXPECT_THAT(fail({"ckpt", "remove", "m"}), HasSubstr("unknown verb 'ckpt remove'" + expected));
  EXPECT_THAT(fail({"ckpt"}), HasSubstr("unknown verb 'ckpt'" + expected));
  EXPECT_THAT(fail({"--model_dir", "m", "train"}), HasSubstr("stands where a verb should"));
}

TEST(CommandLine, UnknownFlags) {
  std::string text = fail({"train", "--bach-size", "3", "--model_dir=m"});
  EXPECT_EQ(text, "error[E0202]: unknown flag '--bach-size' of train\n    help: did you mean '--batch_size'?\n");
  EXPECT_THAT(fail({"train", "--predict_files=a"}), HasSubstr("--predict_files belongs to t predict"));
  EXPECT_THAT(fail({"train", "-x"}), HasSubstr("unknown flag '-x' of train"));
  EXPECT_THAT(fail({"train", "--hlep"}), HasSubstr("did you mean '--help'?"));
}

TEST(CommandLine, NeededFlags) {
  EXPECT_EQ(fail({"train"}), "error[E0206]: train needs --model_dir or --dry_run\n    help: t train --model_dir m\n");
  EXPECT_THAT(fail({"evaluate", "--json"}), HasSubstr("evaluate needs --model_dir or --checkpoint\n"));
  EXPECT_THAT(fail({"ckpt", "convert", "m"}), HasSubstr("ckpt convert needs --to\n"));
  EXPECT_EQ(parse({"evaluate", "--checkpoint=c"}).text("checkpoint"), "c");
  // A slip is the one thing to tell.
  EXPECT_EQ(fail({"train", "--model_dr=m"}),
            "error[E0202]: unknown flag '--model_dr' of train\n    help: did you mean '--model_dir'?\n");
}

TEST(CommandLine, FlagsThatExcludeEachOther) {
  EXPECT_EQ(fail({"train", "--model_dir=m", "--steps=3", "--max_steps=4"}),
            "error[E0206]: --steps and --max_steps exclude each other\n    help: give one of them\n");
  EXPECT_EQ(parse({"train", "--model_dir=m", "--steps=3"}).integer("steps"), 3);
}

TEST(CommandLine, BadValues) {
  EXPECT_THAT(fail({"train", "--max_steps"}), HasSubstr("error[E0204]: --max_steps needs a value"));
  EXPECT_THAT(fail({"train", "--max_steps", "--json"}), HasSubstr("E0204"));
  for (const char *value : {"0", "-3", "1.5", "x", "", "1 ", "99999999999999999999"})
    EXPECT_THAT(fail({"train", std::string("--max_steps=") + value}), HasSubstr("expected: an integer >= 1"));
  for (const char *value : {"0", "4097"})
    EXPECT_THAT(fail({"train", std::string("--threads=") + value}), HasSubstr("expected: an integer in [1, 4096]"));
  EXPECT_THAT(fail({"predict", "--format=jsnl"}),
              HasSubstr("expected: one of jsonl, csv      help: did you mean 'jsonl'?"));
  EXPECT_THAT(fail({"train", "--json=yes"}), HasSubstr("expected: true or false"));
  EXPECT_THAT(fail({"train", "--seed=1", "--seed=2"}), HasSubstr("error[E0205]: --seed is given twice: '1' and '2'"));
  EXPECT_THAT(fail({"train", "--model_dir="}), HasSubstr("expected: a path"));
}

TEST(CommandLine, AllErrorsAtOnce) { EXPECT_THAT(fail({"train", "--max_steps=x", "--sed=1"}), HasSubstr("2 errors")); }

TEST(CommandLine, ArgumentFiles) {
  std::string path = testing::TempDir() + "/mlc_args.txt";
  std::ofstream(path) << "# arguments\n--model_dir 'my dir'\n--set \"a=b c\"  # rest\n--seed=3";
  CommandLine line = parse({"train", "@" + path});
  EXPECT_EQ(line.text("model_dir"), "my dir");
  EXPECT_EQ(line.text("set"), "a=b c");
  EXPECT_EQ(line.integer("seed"), 3);
  std::ofstream(path) << "--model_dir 'm";
  EXPECT_THAT(fail({"train", "@" + path}), HasSubstr("a quote is not closed"));
  std::remove(path.c_str());
  EXPECT_THAT(fail({"train", "@" + path}), HasSubstr("error[E0207]: cannot read the arguments file"));
}

TEST(CommandLine, Help) {
  EXPECT_EQ(parse({"--help"}).help, HelpKind::Full);
  EXPECT_EQ(parse({"train", "-h"}).help, HelpKind::Short);
  EXPECT_EQ(parse({"train", "--help=all"}).help, HelpKind::All);
  EXPECT_EQ(parse({"help", "train"}).verb, "train");
  EXPECT_EQ(parse({"help"}).help, HelpKind::Full);
  EXPECT_EQ(parse({"ckpt", "convert", "--help"}).help, HelpKind::Full) << "needs no positionals";
  EXPECT_TRUE(parse({"--version"}).version);
  CommandTable table = trainerCommands("t");
  std::string full = formatHelp(table, "train", HelpKind::Full);
  for (const FlagSpec &flag : table.find("train")->flags)
    EXPECT_EQ(full.find("--" + flag.name) == std::string::npos, flag.hidden) << flag.name;
  EXPECT_THAT(formatHelp(table, "train", HelpKind::All), HasSubstr("--called_as"));
  EXPECT_THAT(full, HasSubstr("(default: train.max_steps)"));
  EXPECT_EQ(formatHelp(table, "train", HelpKind::Short).find("t train --model_dir m\n"), 2u) << "examples first";
  EXPECT_THAT(formatHelp(table, "", HelpKind::Full), HasSubstr("t ckpt convert MODEL_DIR"));
}

static void checkTable(const CommandTable &table) {
  for (const VerbSpec &verb : table.verbs) {
    EXPECT_FALSE(verb.summary.empty());
    ASSERT_FALSE(verb.examples.empty()) << verb.name;
    for (const std::string &example : verb.examples) {
      // Every example parses.
      CommandLine line;
      MessageList messages;
      std::vector<std::string> args;
      std::string word;
      for (char c : example + " ") {
        if (c != ' ')
          word += c;
        else if (!word.empty())
          args.push_back(std::exchange(word, ""));
      }
      EXPECT_TRUE(parseCommandLine(table, args, line, messages)) << messages.format();
      EXPECT_EQ(line.verb, verb.name);
    }
    for (const FlagSpec &flag : verb.flags) {
      EXPECT_EQ(std::count_if(verb.flags.begin(), verb.flags.end(),
                              [&](const FlagSpec &other) { return other.name == flag.name; }),
                1)
          << verb.name << " --" << flag.name;
      EXPECT_EQ(flag.type == FlagType::Choice, !flag.choices.empty());
      EXPECT_FALSE(flag.help.empty());
    }
  }
}

TEST(CommandTable, IsSound) {
  checkTable(trainerCommands("t"));
  checkTable(mlcCommands());
  EXPECT_THAT(formatHelp(mlcCommands(), "", HelpKind::All), HasSubstr("## mlc ckpt convert"));
}

TEST(CommandTable, MlcHandsTrainerFlagsOn) {
  CommandLine line;
  MessageList messages;
  ASSERT_TRUE(parseCommandLine(
      mlcCommands(), {"train", "s.pbtxt", "--model_dir=m", "--cpu=native", "--set", "a=b", "--json"}, line, messages));
  EXPECT_THAT(trainerArguments(line, line.texts("set")),
              ElementsAre("train", "--model_dir=m", "--set=a=b", "--json=true"));
}

TEST(CommandLine, TheCommandOfAnotherProgram) {
  for (std::vector<std::string> words : {std::vector<std::string>{"--", "./t"}, {"./t"}}) {
    std::vector<std::string> args = {"launch", "--workers", "2", "--ps=1"};
    args.insert(args.end(), words.begin(), words.end());
    args.insert(args.end(), {"train", "--model_dir", "m", "--workers", "--", "-x"});
    CommandLine line;
    MessageList messages;
    ASSERT_TRUE(parseCommandLine(mlcCommands(), args, line, messages)) << messages.format();
    EXPECT_EQ(line.integer("workers"), 2);
    EXPECT_THAT(line.positionals, ElementsAre("./t", "train", "--model_dir", "m", "--workers", "--", "-x"));
  }
  EXPECT_THAT(formatHelp(mlcCommands(), "launch", HelpKind::Full),
              HasSubstr("mlc launch [flags] -- TRAINER ARGUMENT...: run"));
}

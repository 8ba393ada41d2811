// A trainer over the hand-written artifact, with a manifest that lets it read files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeTrainer.h"
#include "FakeArtifact.h"
#include "runtime/src/trainer/Trainer.h"

#include <fstream>
#include <iterator>
#include <string>

static const char kManifest[] = R"({
  "mlc": "0.1.0", "compat": "tf2", "cpu": "x86-64-v3", "spec": "name: \"fake\"\n",
  "input": {
    "csv": {"header": true},
    "columns": [
      {"name": "x", "dtype": "FLOAT32", "shape": [3]},
      {"name": "key", "dtype": "STRING", "categorical": true},
      {"name": "y", "dtype": "FLOAT32", "role": "label"}
    ]
  },
  "settings": [
    {"path": "train.batch_size", "type": "int", "stage": "start", "rule": {"min": 1}, "default": 128, "value": 10,
     "origin": "fake.pbtxt:9"},
    {"path": "eval.files", "type": "string", "repeated": true, "stage": "start", "origin": "default"},
    {"path": "eval.cold.steps", "type": "int", "stage": "start", "origin": "default"},
    {"path": "train.warm_start.vocab_remap.0.variable", "type": "string", "stage": "start", "origin": "default"},
    {"path": "train.warm_start.vocab_remap.0.old_vocabulary_file", "type": "string", "stage": "start", "origin": "default"},
    {"path": "train.warm_start.vocab_remap.0.old_vocabulary_size", "type": "int", "stage": "start", "origin": "default"},
    {"path": "train.warm_start.vocab_remap.0.axis", "type": "int", "stage": "start", "default": 0, "value": 0, "origin": "default"},
    {"path": "train.warm_start.var_name_to_prev_var_name.0.variable", "type": "string", "stage": "start", "origin": "default"},
    {"path": "train.warm_start.var_name_to_prev_var_name.0.previous", "type": "string", "stage": "start", "origin": "default"},
    {"path": "model.hidden_units", "type": "int", "repeated": true, "stage": "compile",
     "value": [100, HIDDEN], "origin": "fake.pbtxt:7"}
  ],
  "columns": {"feature_column.key": "vocabulary of key"},
  "vocabularies": [{"variable": "emb", "axis": 0, "table": "keys"}],
  "embeddings": [{"variable": "emb", "setting": "feature_column.key_embedding.embedding"}]
})";

int fakeTrainerMain(int argc, char **argv) {
  static mlcrt_artifact table = *mlc_artifact_query(MLCRT_ABI_VERSION, nullptr);
  static std::string manifest = kManifest;
#ifdef FAKE_OTHER_MODEL
  table.state_fingerprint = "51aa0000";
  // Another vocabulary: of its terms c and a are the third and the first of the one above.
  static mlcrt_table tables[2] = {table.tables[0], table.tables[1]};
  tables[0].data = "dca";
  table.tables = tables;
  const char *hidden = "64";
#else
  table.state_fingerprint = "9f3c0000";
  const char *hidden = "50";
#endif
  manifest.replace(manifest.find("HIDDEN"), 6, hidden);
  table.manifest = manifest.c_str();
  // The predict entry of the same artifact as a shared object.
  std::ifstream file(FAKE_IMAGE, std::ios::binary);
  static std::string image{std::istreambuf_iterator<char>(file), {}};
  table.predict_image = image.data();
  table.predict_image_bytes = static_cast<int64_t>(image.size());
  return mlcrt::trainerMain(argc, argv, &table);
}

#ifndef FAKE_TRAINER_FORKED
int main(int argc, char **argv) { return fakeTrainerMain(argc, argv); }
#endif

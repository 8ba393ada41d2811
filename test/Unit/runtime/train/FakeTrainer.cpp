// A trainer over the hand-written artifact, with a manifest that lets it read files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeArtifact.h"
#include "runtime/src/train/Trainer.h"

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
    {"path": "model.hidden_units", "type": "int", "repeated": true, "stage": "compile",
     "value": [100, HIDDEN], "origin": "fake.pbtxt:7"}
  ]
})";

int main(int argc, char **argv) {
  static mlcrt_artifact table = *mlc_artifact_query(MLCRT_ABI_VERSION, nullptr);
  static std::string manifest = kManifest;
#ifdef FAKE_OTHER_MODEL
  table.state_fingerprint = "51aa0000";
  const char *hidden = "64";
#else
  table.state_fingerprint = "9f3c0000";
  const char *hidden = "50";
#endif
  manifest.replace(manifest.find("HIDDEN"), 6, hidden);
  table.manifest = manifest.c_str();
  return mlcrt::trainerMain(argc, argv, &table);
}

// signature.json: what an exported model takes and gives, and the checksums that prove its files. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_SIGNATURE_H
#define MLCRT_EXPORT_SIGNATURE_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/checkpoint/Manifest.h"
#include "runtime/src/export/RowBuffer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlcrt {

/// Names of the files of an export.
inline constexpr const char *kSignatureName = "signature.json";
inline constexpr const char *kPredictName = "predict.so";
inline constexpr const char *kWeightsName = "weights.safetensors";
inline constexpr const char *kGoldenName = "golden.jsonl";

/// An input column.
struct InputSignature {
  std::string name;
  mlcrt_dtype dtype = MLCRT_F32;
  std::vector<int64_t> shape; ///< of a row's value, with InputColumn::kSizeOfCall; empty: one number or text
  bool multiValued = false;   ///< a row has any number of values
  bool weighted = false;      ///< of a multi-valued column: its values have weights
  bool optional = false;      ///< a row may do without it
};

/// An output: its dims in the artifact without the rows, which are the first.
struct OutputSignature {
  std::string name;
  mlcrt_dtype dtype = MLCRT_F32;
  std::vector<int64_t> shape; ///< of a row's value, with InputColumn::kSizeOfCall
};

/// A way to call the model: a name for some of its outputs.
struct ServingSignature {
  std::string name;   ///< "serving_default"
  std::string method; ///< "classify", "regress" or "predict"
  /// Its keys, and the outputs that they are.
  std::vector<std::pair<std::string, std::string>> outputs;
};

/// The exporter of a run that made the export, and why.
struct ExporterRecord {
  std::string name, kind; ///< kind as in a spec: "BEST"
  std::string eval;       ///< name of its eval set
  std::string metric;     ///< of BEST, by which it is the best so far; else empty
  std::string better;     ///< of BEST, as in a spec: "LARGER"
  double value = 0;       ///< of the metric
};

/// Everything in signature.json.
struct ExportSignature {
  /// Version of the format; a reader refuses newer ones.
  static constexpr int64_t kFormat = 2;
  /// That of exports without sizes that each call tells, which readers of version 1 know.
  static constexpr int64_t kFormatOfFixedSizes = 1;

  std::string name;
  int64_t created = 0;           ///< seconds since 1970
  std::string compiler, runtime; ///< versions
  std::string abi;               ///< "2.2"
  std::string cpu, cpuFeatures;  ///< what the code was compiled for
  std::string compat;
  std::string stateFingerprint, planFingerprint;
  std::string checkpoint; ///< directory the weights are from; empty: none was made of this step
  int64_t step = 0, seed = 0;
  std::optional<ExporterRecord> exporter; ///< none of the verb export
  std::vector<InputSignature> inputs;
  std::vector<OutputSignature> outputs;
  std::vector<ServingSignature> signatures; ///< of a model that says them
  std::vector<std::string> classes;         ///< of a classifier, by id
  std::vector<std::pair<std::string, double>> settings;
  int64_t goldenRows = 0;
  std::vector<FileRecord> files;
};

/// Inputs and outputs of an entry. kDataLoss: an output without a value for each row.
absl::Status describeEntry(const mlcrt_entry &entry, const RowLayout &layout, ExportSignature &signature);

/// Signatures of a JSON text, an object of them by name as signature.json has it. kDataLoss names a bad field.
absl::StatusOr<std::vector<ServingSignature>> signaturesFromText(std::string_view text);

/// The text of signature.json; its last line is its own checksum.
std::string signatureToText(const ExportSignature &signature);
/// The same without the checksum, on one line without its end.
std::string signatureToLine(const ExportSignature &signature);
/// Reads it. kDataLoss: damaged; kFailedPrecondition: a newer format.
absl::StatusOr<ExportSignature> signatureFromText(std::string_view text, const std::string &path);

} // namespace mlcrt

#endif // MLCRT_EXPORT_SIGNATURE_H

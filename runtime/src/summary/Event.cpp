// Encoding of events and framing of records.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/summary/Event.h"

#include "common/checkpoint/Crc32c.h"
#include "runtime/src/core/ProtoWire.h"

#include <cstring>
#include <utility>

namespace mlcrt {

namespace {

// Field numbers of tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto.
enum EventField { kWallTime = 1, kStep = 2, kFileVersion = 3, kGraphDef = 4, kSummary = 5, kSessionLog = 7 };
enum SessionLogField { kStatus = 1 };
constexpr int64_t kSessionStart = 1;
enum SummaryField { kValue = 1 };
enum ValueField { kTag = 1, kSimpleValue = 2, kHisto = 5, kTensor = 8, kMetadata = 9 };
// Of summary.proto's SummaryMetadata, tensor.proto, tensor_shape.proto, and pr_curve's plugin_data.proto.
enum MetadataField { kPluginData = 1, kDataClass = 4 };
constexpr int64_t kDataClassTensor = 2;
enum PluginDataField { kPluginName = 1, kContent = 2 };
enum PrCurveField { kNumThresholds = 2 };
enum TensorField { kDtype = 1, kTensorShape = 2, kTensorContent = 4 };
constexpr int64_t kFloat = 1;
enum ShapeField { kDim = 2 };
enum DimField { kSize = 1 };
// Of graph.proto, node_def.proto and attr_value.proto.
enum GraphField { kNode = 1, kVersions = 4 };
enum VersionsField { kProducer = 1 };
constexpr int64_t kGraphProducer = 22; // what TensorFlow 1.x writes
enum NodeField { kNodeName = 1, kNodeOp = 2, kNodeInput = 3, kNodeAttr = 5 };
enum MapField { kMapKey = 1, kMapValue = 2 };
enum AttrField { kAttrList = 1 };
enum ListField { kListShape = 7 };
enum HistogramField { kMin = 1, kMax = 2, kNum = 3, kSum = 4, kSumSquares = 5, kBucketLimit = 6, kBucket = 7 };

} // namespace

Summary &Summary::scalar(std::string_view tag, double value) {
  std::string entry;
  FieldWriter(entry).bytes(kTag, tag).number(kSimpleValue, static_cast<float>(value));
  FieldWriter(bytes_).bytes(kValue, entry);
  return *this;
}

Summary &Summary::histogram(std::string_view tag, const Histogram &values) {
  std::string limits, counts; // packed doubles
  for (const Histogram::Bucket &bucket : values.buckets()) {
    limits.append(reinterpret_cast<const char *>(&bucket.limit), sizeof(double));
    counts.append(reinterpret_cast<const char *>(&bucket.count), sizeof(double));
  }
  std::string histogram, entry;
  FieldWriter(histogram)
      .number(kMin, values.min())
      .number(kMax, values.max())
      .number(kNum, static_cast<double>(values.count()))
      .number(kSum, values.sum())
      .number(kSumSquares, values.sumOfSquares())
      .bytes(kBucketLimit, limits)
      .bytes(kBucket, counts);
  FieldWriter(entry).bytes(kTag, tag).bytes(kHisto, histogram);
  FieldWriter(bytes_).bytes(kValue, entry);
  return *this;
}

/// The proto TensorShapeProto.
static std::string shapeProto(const std::vector<int64_t> &dims) {
  std::string shape;
  for (int64_t size : dims) {
    std::string dim;
    FieldWriter(dim).integer(kSize, size);
    FieldWriter(shape).bytes(kDim, dim);
  }
  return shape;
}

Summary &Summary::precisionRecall(std::string_view tag, const std::vector<double> &truePositives,
                                  const std::vector<double> &falsePositives, const std::vector<double> &trueNegatives,
                                  const std::vector<double> &falseNegatives) {
  const size_t count = truePositives.size();
  // As the plugin computes them: where there is nothing to divide by, 0.
  std::vector<double> precision, recall;
  for (size_t i = 0; i < count; ++i) {
    const double predicted = truePositives[i] + falsePositives[i], positive = truePositives[i] + falseNegatives[i];
    precision.push_back(predicted > 0 ? truePositives[i] / predicted : 0);
    recall.push_back(positive > 0 ? truePositives[i] / positive : 0);
  }
  std::string numbers;
  for (const std::vector<double> *row : {&truePositives, &falsePositives, &trueNegatives, &falseNegatives,
                                         &std::as_const(precision), &std::as_const(recall)})
    for (double number : *row) {
      const auto value = static_cast<float>(number);
      numbers.append(reinterpret_cast<const char *>(&value), sizeof(value));
    }
  std::string tensor, content, plugin, metadata, entry;
  FieldWriter(tensor)
      .integer(kDtype, kFloat)
      .bytes(kTensorShape, shapeProto({6, static_cast<int64_t>(count)}))
      .bytes(kTensorContent, numbers);
  FieldWriter(content).integer(kNumThresholds, static_cast<int64_t>(count));
  FieldWriter(plugin).bytes(kPluginName, "pr_curves").bytes(kContent, content);
  FieldWriter(metadata).bytes(kPluginData, plugin).integer(kDataClass, kDataClassTensor);
  FieldWriter(entry).bytes(kTag, tag).bytes(kTensor, tensor).bytes(kMetadata, metadata);
  FieldWriter(bytes_).bytes(kValue, entry);
  return *this;
}

std::string graphEvent(double wallTime, const std::vector<GraphNode> &nodes) {
  std::string graph, versions, event;
  for (const GraphNode &node : nodes) {
    std::string proto;
    FieldWriter fields(proto);
    fields.bytes(kNodeName, node.name).bytes(kNodeOp, node.op);
    for (int32_t input : node.inputs)
      fields.bytes(kNodeInput, nodes[static_cast<size_t>(input)].name);
    if (node.shape) {
      std::string list, value, attribute;
      FieldWriter(list).bytes(kListShape, shapeProto(*node.shape));
      FieldWriter(value).bytes(kAttrList, list);
      FieldWriter(attribute).bytes(kMapKey, "_output_shapes").bytes(kMapValue, value);
      fields.bytes(kNodeAttr, attribute);
    }
    FieldWriter(graph).bytes(kNode, proto);
  }
  FieldWriter(versions).integer(kProducer, kGraphProducer);
  FieldWriter(graph).bytes(kVersions, versions);
  FieldWriter(event).number(kWallTime, wallTime).bytes(kGraphDef, graph);
  return event;
}

std::string versionEvent(double wallTime) {
  std::string event;
  FieldWriter(event).number(kWallTime, wallTime).bytes(kFileVersion, "brain.Event:2");
  return event;
}

std::string sessionStartEvent(double wallTime, int64_t step) {
  std::string log, event;
  FieldWriter(log).integer(kStatus, kSessionStart);
  FieldWriter(event).number(kWallTime, wallTime).integer(kStep, step).bytes(kSessionLog, log);
  return event;
}

std::string summaryEvent(double wallTime, int64_t step, const Summary &summary) {
  std::string event;
  FieldWriter(event).number(kWallTime, wallTime).integer(kStep, step).bytes(kSummary, summary.bytes());
  return event;
}

std::string tfRecord(std::string_view data) {
  std::string record(8, '\0');
  uint64_t length = data.size();
  std::memcpy(record.data(), &length, 8);
  auto appendCrc = [&](std::string_view of) {
    uint32_t crc = mlc::common::maskedCrc32c(mlc::common::crc32c(of.data(), of.size()));
    record.append(reinterpret_cast<const char *>(&crc), 4);
  };
  appendCrc(record);
  record.append(data);
  appendCrc(data);
  return record;
}

} // namespace mlcrt

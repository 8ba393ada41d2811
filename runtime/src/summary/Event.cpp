// Encoding of events and framing of records.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/summary/Event.h"

#include "common/checkpoint/Crc32c.h"

#include <cstring>
#include <utility>

namespace mlcrt {

namespace {

/// Appends fields of a proto.
class Fields {
public:
  explicit Fields(std::string &out) : out_(out) {}

  Fields &integer(int field, int64_t value) {
    tag(field, 0);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  Fields &number(int field, double value) {
    tag(field, 1);
    return fixed(&value, sizeof(value));
  }
  Fields &number(int field, float value) {
    tag(field, 5);
    return fixed(&value, sizeof(value));
  }
  Fields &bytes(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    out_.append(value);
    return *this;
  }

private:
  void tag(int field, int wireType) { varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wireType)); }
  void varint(uint64_t value) {
    for (; value >= 128; value >>= 7)
      out_.push_back(static_cast<char>(value | 128));
    out_.push_back(static_cast<char>(value));
  }
  /// Little-endian, as this machine.
  Fields &fixed(const void *value, size_t size) {
    out_.append(static_cast<const char *>(value), size);
    return *this;
  }

  std::string &out_;
};

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
  Fields(entry).bytes(kTag, tag).number(kSimpleValue, static_cast<float>(value));
  Fields(bytes_).bytes(kValue, entry);
  return *this;
}

Summary &Summary::histogram(std::string_view tag, const Histogram &values) {
  std::string limits, counts; // packed doubles
  for (const Histogram::Bucket &bucket : values.buckets()) {
    limits.append(reinterpret_cast<const char *>(&bucket.limit), sizeof(double));
    counts.append(reinterpret_cast<const char *>(&bucket.count), sizeof(double));
  }
  std::string histogram, entry;
  Fields(histogram)
      .number(kMin, values.min())
      .number(kMax, values.max())
      .number(kNum, static_cast<double>(values.count()))
      .number(kSum, values.sum())
      .number(kSumSquares, values.sumOfSquares())
      .bytes(kBucketLimit, limits)
      .bytes(kBucket, counts);
  Fields(entry).bytes(kTag, tag).bytes(kHisto, histogram);
  Fields(bytes_).bytes(kValue, entry);
  return *this;
}

/// The proto TensorShapeProto.
static std::string shapeProto(const std::vector<int64_t> &dims) {
  std::string shape;
  for (int64_t size : dims) {
    std::string dim;
    Fields(dim).integer(kSize, size);
    Fields(shape).bytes(kDim, dim);
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
  Fields(tensor)
      .integer(kDtype, kFloat)
      .bytes(kTensorShape, shapeProto({6, static_cast<int64_t>(count)}))
      .bytes(kTensorContent, numbers);
  Fields(content).integer(kNumThresholds, static_cast<int64_t>(count));
  Fields(plugin).bytes(kPluginName, "pr_curves").bytes(kContent, content);
  Fields(metadata).bytes(kPluginData, plugin).integer(kDataClass, kDataClassTensor);
  Fields(entry).bytes(kTag, tag).bytes(kTensor, tensor).bytes(kMetadata, metadata);
  Fields(bytes_).bytes(kValue, entry);
  return *this;
}

std::string graphEvent(double wallTime, const std::vector<GraphNode> &nodes) {
  std::string graph, versions, event;
  for (const GraphNode &node : nodes) {
    std::string proto;
    Fields fields(proto);
    fields.bytes(kNodeName, node.name).bytes(kNodeOp, node.op);
    for (int32_t input : node.inputs)
      fields.bytes(kNodeInput, nodes[static_cast<size_t>(input)].name);
    if (node.shape) {
      std::string list, value, attribute;
      Fields(list).bytes(kListShape, shapeProto(*node.shape));
      Fields(value).bytes(kAttrList, list);
      Fields(attribute).bytes(kMapKey, "_output_shapes").bytes(kMapValue, value);
      fields.bytes(kNodeAttr, attribute);
    }
    Fields(graph).bytes(kNode, proto);
  }
  Fields(versions).integer(kProducer, kGraphProducer);
  Fields(graph).bytes(kVersions, versions);
  Fields(event).number(kWallTime, wallTime).bytes(kGraphDef, graph);
  return event;
}

std::string versionEvent(double wallTime) {
  std::string event;
  Fields(event).number(kWallTime, wallTime).bytes(kFileVersion, "brain.Event:2");
  return event;
}

std::string sessionStartEvent(double wallTime, int64_t step) {
  std::string log, event;
  Fields(log).integer(kStatus, kSessionStart);
  Fields(event).number(kWallTime, wallTime).integer(kStep, step).bytes(kSessionLog, log);
  return event;
}

std::string summaryEvent(double wallTime, int64_t step, const Summary &summary) {
  std::string event;
  Fields(event).number(kWallTime, wallTime).integer(kStep, step).bytes(kSummary, summary.bytes());
  return event;
}

/// So that a checksum of data that hold checksums is not a special value.
static uint32_t maskedCrc(std::string_view data) {
  uint32_t crc = mlc::common::crc32c(data.data(), static_cast<int64_t>(data.size()));
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

std::string tfRecord(std::string_view data) {
  std::string record(8, '\0');
  uint64_t length = data.size();
  std::memcpy(record.data(), &length, 8);
  auto appendCrc = [&](std::string_view of) {
    uint32_t crc = maskedCrc(of);
    record.append(reinterpret_cast<const char *>(&crc), 4);
  };
  appendCrc(record);
  record.append(data);
  appendCrc(data);
  return record;
}

} // namespace mlcrt

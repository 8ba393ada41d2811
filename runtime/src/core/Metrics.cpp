// The text format of Prometheus, version 0.0.4.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Metrics.h"

#include <algorithm>
#include <cstdio>

namespace mlcrt {

MetricHistogram::MetricHistogram(std::vector<int64_t> bounds, double scale)
    : bounds_(std::move(bounds)), scale_(scale), counts_(new MetricValue[bounds_.size() + 1]), sum_(scale) {}

void MetricHistogram::observe(int64_t value) {
  const size_t bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[bucket].add(1);
  sum_.add(value);
}

int64_t MetricHistogram::count() const {
  int64_t count = 0;
  for (size_t i = 0; i <= bounds_.size(); ++i)
    count += counts_[i].value();
  return count;
}

MetricRegistry::Family &MetricRegistry::family(const std::string &name, const std::string &help, const char *type,
                                               double scale) {
  for (Family &family : families_)
    if (family.name == name)
      return family;
  Family &made = families_.emplace_back();
  made.name = name;
  made.help = help;
  made.type = type;
  made.scale = scale;
  return made;
}

/// Text with what stands in it by a backslash escaped: a label's value, or, without quotes, a help.
static std::string escaped(const std::string &text, bool quotes) {
  std::string result;
  for (char c : text)
    if (c == '\n')
      result += "\\n";
    else
      result += c == '\\' || (quotes && c == '"') ? std::string("\\") + c : std::string(1, c);
  return result;
}

MetricValue &MetricRegistry::value(Kind kind, const std::string &name, const std::string &help, MetricLabels labels,
                                   double scale) {
  std::string text;
  for (const auto &[label, value] : labels)
    text += (text.empty() ? "{" : ",") + label + "=\"" + escaped(value, /*quotes=*/true) + "\"";
  text += text.empty() ? "" : "}";
  std::lock_guard<std::mutex> lock(mutex_);
  Family &of = family(name, help, kind == Kind::Counter ? "counter" : "gauge", scale);
  std::unique_ptr<MetricValue> &value = of.values[text];
  if (!value)
    value = std::make_unique<MetricValue>(of.scale);
  return *value;
}

MetricHistogram &MetricRegistry::histogram(const std::string &name, const std::string &help,
                                           std::vector<int64_t> bounds, double scale) {
  std::lock_guard<std::mutex> lock(mutex_);
  Family &of = family(name, help, "histogram", scale);
  if (!of.histogram)
    of.histogram = std::make_unique<MetricHistogram>(std::move(bounds), scale);
  return *of.histogram;
}

/// Integers as they are; others with as many digits as a reader needs.
static std::string numberOf(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.15g", value);
  return text;
}

std::string MetricRegistry::text() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  for (const Family &family : families_) {
    text += "# HELP " + family.name + " " + escaped(family.help, /*quotes=*/false) + "\n";
    text += "# TYPE " + family.name + " " + family.type + "\n";
    for (const auto &[labels, value] : family.values)
      text += family.name + labels + " " + numberOf(value->shown()) + "\n";
    if (!family.histogram)
      continue;
    const MetricHistogram &histogram = *family.histogram;
    // The buckets are read once, so that they agree with the count.
    int64_t count = 0;
    for (size_t i = 0; i <= histogram.bounds_.size(); ++i) {
      count += histogram.counts_[i].value();
      const std::string bound = i < histogram.bounds_.size()
                                    ? numberOf(static_cast<double>(histogram.bounds_[i]) * histogram.scale_)
                                    : "+Inf";
      text += family.name + "_bucket{le=\"" + bound + "\"} " + std::to_string(count) + "\n";
    }
    text += family.name + "_sum " + numberOf(histogram.sum_.shown()) + "\n";
    text += family.name + "_count " + std::to_string(count) + "\n";
  }
  return text;
}

} // namespace mlcrt

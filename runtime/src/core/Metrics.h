// Numbers that a run counts, as Prometheus reads them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_METRICS_H
#define MLCRT_CORE_METRICS_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace mlcrt {

/// One number: an integer in a small unit (nanoseconds, bytes), which is shown times a scale. Counting takes no lock.
class MetricValue {
public:
  explicit MetricValue(double scale = 1) : scale_(scale) {}
  void add(int64_t amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  void set(int64_t value) { value_.store(value, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }
  double shown() const { return static_cast<double>(value()) * scale_; }

private:
  std::atomic<int64_t> value_{0};
  const double scale_;
};

/// Observations by size. Counting takes no lock.
class MetricHistogram {
public:
  /// `bounds`: upper bounds of buckets, ascending, in the small unit; one more bucket has what is above.
  MetricHistogram(std::vector<int64_t> bounds, double scale);
  void observe(int64_t value);
  int64_t count() const;
  int64_t sum() const { return sum_.value(); }

private:
  friend class MetricRegistry;
  const std::vector<int64_t> bounds_;
  const double scale_;
  std::unique_ptr<MetricValue[]> counts_;
  MetricValue sum_;
};

/// Labels of one number of a family, by name.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// All numbers of a run, in families of one name. What it hands out lives as long as it does. Thread-safe.
class MetricRegistry {
public:
  enum class Kind { Counter, Gauge };
  /// The number of that name and those labels, made at the first call; `help`, `kind` and `scale` are those of the
  /// first call for the name.
  MetricValue &value(Kind kind, const std::string &name, const std::string &help, MetricLabels labels = {},
                     double scale = 1);
  /// The same for a histogram, which has no labels.
  MetricHistogram &histogram(const std::string &name, const std::string &help, std::vector<int64_t> bounds,
                             double scale = 1);
  /// The text format 0.0.4 of Prometheus: families in the order of making.
  std::string text() const;

private:
  struct Family {
    std::string name, help, type;
    double scale;
    std::map<std::string, std::unique_ptr<MetricValue>> values; ///< by labels as text
    std::unique_ptr<MetricHistogram> histogram;
  };
  Family &family(const std::string &name, const std::string &help, const char *type, double scale);

  mutable std::mutex mutex_;
  std::deque<Family> families_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_METRICS_H

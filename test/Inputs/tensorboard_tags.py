#!/usr/bin/env python3
"""Reads event files with TensorBoard's own reader and prints each tag: kind, tag, number of points, last step.

tensorboard_tags.py DIRECTORY...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

for directory in sys.argv[1:]:
    # 0: all points are kept.
    events = EventAccumulator(directory, size_guidance={"scalars": 0, "histograms": 0})
    events.Reload()
    for kind, points in (("scalars", events.Scalars), ("histograms", events.Histograms)):
        for tag in events.Tags()[kind]:
            found = points(tag)
            print(kind, tag, len(found), found[-1].step)
            if kind == "histograms":
                value = found[-1].histogram_value
                assert sum(value.bucket) == value.num and len(value.bucket) == len(value.bucket_limit)

"""dates.py FILE: a table with columns of dates, a rare class and a skewed number.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import datetime
import math
import sys

with open(sys.argv[1], "w") as out:
    out.write("day,us,stamp,created_at,x,rare,price\n")
    for i in range(1000):
        day = datetime.datetime(2023, 1, 1) + datetime.timedelta(hours=7 * i)
        out.write(f"{day:%Y-%m-%d %H:%M},{day:%m/%d/%Y},{day:%Y%m%d},{1672531200 + 25200 * i},{i * 37 % 101},"
                  f"{'yes' if i % 20 == 0 else 'no'},{math.exp(i * 7919 % 1000 / 60):.2f}\n")

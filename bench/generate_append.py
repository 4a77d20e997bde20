#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The events of the append benchmark, the same bytes at every run (numpy, fixed seeds):

  generate_append.py FOLDER [ROWS=4000000] [FILES=4]

About 250 bytes a line: a unique id, one of six types, an ISO-8601 time that grows within a file over three days, a user, one of ten
skewed regions, an amount with two decimals and a text of some ninety characters.
"""
import os
import sys

import numpy as np

REGIONS = np.array(["us-east-1", "us-west-2", "eu-west-1", "eu-central-1", "ap-south-1", "ap-northeast-1", "sa-east-1", "ca-central-1",
                    "me-south-1", "af-south-1"])
REGION_SHARE = [.30, .20, .15, .10, .08, .06, .05, .03, .02, .01]
TYPES = np.array(["click", "page_view", "order_created", "order_paid", "user_signup", "refund"])
TYPE_SHARE = [.45, .30, .12, .08, .03, .02]
WORDS = ("anchor basket candle dragon ember falcon garden harbor island jacket kettle ladder meadow needle orchid pillow quartz ribbon "
         "saddle temple umbrella velvet window yellow zephyr cart checkout search banner mobile desktop tablet chrome safari referral "
         "organic email coupon express standard").split()
START_MS = 1767225600000  # 2026-01-01T00:00:00Z
SPAN_MS = 3 * 86_400_000
BATCH = 100_000


def uuid_text(high, low):
    text = "%016x%016x" % (high, low)
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def lines(rng, count, first_ms, last_ms):
    times = np.datetime_as_string(np.sort(rng.integers(first_ms, last_ms, count)).astype("datetime64[ms]"), unit="ms").tolist()
    types = TYPES[rng.choice(len(TYPES), count, p=TYPE_SHARE)].tolist()
    regions = REGIONS[rng.choice(len(REGIONS), count, p=REGION_SHARE)].tolist()
    users = rng.integers(1, 2_000_000_000, count).tolist()
    cents = np.minimum((np.exp(rng.normal(3.5, 1.2, count)) * 100).astype(np.int64), 99_999_999).tolist()
    high = rng.integers(0, 1 << 64, count, dtype=np.uint64).tolist()
    low = rng.integers(0, 1 << 64, count, dtype=np.uint64).tolist()
    words = rng.integers(0, len(WORDS), (count, 11)).tolist()
    sessions = rng.integers(0, 1 << 48, count).tolist()
    for i in range(count):
        text = " ".join([WORDS[w] for w in words[i]])
        yield (f'{{"event_id":"{uuid_text(high[i], low[i])}","event_type":"{types[i]}","event_time":"{times[i]}","user_id":{users[i]},'
               f'"region":"{regions[i]}","amount":{cents[i] // 100}.{cents[i] % 100:02d},"payload":"/p/{sessions[i]:012x}?{text}"}}\n')


def main():
    folder = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 4_000_000
    files = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    os.makedirs(folder, exist_ok=True)
    for number in range(files):
        per_file = rows // files + (1 if number < rows % files else 0)
        batches = -(-per_file // BATCH)
        path = os.path.join(folder, f"events-{number}.json")
        with open(path + ".tmp", "w", buffering=1 << 20) as out:
            for batch in range(batches):
                rng = np.random.Generator(np.random.PCG64([1, number, batch]))
                count = min(BATCH, per_file - batch * BATCH)
                out.writelines(lines(rng, count, START_MS + SPAN_MS * batch // batches, START_MS + SPAN_MS * (batch + 1) // batches))
        os.rename(path + ".tmp", path)


if __name__ == "__main__":
    main()

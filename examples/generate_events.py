#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the sample events of the quickstart: JSON lines of a small web shop, the same bytes at every run.

  generate_events.py FOLDER [ROWS=240000] [FILES=4]

Three kinds of events share one stream: orders (amount, items), users (signed up, with a device) and clicks (url). What a kind
doesn't have is null or missing.
"""
import os
import random
import sys
from datetime import datetime, timedelta, timezone

REGIONS = (["us-east"] * 35) + (["eu-west"] * 30) + (["ap-south"] * 20) + (["sa-east"] * 10) + (["af-south"] * 5)
PAGES = ["/", "/search", "/cart", "/checkout", "/help", "/offers/winter", "/account"]
SKUS = ["ICE-AXE", "ROPE-60", "TENT-2P", "STOVE", "HELMET", "GLOVES-M"]
SYSTEMS = ["android", "ios", "linux", "macos", "windows"]
START = datetime(2026, 1, 1, tzinfo=timezone.utc)


def event(rng, number, when):
    common = '{"event_id":"%08x-%04x","event_time":"%s","user_id":%d,"region":%s' % (
        rng.getrandbits(32), number & 0xFFFF, when.strftime("%Y-%m-%d %H:%M:%S.") + "%03d" % (when.microsecond // 1000),
        rng.randrange(1, 50_000), '"%s"' % rng.choice(REGIONS) if rng.random() > 0.01 else "null")
    kind = rng.random()
    if kind < 0.20:
        items = ",".join('{"sku":"%s","quantity":%d}' % (rng.choice(SKUS), rng.randrange(1, 5)) for _ in range(rng.randrange(1, 4)))
        cents = rng.randrange(100, 5_000_000)
        return common + ',"event_type":"order","amount":%d.%02d,"items":[%s]}' % (cents // 100, cents % 100, items)
    if kind < 0.25:
        return common + ',"event_type":"user","amount":null,"device":{"system":"%s","version":%d}}' % (
            rng.choice(SYSTEMS), rng.randrange(1, 20))
    return common + ',"event_type":"click","url":"%s?session=%012x"}' % (rng.choice(PAGES), rng.getrandbits(48))


def main():
    folder = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 240_000
    files = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    os.makedirs(folder, exist_ok=True)
    for number in range(files):
        rng = random.Random(number)
        path = os.path.join(folder, f"events-{number}.json")
        with open(path + ".tmp", "w", buffering=1 << 20) as out:
            count = rows // files + (1 if number < rows % files else 0)
            for row in range(count):
                out.write(event(rng, row, START + timedelta(milliseconds=row * 750 + rng.randrange(750))) + "\n")
        os.rename(path + ".tmp", path)


if __name__ == "__main__":
    main()

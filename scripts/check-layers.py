#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a room includes a room that its frazil_room(... DEPENDS ...) doesn't declare, when a declared room is of a
higher floor, or when a source file lacks its licence line. The floors are those of docs/architecture.md."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "frazil"
FLOORS = {
    "base": 0,
    "avro": 1, "iceberg": 1,
    "storage": 2, "datafile": 2,
    "catalog": 3, "table": 3, "scan": 3, "write": 3, "maintenance": 3,
    "stream": 4, "serde": 4, "connector": 4,
    "sql": 5,
    "cli": 6, "server": 6, "bindings": 6,
}
BANNED = {"util", "utils", "common", "helper", "helpers", "misc", "manager"}


def rooms():
    """room name -> (declared rooms, folder)"""
    found = {}
    for path in sorted(SRC.rglob("CMakeLists.txt")):
        for body in re.findall(r"frazil_room\((.*?)\)", path.read_text(), re.S):
            words = body.split()
            name = words[words.index("NAME") + 1]
            deps = []
            if "DEPENDS" in words:
                for word in words[words.index("DEPENDS") + 1:]:
                    if word in ("SOURCES", "LIBRARIES", "NAME"):
                        break
                    deps.append(word)
            found[name] = (deps, path.parent)
    return found


def room_of(include, names):
    parts = include.split("/")[1:-1]
    while parts:
        if "/".join(parts) in names:
            return "/".join(parts)
        parts.pop()
    return None


def main():
    found = rooms()
    problems = []
    # Rooms of one floor may use each other only along declared edges, and those must not form a ring.
    def reaches(start, goal, seen):
        for dep in found.get(start, ([], None))[0]:
            if dep == goal or (dep not in seen and reaches(dep, goal, seen | {dep})):
                return True
        return False

    for name, (deps, _) in found.items():
        floor = FLOORS.get(name.split("/")[0])
        if floor is None or BANNED & set(name.split("/")):
            problems.append(f"room {name} has no floor in {__file__} or a banned name")
            continue
        if reaches(name, name, set()):
            problems.append(f"room {name} depends on itself in a ring")
        for dep in deps:
            if dep not in found:
                problems.append(f"room {name} declares {dep}, which doesn't exist")
            elif FLOORS[dep.split('/')[0]] > floor:
                problems.append(f"room {name} (floor {floor}) declares {dep} of a higher floor")
    for name, (deps, folder) in found.items():
        for path in sorted(folder.iterdir()):
            if path.suffix not in (".h", ".cc"):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = re.match(r'\s*#include "(frazil/[^"]+)"', line)
                if not match:
                    continue
                target = room_of(match.group(1), found)
                if target is None:
                    problems.append(f"{path.relative_to(ROOT)}:{number}: {match.group(1)} is in no declared room")
                elif target != name and target not in deps:
                    problems.append(f"{path.relative_to(ROOT)}:{number}: room {name} includes {match.group(1)}, "
                                    f"but doesn't declare {target} in DEPENDS")
    for folder in ("src", "tests", "bench", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cc") and "SPDX-License-Identifier: Apache-2.0" not in path.read_text()[:200]:
                problems.append(f"{path.relative_to(ROOT)}: no SPDX-License-Identifier line")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(found)} rooms, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

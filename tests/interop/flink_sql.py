# SPDX-License-Identifier: Apache-2.0
"""Flink with Iceberg, in one process: fetched by Maven into build/interop the first time, then run on lists of statements."""
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent / "flink"
BUILD = HERE.parents[2] / "build/interop"

# What Flink's and Hadoop's reflection needs on Java 17.
OPENED_PACKAGES = ["java.lang", "java.lang.reflect", "java.lang.invoke", "java.io", "java.net", "java.nio", "java.math", "java.text", "java.time", "java.util",
                   "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks", "sun.nio.ch"]


def _run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def prepare():
    """Downloads and compiles what is not there yet; keyed by the sources, safe for several test runs at once."""
    for tool in ("mvn", "javac"):
        assert shutil.which(tool), f"{tool} is missing: install it with `apt-get install maven openjdk-17-jdk-headless`"
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pom, source = HERE / "pom.xml", HERE / "FlinkSql.java"
        for stamp, inputs, make in ((BUILD / "jars.stamp", [pom], _fetch_jars), (BUILD / "classes.stamp", [pom, source], _compile)):
            key = hashlib.sha256(b"".join(path.read_bytes() for path in inputs)).hexdigest()
            if not stamp.exists() or stamp.read_text() != key:
                make()
                stamp.write_text(key)


def _fetch_jars():
    shutil.rmtree(BUILD / "jars", ignore_errors=True)
    _run(["mvn", "-B", "-q", "-f", HERE / "pom.xml", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies",
          f"-DoutputDirectory={BUILD / 'jars'}", "-DincludeScope=runtime"])


def _compile():
    shutil.rmtree(BUILD / "classes", ignore_errors=True)
    _run(["javac", "-cp", f"{BUILD / 'jars'}/*", "-d", BUILD / "classes", HERE / "FlinkSql.java"])


class FlinkError(Exception):
    """What Flink says to a statement that it refuses or that fails."""


def run(statements, folder, mode="batch", limit=240):
    """Runs the statements on one Flink; for each a list of rows (lists of texts and None) or a FlinkError."""
    prepare()
    script = folder / "flink.sql"
    script.write_text("".join(f"{statement.strip().removesuffix(';')}\n----\n" for statement in statements))
    opens = [argument for package in OPENED_PACKAGES for argument in ("--add-opens", f"java.base/{package}=ALL-UNNAMED")]
    done = subprocess.run(
        ["java", "-Xmx1536m", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC", f"-Dlog4j2.configurationFile={HERE / 'log4j2.properties'}", *opens,
         "-cp", f"{BUILD / 'classes'}:{BUILD / 'jars'}/*", "FlinkSql", mode, script],
        capture_output=True, text=True, timeout=limit, cwd=folder, env={**os.environ, "TZ": "UTC"})
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0 and len(answers) == len(statements), f"{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
    return [answer["rows"] if "rows" in answer else FlinkError(answer["error"]) for answer in answers]


def rows_of(answers):
    """The answers, none of which may be an error."""
    for answer in answers:
        if isinstance(answer, FlinkError):
            raise answer
    return answers

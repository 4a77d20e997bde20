#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what a build and the tests need and is missing: Debian packages (as root or through sudo) and a Python
# environment in .deps/python with the pinned pyarrow wheel (Arrow C++), PyIceberg and DuckDB. With the argument `java`
# also what the comparisons with Flink need. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."
DEPS=${FRAZIL_DEPS_DIR:-.deps}

PACKAGES="make g++ cmake ninja-build ccache mold pkg-config python3-venv git
  libfmt-dev libspdlog-dev nlohmann-json3-dev libsimdjson-dev libsqlite3-dev zlib1g-dev libzstd-dev libcli11-dev libedit-dev
  libgtest-dev libgmock-dev libbenchmark-dev"
if [ "${1:-}" = java ]; then PACKAGES="$PACKAGES maven openjdk-17-jdk-headless"; fi
missing=""
for package in $PACKAGES; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
done
if [ -n "$missing" ]; then
  echo "installing Debian packages:$missing"
  if [ "$(id -u)" = 0 ]; then sudo=""; else sudo="sudo"; fi
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# The Python environment is keyed by this list: another list makes it anew.
REQUIREMENTS="pyarrow==26.0.1 pyiceberg[sql-sqlite,pyarrow]==0.12.0 duckdb==1.5.5 duckdb-extension-iceberg==1.5.5 duckdb-extension-avro==1.5.5 numpy pytest==8.3.4"
stamp="$DEPS/python/requirements"
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$REQUIREMENTS" ]; then
  echo "installing the Python environment in $DEPS/python"
  rm -rf "$DEPS/python"
  mkdir -p "$DEPS"
  python3 -m venv "$DEPS/python"
  "$DEPS/python/bin/pip" install -q --disable-pip-version-check $REQUIREMENTS
  echo "$REQUIREMENTS" > "$stamp"
fi

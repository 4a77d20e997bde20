// SPDX-License-Identifier: Apache-2.0
// cli: the program `frazil`. Commands, the shell, rendering and progress; it decides nothing about tables or jobs, the
// session (sql/session.h) does.
#pragma once

namespace frazil::cli {

/// Runs the command of `argv`. Exit codes: 0 done or stopped with a savepoint, 1 an error (printed to stderr), 2 a
/// wrong command line, 130 cancelled by a signal.
int Main(int argc, char** argv);

}  // namespace frazil::cli

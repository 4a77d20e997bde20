// SPDX-License-Identifier: Apache-2.0
#include "frazil/cli/command_line.h"

int main(int argc, char** argv) { return frazil::cli::Main(argc, argv); }

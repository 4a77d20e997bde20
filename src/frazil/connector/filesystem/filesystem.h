// SPDX-License-Identifier: Apache-2.0
// connector/filesystem: reads files of records as a source. Local files; lines in a serde format; plain, gzip, zstd.
// It does not write files yet.
#pragma once

#include <memory>

#include "frazil/connector/connector.h"

namespace frazil::connector {

/// 'connector' = 'filesystem'. Options:
///   path                              a file, a folder (read recursively) or a glob ('/in/*/ev-*.json.gz'); required
///   format                            'json' and its 'json.*' options; required
///   source.monitor-interval           watch for new files this often: an unbounded source; unset: bounded
///   source.path.regex-pattern         only files whose whole path matches
///   source.report-statistics          'none' (others refused)
///   frazil.source.split-size          (32 mb) larger plain files are read in several splits
///   frazil.source.batch-rows          (16384) rows per batch, about
///   frazil.source.max-record-bytes    (64 mb) a longer line is an error
/// Files and folders whose name begins with '.' or '_' are ignored. Files are read in the order of their paths; a file
/// is read once, so it must be complete when it appears (rename it into place). CreateSink throws Unsupported.
std::unique_ptr<ConnectorFactory> MakeFilesystemConnector();

}  // namespace frazil::connector

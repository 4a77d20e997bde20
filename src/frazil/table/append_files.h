// SPDX-License-Identifier: Apache-2.0
// Appends data files to a branch (Java: FastAppend and MergeAppend).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/iceberg/manifest.h"
#include "frazil/table/table.h"

namespace frazil::table {

/// One append. What is written once and kept over retries: the manifests of the new files. What is made anew for each
/// attempt: the list of manifests, merged ones, the summary, the sequence number.
class AppendFiles {
 public:
  explicit AppendFiles(Table& table);
  ~AppendFiles();

  /// A path given twice counts once.
  AppendFiles& AppendFile(iceberg::DataFile file);
  /// Default main; created at the current head if missing. InvalidArgument at Commit if it is a tag.
  AppendFiles& ToBranch(std::string branch);
  /// Added to the summary; computed keys win.
  AppendFiles& Set(std::string key, std::string value);
  /// Merge manifests by `commit.manifest.*` (default: `commit.manifest-merge.enabled`).
  AppendFiles& MergeManifests(bool merge);
  /// Refuse a file whose path is live in the branch already: InvalidArgument at Commit. Reads every data manifest of
  /// the branch, so it is off by default, as in Java.
  AppendFiles& CheckDuplicates(bool check);
  /// Properties that change in the very same commit.
  AppendFiles& SetProperty(std::string key, std::string value);
  /// Called at every attempt on the refreshed metadata before anything is written; what it throws ends the commit. A
  /// false return means there is nothing left to do: Commit returns without a new snapshot.
  AppendFiles& Validate(std::function<bool(const iceberg::TableMetadata& base)> validator);

  /// Commits by `commit.retry.*`; after an unknown outcome looks for the snapshot id in the refreshed history by
  /// `commit.status-check.*`. On success the table holds the new metadata. Returns the id of the new snapshot, nullopt
  /// if the validator said there is nothing to do. Throws CommitConflict after the last retry (own manifests removed),
  /// and CommitStateUnknown (nothing removed).
  std::optional<int64_t> Commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace frazil::table

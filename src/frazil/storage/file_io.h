// SPDX-License-Identifier: Apache-2.0
// FileIO: files by location. This room knows how bytes get to and from a store and how durable they are; it knows
// nothing of what is in them. Local files today ("file:///…", "file:/…" and absolute paths); object stores come behind
// the same door.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/io/type_fwd.h>

#include "frazil/base/options.h"

namespace frazil::storage {

struct FileInfo {
  std::string location;
  int64_t size = 0;
  int64_t modified_ms = 0;
};

/// An output that becomes visible, whole and durable (fsync of file and folder), at Close(). Destroyed without Close()
/// it leaves nothing behind. Not thread-safe.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  virtual const std::string& location() const = 0;
  /// For Arrow's writers; valid as long as this object.
  virtual arrow::io::OutputStream& stream() = 0;
  /// Bytes written so far.
  virtual int64_t Tell() const = 0;
  /// Throws Unavailable (disk full, read-only, …) naming the location; the file is then not there.
  virtual void Close() = 0;
};

/// Thread-safe.
class FileIO {
 public:
  virtual ~FileIO() = default;

  /// Throws NotFound.
  virtual std::shared_ptr<arrow::io::RandomAccessFile> Open(std::string_view location) = 0;
  /// The whole file. Throws NotFound.
  virtual std::string ReadAll(std::string_view location) = 0;
  /// Never overwrites: AlreadyExists at Close() (or before) if the location is taken. Creates parent folders.
  virtual std::unique_ptr<OutputFile> Create(std::string_view location) = 0;
  /// Create, write `bytes`, Close.
  virtual void WriteAll(std::string_view location, std::string_view bytes) = 0;
  virtual bool Exists(std::string_view location) = 0;
  /// No error if there is none.
  virtual void Delete(std::string_view location) = 0;
  /// All files below `prefix`, recursively; empty if there is no such folder. Order unspecified.
  virtual std::vector<FileInfo> List(std::string_view prefix) = 0;
};

/// The FileIO of catalog and table properties. Honours `frazil.storage.path-prefix-map` ("<from>=<to>[,<from>=<to>…]":
/// locations that start with <from> are read at <to>, for lakes that moved). Throws Unsupported for a scheme without a
/// store.
std::shared_ptr<FileIO> MakeFileIO(const OptionMap& properties);

/// The local path of "file:///x", "file:/x" and "/x"; throws Unsupported for any other scheme.
std::string LocalPath(std::string_view location);

}  // namespace frazil::storage

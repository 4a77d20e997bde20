// SPDX-License-Identifier: Apache-2.0
// SQLite behind three small classes: a connection, a statement, a transaction. Errors are frazil::Errors that name the
// file.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace frazil::catalog {

/// Not thread-safe, and not to be used in a forked child.
class SqliteConnection {
 public:
  /// Opens or creates `path`: a file, a "file:…" URI or ":memory:". Folders above a plain file are created. Waits up to
  /// `busy_timeout` for locks of other processes. Throws Unavailable, Corrupt.
  SqliteConnection(const std::string& path, std::chrono::milliseconds busy_timeout);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  void Execute(const std::string& sql);
  /// Rows changed by the last statement.
  int64_t changes() const;

 private:
  friend class SqliteStatement;
  friend class SqliteTransaction;
  [[noreturn]] void Throw(int code, std::string_view what) const;

  std::string path_;
  sqlite3* db_ = nullptr;
};

class SqliteStatement {
 public:
  SqliteStatement(SqliteConnection& connection, std::string_view sql);
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  /// Binds the next parameter.
  SqliteStatement& Bind(std::string_view value);
  /// True if there is a row.
  bool Step();
  /// For a statement without rows.
  void Run() { Step(); }
  /// Nullopt for NULL. Columns count from 0.
  std::optional<std::string> Text(int column) const;

 private:
  SqliteConnection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// Takes the write lock at once (BEGIN IMMEDIATE): what is read inside can't change before the commit. Rolls back
/// unless committed.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteConnection& connection);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  /// Throws Unavailable if it certainly didn't happen (another process held its read lock for too long, the disk is
  /// full), else CommitStateUnknown.
  void Commit();

 private:
  SqliteConnection& connection_;
  bool open_ = true;
};

}  // namespace frazil::catalog

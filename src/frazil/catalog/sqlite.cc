// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/sqlite.h"

#include <sqlite3.h>

#include <filesystem>

#include "frazil/base/error.h"

namespace frazil::catalog {

namespace {

int PrimaryCode(int code) { return code & 0xff; }

void CreateParentFolder(const std::string& path) {
  if (path == ":memory:" || path.starts_with("file:")) return;
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Unavailable("can't create the folder {} of the catalog's file: {}", folder.string(), error.message());
}

}  // namespace

SqliteConnection::SqliteConnection(const std::string& path, std::chrono::milliseconds busy_timeout) : path_(path) {
  CreateParentFolder(path);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (path.starts_with("file:")) flags |= SQLITE_OPEN_URI;
  if (int code = sqlite3_open_v2(path.c_str(), &db_, flags, nullptr); code != SQLITE_OK) {
    try {
      Throw(code, "open");
    } catch (...) {
      sqlite3_close_v2(db_);
      throw;
    }
  }
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_timeout(db_, static_cast<int>(busy_timeout.count()));
  // A commit that was reported must survive a power cut: EXTRA also syncs the folder after the journal is deleted.
  sqlite3_exec(db_, "PRAGMA synchronous=EXTRA", nullptr, nullptr, nullptr);
}

SqliteConnection::~SqliteConnection() { sqlite3_close_v2(db_); }

void SqliteConnection::Execute(const std::string& sql) {
  int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) Throw(code, sql);
}

int64_t SqliteConnection::changes() const { return sqlite3_changes(db_); }

void SqliteConnection::Throw(int code, std::string_view what) const {
  const char* reason = db_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db_);
  switch (PrimaryCode(code)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Unavailable("catalog file {}: another process held its lock for too long ({})", path_, reason);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: throw Corrupt("catalog file {}: {}", path_, reason);
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM: throw Unavailable("catalog file {}: {}", path_, reason);
    case SQLITE_CONSTRAINT: throw AlreadyExists("catalog file {}: {}", path_, reason);
    case SQLITE_ERROR:
      throw Corrupt("catalog file {} has another layout than Iceberg's JDBC catalog: {} ({})", path_, reason, what);
    default: throw Internal("catalog file {}: {} ({})", path_, reason, what);
  }
}

SqliteStatement::SqliteStatement(SqliteConnection& connection, std::string_view sql) : connection_(connection) {
  int code = sqlite3_prepare_v2(connection.db_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) connection.Throw(code, sql);
}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(statement_); }

SqliteStatement& SqliteStatement::Bind(std::string_view value) {
  int code = sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) connection_.Throw(code, "bind");
  return *this;
}

bool SqliteStatement::Step() {
  int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  connection_.Throw(code, sqlite3_sql(statement_));
}

std::optional<std::string> SqliteStatement::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(text), sqlite3_column_bytes(statement_, column));
}

SqliteTransaction::SqliteTransaction(SqliteConnection& connection) : connection_(connection) {
  connection.Execute("BEGIN IMMEDIATE");
}

SqliteTransaction::~SqliteTransaction() {
  if (open_) sqlite3_exec(connection_.db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void SqliteTransaction::Commit() {
  int code = sqlite3_exec(connection_.db_, "COMMIT", nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) {
    open_ = false;
    return;
  }
  // Busy: readers didn't let go, the transaction is still open. Full: found out before the journal was deleted. In both
  // the old state stands, and the destructor rolls back.
  if (PrimaryCode(code) == SQLITE_BUSY || PrimaryCode(code) == SQLITE_FULL) connection_.Throw(code, "COMMIT");
  throw CommitStateUnknown("catalog file {}: COMMIT failed and may have happened: {}", connection_.path_,
                           sqlite3_errmsg(connection_.db_));
}

}  // namespace frazil::catalog

// SPDX-License-Identifier: Apache-2.0
// Several processes and threads on one SQLite catalog, and operations that fail at the fault points.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "table/fixture.h"

namespace frazil::table {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ConcurrencyTest : public test::TableTest {
 protected:
  std::shared_ptr<catalog::Catalog> OpenSql() const {
    return catalog::MakeCatalog(
        "ice",
        {{"catalog-type", "jdbc"}, {"uri", "jdbc:sqlite:" + (scratch_ / "c.db")}, {"warehouse", scratch_ / "sql"}});
  }

  void CreateInSql(OptionMap properties) const {
    auto catalog = OpenSql();
    catalog->CreateNamespace({"db"}, {});
    catalog::TableCreation creation;
    creation.schema = iceberg::Schema(0, {iceberg::NestedField::Required(1, "id", iceberg::Type::Long())});
    creation.properties = std::move(properties);
    catalog->CreateTable(id_, creation);
  }

  static constexpr int kAppends = 25;

  void AppendMany(std::shared_ptr<catalog::Catalog> catalog, const std::string& writer) const {
    Table table = Table::Load(std::move(catalog), id_);
    for (int i = 0; i < kAppends; ++i) {
      AppendFiles(table).AppendFile(File(fmt::format("{}-{}", writer, i), 1, 100)).Commit();
    }
  }

  /// Runs two writers in a process of its own; returns its id.
  pid_t StartProcess(int process) const {
    pid_t pid = fork();
    if (pid != 0) return pid;
    int code = 0;
    try {
      std::shared_ptr<catalog::Catalog> catalog = OpenSql();
      auto run = [&](int t) {
        try {
          AppendMany(catalog, fmt::format("{}-{}", process, t));
        } catch (const std::exception& e) {
          fmt::print(stderr, "writer {}-{}: {}\n", process, t, e.what());
          code = 1;
        }
      };
      std::thread other(run, 1);
      run(0);
      other.join();
    } catch (const std::exception& e) {
      fmt::print(stderr, "process {}: {}\n", process, e.what());
      code = 1;
    }
    _exit(code);
  }
};

TEST_F(ConcurrencyTest, TwoProcessesOfTwoThreads) {
  CreateInSql({{"commit.retry.num-retries", "1000"},
               {"commit.retry.min-wait-ms", "2"},
               {"commit.retry.max-wait-ms", "50"},
               {"write.metadata.previous-versions-max", "200"}});
  pid_t processes[] = {StartProcess(0), StartProcess(1)};
  for (pid_t pid : processes) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  Table table = Table::Load(OpenSql(), id_);
  const iceberg::TableMetadata& m = table.metadata();
  ASSERT_THAT(m.snapshots, SizeIs(100));
  std::optional<int64_t> parent;
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(m.snapshots[i].sequence_number, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(m.snapshots[i].parent_snapshot_id, parent);
    EXPECT_EQ(m.snapshots[i].summary.at("total-records"), std::to_string(i + 1));
    parent = m.snapshots[i].snapshot_id;
  }
  EXPECT_EQ(m.current_snapshot_id, parent);
  EXPECT_THAT(m.snapshot_log, SizeIs(100));
  ASSERT_THAT(m.metadata_log, SizeIs(100));
  std::set<std::string> files;
  for (const auto& entry : m.metadata_log) {
    EXPECT_TRUE(table.io()->Exists(entry.metadata_file)) << entry.metadata_file;
    files.insert(entry.metadata_file);
  }
  EXPECT_THAT(files, SizeIs(100));
  std::vector<std::string> paths = LivePaths(table);
  EXPECT_THAT(paths, SizeIs(100));
  EXPECT_EQ(std::unique(paths.begin(), paths.end()), paths.end());
  EXPECT_EQ(AvroFiles(table), ReferencedAvroFiles(table)) << "losers cleaned up, winners lost nothing";
  // 101 metadata files: no attempt that lost left one behind.
  EXPECT_THAT(table.io()->List(MetadataLocation(m)), SizeIs(AvroFiles(table).size() + 101));
}

/// FRAZIL_FAULT is read when the program starts, so each case runs in a program of its own.
class FaultTest : public ConcurrencyTest {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override { unsetenv("FRAZIL_FAULT"); }

  /// Appends with the fault armed. 0: as `expected` says, and no Avro file is there that no snapshot names.
  int AppendWithFault(std::optional<ErrorKind> expected) {
    CreateInSql({{"commit.status-check.min-wait-ms", "1"}});
    Table table = Table::Load(OpenSql(), id_);
    try {
      Append(table, "a");
      if (expected) return 1;
    } catch (const Error& e) {
      if (e.kind() != expected) return 2;
    }
    table.Refresh();
    if (table.metadata().snapshots.size() != (expected ? 0u : 1u)) return 3;
    if (AvroFiles(table) != ReferencedAvroFiles(table)) return 4;
    size_t metadata_files = table.io()->List(MetadataLocation(table.metadata())).size() - AvroFiles(table).size();
    return metadata_files == (expected ? 1u : 2u) ? 0 : 5;
  }
};

TEST_F(FaultTest, BeforeTheSwapEverythingIsTakenBack) {
  for (const char* fault :
       {"manifest-write.before:1:error", "manifest-write.after:1:error", "manifest-list-write.before:1:error",
        "manifest-list-write.after:1:error", "metadata-write.before:2:error", "metadata-write.after:2:error",
        "catalog-swap.before:1:error"}) {
    setenv("FRAZIL_FAULT", fault, 1);
    EXPECT_EXIT(_exit(AppendWithFault(ErrorKind::kUnavailable)), testing::ExitedWithCode(0), "") << fault;
  }
}

TEST_F(FaultTest, AfterTheSwapTheCommitIsFound) {
  setenv("FRAZIL_FAULT", "catalog-swap.after:1:error", 1);
  EXPECT_EXIT(_exit(AppendWithFault(std::nullopt)), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace frazil::table

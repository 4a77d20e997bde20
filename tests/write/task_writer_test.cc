// SPDX-License-Identifier: Apache-2.0
#include "frazil/write/task_writer.h"

#include <arrow/builder.h>

#include "frazil/datafile/data_file_reader.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/storage/file_io.h"
#include "support/rows.h"
#include "support/support.h"

namespace frazil::write {
namespace {

using iceberg::DataFile;
using iceberg::Literal;
using iceberg::NestedField;
using iceberg::PartitionSpec;
using iceberg::Schema;
using iceberg::Type;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kOperation[] = "f79c3e09-677c-4bbd-a479-3f349cb785e7";

class TaskWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<TaskWriter> Open(const PartitionSpec& spec, OptionMap properties = {}, OptionMap overrides = {}) {
    metadata_ = std::make_shared<iceberg::TableMetadata>(
        NewTableMetadata(schema_, spec, {}, dir_ / "db/orders", std::move(properties)));
    return MakeTaskWriter(metadata_, io_, {3, 1, kOperation, std::move(overrides)});
  }

  PartitionSpec Spec(int32_t source, const std::string& name, const std::string& transform) {
    return {0, {{{source}, 1000, name, iceberg::ParseTransform(transform)}}};
  }

  std::shared_ptr<arrow::RecordBatch> Rows(std::string_view json) {
    return test::RowsFromJson(ToArrowSchema(schema_), json);
  }

  std::vector<std::string> Read(const DataFile& file) {
    auto reader = datafile::OpenParquetReader(*io_, file.file_path, metadata_->schema(), {});
    std::vector<std::string> lines;
    while (auto batch = reader->Next()) {
      for (auto& line : test::RowLines(*batch)) lines.push_back(line);
    }
    return lines;
  }

  /// Of a data file below the table's location.
  std::string RelativePath(const std::string& location) {
    const std::string root = metadata_->location + "/";
    EXPECT_TRUE(location.starts_with(root)) << location;
    return location.substr(root.size());
  }

  std::vector<std::string> FilesOnDisk() {
    std::vector<std::string> names;
    for (const auto& info : io_->List(dir_.path().string())) names.push_back(info.location);
    return names;
  }

  test::ScratchDir dir_;
  std::shared_ptr<storage::FileIO> io_ = storage::MakeFileIO({});
  Schema schema_{0,
                 {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "region", Type::String()),
                  NestedField::Optional(3, "ts", Type::Timestamp())}};
  iceberg::TableMetadataPtr metadata_;
};

TEST_F(TaskWriterTest, WritesAnUnpartitionedTable) {
  auto writer = Open({});
  EXPECT_TRUE(writer->Complete().empty());
  writer->Write(*Rows(R"([[1, "eu", null], [2, null, "2024-01-02T03:04:05"]])"));
  writer->Write(*Rows(R"([[3, "us", null]])"));
  const auto files = writer->Complete();
  ASSERT_EQ(files.size(), 1);
  EXPECT_EQ(RelativePath(files[0].file_path), fmt::format("data/00003-1-{}-00001.parquet", kOperation));
  EXPECT_EQ(files[0].record_count, 3);
  EXPECT_EQ(files[0].file_format, "parquet");
  EXPECT_EQ(files[0].content, iceberg::FileContent::kData);
  EXPECT_EQ(files[0].spec_id, metadata_->default_spec_id);
  EXPECT_TRUE(files[0].partition.empty());
  EXPECT_EQ(files[0].sort_order_id, 0);
  EXPECT_EQ(files[0].file_size_in_bytes, static_cast<int64_t>(std::filesystem::file_size(files[0].file_path)));
  EXPECT_EQ(files[0].metrics.value_counts.at(1), 3);
  EXPECT_EQ(files[0].metrics.null_value_counts.at(2), 1);
  EXPECT_THAT(Read(files[0]), ElementsAre("1|eu|null", "2|null|2024-01-02 03:04:05.000000", "3|us|null"));
}

TEST_F(TaskWriterTest, GoesOnAfterComplete) {
  auto writer = Open({});
  writer->Write(*Rows(R"([[1, null, null]])"));
  EXPECT_EQ(writer->Complete().size(), 1);
  EXPECT_TRUE(writer->Complete().empty());
  writer->Write(*Rows(R"([[2, null, null]])"));
  const auto files = writer->Complete();
  ASSERT_EQ(files.size(), 1);
  EXPECT_THAT(files[0].file_path, HasSubstr("-00002.parquet"));
  EXPECT_THAT(Read(files[0]), ElementsAre("2|null|null"));
}

TEST_F(TaskWriterTest, RollsAtTheTargetSize) {
  auto writer = Open({}, {{"write.target-file-size-bytes", "100000"}});
  constexpr int64_t kRows = 200'000;
  arrow::Int64Builder ids;
  arrow::StringBuilder regions;
  for (int64_t i = 0; i < kRows; ++i) {
    ASSERT_TRUE(ids.Append(i * 7919).ok());
    ASSERT_TRUE(regions.Append(fmt::format("region {}", i * 104729 % 1000003)).ok());
  }
  const auto schema = ToArrowSchema(metadata_->schema());
  const auto nulls = *arrow::MakeArrayOfNull(schema->field(2)->type(), kRows);
  // One batch of more rows than the writer puts between two looks at the size.
  writer->Write(*arrow::RecordBatch::Make(schema, kRows, {*ids.Finish(), *regions.Finish(), nulls}));
  const auto files = writer->Complete();
  ASSERT_EQ(files.size(), 4);  // 3 × 65,536 rows and the rest: each more than 100 kB
  int64_t next = 0;
  for (const DataFile& file : files) {
    EXPECT_GT(file.file_size_in_bytes, file.record_count > 10000 ? 100000 : 0);
    EXPECT_EQ(Read(file).front().substr(0, 2 + fmt::to_string(next * 7919).size()), fmt::format("{}|r", next * 7919));
    next += file.record_count;
  }
  EXPECT_EQ(next, kRows);
}

TEST_F(TaskWriterTest, OverridesWinOverProperties) {
  auto writer = Open({}, {{"write.target-file-size-bytes", "1000000000"}}, {{"write.target-file-size-bytes", "1"}});
  writer->Write(*Rows(R"([[1, null, null]])"));
  writer->Write(*Rows(R"([[2, null, null]])"));
  EXPECT_EQ(writer->Complete().size(), 2);
}

TEST_F(TaskWriterTest, FansOutByPartition) {
  auto writer = Open(Spec(2, "region", "identity"));
  writer->Write(*Rows(R"([[1, "eu", null], [2, "us", null], [3, "eu", null]])"));
  writer->Write(*Rows(R"([[4, "us", null], [5, null, null], [6, "", null]])"));
  auto files = writer->Complete();
  ASSERT_EQ(files.size(), 4);
  std::map<std::string, std::vector<std::string>> rows;
  std::map<std::string, Literal> values;
  for (const DataFile& file : files) {
    ASSERT_EQ(file.partition.size(), 1);
    EXPECT_EQ(file.spec_id, metadata_->default_spec_id);
    const std::string path = RelativePath(file.file_path);
    const std::string folder = path.substr(0, path.rfind('/'));
    rows[folder] = Read(file);
    values[folder] = file.partition[0];
  }
  EXPECT_THAT(rows["data/region=eu"], ElementsAre("1|eu|null", "3|eu|null"));
  EXPECT_THAT(rows["data/region=us"], ElementsAre("2|us|null", "4|us|null"));
  EXPECT_THAT(rows["data/region=null"], ElementsAre("5|null|null"));
  EXPECT_THAT(rows["data/region="], ElementsAre("6||null"));
  EXPECT_EQ(values["data/region=eu"], Literal(std::string("eu")));
  EXPECT_EQ(values["data/region=null"], Literal());
  EXPECT_EQ(values["data/region="], Literal(std::string()));
}

// Values that could escape from their folder or be decoded twice: the tuple keeps them as they are, the path doesn't.
TEST_F(TaskWriterTest, EncodesPartitionPaths) {
  auto writer = Open(Spec(2, "p#1", "identity"));
  writer->Write(
      *Rows(R"([[1, "a/b=c", null], [2, "100%", null], [3, "x y+z", null], [4, "../up", null], [5, "ü", null]])"));
  const auto files = writer->Complete();
  ASSERT_EQ(files.size(), 5);
  std::vector<std::string> folders;
  std::vector<Literal> values;
  for (const DataFile& file : files) {
    const std::string path = RelativePath(file.file_path);
    folders.push_back(path.substr(0, path.rfind('/')));
    values.push_back(file.partition[0]);
  }
  EXPECT_THAT(folders, UnorderedElementsAre("data/p%231=a%2Fb%3Dc", "data/p%231=100%25", "data/p%231=x+y%2Bz",
                                            "data/p%231=..%2Fup", "data/p%231=%C3%BC"));
  EXPECT_THAT(values, UnorderedElementsAre(Literal(std::string("a/b=c")), Literal(std::string("100%")),
                                           Literal(std::string("x y+z")), Literal(std::string("../up")),
                                           Literal(std::string("ü"))));
}

TEST_F(TaskWriterTest, FansOutByTransform) {
  auto writer = Open(Spec(3, "ts_day", "day"));
  writer->Write(*Rows(
      R"([[1, null, "2024-01-02T00:00:00"], [2, null, "2024-01-02T23:59:59"], [3, null, "1969-12-31T23:00:00"]])"));
  const auto files = writer->Complete();
  ASSERT_EQ(files.size(), 2);
  std::map<std::string, int64_t> rows;
  for (const DataFile& file : files) rows[RelativePath(file.file_path).substr(0, 22)] = file.record_count;
  EXPECT_EQ(rows, (std::map<std::string, int64_t>{{"data/ts_day=1969-12-31", 1}, {"data/ts_day=2024-01-02", 2}}));
}

TEST_F(TaskWriterTest, ASpecOfVoidFieldsIsUnpartitioned) {
  auto writer = Open(Spec(2, "region", "void"));
  writer->Write(*Rows(R"([[1, "eu", null], [2, "us", null]])"));
  const auto files = writer->Complete();
  ASSERT_EQ(files.size(), 1);
  EXPECT_THAT(files[0].partition, ElementsAre(Literal()));
  EXPECT_EQ(RelativePath(files[0].file_path).rfind("data/00003-", 0), 0);
}

TEST_F(TaskWriterTest, AbortDeletesWhatWasNotHandedOver) {
  for (const PartitionSpec& spec : {PartitionSpec{}, Spec(2, "region", "identity")}) {
    auto writer = Open(spec, {}, {{"write.target-file-size-bytes", "1"}});
    writer->Write(*Rows(R"([[1, "eu", null]])"));
    const auto kept = writer->Complete();
    ASSERT_EQ(kept.size(), 1);
    writer->Write(*Rows(R"([[2, "eu", null]])"));
    EXPECT_EQ(FilesOnDisk().size(), 2);
    writer->Abort();
    EXPECT_THAT(FilesOnDisk(), ElementsAre(kept[0].file_path));
    EXPECT_TRUE(writer->Complete().empty());
    io_->Delete(kept[0].file_path);
  }
}

TEST_F(TaskWriterTest, LeavesNothingBehindWhenDestroyed) {
  for (const PartitionSpec& spec : {PartitionSpec{}, Spec(2, "region", "identity")}) {
    auto writer = Open(spec);
    writer->Write(*Rows(R"([[1, "eu", null]])"));
    writer.reset();
    EXPECT_TRUE(FilesOnDisk().empty());
  }
}

TEST_F(TaskWriterTest, ErrorsNameTableAndColumn) {
  auto writer = Open({});
  const std::string message = test::ErrorOf(ErrorKind::kInvalidArgument, [&] {
    writer->Write(*Rows(R"([[null, "eu", null]])"));
    writer->Complete();
  });
  EXPECT_THAT(message, AllOf(HasSubstr("'id'"), HasSubstr(metadata_->location)));
}

TEST_F(TaskWriterTest, RefusesBadProperties) {
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported,
                            [&] {
                              Open({}, {{"write.format.default", "ORC"}});
                            }),
              HasSubstr("ORC"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported,
                            [&] {
                              Open({}, {}, {{"write.format.default", "avro"}});
                            }),
              HasSubstr("avro"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument,
                            [&] {
                              Open({}, {}, {{"write.format.default", "csv"}});
                            }),
              HasSubstr("csv"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument,
                            [&] {
                              Open({}, {{"write.target-file-size-bytes", "0"}});
                            }),
              HasSubstr("write.target-file-size-bytes"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument,
                            [&] {
                              Open({}, {{"write.parquet.compression-codec", "rot13"}});
                            }),
              HasSubstr("rot13"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument,
                            [&] {
                              Open({}, {{"write.folder-storage.path", "/x"}});
                            }),
              HasSubstr("write.data.path"));
}

}  // namespace
}  // namespace frazil::write

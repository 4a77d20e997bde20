// SPDX-License-Identifier: Apache-2.0
// A session over a scratch folder, with the connectors that a user has.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <arrow/array/array_binary.h>
#include <arrow/record_batch.h>

#include "frazil/base/arrow_status.h"
#include "frazil/connector/blackhole/blackhole.h"
#include "frazil/connector/connector.h"
#include "frazil/connector/datagen/datagen.h"
#include "frazil/connector/filesystem/filesystem.h"
#include "frazil/connector/print/print.h"
#include "frazil/sql/cast.h"
#include "frazil/sql/parser.h"
#include "frazil/sql/session.h"
#include "frazil/stream/job.h"
#include "support/support.h"

namespace frazil::sql {

class SessionFixture : public ::testing::Test {
 protected:
  SessionFixture() { Open({}); }

  /// A new session over the same folder and catalogs: what a second run of a script has.
  void Open(OptionMap configuration) {
    auto registry = std::make_shared<connector::ConnectorRegistry>();
    registry->Add(connector::MakeFilesystemConnector());
    registry->Add(connector::MakePrintConnector(printed_, printed_));
    registry->Add(connector::MakeBlackholeConnector());
    registry->Add(connector::MakeDatagenConnector());
    SessionOptions options;
    options.connectors = std::move(registry);
    options.script_name = "test";
    options.default_checkpoint_dir = scratch_ / "checkpoints";
    options.configuration = std::move(configuration);
    options.configuration.emplace("table.local-time-zone", "UTC");
    session_ = std::make_unique<Session>(std::move(options));
  }

  /// Every statement of `script`; jobs are waited for. The last one's result.
  StatementResult Run(const std::string& script) {
    StatementResult last;
    for (const Statement& statement : ParseScript(script)) {
      last = session_->Execute(statement, script);
      if (last.job != nullptr) last.job->execution->Wait();
    }
    return last;
  }

  /// The rows of the script's last statement, each "a|b|NULL", as CAST to STRING prints the values.
  std::vector<std::string> Rows(const std::string& script) {
    StatementResult result = Run(script);
    std::vector<std::string> rows;
    if (result.rows == nullptr) return rows;
    const EvalContext context;
    std::shared_ptr<arrow::RecordBatch> batch;
    for (Check(result.rows->ReadNext(&batch), "rows"); batch != nullptr; Check(result.rows->ReadNext(&batch), "rows")) {
      std::vector<std::string> texts(static_cast<size_t>(batch->num_rows()));
      for (int c = 0; c < batch->num_columns(); ++c) {
        const auto column =
            CastArray(batch->column(c), result.columns[static_cast<size_t>(c)].type, StringType(), false, context);
        const auto& strings = static_cast<const arrow::StringArray&>(*column);
        for (int64_t r = 0; r < batch->num_rows(); ++r) {
          std::string& text = texts[static_cast<size_t>(r)];
          text += (c == 0 ? "" : "|") + (strings.IsNull(r) ? "NULL" : strings.GetString(r));
        }
      }
      rows.insert(rows.end(), texts.begin(), texts.end());
    }
    return rows;
  }

  /// The type of each column of the last statement.
  std::vector<std::string> Types(const std::string& script) {
    std::vector<std::string> types;
    for (const RowField& field : Run(script).columns) types.push_back(field.name + " " + field.type.ToString());
    return types;
  }

  std::string Error(ErrorKind kind, const std::string& script) {
    return test::ErrorOf(kind, [&] { Rows(script); });
  }
  std::string Invalid(const std::string& script) { return Error(ErrorKind::kInvalidArgument, script); }
  std::string Unsupported(const std::string& script) { return Error(ErrorKind::kUnsupported, script); }

  /// CREATE CATALOG lake and its database db, over one SQLite file.
  void CreateLake() {
    Run("CREATE CATALOG lake WITH ('type'='iceberg', 'catalog-type'='jdbc', 'uri'='jdbc:sqlite:" + scratch_ / "c.db" +
        "', 'warehouse'='" + (scratch_ / "warehouse") + "'); CREATE DATABASE IF NOT EXISTS lake.db; USE lake.db");
  }

  void WriteFile(const std::string& name, const std::string& content) {
    const std::filesystem::path path = scratch_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }

  test::ScratchDir scratch_;
  std::ostringstream printed_;
  std::unique_ptr<Session> session_;
};

}  // namespace frazil::sql

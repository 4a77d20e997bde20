// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/filesystem/filesystem.h"

#include <limits>

#include "frazil/base/error.h"
#include "frazil/base/options.h"
#include "frazil/connector/filesystem/file_source.h"
#include "frazil/serde/json.h"

namespace frazil::connector {

namespace {

int64_t AtLeast(int64_t min, std::string_view key, int64_t value) {
  if (value < min) throw InvalidArgument("option '{}': {} is less than {}", key, value, min);
  return value;
}

std::optional<std::chrono::milliseconds> MonitorInterval(OptionReader& options) {
  constexpr std::string_view kKey = "source.monitor-interval";
  std::optional<std::chrono::nanoseconds> interval = options.GetDuration(kKey);
  if (!interval) return std::nullopt;
  auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(*interval);
  if (millis.count() < 1) throw InvalidArgument("option '{}': must be at least 1 ms", kKey);
  return millis;
}

/// The decoder of 'format', made anew for each reader from a copy of its options.
std::function<std::unique_ptr<serde::DeserializationSchema>()> ReadFormat(const ConnectorContext& context,
                                                                          OptionReader& options) {
  std::string format = options.Require("format");
  if (format != "json") {
    throw Unsupported("table '{}': the format '{}' is not supported by the connector 'filesystem', only 'json'",
                      context.table_name, format);
  }
  OptionMap json_options;
  for (auto& [key, value] : options.GetPrefixed("json.")) json_options.emplace("json." + key, value);
  auto make = [schema = context.physical_schema, json_options, table = context.table_name] {
    OptionReader reader(json_options, fmt::format("table '{}'", table));
    auto decoder = serde::MakeJsonDeserializer(schema, reader);
    reader.RefuseUnread();
    return decoder;
  };
  make();  // refuses bad options and types now
  return make;
}

class FilesystemConnector : public ConnectorFactory {
 public:
  std::string_view identifier() const override { return "filesystem"; }

  std::unique_ptr<stream::Source> CreateSource(const ConnectorContext& context, OptionReader& options) const override {
    FileSourceOptions source;
    source.io = storage::MakeFileIO({});
    source.listing = std::make_shared<FileListing>(source.io, options.Require("path"),
                                                   options.GetString("source.path.regex-pattern"));
    source.make_decoder = ReadFormat(context, options);
    source.monitor_interval = MonitorInterval(options);
    source.split_size = AtLeast(1, "frazil.source.split-size",
                                options.GetMemorySize("frazil.source.split-size").value_or(source.split_size));
    source.batch_rows = AtLeast(1, "frazil.source.batch-rows",
                                options.GetInt64("frazil.source.batch-rows").value_or(source.batch_rows));
    source.max_record_bytes =
        AtLeast(1, "frazil.source.max-record-bytes",
                options.GetMemorySize("frazil.source.max-record-bytes").value_or(source.max_record_bytes));
    RefuseStatistics(options);
    return MakeFileSource(std::move(source));
  }

 private:
  static void RefuseStatistics(OptionReader& options) {
    std::string report = options.GetString("source.report-statistics").value_or("none");
    if (report != "none") {
      throw Unsupported("option 'source.report-statistics': '{}' is not supported, only 'none'", report);
    }
  }
};

}  // namespace

std::unique_ptr<ConnectorFactory> MakeFilesystemConnector() { return std::make_unique<FilesystemConnector>(); }

}  // namespace frazil::connector

// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/blackhole/blackhole.h"

namespace frazil::connector {

namespace {

class BlackholeWriter : public stream::SinkWriter {
 public:
  void Write(stream::ChangeBatch) override {}
  std::vector<std::string> PrepareCommit(int64_t, bool) override { return {}; }
};

class BlackholeSink : public stream::Sink {
 public:
  std::unique_ptr<stream::SinkWriter> CreateWriter(const stream::WriterInitContext&) override {
    return std::make_unique<BlackholeWriter>();
  }
};

class BlackholeConnector : public ConnectorFactory {
 public:
  std::string_view identifier() const override { return "blackhole"; }
  std::unique_ptr<stream::Sink> CreateSink(const ConnectorContext&, OptionReader&) const override {
    return std::make_unique<BlackholeSink>();
  }
};

}  // namespace

std::unique_ptr<ConnectorFactory> MakeBlackholeConnector() { return std::make_unique<BlackholeConnector>(); }

}  // namespace frazil::connector

// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/connector.h"

#include <iostream>

#include "frazil/base/options.h"
#include "frazil/connector/blackhole/blackhole.h"
#include "frazil/connector/datagen/datagen.h"
#include "frazil/connector/filesystem/filesystem.h"
#include "frazil/connector/print/print.h"
#include "frazil/stream/job.h"
#include "stream/nodes.h"
#include "support/support.h"

namespace frazil::connector {
namespace {

using frazil::test::ErrorOf;
using testing::ElementsAre;
using testing::HasSubstr;

ConnectorRegistry All() {
  ConnectorRegistry registry;
  registry.Add(MakeFilesystemConnector());
  registry.Add(MakeDatagenConnector());
  registry.Add(MakePrintConnector(std::cout, std::cerr));
  registry.Add(MakeBlackholeConnector());
  return registry;
}

TEST(ConnectorRegistry, FindsByIdentifier) {
  ConnectorRegistry registry = All();
  EXPECT_THAT(registry.identifiers(), ElementsAre("blackhole", "datagen", "filesystem", "print"));
  EXPECT_EQ(registry.Get("print", "t").identifier(), "print");
  std::string message = ErrorOf(ErrorKind::kNotFound, [&] { registry.Get("filesytem", "events"); });
  EXPECT_THAT(message, HasSubstr("table 'events'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'filesystem'?"));
  EXPECT_THAT(ErrorOf(ErrorKind::kAlreadyExists, [&] { registry.Add(MakeBlackholeConnector()); }),
              HasSubstr("'blackhole'"));
}

TEST(ConnectorFactory, OneWayConnectorsSaySo) {
  ConnectorRegistry registry = All();
  OptionMap none;
  OptionReader options(none, "table");
  ConnectorContext context{"t", stream::test::NumberSchema(), nullptr};
  for (const char* sink_only : {"print", "blackhole"}) {
    EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { registry.Get(sink_only, "t").CreateSource(context, options); }),
                HasSubstr(fmt::format("the connector '{}' can't be read from", sink_only)));
  }
  for (const char* source_only : {"filesystem", "datagen"}) {
    EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { registry.Get(source_only, "t").CreateSink(context, options); }),
                HasSubstr(fmt::format("the connector '{}' can't be written to", source_only)));
  }
}

TEST(Blackhole, TakesEverything) {
  OptionMap none;
  OptionReader options(none, "table");
  auto sink = MakeBlackholeConnector()->CreateSink({"t", stream::test::NumberSchema(), nullptr}, options);
  options.RefuseUnread();
  MetricRegistry metrics;
  auto job =
      stream::Submit(stream::test::Pipeline(stream::test::MakeNumberSource({}), std::move(sink), 2), {}, metrics);
  job->Wait();
  EXPECT_EQ(job->Status().rows_out, 4000);
}

}  // namespace
}  // namespace frazil::connector

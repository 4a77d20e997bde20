// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/print/print.h"

#include <mutex>
#include <ostream>

#include "frazil/base/error.h"
#include "frazil/base/options.h"
#include "frazil/connector/print/row_text.h"

namespace frazil::connector {

namespace {

/// A stream that writers of several threads share.
struct SharedStream {
  std::ostream& stream;
  std::mutex mutex;
};

std::string PrefixOf(const std::string& identifier, const stream::TaskInfo& task) {
  if (task.parallelism == 1) return identifier.empty() ? "" : identifier + "> ";
  return fmt::format("{}{}{}> ", identifier, identifier.empty() ? "" : ":", task.subtask + 1);
}

class PrintWriter : public stream::SinkWriter {
 public:
  PrintWriter(SharedStream& out, std::string prefix) : out_(out), prefix_(std::move(prefix)) {}

  void Write(stream::ChangeBatch batch) override {
    text_.clear();
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      text_ += prefix_;
      AppendRow(batch, row, text_);
      text_ += '\n';
    }
    std::lock_guard lock(out_.mutex);
    out_.stream << text_ << std::flush;
    if (!out_.stream) throw Unavailable("the rows can't be written to the output");
  }
  std::vector<std::string> PrepareCommit(int64_t, bool) override { return {}; }

 private:
  SharedStream& out_;
  const std::string prefix_;
  std::string text_;
};

class PrintSink : public stream::Sink {
 public:
  PrintSink(std::shared_ptr<SharedStream> out, std::string identifier)
      : out_(std::move(out)), identifier_(std::move(identifier)) {}
  std::unique_ptr<stream::SinkWriter> CreateWriter(const stream::WriterInitContext& context) override {
    return std::make_unique<PrintWriter>(*out_, PrefixOf(identifier_, context.task));
  }

 private:
  std::shared_ptr<SharedStream> out_;
  const std::string identifier_;
};

class PrintConnector : public ConnectorFactory {
 public:
  PrintConnector(std::ostream& out, std::ostream& err)
      : out_(new SharedStream{out, {}}), err_(new SharedStream{err, {}}) {}

  std::string_view identifier() const override { return "print"; }

  std::unique_ptr<stream::Sink> CreateSink(const ConnectorContext&, OptionReader& options) const override {
    bool to_err = options.GetBool("standard-error").value_or(false);
    return std::make_unique<PrintSink>(to_err ? err_ : out_, options.GetString("print-identifier").value_or(""));
  }

 private:
  // Shared with sinks, which may outlive the factory in a running job.
  std::shared_ptr<SharedStream> out_;
  std::shared_ptr<SharedStream> err_;
};

}  // namespace

std::unique_ptr<ConnectorFactory> MakePrintConnector(std::ostream& out, std::ostream& err) {
  return std::make_unique<PrintConnector>(out, err);
}

}  // namespace frazil::connector

// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/options.h"

#include <charconv>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/base/suggest.h"

namespace frazil {

namespace {

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view Trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

}  // namespace

bool ParseBool(std::string_view key, std::string_view text) {
  std::string lower = Lower(Trim(text));
  if (lower == "true") return true;
  if (lower == "false") return false;
  throw InvalidArgument("option '{}' is '{}': expected true or false", key, text);
}

int64_t ParseInt64(std::string_view key, std::string_view text) {
  std::string_view t = Trim(text);
  int64_t value = 0;
  auto [end, ec] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (ec != std::errc() || end != t.data() + t.size()) {
    throw InvalidArgument("option '{}' is '{}': expected a whole number", key, text);
  }
  return value;
}

double ParseDouble(std::string_view key, std::string_view text) {
  std::string_view t = Trim(text);
  double value = 0;
  auto [end, ec] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (ec != std::errc() || end != t.data() + t.size()) {
    throw InvalidArgument("option '{}' is '{}': expected a number", key, text);
  }
  return value;
}

int64_t ParseMemorySize(std::string_view key, std::string_view text) {
  auto fail = [&] {
    return InvalidArgument("option '{}' is '{}': expected a size such as '128 mb', '1 gb' or a number of bytes", key,
                           text);
  };
  std::string lower = Lower(Trim(text));
  std::string_view t = lower;
  int64_t value = 0;
  auto [end, ec] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (ec != std::errc() || value < 0) throw fail();
  std::string_view unit = Trim(t.substr(static_cast<size_t>(end - t.data())));
  int shift = -1;
  if (unit.empty() || unit == "b" || unit == "bytes") shift = 0;
  if (unit == "k" || unit == "kb" || unit == "kibibytes") shift = 10;
  if (unit == "m" || unit == "mb" || unit == "mebibytes") shift = 20;
  if (unit == "g" || unit == "gb" || unit == "gibibytes") shift = 30;
  if (unit == "t" || unit == "tb" || unit == "tebibytes") shift = 40;
  int64_t total = 0;
  if (shift < 0 || __builtin_mul_overflow(value, int64_t{1} << shift, &total)) throw fail();
  return total;
}

std::chrono::nanoseconds ParseDurationOption(std::string_view key, std::string_view text) {
  try {
    return ParseDuration(text);
  } catch (const Error& e) {
    throw e.WithContext(fmt::format("option '{}'", key));
  }
}

const std::string* OptionReader::Find(std::string_view key) {
  read_.emplace(key);
  auto it = options_.find(key);
  return it == options_.end() ? nullptr : &it->second;
}

template <typename Parse>
auto OptionReader::GetParsed(std::string_view key, Parse parse) -> std::optional<decltype(parse(key, key))> {
  const std::string* text = Find(key);
  if (text == nullptr) return std::nullopt;
  try {
    return parse(key, *text);
  } catch (const Error& e) {
    throw e.WithContext(owner_);
  }
}

std::optional<std::string> OptionReader::GetString(std::string_view key) {
  const std::string* text = Find(key);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<bool> OptionReader::GetBool(std::string_view key) { return GetParsed(key, ParseBool); }
std::optional<int64_t> OptionReader::GetInt64(std::string_view key) { return GetParsed(key, ParseInt64); }
std::optional<double> OptionReader::GetDouble(std::string_view key) { return GetParsed(key, ParseDouble); }
std::optional<int64_t> OptionReader::GetMemorySize(std::string_view key) { return GetParsed(key, ParseMemorySize); }
std::optional<std::chrono::nanoseconds> OptionReader::GetDuration(std::string_view key) {
  return GetParsed(key, ParseDurationOption);
}

std::optional<std::string> OptionReader::GetChoice(std::string_view key, const std::vector<std::string>& allowed) {
  const std::string* text = Find(key);
  if (text == nullptr) return std::nullopt;
  for (const std::string& choice : allowed) {
    if (Lower(choice) == Lower(Trim(*text))) return choice;
  }
  throw InvalidArgument("{}: option '{}' is '{}': expected one of '{}'", owner_, key, *text,
                        fmt::join(allowed, "', '"));
}

std::string OptionReader::Require(std::string_view key) {
  const std::string* text = Find(key);
  if (text == nullptr) throw InvalidArgument("{}: the required option '{}' is missing", owner_, key);
  return *text;
}

OptionMap OptionReader::GetPrefixed(std::string_view prefix) {
  OptionMap found;
  for (auto it = options_.lower_bound(prefix); it != options_.end() && it->first.starts_with(prefix); ++it) {
    read_.insert(it->first);
    found.emplace(it->first.substr(prefix.size()), it->second);
  }
  return found;
}

void OptionReader::RefuseUnread() const {
  std::vector<std::string> known(read_.begin(), read_.end());
  std::string unknown;
  for (const auto& [key, value] : options_) {
    if (read_.contains(key)) continue;
    unknown += fmt::format("{}'{}'{}", unknown.empty() ? "" : ", ", key, DidYouMean(key, known));
  }
  if (unknown.empty()) return;
  throw InvalidArgument("{}: unknown option {}; supported options are: {}", owner_, unknown, fmt::join(known, ", "));
}

}  // namespace frazil

// SPDX-License-Identifier: Apache-2.0
// String functions. Positions and lengths count Unicode code points, from 1, as Flink's do.
#include <cctype>
#include <regex>

#include <arrow/compute/api_scalar.h>
#include <arrow/util/base64.h>

#include "frazil/base/uuid.h"
#include "frazil/sql/columns.h"
#include "frazil/sql/function_table.h"

namespace frazil::sql {

namespace {

using arrow::Datum;
using Text = View<arrow::StringArray>;
using Int = View<arrow::Int32Array>;

/// Byte offset of code point `index` (from 0) of `text`, its size if there are fewer.
size_t OffsetOf(std::string_view text, int64_t index) {
  size_t at = 0;
  while (at < text.size() && index > 0) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    --index;
  }
  return at;
}

int64_t CountCodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// Flink's SUBSTRING: a negative start counts from the end, start 0 is 1, a negative length is an error there and ""
/// here.
std::string_view Substring(std::string_view text, int64_t start, std::optional<int64_t> length) {
  int64_t count = CountCodePoints(text);
  if (start < 0) start = std::max<int64_t>(count + start + 1, 1);
  if (start == 0) start = 1;
  if (start > count || (length.has_value() && *length <= 0)) return {};
  size_t begin = OffsetOf(text, start - 1);
  std::string_view rest = text.substr(begin);
  return length.has_value() ? rest.substr(0, OffsetOf(rest, *length)) : rest;
}

int32_t Position(std::string_view needle, std::string_view text, int64_t from = 1) {
  if (from < 1) return 0;
  size_t begin = OffsetOf(text, from - 1);
  size_t found = text.find(needle, begin);
  return found == std::string_view::npos ? 0 : static_cast<int32_t>(CountCodePoints(text.substr(0, found))) + 1;
}

std::string Pad(std::string_view text, int64_t length, std::string_view pad, bool left) {
  int64_t count = CountCodePoints(text);
  if (count >= length) return std::string(text.substr(0, OffsetOf(text, length)));
  std::string fill;
  int64_t missing = length - count;
  int64_t pad_count = CountCodePoints(pad);
  while (missing >= pad_count) {
    fill += pad;
    missing -= pad_count;
  }
  fill += pad.substr(0, OffsetOf(pad, missing));
  return left ? fill + std::string(text) : std::string(text) + fill;
}

std::string_view Trim(std::string_view text, std::string_view characters, bool leading, bool trailing) {
  // One code point at a time, so that a multi-byte character is taken whole or not at all.
  auto contains = [&](std::string_view one) { return characters.find(one) != std::string_view::npos; };
  while (leading && !text.empty()) {
    size_t size = OffsetOf(text, 1);
    if (!contains(text.substr(0, size))) break;
    text.remove_prefix(size);
  }
  while (trailing && !text.empty()) {
    size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    if (!contains(text.substr(begin))) break;
    text.remove_suffix(text.size() - begin);
  }
  return text;
}

std::string InitCap(std::string_view text) {
  std::string out(text);
  bool start = true;
  for (char& c : out) {
    auto u = static_cast<unsigned char>(c);
    c = static_cast<char>(start ? std::toupper(u) : std::tolower(u));
    start = u < 0x80 && std::isalnum(u) == 0;
  }
  return out;
}

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to) {
  if (from.empty()) return std::string(text);
  std::string out;
  size_t at = 0;
  for (size_t found = text.find(from); found != std::string_view::npos; found = text.find(from, at)) {
    out += text.substr(at, found - at);
    out += to;
    at = found + from.size();
  }
  return out + std::string(text.substr(at));
}

LogicalType StringOf(std::span<const LogicalType> arguments) {
  return StringType().WithNullable(AnyNullable(arguments));
}

/// Takes `texts` strings first and up to `most` integers after them (at least `least`).
bool Takes(std::span<const LogicalType> arguments, size_t texts, size_t least, size_t most) {
  if (arguments.size() < texts + least || arguments.size() > texts + most) return false;
  return AllCharacter(arguments.subspan(0, texts)) &&
         std::all_of(arguments.begin() + static_cast<std::ptrdiff_t>(texts), arguments.end(), IsIntegerOrNull);
}

std::vector<LogicalType> Wanted(size_t texts, size_t count) {
  std::vector<LogicalType> wanted(texts, StringType());
  wanted.resize(count, IntType());
  return wanted;
}

template <typename Function>
Kernel TextKernel(Function function) {
  return [function](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum { return function(a, rows); };
}

template <typename Function>
std::shared_ptr<arrow::Array> Strings(int64_t rows, Function&& function, const auto&... views) {
  return MapRows<arrow::StringBuilder>(arrow::utf8(), rows, function, views...);
}

void AddUnary(FunctionTable& table, const std::string& name, const char* arrow_function) {
  table.Add(name, name + "(STRING)", [arrow_function](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 1, 0, 0)) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), {StringType()}, ArrowKernel(arrow_function, arrow::utf8())};
  });
}

void AddTrims(FunctionTable& table) {
  table.Add("TRIM", "TRIM([BOTH | LEADING | TRAILING] [STRING FROM] STRING)",
            [](auto arguments, auto symbols) -> std::optional<ResolvedFunction> {
              if (arguments.empty() || arguments.size() > 2 || !AllCharacter(arguments)) return std::nullopt;
              std::string side = symbols.empty() ? "BOTH" : symbols[0];
              bool leading = side != "TRAILING";
              bool trailing = side != "LEADING";
              if (arguments.size() == 1) {
                return ResolvedFunction{
                    StringOf(arguments), {StringType()}, TextKernel([=](auto a, int64_t rows) {
                      return Strings(
                          rows, [=](std::string_view text) { return Trim(text, " ", leading, trailing); }, Text(a[0]));
                    })};
              }
              return ResolvedFunction{StringOf(arguments), Wanted(2, 2), TextKernel([=](auto a, int64_t rows) {
                                        return Strings(
                                            rows,
                                            [=](std::string_view what, std::string_view text) {
                                              return Trim(text, what, leading, trailing);
                                            },
                                            Text(a[0]), Text(a[1]));
                                      })};
            });
  auto add_side = [&](const std::string& name, bool leading, bool trailing) {
    table.Add(name, name + "(STRING [, STRING])", [=](auto arguments, auto) -> std::optional<ResolvedFunction> {
      if (arguments.empty() || arguments.size() > 2 || !AllCharacter(arguments)) return std::nullopt;
      return ResolvedFunction{
          StringOf(arguments), Wanted(2, arguments.size()), TextKernel([=](auto a, int64_t rows) {
            Text characters(a.size() == 2 ? a[1] : Datum(std::make_shared<arrow::StringScalar>(" ")));
            return Strings(
                rows, [=](std::string_view text, std::string_view what) { return Trim(text, what, leading, trailing); },
                Text(a[0]), characters);
          })};
    });
  };
  add_side("LTRIM", true, false);
  add_side("RTRIM", false, true);
  add_side("BTRIM", true, true);
}

void AddParts(FunctionTable& table) {
  table.Add("SUBSTRING", "SUBSTRING(STRING, INT [, INT])", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 1, 1, 2)) return std::nullopt;
    return ResolvedFunction{
        StringOf(arguments), Wanted(1, arguments.size()), TextKernel([](auto a, int64_t rows) {
          if (a.size() == 2) {
            return Strings(
                rows, [](std::string_view text, int32_t start) { return Substring(text, start, std::nullopt); },
                Text(a[0]), Int(a[1]));
          }
          return Strings(
              rows, [](std::string_view text, int32_t start, int32_t length) { return Substring(text, start, length); },
              Text(a[0]), Int(a[1]), Int(a[2]));
        })};
  });
  table.Alias("SUBSTR", "SUBSTRING");
  table.Add("LEFT", "LEFT(STRING, INT)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 1, 1, 1)) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), Wanted(1, 2), TextKernel([](auto a, int64_t rows) {
                              return Strings(
                                  rows, [](std::string_view text, int32_t n) { return Substring(text, 1, n); },
                                  Text(a[0]), Int(a[1]));
                            })};
  });
  table.Add("RIGHT", "RIGHT(STRING, INT)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 1, 1, 1)) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), Wanted(1, 2), TextKernel([](auto a, int64_t rows) {
                              return Strings(
                                  rows,
                                  [](std::string_view text, int32_t n) {
                                    return n <= 0 ? std::string_view() : Substring(text, -int64_t{n}, std::nullopt);
                                  },
                                  Text(a[0]), Int(a[1]));
                            })};
  });
  table.Add(
      "SPLIT_INDEX", "SPLIT_INDEX(STRING, STRING, INT)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
        if (!Takes(arguments, 2, 1, 1)) return std::nullopt;
        return ResolvedFunction{StringType(), Wanted(2, 3), TextKernel([](auto a, int64_t rows) {
                                  return Strings(
                                      rows,
                                      [](std::string_view text, std::string_view separator,
                                         int32_t index) -> std::optional<std::string_view> {
                                        if (index < 0 || separator.empty()) return std::nullopt;
                                        for (size_t at = 0;;) {
                                          size_t end = text.find(separator, at);
                                          if (index-- == 0)
                                            return text.substr(at, end == std::string_view::npos ? end : end - at);
                                          if (end == std::string_view::npos) return std::nullopt;
                                          at = end + separator.size();
                                        }
                                      },
                                      Text(a[0]), Text(a[1]), Int(a[2]));
                                })};
      });
  table.Add("OVERLAY", "OVERLAY(STRING PLACING STRING FROM INT [FOR INT])",
            [](auto arguments, auto) -> std::optional<ResolvedFunction> {
              if (!Takes(arguments, 2, 1, 2)) return std::nullopt;
              return ResolvedFunction{
                  StringOf(arguments), Wanted(2, arguments.size()), TextKernel([](auto a, int64_t rows) {
                    auto overlay = [](std::string_view text, std::string_view placing, int64_t start, int64_t length) {
                      if (start < 1 || start > CountCodePoints(text)) return std::string(text);
                      std::string out(text.substr(0, OffsetOf(text, start - 1)));
                      out += placing;
                      return out.append(text.substr(OffsetOf(text, start - 1 + std::max<int64_t>(length, 0))));
                    };
                    if (a.size() == 3) {
                      return Strings(
                          rows,
                          [=](std::string_view text, std::string_view placing, int32_t start) {
                            return overlay(text, placing, start, CountCodePoints(placing));
                          },
                          Text(a[0]), Text(a[1]), Int(a[2]));
                    }
                    return Strings(rows, overlay, Text(a[0]), Text(a[1]), Int(a[2]), Int(a[3]));
                  })};
            });
}

void AddSearches(FunctionTable& table) {
  auto add_int = [&](const std::string& name, const std::string& signature, size_t texts, size_t most_ints,
                     auto function) {
    table.Add(name, signature, [=](auto arguments, auto) -> std::optional<ResolvedFunction> {
      if (!Takes(arguments, texts, 0, most_ints)) return std::nullopt;
      return ResolvedFunction{IntType().WithNullable(AnyNullable(arguments)), Wanted(texts, arguments.size()),
                              TextKernel(function)};
    });
  };
  add_int("CHAR_LENGTH", "CHAR_LENGTH(STRING)", 1, 0, [](auto a, int64_t rows) {
    return MapRows<arrow::Int32Builder>(
        arrow::int32(), rows, [](std::string_view text) { return static_cast<int32_t>(CountCodePoints(text)); },
        Text(a[0]));
  });
  table.Alias("CHARACTER_LENGTH", "CHAR_LENGTH");
  add_int("POSITION", "POSITION(STRING IN STRING)", 2, 0, [](auto a, int64_t rows) {
    return MapRows<arrow::Int32Builder>(
        arrow::int32(), rows, [](std::string_view needle, std::string_view text) { return Position(needle, text); },
        Text(a[0]), Text(a[1]));
  });
  add_int("INSTR", "INSTR(STRING, STRING)", 2, 0, [](auto a, int64_t rows) {
    return MapRows<arrow::Int32Builder>(
        arrow::int32(), rows, [](std::string_view text, std::string_view needle) { return Position(needle, text); },
        Text(a[0]), Text(a[1]));
  });
  add_int("LOCATE", "LOCATE(STRING, STRING [, INT])", 2, 1, [](auto a, int64_t rows) {
    Int from(a.size() == 3 ? a[2] : Datum(std::make_shared<arrow::Int32Scalar>(1)));
    return MapRows<arrow::Int32Builder>(
        arrow::int32(), rows,
        [](std::string_view needle, std::string_view text, int32_t start) { return Position(needle, text, start); },
        Text(a[0]), Text(a[1]), from);
  });
  add_int("ASCII", "ASCII(STRING)", 1, 0, [](auto a, int64_t rows) {
    return MapRows<arrow::Int32Builder>(
        arrow::int32(), rows,
        [](std::string_view text) { return text.empty() ? 0 : static_cast<int32_t>(static_cast<int8_t>(text[0])); },
        Text(a[0]));
  });
  auto add_bool = [&](const std::string& name, auto function) {
    table.Add(name, name + "(STRING, STRING)", [=](auto arguments, auto) -> std::optional<ResolvedFunction> {
      if (!Takes(arguments, 2, 0, 0)) return std::nullopt;
      return ResolvedFunction{
          BooleanType().WithNullable(AnyNullable(arguments)), Wanted(2, 2), TextKernel([=](auto a, int64_t rows) {
            return MapRows<arrow::BooleanBuilder>(arrow::boolean(), rows, function, Text(a[0]), Text(a[1]));
          })};
    });
  };
  add_bool("STARTSWITH", [](std::string_view text, std::string_view prefix) { return text.starts_with(prefix); });
  add_bool("ENDSWITH", [](std::string_view text, std::string_view suffix) { return text.ends_with(suffix); });
}

void AddBuilders(FunctionTable& table) {
  auto concat = [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.empty() || !AllCharacter(arguments)) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), std::vector(arguments.size(), StringType()),
                            TextKernel([](auto a, int64_t rows) {
                              std::vector<Text> views(a.begin(), a.end());
                              arrow::StringBuilder builder;
                              std::string joined;
                              for (int64_t row = 0; row < rows; ++row) {
                                joined.clear();
                                bool null = false;
                                for (const Text& view : views) {
                                  if (view.IsNull(row))
                                    null = true;
                                  else
                                    joined += view[row];
                                }
                                Check(null ? builder.AppendNull() : builder.Append(joined), "CONCAT");
                              }
                              return Unwrap(builder.Finish(), "CONCAT");
                            })};
  };
  table.Add("CONCAT", "CONCAT(STRING, …)", concat);
  table.Add("||", "STRING || STRING", concat);
  table.Add("CONCAT_WS", "CONCAT_WS(STRING, STRING, …)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() < 2 || !AllCharacter(arguments)) return std::nullopt;
    return ResolvedFunction{StringType().WithNullable(arguments[0].nullable),
                            std::vector(arguments.size(), StringType()), TextKernel([](auto a, int64_t rows) {
                              std::vector<Text> views(a.begin(), a.end());
                              arrow::StringBuilder builder;
                              for (int64_t row = 0; row < rows; ++row) {
                                if (views[0].IsNull(row)) {
                                  Check(builder.AppendNull(), "CONCAT_WS");
                                  continue;
                                }
                                std::string joined;
                                bool first = true;
                                for (size_t i = 1; i < views.size(); ++i) {
                                  if (views[i].IsNull(row)) continue;
                                  if (!first) joined += views[0][row];
                                  joined += views[i][row];
                                  first = false;
                                }
                                Check(builder.Append(joined), "CONCAT_WS");
                              }
                              return Unwrap(builder.Finish(), "CONCAT_WS");
                            })};
  });
  table.Add("REPLACE", "REPLACE(STRING, STRING, STRING)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 3, 0, 0)) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), Wanted(3, 3), TextKernel([](auto a, int64_t rows) {
                              return Strings(rows, ReplaceAll, Text(a[0]), Text(a[1]), Text(a[2]));
                            })};
  });
  auto add_pad = [&](const std::string& name, bool left) {
    table.Add(name, name + "(STRING, INT, STRING)", [left](auto arguments, auto) -> std::optional<ResolvedFunction> {
      if (arguments.size() != 3 || !arguments[0].IsCharacter() || !IsIntegerOrNull(arguments[1]) ||
          !arguments[2].IsCharacter())
        return std::nullopt;
      return ResolvedFunction{
          StringType(), {StringType(), IntType(), StringType()}, TextKernel([left](auto a, int64_t rows) {
            return Strings(
                rows,
                [left](std::string_view text, int32_t length, std::string_view pad) -> std::optional<std::string> {
                  if (length < 0 || pad.empty()) return std::nullopt;
                  return Pad(text, length, pad, left);
                },
                Text(a[0]), Int(a[1]), Text(a[2]));
          })};
    });
  };
  add_pad("LPAD", true);
  add_pad("RPAD", false);
  table.Add("REPEAT", "REPEAT(STRING, INT)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 1, 1, 1)) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), Wanted(1, 2), TextKernel([](auto a, int64_t rows) {
                              return Strings(
                                  rows,
                                  [](std::string_view text, int32_t n) {
                                    std::string out;
                                    for (int32_t i = 0; i < n; ++i) out += text;
                                    return out;
                                  },
                                  Text(a[0]), Int(a[1]));
                            })};
  });
  table.Add("INITCAP", "INITCAP(STRING)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 1, 0, 0)) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), Wanted(1, 1),
                            TextKernel([](auto a, int64_t rows) { return Strings(rows, InitCap, Text(a[0])); })};
  });
  table.Add("CHR", "CHR(INT)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (arguments.size() != 1 || !arguments[0].IsInteger()) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), {BigIntType()}, TextKernel([](auto a, int64_t rows) {
                              return Strings(
                                  rows,
                                  [](int64_t code) -> std::string {
                                    auto c = static_cast<unsigned char>(code & 0xFF);
                                    if (code < 0) return "";
                                    if (c < 0x80) return std::string(1, static_cast<char>(c));
                                    return {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
                                  },
                                  View<arrow::Int64Array>(a[0]));
                            })};
  });
  table.Add("TO_BASE64", "TO_BASE64(STRING)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 1, 0, 0)) return std::nullopt;
    return ResolvedFunction{StringOf(arguments), Wanted(1, 1), TextKernel([](auto a, int64_t rows) {
                              return Strings(
                                  rows, [](std::string_view text) { return arrow::util::base64_encode(text); },
                                  Text(a[0]));
                            })};
  });
  table.Add("UUID", "UUID()", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!arguments.empty()) return std::nullopt;
    auto kernel = [](std::span<const Datum>, int64_t rows, const EvalContext&) -> Datum {
      arrow::StringBuilder builder;
      for (int64_t row = 0; row < rows; ++row) Check(builder.Append(frazil::ToString(RandomUuid())), "UUID");
      return Unwrap(builder.Finish(), "UUID");
    };
    return ResolvedFunction{StringType().NotNull(), {}, kernel, false};
  });
}

// ---- Patterns

/// Greedy wildcard match by code points, without a regular expression: linear in practice, never a stack per character.
bool LikeMatches(std::string_view text, std::string_view pattern, std::optional<char> escape) {
  size_t t = 0;
  size_t p = 0;
  size_t star_p = std::string_view::npos;
  size_t star_t = 0;
  while (t < text.size()) {
    bool escaped = p < pattern.size() && escape.has_value() && pattern[p] == *escape && p + 1 < pattern.size();
    size_t literal = escaped ? p + 1 : p;
    if (!escaped && p < pattern.size() && pattern[p] == '%') {
      star_p = ++p;
      star_t = t;
    } else if (!escaped && p < pattern.size() && pattern[p] == '_') {
      t += OffsetOf(text.substr(t), 1);
      ++p;
    } else if (literal < pattern.size() && pattern[literal] == text[t]) {
      ++t;
      p = literal + 1;
    } else if (star_p != std::string_view::npos) {
      star_t += OffsetOf(text.substr(star_t), 1);
      t = star_t;
      p = star_p;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

/// A regular expression that is compiled once for as long as the pattern stays the same.
class CachedRegex {
 public:
  const std::regex& Get(std::string_view pattern) {
    if (!compiled_ || pattern != pattern_) {
      pattern_ = pattern;
      try {
        regex_.assign(pattern_, std::regex::ECMAScript);
      } catch (const std::regex_error& e) {
        throw InvalidArgument("'{}' is not a regular expression: {}", pattern_, e.what());
      }
      compiled_ = true;
    }
    return regex_;
  }

 private:
  std::string pattern_;
  std::regex regex_;
  bool compiled_ = false;
};

void AddPatterns(FunctionTable& table) {
  table.Add("REGEXP", "REGEXP(STRING, STRING)", [](auto arguments, auto) -> std::optional<ResolvedFunction> {
    if (!Takes(arguments, 2, 0, 0)) return std::nullopt;
    return ResolvedFunction{BooleanType().WithNullable(AnyNullable(arguments)), Wanted(2, 2),
                            TextKernel([](auto a, int64_t rows) {
                              CachedRegex cache;
                              return MapRows<arrow::BooleanBuilder>(
                                  arrow::boolean(), rows,
                                  [&](std::string_view text, std::string_view pattern) {
                                    return std::regex_search(text.begin(), text.end(), cache.Get(pattern));
                                  },
                                  Text(a[0]), Text(a[1]));
                            }),
                            true, true};
  });
  table.Add("REGEXP_REPLACE", "REGEXP_REPLACE(STRING, STRING, STRING)",
            [](auto arguments, auto) -> std::optional<ResolvedFunction> {
              if (!Takes(arguments, 3, 0, 0)) return std::nullopt;
              return ResolvedFunction{
                  StringOf(arguments), Wanted(3, 3), TextKernel([](auto a, int64_t rows) {
                    CachedRegex cache;
                    return Strings(
                        rows,
                        [&](std::string_view text, std::string_view pattern, std::string_view replacement) {
                          return std::regex_replace(std::string(text), cache.Get(pattern), std::string(replacement));
                        },
                        Text(a[0]), Text(a[1]), Text(a[2]));
                  }),
                  true, true};
            });
  table.Add(
      "REGEXP_EXTRACT", "REGEXP_EXTRACT(STRING, STRING [, INT])",
      [](auto arguments, auto) -> std::optional<ResolvedFunction> {
        if (!Takes(arguments, 2, 0, 1)) return std::nullopt;
        return ResolvedFunction{
            StringType(), Wanted(2, arguments.size()), TextKernel([](auto a, int64_t rows) {
              CachedRegex cache;
              Int group(a.size() == 3 ? a[2] : Datum(std::make_shared<arrow::Int32Scalar>(0)));
              return Strings(
                  rows,
                  [&](std::string_view text, std::string_view pattern, int32_t index) -> std::optional<std::string> {
                    std::cmatch match;
                    const std::regex& regex = cache.Get(pattern);
                    if (!std::regex_search(text.data(), text.data() + text.size(), match, regex)) return std::nullopt;
                    if (index < 0 || index >= static_cast<int32_t>(match.size()) || !match[index].matched)
                      return std::nullopt;
                    return match[index].str();
                  },
                  Text(a[0]), Text(a[1]), group);
            }),
            true, true};
      });
}

}  // namespace

void AddTextFunctions(FunctionTable& table) {
  AddUnary(table, "UPPER", "utf8_upper");
  AddUnary(table, "LOWER", "utf8_lower");
  AddUnary(table, "REVERSE", "utf8_reverse");
  AddTrims(table);
  AddParts(table);
  AddSearches(table);
  AddBuilders(table);
  AddPatterns(table);
}

ResolvedFunction ResolveLike(bool similar, bool negated, std::span<const LogicalType> arguments,
                             const SourceSpan& span) {
  if (!AllCharacter(arguments)) throw InvalidSql(span, "LIKE needs strings on both sides");
  if (similar) throw UnsupportedSql(span, "SIMILAR TO is not supported; use REGEXP(text, pattern)");
  auto kernel = [negated](std::span<const Datum> a, int64_t rows, const EvalContext&) -> Datum {
    std::optional<char> escape;
    if (a.size() == 3) {
      Text text(a[2]);
      if (!text.is_constant() || text.IsNull(0) || text[0].size() != 1) {
        throw InvalidArgument("the ESCAPE of LIKE must be a constant of one ASCII character");
      }
      escape = text[0][0];
    }
    return MapRows<arrow::BooleanBuilder>(
        arrow::boolean(), rows,
        [=](std::string_view text, std::string_view pattern) { return LikeMatches(text, pattern, escape) != negated; },
        Text(a[0]), Text(a[1]));
  };
  return {BooleanType().WithNullable(AnyNullable(arguments)), std::vector(arguments.size(), StringType()), kernel, true,
          arguments.size() == 3};
}

}  // namespace frazil::sql

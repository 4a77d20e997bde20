# SPDX-License-Identifier: Apache-2.0
"""Flink as the oracle of expressions and of JSON: Frazil gives the same value, or refuses what Flink refuses."""
import flink_sql

# Each is evaluated as CAST((…) AS STRING) by both.
EXPRESSIONS = """
'a;b'
'it''s; ok'
'a' || CAST(NULL AS STRING) || 'b'
TRY_CAST('2024-02-30' AS DATE)
TRY_CAST('12a' AS INT)
CAST(' 12 ' AS INT)
CAST('+7' AS INT)
CAST('1.9' AS INT)
CAST('9223372036854775807' AS BIGINT)
CAST('2010-10-14 12:22:22.123456' AS TIMESTAMP(6))
CAST('2010-10-14 12:22:22.123456' AS TIMESTAMP(3))
CAST('2010-10-14' AS TIMESTAMP(3))
CAST('2010-1-4' AS DATE)
CAST(DATE '2024-03-10' AS STRING)
CAST(TIMESTAMP '2024-03-10 01:02:03.45' AS STRING)
CAST(TIMESTAMP '2024-03-10 01:02:03' AS DATE)
CAST(DATE '2024-03-10' AS TIMESTAMP(3))
CAST('12:34:56' AS TIME)
CAST(1.005 AS DECIMAL(5, 2))
CAST(-1.005 AS DECIMAL(5, 2))
CAST(2.5 AS INT)
CAST(-2.7 AS INT)
CAST(CAST(3.99 AS DOUBLE) AS INT)
CAST(CAST(1e20 AS DOUBLE) AS BIGINT)
CAST(CAST(0.1 AS FLOAT) AS DOUBLE)
CAST(CAST(0.1 AS DOUBLE) AS DECIMAL(10, 3))
CAST(CAST(1e7 AS DOUBLE) AS STRING)
CAST(CAST(1e-5 AS DOUBLE) AS STRING)
CAST(CAST(123456.789 AS FLOAT) AS STRING)
CAST(TRUE AS INT)
CAST('true' AS BOOLEAN)
CAST('yes' AS BOOLEAN)
CAST('1' AS BOOLEAN)
CAST(0 AS BOOLEAN)
CAST('abcdef' AS CHAR(3))
CAST('ab' AS CHAR(4)) || '|'
CAST('abcdef' AS VARCHAR(3))
CAST(300 AS TINYINT)
CAST(70000 AS SMALLINT)
1 / 2
7 / 2
-7 / 2
7 % 3
-7 % 3
MOD(-7, 3)
1.0 / 3
CAST(1 AS DECIMAL(10, 2)) / CAST(3 AS DECIMAL(10, 2))
1.10 + 2.205
1.10 * 2.205
1 / CAST(0 AS DOUBLE)
2147483647 + 1
ABS(-3.5)
ROUND(2.5)
ROUND(-2.5)
ROUND(3.14159, 2)
ROUND(CAST(2.675 AS DOUBLE), 2)
FLOOR(-1.5)
CEIL(-1.5)
TRUNCATE(3.789, 1)
POWER(2, 10)
SQRT(2)
SIGN(-2.5)
LOG10(1000)
UPPER('straße')
LOWER('ÄÖ')
CHAR_LENGTH('日本😀')
SUBSTRING('abcdef' FROM 2 FOR 3)
SUBSTRING('abcdef', -3, 2)
SUBSTRING('abcdef', 0, 2)
SUBSTRING('abcdef', 5, 10)
POSITION('cd' IN 'abcdef')
TRIM('  x  ')
TRIM(BOTH 'x' FROM 'xxaxx')
LTRIM('  x ')
LPAD('5', 3, '0')
LPAD('12345', 3, '0')
RPAD('5', 3, 'ab')
REPEAT('ab', 3)
REPLACE('aaa', 'a', 'b')
REVERSE('abc')
INITCAP('hello wORLD')
CONCAT('a', CAST(NULL AS STRING), 'b')
CONCAT_WS('-', 'a', CAST(NULL AS STRING), 'b')
SPLIT_INDEX('a,b,c', ',', 1)
SPLIT_INDEX('a,b,c', ',', 3)
REGEXP_REPLACE('foobar', 'oo|ar', '')
REGEXP_EXTRACT('foothebar', 'foo(.*?)(bar)', 2)
REGEXP('abc', 'b')
'abc' LIKE 'a%'
'abc' LIKE 'a!_c' ESCAPE '!'
'abc' SIMILAR TO '(a|b)%'
LEFT('abc', 2)
RIGHT('abc', 2)
ASCII('A')
CHR(97)
LOCATE('b', 'abcb', 3)
TO_BASE64('hello')
OVERLAY('xxxxxtest' PLACING 'xxxx' FROM 6)
CASE WHEN CAST(NULL AS BOOLEAN) THEN 1 ELSE 2 END
CASE 3 WHEN 1 THEN 'a' WHEN 3 THEN 'c' END
COALESCE(NULL, 'x')
NULLIF(1, 1)
IF(1 > 2, 'a', 'b')
GREATEST(1, 3, 2)
LEAST(1, CAST(NULL AS INT), 2)
1 IN (1, 2)
3 NOT IN (1, 2)
2 BETWEEN 1 AND 3
NULL IS NULL
CAST(NULL AS BOOLEAN) AND FALSE
CAST(NULL AS BOOLEAN) OR FALSE
NOT CAST(NULL AS BOOLEAN)
1 = 1.0
'a' < 'B'
EXTRACT(YEAR FROM DATE '2024-02-29')
EXTRACT(WEEK FROM DATE '2024-12-30')
EXTRACT(DOW FROM DATE '2024-03-10')
DAYOFYEAR(DATE '2024-03-01')
HOUR(TIMESTAMP '2024-03-10 13:02:03')
QUARTER(DATE '2024-05-01')
FLOOR(TIMESTAMP '2024-03-10 13:42:03' TO HOUR)
CEIL(TIMESTAMP '2024-03-10 13:42:03' TO DAY)
TIMESTAMP '2024-01-31 00:00:00' + INTERVAL '1' MONTH
TIMESTAMP '2024-01-31 00:00:00' - INTERVAL '90' MINUTE
DATE '2024-02-28' + INTERVAL '2' DAY
TIMESTAMPADD(MONTH, 1, DATE '2024-01-31')
TIMESTAMPDIFF(DAY, TIMESTAMP '2024-01-01 12:00:00', TIMESTAMP '2024-01-03 11:00:00')
TIMESTAMPDIFF(MONTH, TIMESTAMP '2024-01-31 00:00:00', TIMESTAMP '2024-02-29 00:00:00')
DATE_FORMAT(TIMESTAMP '2024-03-10 13:02:03.456', 'yyyy/MM/dd HH-mm-ss.SSS')
TO_TIMESTAMP('10.03.2024 01', 'dd.MM.yyyy HH')
TO_TIMESTAMP('nonsense')
TO_DATE('2024/03/10', 'yyyy/MM/dd')
CAST(TO_TIMESTAMP_LTZ(1700000000123, 3) AS STRING)
FROM_UNIXTIME(0)
UNIX_TIMESTAMP('1970-01-01 09:00:10')
ROW(1, 'a')
ARRAY[1, 2, NULL]
ARRAY[1, 2, 3][2]
CARDINALITY(ARRAY[1, 2, 3])
MAP['a', CAST(NULL AS INT)]
MAP['a', 1]['a']
""".strip().splitlines()

# Both refuse these: when they are planned or when they are evaluated.
REFUSED = """
CAST('2024-02-30' AS DATE)
CAST('12a' AS INT)
CAST('2147483648' AS INT)
CAST('2010-10-14T12:22:22' AS TIMESTAMP(0))
CAST('12345.6' AS DECIMAL(5, 2))
1 / 0
CAST('x' AS BOOLEAN)
CAST('' AS INT)
CAST('1e5' AS INT)
CAST('25:00:00' AS TIME)
1 + 'a' + TRUE
SUBSTRING(5)
NO_SUCH_FUNCTION(1)
'a' + 1 = DATE '2024-01-01'
UPPER(1, 2)
ARRAY[1, 2]['x']
""".strip().splitlines()

# Where Frazil differs, with the reason. A case that agrees must not be listed.
DIFFERENT = {
    # On purpose.
    "unknown option": "an option is honoured or refused",
    "int from fraction": "a fraction is not cut off silently",
    "int from large fraction": "a fraction is not cut off silently",
    "booleans": "a text that is neither true nor false is not taken for false",
    "timestamp digits": "TIMESTAMP(3) has three digits",
    "array at the top": "Flink's documentation promises an array's rows; its parser of 1.20 refuses them",
    "duplicate key": "the last value wins; Flink's parser stops at the last column that it still needs and loses others",
    "null line": "no row, as with Flink's older parser",
    "CAST(CAST(0.1 AS FLOAT) AS DOUBLE)": "Flink folds the constant through text; from a column it gives the same as Frazil",
    "'abc' SIMILAR TO '(a|b)%'": "refused by name, with REGEXP as the way out",
    # Not yet as in Flink.
    "ROUND(3.14159, 2)": "the scale of the result's type",
    "TRUNCATE(3.789, 1)": "the scale of the result's type",
    "SIGN(-2.5)": "the precision of Arrow's kernel for decimals",
    "UPPER('straße')": "one letter becomes one letter",
    "TIMESTAMP '2024-01-31 00:00:00' - INTERVAL '90' MINUTE": "the precision of the result's type",
    "TIMESTAMPDIFF(MONTH, TIMESTAMP '2024-01-31 00:00:00', TIMESTAMP '2024-02-29 00:00:00')": "the last day of a month counts as a whole month",
    "CAST('2010-10-14T12:22:22' AS TIMESTAMP(0))": "a T between date and time is accepted",
    "CAST('12345.6' AS DECIMAL(5, 2))": "NULL as for numbers, where Flink refuses the text",
}

TIME_ZONE = "Asia/Tokyo"


def frazil_answers(lake, statements):
    """What Frazil says to each statement: rows as lists of texts, or its error output."""
    answers = []
    for statement in statements:
        result = lake.frazil("sql", "--output", "json", "-e", statement)
        assert result.code in (0, 1), result
        answers.append([list(row.values()) for row in result.json_rows()] if result.code == 0 else result.err.strip())
    return answers


def flink_answers(answers):
    """The same of Flink: an error is its innermost cause."""
    return [str(answer).strip().splitlines()[-1] if isinstance(answer, flink_sql.FlinkError) else answer for answer in answers]


def differences(names, ours, theirs):
    """A text for each case in which the rows (in any order) are not the same; any error is like any other."""
    texts = []
    for name, our, their in zip(names, ours, theirs, strict=True):
        same = isinstance(our, str) and isinstance(their, str)
        if isinstance(our, list) and isinstance(their, list):
            same = sorted(our, key=str) == sorted(their, key=str)
        if same == (name in DIFFERENT):
            texts.append(f"{name}\n    Frazil: {our}\n    Flink:  {their}")
    return texts


def test_expressions(lake):
    """All in few queries, for speed: each is a column."""
    set_zone = f"SET 'table.local-time-zone' = '{TIME_ZONE}'"
    groups = [EXPRESSIONS[first:first + 25] for first in range(0, len(EXPRESSIONS), 25)]
    queries = ["SELECT " + ", ".join(f"CAST(({expression}) AS STRING) AS c{n}" for n, expression in enumerate(group)) for group in groups]
    theirs = [answer[0] for answer in flink_sql.rows_of(flink_sql.run([set_zone, *queries], lake.root)[1:])]
    texts = []
    for group, their in zip(groups, theirs, strict=True):
        ours = frazil_answers(lake, [f"{set_zone};\nSELECT CAST(({expression}) AS STRING) AS c" for expression in group])
        texts += differences(group, ours, [[[value]] for value in their])
    assert not texts, f"{len(texts)} of {len(EXPRESSIONS)} differ:\n" + "\n".join(texts)


def test_refused_expressions(lake):
    queries = [f"SELECT CAST(({expression}) AS STRING) AS c" for expression in REFUSED]
    ours, theirs = frazil_answers(lake, queries), flink_answers(flink_sql.run(queries, lake.root))
    accepted = [f"{expression}: Frazil {our}, Flink {their}" for expression, our, their in zip(REFUSED, ours, theirs, strict=True)
                if (isinstance(our, list) or isinstance(their, list)) != (expression in DIFFERENT)]
    assert not accepted, "\n".join(accepted)


# (name, columns, options, lines of JSON)
JSON_CASES = [
    ("numbers", "i INT, b BIGINT, d DECIMAL(38, 9), e DECIMAL(5, 2)", {},
     ['{"i":1,"b":9223372036854775807,"d":12345678901234567.123456789,"e":1.005}', '{"i":"42"}', '{"i":" 7 "}', '{"d":1e-9}', '{"e":-1.005}', '{"e":"1.5"}']),
    ("int too large", "i INT", {}, ['{"i":2147483648}']),
    ("bigint too large", "b BIGINT", {}, ['{"b":9223372036854775808}']),
    ("int too large, ignored", "i INT, j INT", {"json.ignore-parse-errors": "true"}, ['{"i":2147483648,"j":1}']),
    ("bigint too large, ignored", "b BIGINT, j INT", {"json.ignore-parse-errors": "true"}, ['{"b":9223372036854775808,"j":1}']),
    ("decimal too large", "e DECIMAL(5, 2)", {}, ['{"e":12345.6}']),
    ("decimal not a number", "e DECIMAL(5, 2)", {}, ['{"e":"x"}']),
    ("int from fraction", "i INT", {}, ['{"i":1.0}']),
    ("int from large fraction", "i INT", {}, ['{"i":1.9}']),
    ("int from text fraction", "i INT", {}, ['{"i":"1.5"}']),
    ("int from true", "i INT", {}, ['{"i":true}']),
    ("int from empty text", "i INT", {}, ['{"i":""}']),
    ("small integers", "t TINYINT, s SMALLINT", {}, ['{"t":127,"s":-32768}', '{"t":"-128"}']),
    ("tinyint too large", "t TINYINT", {}, ['{"t":128}']),
    ("doubles", "d DOUBLE, f FLOAT", {}, ['{"d":0.1,"f":0.1}', '{"d":1e308,"f":3}', '{"d":"2.5","f":"1e3"}', '{"d":-0.0}']),
    ("double nan", "d DOUBLE", {}, ['{"d":"NaN"}']),
    ("booleans", "b BOOLEAN", {}, ['{"b":true}', '{"b":"true"}', '{"b":"TRUE"}', '{"b":"no"}', '{"b":1}']),
    ("timestamps", "t TIMESTAMP(3)", {}, ['{"t":"2020-12-30 12:13:14.123"}', '{"t":"2020-12-30 12:13:14"}', '{"t":"0001-01-01 00:00:00"}']),
    ("timestamp digits", "t TIMESTAMP(3)", {}, ['{"t":"2020-12-30 12:13:14.123456"}']),
    ("timestamp with T", "t TIMESTAMP(3)", {}, ['{"t":"2020-12-30T12:13:14"}']),
    ("timestamp with Z", "t TIMESTAMP(3)", {}, ['{"t":"2020-12-30 12:13:14Z"}']),
    ("timestamp without seconds", "t TIMESTAMP(3)", {}, ['{"t":"2020-12-30 12:13"}']),
    ("timestamp from number", "t TIMESTAMP(3)", {}, ['{"t":1600000000}']),
    ("instants", "z TIMESTAMP_LTZ(3)", {}, ['{"z":"2020-12-30 12:13:14.123Z"}', '{"z":"1969-12-31 23:59:59Z"}']),
    ("instant without Z", "z TIMESTAMP_LTZ(3)", {}, ['{"z":"2020-12-30 12:13:14"}']),
    ("iso timestamp", "t TIMESTAMP(3)", {"json.timestamp-format.standard": "ISO-8601"}, ['{"t":"2020-12-30T12:13:14"}', '{"t":"2020-12-30T12:13:14.5"}']),
    ("iso timestamp with space", "t TIMESTAMP(3)", {"json.timestamp-format.standard": "ISO-8601"}, ['{"t":"2020-12-30 12:13:14"}']),
    ("iso instant", "z TIMESTAMP_LTZ(3)", {"json.timestamp-format.standard": "ISO-8601"}, ['{"z":"2020-12-30T12:13:14Z"}']),
    ("iso instant with offset", "z TIMESTAMP_LTZ(3)", {"json.timestamp-format.standard": "ISO-8601"}, ['{"z":"2020-12-30T12:13:14+02:00"}']),
    ("bad timestamp, ignored", "t TIMESTAMP(3), n INT", {"json.ignore-parse-errors": "true"}, ['{"t":"2020-12-30T12:13:14","n":1}', '{"t":"x","n":2}']),
    ("dates and times", "d DATE, t TIME", {}, ['{"d":"2024-02-29","t":"12:13:14"}', '{"d":"0001-01-01","t":"00:00:00"}']),
    ("bad date", "d DATE", {}, ['{"d":"2024-02-30"}']),
    ("time with fraction", "t TIME", {}, ['{"t":"12:13:14.5"}']),
    ("missing fields", "a INT, r ROW<b INT>", {}, ['{"a":1}', '{"a":null,"r":{}}', '{"r":{"b":2}}', '{}']),
    ("missing field fails", "a INT, r ROW<b INT>", {"json.fail-on-missing-field": "true"}, ['{"a":1}']),
    ("missing nested field fails", "a INT, r ROW<b INT>", {"json.fail-on-missing-field": "true"}, ['{"a":null,"r":{}}']),
    ("nothing missing", "a INT, r ROW<b INT>", {"json.fail-on-missing-field": "true"}, ['{"a":null,"r":{"b":null}}', '{"a":1,"r":null}']),
    ("both options", "a INT", {"json.fail-on-missing-field": "true", "json.ignore-parse-errors": "true"}, ['{"a":1}']),
    ("unknown option", "a INT", {"json.foo": "1"}, ['{"a":1}']),
    ("bad option value", "a INT", {"json.timestamp-format.standard": "iso"}, ['{"a":1}']),
    ("strings", "s STRING, n INT", {},
     ['{"s":{"b":1,"a":[2,null]},"n":1}', '{"s":true,"n":2}', '{"s":5,"n":3}', '{"s":1.50,"n":4}', '{"s":"\\ud83d\\ude00","n":5}', '{"n":6,"s":"order"}',
      '{"n":7,"extra":{"x":[1]},"s":"extra"}', '{"s":"a\\nb\\tc\\"\\\\","n":8}', '{"s":[],"n":9}', '{"s":"","n":10}']),
    ("array at the top", "s STRING, n INT", {}, ['[{"s":"p","n":4},{"s":"q","n":5}]', '{"s":"r","n":6}']),
    ("duplicate key", "n INT, m INT", {}, ['{"n":6,"n":7,"m":8}']),
    ("null line", "n INT", {}, ['{"n":1}', "null"]),
    ("scalar line", "n INT", {}, ["5"]),
    ("empty line", "n INT", {}, ['{"n":1}', "", '{"n":2}']),
    ("empty line, ignored", "n INT", {"json.ignore-parse-errors": "true"}, ['{"n":1}', "", '{"n":2}']),
    ("broken line", "n INT", {}, ['{"n":1}', '{"n":']),
    ("broken line, ignored", "n INT", {"json.ignore-parse-errors": "true"}, ['{"n":1}', '{"n":', '{"n":2}']),
    ("rows and arrays", "r ROW<a INT, s ROW<b STRING>>, l ARRAY<INT>, m MAP<STRING, INT>", {},
     ['{"r":{"a":1,"s":{"b":"x"}},"l":[1,null,3],"m":{"k":1}}', '{"r":null,"l":[],"m":{}}', '{"l":null,"m":{"n":null}}']),
    ("array of rows", "l ARRAY<ROW<a INT>>", {}, ['{"l":[{"a":1},{"a":null},null]}']),
    ("row from text", "r ROW<a INT>", {}, ['{"r":"x"}']),
    ("array from number", "l ARRAY<INT>", {}, ['{"l":5}']),
    ("array element error, ignored", "l ARRAY<INT>, n INT", {"json.ignore-parse-errors": "true"}, ['{"l":[1,"x",3],"n":1}']),
    ("bytes", "b BYTES", {}, ['{"b":"aGVsbG8="}']),
    ("bad bytes", "b BYTES", {}, ['{"b":"not base64!"}']),
    ("not null", "n INT NOT NULL", {}, ['{"n":1}']),
    ("keys by case", "`Key` INT, `key` INT", {}, ['{"key":1,"Key":2}']),
]


def top_level_parts(columns):
    """The column definitions of a list, split at commas outside of <> and ()."""
    parts, depth = [""], 0
    for char in columns:
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def json_statements(lake):
    """For each case a table and a query of all its columns as text."""
    pairs = []
    for number, (_, columns, options, lines) in enumerate(JSON_CASES):
        folder = lake.root / f"case-{number}"
        folder.mkdir()
        (folder / "rows.json").write_text("\n".join(lines) + "\n")
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in {"connector": "filesystem", "path": folder, "format": "json", **options}.items())
        names = [column.split()[0] for column in top_level_parts(columns)]
        texts = ", ".join(f"CAST({name} AS STRING) AS {name}" for name in names)
        pairs.append((f"CREATE TEMPORARY TABLE case_{number} ({columns}) WITH ({listed})", f"SELECT {texts} FROM case_{number}"))
    return pairs


def test_json(lake):
    pairs = json_statements(lake)
    answers = flink_answers(flink_sql.run([statement for pair in pairs for statement in pair], lake.root))
    theirs = [created if isinstance(created, str) else selected for created, selected in zip(answers[::2], answers[1::2], strict=True)]
    ours = frazil_answers(lake, [f"{create};\n{select}" for create, select in pairs])
    names = [case[0] for case in JSON_CASES]
    texts = differences(names, ours, theirs)
    assert not texts, f"{len(texts)} of {len(names)} differ:\n" + "\n".join(texts)

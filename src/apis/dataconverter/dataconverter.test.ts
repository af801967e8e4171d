/** Losses are reported, unreadable text is refused with its place, and the cost of a text is bounded by its length. */
import { expect, test } from "bun:test"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { type Format, run } from "./run.ts"

const convert = (text: string, from: Format, to: Format) => runIsolated(run, { text, from, to })

test.each<[code: string, from: Format, to: Format, text: string, written: string]>([
  ["comments", "toml", "toml", "a = 1 # one\n", "a = 1\n"],
  ["tags", "yaml", "yaml", "a: !b 1\n", 'a: "1"\n'],
  ["key_as_text", "yaml", "json", "[1]: a\n", '{\n  "[1]": "a"\n}\n'],
  ["yaml_1_1", "yaml", "json", "%YAML 1.1\n---\nyes\n", '"yes"\n'],
  ["documents", "yaml", "json", "--- 1\n--- 2\n", "[\n  1,\n  2\n]\n"],
  ["doctype", "xml", "json", "<!DOCTYPE a><a/>", '{\n  "a": ""\n}\n'],
  ["instructions", "xml", "json", "<a><?b c?></a>", '{\n  "a": ""\n}\n'],
  ["header_alone", "csv", "json", "a,b\n", "[]\n"],
  ["dates", "toml", "yaml", "a = 2021-02-03\n", 'a: "2021-02-03"\n'],
  ["special_numbers", "toml", "json", "a = -inf\n", '{\n  "a": "-inf"\n}\n'],
  ["large_integers", "json", "toml", '{"a": 9223372036854775808}', 'a = "9223372036854775808"\n'],
  ["nulls", "json", "toml", '{"a": null, "b": [null]}', 'b = [""]\n'],
  ["nested_cells", "json", "csv", '[{"a": [1, {"b": "c"}]}]', 'a\r\n"[1,{""b"":""c""}]"\r\n'],
  ["rows", "json", "csv", "[1]", "value\r\n1\r\n"],
  ["characters", "json", "yaml", '"\\ud800"', "�\n"],
])("%s: from %s to %s", async (code, from, to, text, written) => {
  const answer = await convert(text, from, to)
  expect(answer.text).toBe(written)
  expect(answer.problems.map((warning) => String(warning.code))).toContain(code)
})

const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n'
test.each<[json: string, xml: string, codes: readonly string[]]>([
  ['{"a": {"@b": "<\\n", "#text": "x&\\r"}}', '<a b="&lt;&#xA;">x&amp;&#xD;</a>\n', []],
  ['{"a": ["b"]}', "<root>\n  <a>b</a>\n</root>\n", ["root", "short_lists"]],
  [
    '{"a": {"b": {}, "1 c": "\\u0001"}}',
    "<a>\n  <b/>\n  <_x0031__x0020_c>�</_x0031__x0020_c>\n</a>\n",
    ["simple_objects", "names", "characters"],
  ],
  ['{"a": {"#text": "x", "b": ["y", "z"]}}', "<a>x<b>y</b><b>z</b></a>\n", ["mixed_content"]],
  [
    '{"p:a": {"@xmlns:p": "urn:p", "q:b": "c"}}',
    '<p:a xmlns:p="urn:p">\n  <q_x003A_b>c</q_x003A_b>\n</p:a>\n',
    ["names"],
  ],
])("%s as XML", async (json, xml, codes) => {
  const answer = await convert(json, "json", "xml")
  expect(answer.text).toBe(`${xmlHead}${xml}`)
  expect(answer.problems.map(({ code }) => code)).toEqual(codes as never)
})

test("declarations of namespaces that XML forbids are refused", () =>
  expect(convert('{"a": {"@xmlns:xml": "b"}}', "json", "xml")).rejects.toThrow(
    "cannot be written as XML with namespaces",
  ))

test("numbers keep their digits, and keys their order and names", async () => {
  const json =
    '{\n  "2": 9007199254740993,\n  "1": 1.50,\n  "__proto__": {\n    "b": 1e400\n  },\n  "constructor": -0.0\n}\n'
  expect(await convert(json, "json", "json")).toMatchObject({
    text: json,
    problems: [{ code: "huge_numbers", where: "/__proto__/b" }],
  })
  expect((await convert(json, "json", "toml")).text).toBe(
    "2 = 9007199254740993\n1 = 1.50\nconstructor = -0.0\n[__proto__]\nb = 1e400\n",
  )
  const numbers = "[0x1F, 0o17, 007, +.5, 1., -1.5E+3, 1e5, 12345678901234567890123]"
  expect(JSON.stringify((await convert(numbers, "yaml", "json")).text.match(/[^[\],\s]+/g))).toBe(
    '["31","15","7","0.5","1.0","-1.5E+3","1e5","12345678901234567890123"]',
  )
})

test("YAML merges what << names; its own keys count", async () => {
  const yaml =
    "base: &base {a: 1, b: 2}\nuse:\n  <<: *base\n  b: 3\nboth:\n  <<: [{c: 4}, *base]\ntext:\n  <<: x\n"
  const { text } = await convert(yaml, "yaml", "json")
  expect(JSON.parse(text)).toEqual({
    base: { a: 1, b: 2 },
    use: { a: 1, b: 3 },
    both: { c: 4, a: 1, b: 2 },
    text: { "<<": "x" },
  })
})

test("problems say how often and where it was first", async () => {
  const { problems } = await convert("# a\nb: 1 # c\n", "yaml", "csv")
  expect(problems[0]).toEqual({
    code: "comments",
    severity: "warning",
    message: "Comments are left out (2 times).",
    where: "line 1, column 1",
  })
})

// YAML 1.2.2 §10.3.2: the tags of the core schema, and the texts that fit them.
test.each([
  ["!!float 1", "1", []],
  ["!!float -0", "-0", []],
  ["!!float .5e3", "0.5e3", []],
  ["!!int '007'", "7", []],
  ["!!int 0x1F", "31", []],
  ["!!bool 'true'", "true", []],
  ["!!null ''", "null", []],
  ["!!str 1", '"1"', []],
  ["!!str yes", '"yes"', ["yaml_1_1_forms"]],
  ["! 1", '"1"', []],
  ["!!int 1.5", "1.5", ["tag_misfit"]],
  ["!!int abc", '"abc"', ["tag_misfit"]],
  ["!!float 'x'", '"x"', ["tag_misfit"]],
  ["!!bool 1", "1", ["tag_misfit"]],
  ["!!null a", '"a"', ["tag_misfit"]],
  ["!!seq {}", "{}", ["tag_misfit"]],
  ["!!map []", "[]", ["tag_misfit"]],
  ["!!seq []", "[]", []],
  ["!!map {}", "{}", []],
  ["!!str []", "[]", ["tag_misfit"]],
  ["!!binary aGk=", '"aGk="', ["tags"]],
])("the tag of %s", async (yaml, json, codes) => {
  const { text, problems } = await convert(`a: ${yaml}\n`, "yaml", "json")
  expect(text).toBe(`{\n  "a": ${json}\n}\n`)
  expect(problems.map(({ code }) => code)).toEqual(codes as never)
})

test("what programs of YAML 1.1 read otherwise is named, and quoted texts are not", async () => {
  for (const [yaml, json] of [
    ["0755", 755],
    ["yes", "yes"],
    ["off", "off"],
    ["12:30:00", "12:30:00"],
    // YAML 1.1 has digits in groups and binary numbers (yaml.org/type/int).
    ["1_000", "1_000"],
    ["-0b1_1", "-0b1_1"],
    ["0x_1F", "0x_1F"],
    ["1_0.5", "1_0.5"],
  ] as const) {
    const { text, problems } = await convert(`a: ${yaml}`, "yaml", "json")
    expect(JSON.parse(text)).toEqual({ a: json })
    expect(problems.map(({ code, where }) => `${code} ${where}`)).toEqual(["yaml_1_1_forms line 1, column 4"])
  }
  for (const yaml of ["_1", "0x1F", "a_1", "1.5", "'yes'", '"0755"', "noon", "12", "0", "0.5", "2026-11-28"])
    expect((await convert(`a: ${yaml}`, "yaml", "json")).problems).toEqual([])
})

test("texts with tabs are quoted, since PyYAML cannot read them otherwise", async () => {
  const json = JSON.stringify({ "a\tb": "c\td", e: "f\n\tg", h: ["\ti"] })
  expect((await convert(json, "json", "yaml")).text).toBe('"a\\tb": "c\\td"\ne: "f\\n\\tg"\nh:\n  - "\\ti"\n')
})

const ask = (text: string, more: object = {}) =>
  runIsolated(run, { text, from: "csv", to: "json", ...more } as Parameters<typeof run>[0])
const codes = async (text: string, more: object = {}) => {
  const { text: json, problems } = await ask(text, more)
  return [JSON.parse(json), problems.map(({ code }) => code)] as const
}

test("CSV of spreadsheets with semicolons or tabs", async () => {
  const rows = [{ a: "1,5", b: "x;y" }]
  expect(await codes('a;b\n1,5;"x;y"\n', { delimiter: "semicolon" })).toEqual([rows, []])
  expect(await codes("a\tb\n1,5\tx;y\n", { delimiter: "tab" })).toEqual([rows, []])
  expect(await codes("a;b\n1;2\n")).toEqual([[{ "a;b": "1;2" }], ["other_delimiter"]])
  // The decimal commas of those who part columns with semicolons.
  await expect(ask("a;b\n1,5;2")).rejects.toThrow("has 2 in the row at line 2, column 1; or set 'delimiter'")
  for (const names of [["sep=;"], ["sep=", ""], ["SEP=,"]]) {
    const text = JSON.stringify([Object.fromEntries(names.map((name) => [name, "x"]))])
    const written = await runIsolated(run, { text, from: "json", to: "csv" })
    expect(JSON.parse((await ask(written.text)).text)).toEqual(JSON.parse(text))
  }
  expect(await codes("sep=;\r\na;b\r\n1;2\r\n")).toEqual([[{ a: "1", b: "2" }], ["separator_line"]])
  const quoted = ask('a;b\n"1"2;3', { delimiter: "semicolon" })
  await expect(quoted).rejects.toThrow("a semicolon or a new line must follow")
  const csv = { to: "csv", delimiter: "semicolon" } as const
  const back = await runIsolated(run, { text: JSON.stringify(rows), from: "json", ...csv })
  expect(back.text).toBe('a;b\r\n1,5;"x;y"\r\n')
})

test("CSV of spreadsheets with short rows", async () => {
  const short = ask("a,b\n1\n")
  await expect(short).rejects.toThrow("has 1 in the row at line 2, column 1; or set 'short_rows' to fill")
  expect(await codes("a,b\n1\n2,3\n", { short_rows: "fill" })).toEqual([
    [
      { a: "1", b: "" },
      { a: "2", b: "3" },
    ],
    ["short_rows"],
  ])
  const long = ask("a,b\n1,2,3\n", { short_rows: "fill" })
  await expect(long).rejects.toThrow("has 3 in the row at line 2, column 1.")
})

test("numbers beyond the range of a double are named", async () => {
  for (const number of ["1e400", "-1e309", "1e-400"])
    expect((await convert(number, "json", "yaml")).problems.map(({ code }) => code)).toEqual(["huge_numbers"])
  for (const number of ["1e308", "0e400", "0.000", "5e-324", "12345678901234567890"])
    expect((await convert(number, "json", "yaml")).problems).toEqual([])
})

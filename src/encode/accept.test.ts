import { expect, test } from "bun:test"
import fc from "fast-check"
import { anyCharacter } from "../../test/support/any-character.ts"
import { type Format, formats, negotiate, preferredType } from "./formats.ts"

/** Headers, each with the format that it asks for. */
const cases: Readonly<Record<string, Readonly<Record<string, Format>>>> = {
  "an empty header, or nothing known in it": {
    "": "json",
    " ": "json",
    "*/*": "json",
    "text/html": "json",
    "image/*": "json",
    "*": "json",
    "application/vnd.api+json": "json",
    "application/json;q=0": "json",
    "*/*;q=0": "json",
    "application/xml;q=0": "json",
    xml: "json",
  },
  "every media type of every format": {
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "text/yaml": "yaml",
    "text/csv": "csv",
  },
  "the highest weight wins": {
    "application/json;q=0.5, application/xml": "xml",
    "application/xml;q=0.5, application/json": "json",
    "application/xml;q=0.2, text/csv;q=0.9, text/yaml;q=0.3": "csv",
    "application/xml;q=0.899,application/yaml;q=0.9": "yaml",
    "text/csv;q=0.001": "csv",
    "text/csv;q=1.000, text/xml;q=0.999": "csv",
    "application/xml;q=0.1, text/html": "json",
    "application/xml;q=0.1, text/xml;q=0.6, application/yaml;q=0.5": "xml",
  },
  "a more specific range decides a type's weight, in any order": {
    "*/*, application/json;q=0": "xml",
    "application/json;q=0, */*": "xml",
    "application/json;q=0, application/xml;q=0, */*": "yaml",
    "application/*;q=0, */*": "csv",
    "*/*, application/*;q=0, text/csv;q=0": "json",
    "application/*, application/json;q=0.1": "xml",
    "*/*;q=0.9, application/*;q=0.1": "csv",
    "text/*": "csv",
    "application/*": "json",
    "application/*;q=0.5, text/csv;q=0.4": "json",
    "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8": "json",
  },
  "equal weights: the more specific range, then the type named first": {
    "application/xml, */*": "xml",
    "*/*, text/csv": "csv",
    "application/json, text/plain, */*": "json",
    "text/csv, application/json": "csv",
    "application/json, text/csv": "json",
    "application/yaml;q=0.5, application/xml;q=0.5": "yaml",
  },
  "letter case, spaces, parameters and empty elements do not matter": {
    "Application/XML": "xml",
    "  text/csv  ": "csv",
    "TEXT/YAML;Q=1": "yaml",
    "application/xml\t;\tq=0.9 , application/json ; q=0.8": "xml",
    "application/json; charset=utf-8; q=0.1, application/yaml; charset=utf-8": "yaml",
    "text/csv;header=present": "csv",
    ",, ,application/xml,,": "xml",
    "application/xml;;q=0.5;, application/json;q=0.4": "xml",
    "application/xml;q=0.1;ext=1, application/json;q=0": "xml",
    "application/json;q=0.1, application/xml;q=0.5, application/json;q=0.9": "json",
  },
  "quoted strings hide separators and weights": {
    'application/xml;a="x,text/csv;q=1", application/yaml;q=0.5': "xml",
    'application/xml;a=";q=0";q=0.2, application/json;q=0.1': "xml",
    'application/xml;a="\\",text/csv,";q=0.3, text/yaml;q=0.2': "xml",
    'text/yaml;a="never closed, text/csv': "yaml",
  },
  "a range with a malformed weight is not accepted": {
    "application/xml;q=high": "json",
    "application/xml;q=2": "json",
    "application/xml;q=-1": "json",
    "application/xml;q=1.1": "json",
    "application/xml;q=": "json",
    "application/xml;q=1e0": "json",
    "application/xml;q=NaN, text/csv;q=0.1": "csv",
    "application/xml;q=0.33333, text/csv;q=0.3": "xml",
    "application/xml;q=0., application/json;q=0": "json",
  },
}

test.each(Object.entries(cases))("%s", (_rule, formatByHeader) => {
  const answers = Object.keys(formatByHeader).map((accept) => [accept, negotiate(accept)])
  expect(Object.fromEntries(answers)).toEqual(formatByHeader)
})

test("no header: json", () => expect(negotiate(null)).toBe("json"))

test("other media types by the same rules", () => {
  const types = ["a/b", "c/d"]
  expect(preferredType("c/d;v=1, a/b", types)).toBe("c/d")
  expect(preferredType("c/d;q=0.5, */*", types)).toBe("a/b")
  expect(preferredType("text/html", types)).toBeUndefined()
})

test("hostile headers never throw", () => {
  const typed = ["text/csv", "application/*", "*/*", ";q=", "__proto__"]
  const pieces = fc.constantFrom(...'a/*;,=q01."\\ \t', ...typed)
  const pieced = fc.array(pieces, { maxLength: 40 }).map((all) => all.join(""))
  const header = fc.oneof(fc.string({ unit: anyCharacter }), pieced)
  fc.assert(
    fc.property(header, (accept) => formats.includes(negotiate(accept))),
    { numRuns: 500 },
  )
})

// A request's headers have 16 kB at most. Quadratic work on ten times that would outlast the test's time limit.
test.each(['"', ",", ";", '"\\', "a;", ' ";,', "\t", 'a;q="",', "*/*,", "text/csv;q=0.", "q=0"])(
  "hostile headers: %j, over and over",
  (piece) => {
    const flood = piece.repeat(160_000 / piece.length)
    expect(formats).toContain(negotiate(flood))
    expect(formats).toContain(negotiate(`"${flood}`))
    expect(formats).toContain(negotiate(`text/csv;q=0${flood}`))
  },
)

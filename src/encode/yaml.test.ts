import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { CORE_SCHEMA, load, YAML11_SCHEMA } from "js-yaml"
import { parse } from "yaml"
import {
  anyEnvelope,
  everything,
  failure,
  lookalikes,
  toJsonValue,
} from "../../test/data/envelope-samples.ts"
import { encodeEnvelope } from "./formats.ts"
import type { Envelope } from "./tree.ts"

const encodeYaml = (envelope: Envelope) => encodeEnvelope("yaml", envelope)

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "js-yaml, YAML 1.1": (text) => load(text, { schema: YAML11_SCHEMA }),
  "js-yaml, YAML 1.2": (text) => load(text, { schema: CORE_SCHEMA }),
  "yaml, YAML 1.1": (text) => parse(text, { version: "1.1" }),
  "yaml, YAML 1.2": (text) => parse(text, { version: "1.2" }),
}

describe.each(Object.entries(readers))("%s", (name, read) => {
  test("is a reader of its version", () => {
    const text = "[yes, 010, 0o10, 190:20:30, 2025-01-01]"
    const is11 = name.endsWith("1.1")
    expect(read(text)).toEqual(
      is11 ? [true, 8, "0o10", 685230, new Date("2025-01-01")] : ["yes", 10, 8, "190:20:30", "2025-01-01"],
    )
  })

  test("loads the JSON value", () => {
    expect(read(encodeYaml(everything))).toEqual(toJsonValue(everything, wellFormed))
    expect(read(encodeYaml(failure))).toEqual(toJsonValue(failure))
  })

  test("loads the JSON value of any envelope", () =>
    fc.assert(
      fc.property(anyEnvelope, (envelope) => {
        expect(read(encodeYaml(envelope))).toEqual(toJsonValue(envelope, wellFormed))
      }),
      { numRuns: 150 },
    ))
})

test("plain text is plain, all that looks like something else is quoted", () => {
  expect(
    encodeYaml({
      status: "ok",
      error: null,
      data: {
        company: "Nordic Semiconductor ASA",
        sunrise: "2025-01-01T08:06:11.000Z",
        ip: "192.0.2.1",
        include: "_spf.example.com",
        answer: "yes",
        no: 1,
        huge: 1e21,
        tiny: -1e-7,
        list: ["a", []],
        nothing: null,
      },
    }),
  ).toBe(`status: ok
error: null
data:
  company: Nordic Semiconductor ASA
  sunrise: "2025-01-01T08:06:11.000Z"
  ip: "192.0.2.1"
  include: "_spf.example.com"
  answer: "yes"
  "no": 1
  huge: 1.0e+21
  tiny: -1.0e-7
  list:
    - a
    - []
  nothing: null
`)
  const unquoted = encodeYaml({ status: "ok", error: null, data: { lookalikes } })
    .split("\n")
    .filter((line) => line.startsWith("    - ") && !line.startsWith('    - "'))
  expect(unquoted).toEqual([])
})

test("one scalar is one line, however long or often", () => {
  const text = `${"word ".repeat(500)}\nend`
  const shared = { text }
  const yaml = encodeYaml({ status: "ok", error: null, data: { a: shared, b: [shared, shared] } })
  expect(yaml.trimEnd().split("\n")).toHaveLength(8)
  expect(yaml).not.toMatch(/[&*!|>]/)
})

test("holds no character that YAML 1.1 readers refuse or read as a line break", () => {
  const refused = /[^\n -~\xA0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/u
  expect(encodeYaml(everything)).not.toMatch(refused)
  fc.assert(
    fc.property(anyEnvelope, (envelope) => !refused.test(encodeYaml(envelope))),
    { numRuns: 150 },
  )
})

const wellFormed = (text: string): string => text.toWellFormed()

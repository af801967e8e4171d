import fc from "fast-check"
import type { Envelope } from "../../src/encode/tree.ts"
import { anyCharacter } from "../support/any-character.ts"

/** Strings that one reader or another takes for something else when they stand unquoted. */
export const lookalikes: readonly string[] = [
  ..."y Y n N yes Yes YES no No NO on On ON off Off OFF true True TRUE false False FALSE".split(" "),
  ..."null Null NULL ~ = << <<: - ? : -- --- ... # % @ ` ! & * | > | , [ ] { } [] {} \" ' \\".split(" "),
  ..."0 -0 +0 00 007 0755 0o17 0b1 0b1010_0111 0x1 0x1F -0x1F 1_000 +12 -12 1. .5 -.5 1.5 1e3 1E3 1.0e+3 1e+21".split(
    " ",
  ),
  ..."6.02e23 .inf -.inf +.Inf .nan .NaN Infinity NaN 190:20:30 1:30 12:30:45 190:20:30.15 e1 E-5 e+5 e1_0 inf nan 1__0 _1".split(
    " ",
  ),
  ..."2025-01-01 2025-1-1 2025-01-01T00:00:00Z 2025-01-01T00:00:00.000Z 0001-01-01 2001-12-14t21:59:43.10-05:00".split(
    " ",
  ),
  "2001-12-14 21:59:43.10 -5",
  ..."!!str x|&anchor x|*alias|- item|? key|key: value|key:|text # comment|text #|%YAML 1.1|]]>".split("|"),
  ...'<![CDATA[x]]>|&amp; &#13; &lt;|<!-- x -->|=1+1|a,b|say "so"'.split("|"),
]

/** Strings of blanks and of characters that some format forbids, folds or normalises. */
const awkward: readonly string[] = [
  ...["", " ", "   ", "\t", "\n", "\r", "\r\n", " leading", "trailing ", "\ttabs\t", "\nfirst\n\nthird\n"],
  ...["two  blanks", "carriage\rreturn\r\nnewline\n"],
  "nul \0 bell \x07 backspace \b escape \x1B unit \x1F",
  "del \x7F c1 \x80 nel \x85 last \x9F nbsp \xA0",
  "line \u2028 paragraph \u2029",
  "bom \uFEFF\uFEFF",
  "\uFEFFbom first",
  "noncharacters \uFFFE \uFFFF \uFDD0 \u{1FFFE} \u{10FFFF}",
  "lone \uD83D and \uDE00 and \uDE00\uD83D",
  "😀 ligné 中文 עברית \u202E",
  `long ${"word ".repeat(60)}end`,
  `${"x".repeat(2000)}: y`,
]

const shared = { note: "the same object twice" }

/** A data object for every kind of JSON value, and for every string above as a value and in an array. */
export const everything: Envelope = {
  status: "ok",
  error: null,
  data: {
    lookalikes,
    awkward,
    byPosition: Object.fromEntries([...lookalikes, ...awkward].map((text, index) => [`k${index}`, text])),
    numbers: "0 -0 1 -1 1.5 0.1 -1e-7 1.5e-7 5e-324 1e21 -1e21 1.5e300 9007199254740992 123456789012345680000"
      .split(" ")
      .map(Number),
    booleans: { yes: true, no: false, on: [true, false] },
    nothing: null,
    nothings: [null, null, "", "null"],
    empty: { list: [], object: {}, text: "", nested: [[], [[]], {}] },
    nested: [[1, 2], [[3], "4"], { a: [{ b: [5] }] }],
    twice: [shared, shared],
    shared,
    y: 1,
    null: 2,
    "0x1F": 3,
    "1_000": 4,
    "1e3": 5,
    "12": 6,
    _: 7,
  },
}

export const failure: Envelope = {
  status: "error",
  error: "The 'companyid' parameter must be a number from 0 to 65535, or hexadecimal.",
  data: null,
}

const hostileString = fc.oneof(
  fc.constantFrom(...lookalikes, ...awkward),
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({ unit: fc.constantFrom(..."0123456789+-.:_eExXobTZ ") }),
  fc.string({ unit: fc.constantFrom(..."'\"\\,;:#&*!|>%@`{}[]?-=<~/ab \t\r\n\0\x7F\x85\u2028\uFEFF") }),
  fc.string({ unit: fc.constantFrom(..."abcyYnNoO ._-:#") }),
)

const key = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z0-9_]{1,10}$/),
    fc.constantFrom(..."y n on off yes no null true false 0x1F 1_000 1e3 0o17 0b1 12".split(" ")),
  )
  // `_1` would share its element with `1`.
  .filter((name) => !/^_\d/.test(name) && name !== "__proto__")

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    hostileString,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
}))

/** Successes and failures, with strings of any UTF-16 code units. */
export const anyEnvelope: fc.Arbitrary<Envelope> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .dictionary(key, value, { maxKeys: 8, noNullPrototype: true })
      .map((data) => ({ status: "ok" as const, error: null, data })),
  },
  { weight: 1, arbitrary: hostileString.map((error) => ({ status: "error" as const, error, data: null })) },
)

/** The JSON value of an envelope, its strings passed through `change`. */
export const toJsonValue = (envelope: Envelope, change = (text: string) => text): Record<string, unknown> =>
  JSON.parse(JSON.stringify(envelope), (_key, member: unknown) =>
    typeof member === "string" ? change(member) : member,
  )

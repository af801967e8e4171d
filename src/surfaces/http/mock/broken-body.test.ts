import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { parse as parseYaml } from "yaml"
import { errorReaders } from "../../../../test/support/formats.ts"
import { encodeEnvelope, formats } from "../../../encode/formats.ts"
import { toBrokenBody } from "./delays.ts"

/** Texts that formats quote, fold or leave alone, so that the cut falls inside a quoted, a plain or a block text. */
const texts = [
  ...["plain", "The API key has expired.", 'a "quoted", b', "two\nlines: yes", `${'"'.repeat(9)}`],
  ...[`${"'".repeat(9)}`, "no", "1.5", `- {[#&*!|>%@\`,"`, "tail\r\n"],
]

const readers: Readonly<Record<string, readonly ((text: string) => unknown)[]>> = {
  ...Object.fromEntries(Object.entries(errorReaders).map(([format, read]) => [format, [read]])),
  yaml: [errorReaders.yaml ?? JSON.parse, (text) => parseYaml(text), Bun.YAML.parse],
}

describe.each(formats.map((format) => [format]))("%s", (format) => {
  test("is never readable, wherever the middle falls", () => {
    const text = fc.oneof(
      fc.constantFrom(...texts),
      fc.string({ unit: fc.constantFrom("a", "é", " ", '"', "'", ",", ":", "\n", "{", "#"), maxLength: 60 }),
    )
    const data = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.oneof(text, fc.array(text), fc.integer()),
      { maxKeys: 4 },
    )
    const envelope = fc.oneof(
      data.map((given) => ({ status: "ok" as const, error: null, data: given })),
      text.map((error) => ({ status: "error" as const, error, data: null })),
    )
    fc.assert(
      fc.property(envelope, (given) => {
        const whole = encodeEnvelope(format, given)
        const broken = toBrokenBody(whole)
        for (const read of readers[format] ?? []) expect(() => read(broken)).toThrow()
      }),
      { numRuns: 500 },
    )
  })

  test("is readable before it is broken", () => {
    for (const error of texts) {
      const whole = encodeEnvelope(format, { status: "error", error, data: null })
      for (const read of readers[format] ?? []) expect(() => read(whole)).not.toThrow()
    }
  })
})

/**
 * Sends values that break programs in each parameter of each API. The call is answered, or refused with a 400 that names a
 * parameter. Only answers are charged.
 */
import { expect, test } from "bun:test"
import type { ApiDefinition } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { readAnswer } from "./support/answer.ts"
import { startExampleService } from "./support/example-service.ts"
import type { TestService } from "./support/service.ts"
import { inTurn } from "./support/turns.ts"

const { service, prepareFor } = await startExampleService()

/** Texts: empty, white space, controls, other scripts, names of JavaScript, dates and numbers that do not exist, formulas. */
const texts = [
  ...["", " ", "\u0000", "a\u0000b", "\r\n", "\u202eevil", "\ufeff", "e\u0301\u0301\u0301"],
  ...["👩‍👩‍👧‍👦", "ß", "İ", "漢字", "العربية", "١٢"],
  ...["__proto__", "constructor", "toString", "null", "true", "NaN", "Infinity", "-0", "1e999", "0x10"],
  ..."9007199254740993 -1 99999999999999999999999999 2023-02-30 2023-02-29T25:61:61Z 0000-00-00".split(" "),
  ...["=1+1", "' OR 1=1 --", "../../etc/passwd", "<script>", "&lt;", "%", "%00", "\\", '"'],
]

/** Long texts: 20,000 times one character. test/worst has those that an API takes longest for, up to its limit. */
const longTexts = ["a", "9", "[", "(a+)+", "\u0301", "漢", ".", " ", "<b>", "*", "{"].map((part) =>
  part.repeat(Math.floor(20_000 / part.length)),
)

/** JSON values other than text, as they are written in a body. */
const jsonValues = [
  ..."null true 0 -1 1.5 1e308 9007199254740993 123456789012345678901234567890 [] {} [[]] [null]".split(" "),
  ...['[{"a": 1}]', '{"__proto__": {"a": 1}}', '{"constructor": 1}', '"\\ud800"', '["\\udfff"]'],
  ...["[1, 1, 1]", '{"a": {"a": {"a": []}}}', "5e-324", "-0"],
  `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
  `[${"0,".repeat(99_999)}0]`,
]

test.each(inTurn(catalog, 8).map((api) => [api.id, api] as const))("%s", async (_id, api) => {
  const [example] = api.examples
  if (!example) throw new Error("the API has no example")
  prepareFor(example)
  const { account, key } = await service.createKey("pro")
  let answered = 0
  for (const { shown, send } of callsOf(api, example.input, service, key)) {
    const response = await send()
    const { status, error, data } = await readAnswer(response)
    if (response.status === 200) {
      expect([shown, status, error]).toEqual([shown, "ok", null])
      answered++
    } else {
      expect([shown, response.status, status, data]).toEqual([shown, 400, "error", null])
      expect([shown, error]).toEqual([shown, expect.stringMatching(/^The '\w+' parameter \S.{3,390}\.$/s)])
      const named = /'(\w+)'/.exec(error ?? "")?.[1]
      expect([shown, [...Object.keys(api.input.properties), "body"]]).toEqual([
        shown,
        expect.arrayContaining([named]),
      ])
    }
  }
  expect((await service.accounts.show(account)).balance.used).toBe(answered * api.credits)
})

/** A call for each parameter and value, with the example's values in the other parameters. */
function callsOf(
  api: ApiDefinition,
  input: Readonly<Record<string, unknown>>,
  service: TestService,
  key: string,
) {
  const names = Object.keys(api.input.properties)
  if (api.method === "GET") {
    const rest = (name: string) => {
      const others = Object.entries(input).filter(([other]) => other !== name)
      return others.flatMap(([other, value]) =>
        [value].flat().map((item) => `${other}=${encodeURIComponent(String(item))}`),
      )
    }
    const values = [...texts.map(encodeURIComponent), "a".repeat(6_000), "%ff", "%ed%a0%80", "%zz", "+"]
    return names.flatMap((name) =>
      [...values.map((value) => `${name}=${value}`), `${name}=1&${name}=2`, name].map((given) => ({
        shown: given.slice(0, 100),
        send: () => service.fetch(`/v1/${api.id}?${[...rest(name), given].join("&")}`, { key }),
      })),
    )
  }
  const values = [...jsonValues, ...[...texts, ...longTexts].map((text) => JSON.stringify(text))]
  return names.flatMap((name) => {
    const others = Object.entries(input).filter(([other]) => other !== name)
    const before = others.map(([other, value]) => `${JSON.stringify(other)}: ${JSON.stringify(value)}, `)
    return values.map((value) => ({
      shown: `${name}: ${value.slice(0, 100)}`,
      send: () => service.post(`/v1/${api.id}`, `{${before.join("")}"${name}": ${value}}`, { key }),
    }))
  })
}

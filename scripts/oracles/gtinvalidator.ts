import fc from "fast-check"
import { gtinvalidator } from "../../src/apis/gtinvalidator/index.ts"
import { ask, askPython, debianVersion, defineOracle } from "./oracle.ts"
import { gtinSuite } from "./suites/stdnum.ts"

interface Answer {
  readonly valid: boolean
  readonly isbn13: string | null
}

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length })
const book = fc.tuple(fc.constantFrom("978", "979"), digits(10)).map((parts) => parts.join(""))
const issn = fc
  .tuple(digits(4), digits(3), fc.constantFrom(..."0123456789X"))
  .map(([a, b, c]) => `${a}-${b}${c}`)
const isbn10 = fc.tuple(digits(9), fc.constantFrom(..."0123456789X")).map((parts) => parts.join(""))
const anyLength = fc.constantFrom(7, 8, 10, 11, 12, 13, 14, 15).chain(digits)
const valid = fc.oneof(fc.constantFrom(8, 12, 13, 14).chain(digits), book).map((text) => {
  const sum = [...text.slice(0, -1)]
    .reverse()
    .reduce((total, one, index) => total + Number(one) * (3 - 2 * (index % 2)), 0)
  return `${text.slice(0, -1)}${(1000 - sum) % 10}`
})

export const oracle = defineOracle<string, Answer>({
  api: "gtinvalidator",
  against: "python3-stdnum",
  cases: 10_000,
  generate: fc.oneof(valid, book, issn, isbn10, anyLength),
  version: () => debianVersion("python3-stdnum"),
  async ours(code) {
    const answer = await ask(gtinvalidator, { code })
    return { valid: answer?.is_valid ?? false, isbn13: answer?.converted.isbn13 ?? null }
  },
  theirs: (codes) => askPython("gtinvalidator.py", codes, "python3-stdnum"),
  known: [
    {
      reason: "eight digits that begin with 0 may be a UPC-E, which stdnum does not know",
      fits: (code, ours, theirs) => /^0\d{7}$/.test(code) && ours.valid && !theirs.valid,
    },
    {
      reason: "979-0 is an ISMN, of sheet music (ISO 10957); stdnum takes it for an ISBN",
      fits: (code, ours, theirs) => code.startsWith("9790") && ours.valid === theirs.valid,
    },
  ],
})

export const suites = [gtinSuite]

import fc from "fast-check"
import { parsePolicy, validateMx } from "mailauth/lib/mta-sts.js"
import mailauth from "mailauth/package.json" with { type: "json" }
import { mtastsvalidator } from "../../src/apis/mtastsvalidator/index.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import { ask, defineOracle } from "./oracle.ts"

/**
 * The values that a sender takes from a policy, and whether it may deliver to the host; null for a policy that does not count.
 */
type Answer = {
  readonly mode: string
  readonly maxAge: number
  readonly mx: readonly string[]
  readonly covers: boolean
} | null

const label = fc.constantFrom("a", "b", "mail", "mx-1", "A", "xn--bcher-kva", "1")
const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join(".")}.test`)
const mx = fc.oneof(
  { weight: 4, arbitrary: host },
  { weight: 4, arbitrary: host.map((name) => `*.${name}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("*", "*.*.test", "a..test", "-a.test", "a_b.test", "a.test.", "ü.test", ""),
  },
)
const blank = fc.constantFrom("", " ", "\t", "  ")
const line = (name: string, value: fc.Arbitrary<string>) =>
  fc.tuple(blank, value, blank).map(([one, text, two]) => `${name}:${one}${text}${two}`)
const age = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 31_557_600 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom("31557601", "-1", "1e5", "0x10", "", "99999999999", "007") },
)
const other = fc.constantFrom(..."x: y|X-1_2.z: a b|Mode: none||no colon|x:| x: y|é: y|x: é 漢".split("|"))
const policy = fc
  .tuple(
    fc.option(line("version", fc.constantFrom("STSv1", "STSv1", "STSv1", "STSv1", "STSv2", "stsv1")), {
      freq: 20,
    }),
    fc.option(line("mode", fc.constantFrom("enforce", "enforce", "testing", "testing", "none", "Enforce")), {
      freq: 20,
    }),
    fc.option(line("max_age", age), { freq: 20 }),
    fc.array(line("mx", mx), { maxLength: 4 }),
    fc.array(fc.oneof(other, line("mode", fc.constantFrom("testing", "x"))), { maxLength: 2 }),
    fc.constantFrom("\n", "\r\n"),
    fc.boolean(),
    fc.infiniteStream(fc.nat()),
  )
  .map(([version, mode, maxAge, all, others, term, ends, order]) => {
    const lines = [version, mode, maxAge, ...all, ...others].flatMap((one) => (one === null ? [] : [one]))
    const shuffled = lines
      .map((text) => ({ text, place: order.next().value ?? 0 }))
      .sort((one, two) => one.place - two.place)
      .map(({ text }) => text)
    return shuffled.join(term) + (ends ? term : "")
  })

export const oracle = defineOracle<{ readonly policy: string; readonly host: string }, Answer>({
  api: "mtastsvalidator",
  against: "mailauth",
  cases: 10_000,
  generate: fc.record({
    policy,
    host: fc.oneof(
      host,
      label.map((one) => `${one}.a.test`),
    ),
  }),
  version: async () => mailauth.version,
  async ours({ policy, host }) {
    const dns = createZoneDns({ "d.test": [{ MX: [10, host] }] })
    const answer = await ask(mtastsvalidator, { domain: "d.test", policy }, { ...portsFor({}), dns })
    const own = ["no_record", "mx_not_covered"]
    const refused = answer?.problems.some(({ code, severity }) => severity === "error" && !own.includes(code))
    if (!answer || refused || answer.mode === null || answer.max_age === null) return null
    const covers = answer.mode === "none" || answer.mx_matches.every(({ matched_by }) => matched_by !== null)
    return { mode: answer.mode, maxAge: answer.max_age, mx: answer.mx, covers }
  },
  theirs: async (tests) =>
    tests.map(({ policy, host }) => {
      try {
        const read = parsePolicy(policy, { strict: true })
        const { mode, maxAge, mx = [] } = read
        return { mode, maxAge, mx, covers: validateMx(host, read).valid }
      } catch {
        return null
      }
    }),
  known: [
    {
      reason:
        "a line that is empty, or no name, colon and value, is none of RFC 8461 §3.2; mailauth skips it",
      fits: ({ policy }, ours, theirs) => ours === null && theirs !== null && hasWrongLine(policy),
    },
  ],
})

function hasWrongLine(policy: string): boolean {
  const lines = policy.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines.some((one) => !/^[A-Za-z\d][\w.-]{0,31}:[ \t]*[^\s\p{Cc}]/u.test(one))
}

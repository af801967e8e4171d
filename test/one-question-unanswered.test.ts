/** Each API that asks the DNS, while one of its questions gets no answer: nothing is told of what was not found out. */
import { expect, test } from "bun:test"
import type { ApiDefinition, Dns, Example } from "../src/apis/contract.ts"
import { Unavailable } from "../src/apis/contract.ts"
import { isolatedRuns } from "../src/apis/isolated-runs.ts"
import {
  exampleGiven as signed,
  exampleAnchor as trust_anchor,
} from "../src/apis/mail/dnssec/example-zone.ts"
import { catalog } from "../src/app/prepare.ts"
import { kept, policy } from "./support/audited-domain.ts"
import { portsFor } from "./support/zone-ports.ts"

/** Fields that are true only for what was confirmed, so that false says nothing of what has no answer. */
const confirmed = /\.(?:is_valid|spf_valid|is_secure|is_usable|is_protected|is_authentic|ip_pass)$/

const redirected: Example = {
  name: "A redirect",
  input: { domain: "a.example" },
  given: {
    dns: { "a.example": [{ TXT: "v=spf1 redirect=b.example" }], "b.example": [{ TXT: "v=spf1 -all" }] },
  },
  output: {},
}
const audited: Example = {
  name: "A domain that is not signed",
  input: { domain: "firm.example", selectors: ["s1"], trust_anchor },
  given: { now: signed.now, dns: { ...signed.dns, ...kept }, web: policy("enforce") },
  output: {},
}
const unsigned: Example = {
  name: "A DNS server that does not pass on DNSSEC",
  ...{ input: { domain: "firm.example", selectors: ["s1"] }, output: {} },
  given: { now: signed.now, dns: kept, web: policy("enforce") },
}
const more: Readonly<Record<string, readonly Example[]>> = {
  spfvalidator: [redirected],
  mailaudit: [audited, unsigned],
}

const asking = catalog.filter(({ asksDns }) => asksDns)
const cases = asking.flatMap((api) =>
  [...api.examples, ...(more[api.id] ?? [])].map((example) => [api.id, example.name, api, example] as const),
)

/** Every value of an answer by its place in it. */
function valuesOf(value: unknown, place = ""): (readonly [place: string, value: unknown])[] {
  if (typeof value !== "object" || value === null) return [[place, value]]
  const name = "id" in value && "status" in value ? `.${String(value.id)}` : ""
  return Object.entries(value).flatMap(([key, one]) => valuesOf(one, `${place}${name}.${key}`))
}

/** The answer of an example whose DNS answers no question of which `isLost` is true. */
async function runWith(api: ApiDefinition, example: Example, isLost: (question: string) => boolean) {
  const ports = portsFor(example)
  const questions = new Set<string>()
  const lost = (question: string) => {
    questions.add(question)
    return isLost(question)
  }
  const failure = { kind: "failure", reason: "timeout" } as const
  const dns: Dns = {
    resolve: async (name, type, ...asker) =>
      lost(`${name.toLowerCase()} ${type}`) ? failure : ports.dns.resolve(name, type, ...asker),
    exchange: async (name, type, ...asker) =>
      lost(`${name.toLowerCase()} ${type}`) ? failure : ports.dns.exchange(name, type, ...asker),
  }
  const { run } = (await isolatedRuns[api.id as keyof typeof isolatedRuns]?.()) ?? api
  const context = { ports: { ...ports, dns }, giveWay: () => undefined, premium: true }
  const answer = await Promise.resolve(run(example.input as never, context)).catch((cause: unknown) => {
    if (cause instanceof Unavailable) return null
    throw cause
  })
  return { questions, answer }
}

const isBad = (value: unknown) => value === "fail" || value === "warning"
const tried = new Set<string>()

test.each(cases)(
  "of what has no answer no result says that it is wrong or missing: %s: %s",
  async (_id, _name, api, example) => {
    const whole = await runWith(api, example, () => false)
    if (whole.questions.size > 0) tried.add(api.id)
    const before = new Map(valuesOf(whole.answer))
    for (const question of whole.questions) {
      const { answer } = await runWith(api, example, (one) => one === question)
      if (answer === null) continue
      const worse = valuesOf(answer).filter(([place, value]) => {
        const was = before.get(place)
        if (place.endsWith(".risk_level")) return value === "high" && was !== "high"
        // A domain takes mail until it is known that it takes none.
        if (/^\.checks\..*\.status$/.test(place))
          return isBad(value) && !isBad(was) && was !== "not_applicable"
        return was === true && value === false && !confirmed.test(place)
      })
      expect({ question, worse }).toEqual({ question, worse: [] })
    }
  },
)

test("every API that asks the DNS was tried", () =>
  expect([...tried].sort()).toEqual(asking.map(({ id }) => id).sort()))

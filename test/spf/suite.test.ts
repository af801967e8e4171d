/**
 * The public RFC 7208 suite, if its file is next to the project. The tests of the validator cover the same areas without
 * it.
 */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Dns, InputRejected } from "../../src/apis/contract.ts"
import { spfvalidator } from "../../src/apis/spfvalidator/index.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { resolverFor, throughSilence, useDns } from "../support/resolver.ts"
import { loadSuite, type SuiteCase, type SuiteScenario } from "./suite.ts"
import { contextWith } from "./support.ts"

const path = join(import.meta.dir, "../../../shared/data/rfc7208/rfc7208-tests.yml")

if (existsSync(path)) describeSuite(loadSuite(path))
else {
  test(`the RFC 7208 suite was skipped, since there is no ${path}`, () =>
    expect(existsSync(path)).toBe(false))
}

function describeSuite(scenarios: readonly SuiteScenario[]): void {
  const { serve } = useDns({})
  test("the suite is all there", () => {
    const cases = scenarios.flatMap((scenario) => scenario.cases)
    expect(cases).toHaveLength(203)
    expect(cases.filter(({ explanation }) => explanation !== null)).toHaveLength(22)
  })

  for (const { name, cases, zone } of scenarios) {
    describe(name, () => {
      const dns = createZoneDns(zone)
      for (const item of cases)
        test(`${item.id} (${item.spec})`, async () => requireExpected(item, await check(item, dns)))

      test("the same over the network", async () => {
        const server = await serve({ ttlSeconds: 0, negativeTtlSeconds: 0 }, zone)
        const resolver = resolverFor([server])
        const checks = Promise.all(cases.map((item) => check(item, resolver)))
        const outcomes = await throughSilence(checks, resolver.timer)
        for (const [index, item] of cases.entries()) requireExpected(item, outcomes[index])
        expect(server.queries).not.toEqual([])
      })
    })
  }
}

function requireExpected(item: SuiteCase, outcome: Outcome | undefined): void {
  expect({
    id: item.id,
    result: item.results.includes(outcome?.result ?? "") ? "expected" : outcome?.result,
  }).toEqual({ id: item.id, result: "expected" })
  if (item.explanation === "DEFAULT") expect(outcome?.explanation).toBeUndefined()
  else if (item.explanation !== null) expect(outcome?.explanation).toBe(item.explanation)
}

interface Outcome {
  readonly result: string | undefined
  readonly explanation: string | undefined
}

/** Calls the API. For a refused domain the suite expects the result none. */
async function check(item: SuiteCase, dns: Dns): Promise<Outcome> {
  const { domain, ip, mailFrom, helo } = item
  const parameters = { domain, ip, ...(mailFrom && { sender: mailFrom }), ...(helo && { helo }) }
  try {
    const data = await spfvalidator.run(parameters, contextWith(dns))
    return { result: data.ip_result, explanation: data.ip_explanation }
  } catch (error) {
    if (!(error instanceof InputRejected)) throw error
    expect(error.parameter).toBe("domain")
    return { result: "none", explanation: undefined }
  }
}

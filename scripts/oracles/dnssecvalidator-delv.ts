import { once } from "../../src/values/once.ts"
import {
  anyCase,
  type Case,
  differences,
  fixedCases,
  ourVerdict,
  serveZones,
  type Verdict,
} from "../dnssec-zones/serve.ts"
import { debianVersion, defineOracle, run } from "./oracle.ts"

const served = once(() => serveZones(false))

async function theirVerdict({ name, type }: Case): Promise<Verdict> {
  const anchor = ["-a", (await served()).anchorFile, "+root=."]
  const { out, err } = await run(
    ["delv", ...anchor, "@127.0.0.1", "-p", String((await served()).port), name, type],
    "",
  )
  const text = `${out}\n${err}`
  if (/resolution failed: (?!ncache)/.test(text)) return { status: "bogus", result: null }
  // An alias and its target each have a line of their own.
  const isInsecure = /^; (?:negative response, )?unsigned answer/m.test(text)
  if (!isInsecure && !/^; (?:negative response, )?fully validated/m.test(text))
    throw new Error(`delv ${name} ${type}:\n${text}`)
  const result = /NXDOMAIN$/m.test(out) ? "nxdomain" : /NXRRSET$/m.test(out) ? "nodata" : "records"
  return { status: isInsecure ? "insecure" : "secure", result }
}

export const oracle = defineOracle<Case, Verdict>({
  api: "dnssecvalidator",
  against: "delv",
  cases: 500,
  generate: anyCase,
  fixed: fixedCases,
  version: () => debianVersion("bind9-dnsutils"),
  ours: async (test) => ourVerdict(test, (await served()).port),
  async theirs(tests) {
    const verdicts: Verdict[] = []
    for (const test of tests) verdicts.push(await theirVerdict(test))
    return verdicts
  },
  known: differences,
})

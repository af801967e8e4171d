/**
 * Every API that asks the DNS, against a DNS server that plays one trick after another: it answers or refuses, charges for
 * answers alone, and takes little memory. `bun run fuzz --dns-modes` does the same to a process beside other calls.
 */
import { afterAll, expect, test } from "bun:test"
import { danelookup } from "../src/apis/danelookup/index.ts"
import { dnssecvalidator } from "../src/apis/dnssecvalidator/index.ts"
import { systemClock } from "../src/ports/clock.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { type HostileCall, hostileCalls, modeNames } from "./support/hostile-calls.ts"
import { startHostileDns } from "./support/hostile-dns.ts"
import { hostileModes } from "./support/hostile-modes.ts"
import { hostileAnchor } from "./support/hostile-signer.ts"
import { resolverFor } from "./support/resolver.ts"
import { startTestService } from "./support/service.ts"
import { inTurn } from "./support/turns.ts"

const server = await startHostileDns()
afterAll(() => server.stop())

async function startServiceThatWaits(queryTimeoutMs: number) {
  const dns = resolverFor([server], { clock: systemClock, timer: systemTimer, queryTimeoutMs })
  const service = await startTestService({ ports: { clock: systemClock, dns } })
  return { service, ...(await service.createKey("enterprise")) }
}

/** Gives up a silent server soon. */
const hasty = await startServiceThatWaits(40)
/** Gets every answer that comes, on a busy machine too. */
const patient = await startServiceThatWaits(10_000)
const calls = Map.groupBy(hostileCalls("d"), ({ mode }) => mode)

async function make({ api, input }: HostileCall, { service, key } = hasty) {
  const anchor = ["dnssecvalidator", "danelookup"].includes(api.id) ? { trust_anchor: hostileAnchor } : {}
  const answer = await service.call(api, { ...input, ...anchor }, { key })
  const { data, error }: { data: Record<string, unknown> | null; error: string | null } = JSON.parse(
    await answer.text(),
  )
  return { id: api.id, type: input.type, credits: api.credits, status: answer.status, data, error }
}

async function creditsUsed(): Promise<number> {
  const answer = await hasty.service.fetch("/v1/usage", { key: hasty.key })
  return Number(answer.headers.get("x-api-credits-used"))
}

/** The results of a trick's calls, and the credits that they cost. */
async function play(mode: string) {
  const before = await creditsUsed()
  const answers = await Promise.all((calls.get(mode) ?? []).map((call) => make(call)))
  return { answers, charged: (await creditsUsed()) - before }
}

test("there are at least 40 tricks, and each meets every API that asks the DNS", () => {
  expect(modeNames.length).toBeGreaterThanOrEqual(40)
  const ids = new Set(hostileCalls("d").map(({ api }) => api.id))
  const known = ["spfvalidator", "dnssecvalidator", "danelookup", "dnslookup", "reversedns", "caavalidator"]
  expect([...ids]).toEqual(
    expect.arrayContaining([...known, "dmarcvalidator", "dkimvalidator", "tlsrptvalidator"]),
  )
})

test.each(inTurn(modeNames, 6).map((name) => [name, hostileModes[name]?.what ?? ""]))(
  "answered or refused, and charged for when it is answered: %s: %s",
  async (mode) => {
    const { answers, charged } = await play(mode)
    const paid = answers.filter(({ status }) => status === 200)
    expect(answers.filter(({ status }) => ![200, 400, 502, 503].includes(status))).toEqual([])
    expect(charged).toBe(paid.reduce((sum, { credits }) => sum + credits, 0))
    expect(server.queries.get(mode)).toBeGreaterThan(0)
  },
)

test.each<[mode: string, status: string, code: string | null]>([
  ["ordinary", "secure", null],
  ["nxdomain-with-data", "secure", null],
  ["other-names-too", "secure", null],
  ["bad-opt", "secure", null],
  ["far-times", "secure", null],
  ["keys-of-one-tag", "secure", null],
  ["many-keys", "secure", null],
  ["long-keys", "secure", null],
  ["expired", "bogus", "signature_expired"],
  ["not-yet", "bogus", "signature_not_yet_valid"],
  ["times-swapped", "bogus", "signature_not_yet_valid"],
  ["unsigned", "bogus", "no_signature"],
  ["delegations-endless", "bogus", "wrong_signer"],
  ["many-ds", "bogus", "no_matching_key"],
  ["many-signatures", "bogus", "too_much_work"],
  ["signatures-ed448", "bogus", "unknown_key"],
  ["ten-thousand", "bogus", "too_many_records"],
  ["nsec3-150", "bogus", "no_proof"],
  ["nsec3-65535", "insecure", "nsec3_iterations"],
  ["cname-endless", "bogus", "no_signature"],
  ["silent", "indeterminate", "no_answer"],
  ["lame", "indeterminate", "no_answer"],
  ["pointer-self", "indeterminate", "no_answer"],
])("signatures and proofs are judged as they are meant: %s: %s", async (mode, status, code) => {
  const input = { name: `d.${mode}.test`, trust_anchor: hostileAnchor }
  const by = status === "indeterminate" ? hasty : patient
  const { data } = await make({ api: dnssecvalidator, mode, input }, by)
  expect(data).toMatchObject({ status, problems: code === null ? [] : [{ code }] })
  const dane = await make({ api: danelookup, mode, input: { host: input.name } }, by)
  expect(dane.data).toMatchObject({ is_usable: status === "secure", address_security: status })
})

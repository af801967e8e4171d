import { expect, test } from "bun:test"
import { answering, contextWith, portsWith, recording, txt } from "../../../test/spf/support.ts"
import { noExchange } from "../../../test/support/dns.ts"

import { createManualTimer } from "../../../test/support/timer.ts"

import { type Dns, type DnsFailure, InputRejected, Unavailable } from "../contract.ts"
import { spfvalidator } from "./index.ts"
import { validate } from "./validate.ts"

const denying = answering((_name, type) => (type === "TXT" ? txt("v=spf1 -all") : { kind: "nodata" }))

const run = (input: Parameters<typeof spfvalidator.run>[0], dns: Dns = denying) =>
  spfvalidator.run(input, contextWith(dns))

async function rejection(promise: unknown): Promise<InputRejected> {
  try {
    await promise
  } catch (error) {
    if (error instanceof InputRejected) return error
    throw error
  }
  throw new Error("nothing was rejected")
}

for (const domain of [
  "",
  ..."localhost 192.0.2.1 2001:db8::1 http://example.com/ ann@example.com".split(" "),
  "a b.example",
  "💩.la",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(127)}example`,
])
  test(`bad input names its parameter and causes no query: domain ${JSON.stringify(domain.slice(0, 30))}`, async () => {
    const dns = recording(denying)
    const error = await rejection(run({ domain }, dns))
    expect([error.parameter, dns.questions]).toEqual(["domain", []])
    expect(error.message).toMatch(/^The 'domain' parameter must .*[^.]\.$/)
  })

test.each([
  ["", "IPv4 or IPv6"],
  ["192.0.2", "IPv4 or IPv6"],
  ["example.com", "IPv4 or IPv6"],
  ["192.0.2.0/24", "prefix length"],
  ["2001:db8::/32", "prefix length"],
  ["fe80::1%eth0", "zone"],
  ["192.0.2.1 ", "IPv4 or IPv6"],
])("bad input names its parameter and causes no query: ip %j", async (ip, words) => {
  const error = await rejection(run({ domain: "d.example", ip }))
  expect(error.parameter).toBe("ip")
  expect(error.message).toContain(words)
})

test("bad input names its parameter and causes no query: of two bad parameters the first is named", async () =>
  expect((await rejection(run({ domain: "x", ip: "y" }))).parameter).toBe("domain"))

const failing = (reason: DnsFailure) => answering(() => ({ kind: "failure", reason }))

test.each(["timeout", "servfail", "refused", "malformed", "network"] as const)(
  "the DNS gives no answer for the domain itself: %s: unavailable",
  async (reason) => {
    const promise = Promise.resolve(run({ domain: "D.example" }, failing(reason)))
    await expect(promise).rejects.toThrow(Unavailable)
    await expect(promise).rejects.toThrow(/d\.example.*\(\w+\)\. Try again later\.$/)
  },
)

test("the DNS gives no answer for the domain itself: with an ip the result is temperror", async () => {
  const report = await run({ domain: "d.example", ip: "192.0.2.1" }, failing("timeout"))
  expect([report.ip_result, report.ip_pass, report.spf_valid, report.has_spf_record]).toEqual([
    "temperror",
    false,
    false,
    null,
  ])
  expect(report.issues_found).toMatchObject([{ code: "DNS_TEMPFAIL", domain: "d.example" }])
})

const silent: Dns = { resolve: () => new Promise(() => {}), exchange: noExchange }

test("time: when the signal fires, a DNS that ignores it is no longer waited for", async () => {
  const controller = new AbortController()
  const promise = validate({ domain: "d.example" }, contextWith(silent), controller.signal)
  controller.abort()
  await expect(promise).rejects.toThrow(/\(aborted\)/)
})

test("time: when the signal fires, names below the domain without an answer are temporary errors", async () => {
  const controller = new AbortController()
  const dns: Dns = {
    resolve(name, type, signal) {
      if (name === "d.example")
        return answering(() => txt("v=spf1 include:e.example a:f.example -all")).resolve(name, type)
      expect(signal).toBe(controller.signal)
      controller.abort()
      return silent.resolve(name, type)
    },
    exchange: noExchange,
  }
  const report = await validate({ domain: "d.example", ip: "192.0.2.1" }, contextWith(dns), controller.signal)
  expect(report.ip_result).toBe("temperror")
  expect(report.issues_found.map(({ code, term }) => `${code} ${term}`)).toEqual([
    "DNS_TEMPFAIL include:e.example",
    "DNS_TEMPFAIL a:f.example",
  ])
})

test("time: nothing is asked after the signal has fired", async () => {
  const dns = recording(denying)
  const gone = validate({ domain: "d.example" }, contextWith(dns), AbortSignal.abort())
  await expect(gone).rejects.toThrow(Unavailable)
  expect(dns.questions).toEqual([])
})

test("time ends after 20 seconds, and its timer is cancelled when it ends before", async () => {
  const timer = createManualTimer()
  const silent: Dns = {
    resolve: (_name, _type, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener("abort", () => resolve({ kind: "failure", reason: "aborted" }))
      }),
    exchange: noExchange,
  }
  const run = (domain: string, dns: Dns) =>
    spfvalidator.run(
      { domain, ip: "192.0.2.1" },
      { ports: { ...portsWith(dns), timer }, giveWay() {}, premium: true },
    )
  const late = run("d.example", silent)
  await timer.asked()
  expect(timer.waiting).toEqual([20_000])
  timer.fire()
  expect(await late).toMatchObject({ ip_result: "temperror" })

  await run("d.example", denying)
  await expect(run("", denying)).rejects.toThrow("'domain'")
  expect(timer.waiting).toEqual([])
})

test("time is measured with the monotonic clock", async () => {
  const times = [100]
  const clock = { now: () => 0, monotonicMs: () => times.shift() ?? 101.23456 }
  const ports = { ...portsWith(denying), clock }
  const context = { ...contextWith(denying), ports }
  const report = await validate({ domain: "d.example" }, context, new AbortController().signal)
  expect(report.elapsed_ms).toBe(1.23)
})

test("the domain is asked for in its normal form", async () => {
  const dns = recording(denying)
  expect((await run({ domain: "BÜCHER.Example." }, dns)).host).toBe("xn--bcher-kva.example")
  expect(dns.questions).toEqual(["TXT xn--bcher-kva.example"])
})

/** The keys of another root, which an operator names with --dnssec-anchor. */
import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import { runCliForTest } from "./support/cli.ts"
import { startTestMock, type TestMock } from "./support/mock.ts"
import { folderOf } from "./support/own-apis.ts"
import { startSignedDnsServer } from "./support/signed-dns.ts"
import { testAnchor } from "./support/signed-zones.ts"

const server = await startSignedDnsServer()
afterAll(() => server.stop())

const anchorFile = (text: string): string => join(folderOf({ "anchors.txt": text }), "anchors.txt")

const file = anchorFile(`; our root\n\n. IN DS ${testAnchor} ; made in 2026\n# end\n`)

async function call(...argv: string[]): Promise<unknown> {
  const { out } = await runCliForTest(["call", ...argv, "--dns-server", server.address, "--json"])
  return JSON.parse(out)
}

test("a command checks signatures from these keys on, and a caller may still name another key", async () => {
  const validation = ["dnssecvalidator", "--name", "www.p256.test"]
  expect(await call(...validation)).toMatchObject({ status: "bogus" })
  expect(await call(...validation, "--dnssec-anchor", file)).toMatchObject({ status: "secure" })
  const other = testAnchor.replace(/.{4}$/, "0000")
  expect(await call(...validation, "--dnssec-anchor", file, "--trust_anchor", other)).toMatchObject({
    status: "bogus",
  })
  expect(await call("danelookup", "--host", "good.dane.test", "--dnssec-anchor", file)).toMatchObject({
    is_usable: true,
  })
})

async function statusOf(mock: TestMock, name: string): Promise<string> {
  const answer = await mock.fetch(`/v1/dnssecvalidator?name=${name}`, { key: "mock-pro" })
  const { data }: { data: { status: string } } = JSON.parse(await answer.text())
  return data.status
}

test("the test double trusts its own root, or those keys instead", async () => {
  const other = anchorFile(testAnchor.replace(/.{4}$/, "0000"))
  const [own, foreign] = [await startTestMock(), await startTestMock({ dnssecAnchor: other })]
  expect(await statusOf(own, "www.ed25519.test")).toBe("secure")
  expect(await statusOf(own, "www.expired.test")).toBe("bogus")
  expect(await statusOf(foreign, "www.ed25519.test")).toBe("bogus")
})

test("names that are in no signed zone are unsigned in the test double, also in a DNS of one's own", async () => {
  const mock = await startTestMock()
  expect(await statusOf(mock, "good.example")).toBe("insecure")
  expect(await statusOf(mock, "nobody.has.this.name")).toBe("insecure")
  await mock.control("PUT", "/dns", { "customer.com": [{ MX: [10, "mail.customer.com"] }] })
  expect(await statusOf(mock, "customer.com")).toBe("insecure")
  // A root of one's own without signatures takes the place of the signed one.
  await mock.control("PUT", "/dns", { ".": [{ NS: "ns.example." }], "customer.com": [{ A: "192.0.2.1" }] })
  const charged = (await mock.fetch("/v1/usage", { key: "mock-pro" })).headers.get("x-api-credits-used")
  for (const call of ["dnssecvalidator?name=customer.com", "danelookup?host=customer.com"]) {
    const answer = await mock.fetch(`/v1/${call}`, { key: "mock-pro" })
    expect([answer.status, answer.headers.get("x-api-credits-used")]).toEqual([503, charged])
    expect(await answer.text()).toContain("does not pass on DNSSEC")
  }
})

const form = "must be the data of a DS record with SHA-256 or SHA-384, such as '20326 8 2 E06D…'."
test.each([
  ["that is missing", "/nowhere/anchors.txt", "the file cannot be read."],
  ["that is empty", anchorFile("\n; nothing\n"), `it has no trust anchor. A line ${form}`],
  ["with a wrong line", anchorFile(`${testAnchor}\nKSK-2017\n`), `line 2 ${form}`],
  ["with SHA-1", anchorFile(`1 8 1 ${"00".repeat(20)}`), `line 1 ${form}`],
  [
    "with another algorithm",
    anchorFile(`1 5 2 ${"00".repeat(32)}`),
    "line 1 must have one of the algorithms 8, 10, 13, 14, 15 and 16.",
  ],
  ["that is far too large", anchorFile("#".repeat(70_000)), "it has 70000 bytes; 65536 are allowed."],
])("a file %s is refused with what to change", async (_, path, problem) => {
  for (const argv of [
    ["config", "check"],
    ["call", "dnssecvalidator", "--name", "test"],
  ]) {
    const { code, err } = await runCliForTest([...argv, "--dnssec-anchor", path])
    expect({ code, err }).toEqual({ code: 2, err: `penknife: --dnssec-anchor ${path}: ${problem}\n` })
  }
})

import { expect, test } from "bun:test"
import { Webhook } from "standardwebhooks"
import { systemRandom } from "../ports/random.ts"
import { AccountError } from "./requirements.ts"
import { addressRule, createWebhookSecret, requireWebhookUrl } from "./webhook.ts"

test("a secret is whsec_ and 32 random bytes, which the library accepts", () => {
  const secret = createWebhookSecret(systemRandom)
  expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/)
  expect(() => new Webhook(secret)).not.toThrow()
  expect(createWebhookSecret(systemRandom)).not.toBe(secret)
})

const rules = { allowPrivate: false, allowLocal: true, ports: null }

test.each([
  ["https://example.com/hook?a=1", "https://example.com/hook?a=1"],
  ["https://EXAMPLE.com", "https://example.com/"],
  ["https://8.8.8.8:8443/x", "https://8.8.8.8:8443/x"],
  ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
  ["http://localhost:9000/hook", "http://localhost:9000/hook"],
  ["http://127.0.0.1:9000/", "http://127.0.0.1:9000/"],
  ["http://[::1]:9000/", "http://[::1]:9000/"],
  ["https://localhost/", "https://localhost/"],
])("URLs: %s is accepted", (text, href) => expect(requireWebhookUrl(text, rules)).toBe(href))

test.each([
  ["", "must be complete"],
  ["example.com/hook", "must be complete"],
  ["ftp://example.com/", "must be complete"],
  ["file:///etc/passwd", "must be complete"],
  ["https://", "must be complete"],
  ["https://example.com:99999/", "must be complete"],
  ["http://example.com/", "must start with https://"],
  ["http://10.0.0.1/", "must start with https://"],
  ["http://localhost.example.com/", "must start with https://"],
  ["http://127.0.0.1.example.com/", "must start with https://"],
  ["https://ann@example.com/", "must not contain a user name"],
  ["https://:secret@example.com/", "must not contain a user name"],
  ["http://example.com@127.0.0.1/", "must not contain a user name"],
  ["https://10.0.0.1/", "--allow-private"],
  ["https://0x0a.1/", "--allow-private"],
  ["https://169.254.169.254/latest/meta-data", "--allow-private"],
  ["https://[fd00::1]/", "--allow-private"],
  ["https://[::ffff:192.168.0.1]/", "--allow-private"],
  ["https://0.0.0.0/", "--allow-private"],
])("URLs: %p is refused", (text, message) => {
  expect(() => requireWebhookUrl(text, rules)).toThrow(AccountError)
  expect(() => requireWebhookUrl(text, rules)).toThrow(message)
})

test("URLs: the operator may allow private addresses, but not with http", () => {
  expect(requireWebhookUrl("https://10.0.0.1/", { ...rules, allowPrivate: true })).toBe("https://10.0.0.1/")
  expect(() => requireWebhookUrl("http://10.0.0.1/", { ...rules, allowPrivate: true })).toThrow(
    "must start with https://",
  )
})

const named = new URL("https://hooks.example.com/")
test.each([
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.0.9", "169.254.169.254"],
  ...["172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1"],
  ...["198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:10.0.0.1"],
  ...["64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:db8::1"],
  ...["2002:a00:1::1", "4000::1", "fc00::1", "fd12::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1"],
  ...["", "localhost", "1.2.3", "0x7f.1", "8.8.8.8/8"],
])("addresses: a host name may not resolve to %p", (address) =>
  expect(addressRule(named, false)(address)).toBe(false),
)

test.each("8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::8.8.8.8".split(" "))(
  "addresses: a host name may resolve to %s",
  (address) => expect(addressRule(named, false)(address)).toBe(true),
)

test("addresses with allowPrivate, a host name may resolve to private addresses", () => {
  for (const address of ["10.0.0.1", "127.0.0.1", "fd00::1", "8.8.8.8"])
    expect(addressRule(named, true)(address)).toBe(true)
})

test("addresses: a URL that names loopback may go there, and with http nowhere else", () => {
  for (const allowPrivate of [false, true]) {
    const here = addressRule(new URL("http://localhost:1/"), allowPrivate)
    expect(["127.0.0.1", "::1", "::ffff:127.0.0.1"].map(here)).toEqual([true, true, true])
    expect(["10.0.0.1", "8.8.8.8", "2606:4700::1111"].map(here)).toEqual([false, false, false])
  }
  const secure = addressRule(new URL("https://localhost/"), false)
  expect(["127.0.0.1", "10.0.0.1"].map(secure)).toEqual([true, false])
})

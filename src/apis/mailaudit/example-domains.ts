import type { DnsZone, WebFixture } from "../contract.ts"
import { exampleGiven } from "../mail/dnssec/example-zone.ts"

const key = [
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmYjYcGeBqaZM9Y9Hvy+Dt2jX/AVlCJkzr7WCV0gxxBnIJ1oehYmeTuCe",
  "tcLDhZQWVm9vE4OcwbKnmlmMY1vIxElKsw1YXYqIpOKUS40NR6UQTlxEzcFsVzwr/4qEtDMkMk/0sjr2k3FWbhUiyPuwgabk1Lv4",
  "fCLKIbOWjy5yC74Yh8dojhMDvx63MGRIyS9S/PgxaFIqrHbTPVPaOuYt1lQvsq8tSwX+hrTRYVq+bjolCXd6j7CdXv1sgFb23Kw/",
  "ShMVQKVmm/zk0wIIkVVMucMUWy7JSi9IhfbBi7Edo7+wpPYZOZTJuXCr02BKUHLRGmF2jvD3tWLYFtAmW5viQQIDAQAB",
].join("")

/**
 * The records besides the signed ones: of a domain with everything, of one that anybody can forge, and of one whose signatures
 * have expired.
 */
export const auditRecords: DnsZone = {
  "all.dane.test": [{ TXT: "v=spf1 mx -all" }, { CAA: '0 issue "ca.example"' }],
  "s1._domainkey.all.dane.test": [{ TXT: `v=DKIM1; k=rsa; p=${key}` }],
  "_dmarc.all.dane.test": [{ TXT: "v=DMARC1; p=reject; rua=mailto:dmarc@all.dane.test" }],
  "_mta-sts.all.dane.test": [{ TXT: "v=STSv1; id=20261123" }],
  "_smtp._tls.all.dane.test": [{ TXT: "v=TLSRPTv1; rua=mailto:tls@all.dane.test" }],
  "25.2.0.192.in-addr.arpa": [{ PTR: "good.dane.test" }],
  "5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa": [{ PTR: "good.dane.test" }],
  "plain.test": [{ TXT: "v=spf1 mx ?all" }],
  "_dmarc.plain.test": [{ TXT: "v=DMARC1; p=none; rua=mailto:dmarc@plain.test" }],
  "mail.plain.test": [{ A: "192.0.2.25" }],
  "expired.test": [{ TXT: "v=spf1 -all" }],
}

const web: WebFixture = {
  "https://mta-sts.all.dane.test/.well-known/mta-sts.txt": {
    body: "version: STSv1\nmode: enforce\nmx: good.dane.test\nmx: mixed.dane.test\nmax_age: 604800\n",
  },
}

const signed = exampleGiven.dns
const names = [...new Set([...Object.keys(signed), ...Object.keys(auditRecords)])]

/** The time, the DNS and the replies that the examples are given. */
export const auditGiven = {
  now: exampleGiven.now,
  dns: Object.fromEntries(
    names.map((name) => [name, [...(signed[name] ?? []), ...(auditRecords[name] ?? [])]]),
  ) satisfies DnsZone,
  web,
  parameters: exampleGiven.parameters,
}

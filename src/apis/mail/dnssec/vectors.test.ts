/** Keys, signatures and hashes of the examples in RFC 5155, 5702, 6605 and 8080. */
import { describe, expect, test } from "bun:test"
import { parseData, readData } from "../../../ports/dns/record-formats.ts"
import type { DnsType, RecordOf } from "../../contract.ts"
import { isSignedBy } from "./algorithms.ts"
import { hashName } from "./denial.ts"
import { matchingKeys, type RecordSet, signedData, tagOf, usableSigners } from "./session.ts"

function record<T extends DnsType>(owner: string, type: T, text: string): RecordOf<T> {
  const wire = parseData(type, text)
  return { owner, type, ttlSeconds: 3600, text, wire: wire.toString("hex"), data: readData(type, wire).data }
}

const mx = { owner: "example.com", type: "MX", data: "10 mail.example.com." } as const
const www = (address: string) => ({ owner: "www.example.net", type: "A", data: address }) as const

interface Vector {
  readonly source: string
  readonly signed: { readonly owner: string; readonly type: "A" | "MX"; readonly data: string }
  readonly key: string
  readonly ds?: string
  readonly tag: number
  readonly signature: string
}

const vectors: readonly Vector[] = [
  {
    source: "RFC 5702 §6.1 (RSA/SHA-256)",
    signed: www("192.0.2.91"),
    key: "256 3 8 AwEAAcFcGsaxxdgiuuGmCkVImy4h99CqT7jwY3pexPGcnUFtR2Fh36BponcwtkZ4cAgtvd4Qs8PkxUdp6p/DlUmObdk=",
    tag: 9033,
    signature:
      "A 8 3 3600 20300101000000 20000101000000 9033 example.net. kRCOH6u7l0QGy9qpC9l1sLncJcOKFLJ7GhiUOibu4teYp5VE9RncriShZNz85mwlMgNEacFYK/lPtPiVYP4bwg==",
  },
  {
    source: "RFC 5702 §6.2 (RSA/SHA-512)",
    signed: www("192.0.2.91"),
    key: "256 3 10 AwEAAdHoNTOW+et86KuJOWRDp1pndvwb6Y83nSVXXyLA3DLroROUkN6X0O6pnWnjJQujX/AyhqFDxj13tOnD9u/1kTg7cV6rklMrZDtJCQ5PCl/D7QNPsgVsMu1J2Q8gpMpztNFLpPBz1bWXjDtaR7ZQBlZ3PFY12ZTSncorffcGmhOL",
    tag: 3740,
    signature:
      "A 10 3 3600 20300101000000 20000101000000 3740 example.net. tsb4wnjRUDnB1BUi+t6TMTXThjVnG+eCkWqjvvjhzQL1d0YRoOe0CbxrVDYd0xDtsuJRaeUw1ep94PzEWzr0iGYgZBWm/zpq+9fOuagYJRfDqfReKBzMweOLDiNa8iP5g9vMhpuv6OPlvpXwm9Sa9ZXIbNl1MBGk0fthPgxdDLw=",
  },
  {
    source: "RFC 6605 §6.1 (ECDSA P-256)",
    signed: www("192.0.2.1"),
    key: "257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==",
    ds: "55648 13 2 B4C8C1FE2E7477127B27115656AD6256F424625BF5C1E2770CE6D6E37DF61D17",
    tag: 55_648,
    signature:
      "A 13 3 3600 20100909100439 20100812100439 55648 example.net. qx6wLYqmh+l9oCKTN6qIc+bw6ya+KJ8oMz0YP107epXAyGmt+3SNruPFKG7tZoLBLlUzGGus7ZwmwWep666VCw==",
  },
  {
    source: "RFC 6605 §6.2 (ECDSA P-384)",
    signed: www("192.0.2.1"),
    key: "257 3 14 xKYaNhWdGOfJ+nPrL8/arkwf2EY3MDJ+SErKivBVSum1w/egsXvSADtNJhyem5RCOpgQ6K8X1DRSEkrbYQ+OB+v8/uX45NBwY8rp65F6Glur8I/mlVNgF6W/qTI37m40",
    ds: "10771 14 4 72D7B62976CE06438E9C0BF319013CF801F09ECC84B8D7E9495F27E305C6A9B0563A9B5F4D288405C3008A946DF983D6",
    tag: 10_771,
    signature:
      "A 14 3 3600 20100909102025 20100812102025 10771 example.net. /L5hDKIvGDyI1fcARX3z65qrmPsVz73QD1Mr5CEqOiLP95hxQouuroGCeZOvzFaxsT8Glr74hbavRKayJNuydCuzWTSSPdz7wnqXL5bdcJzusdnI0RSMROxxwGipWcJm",
  },
  {
    source: "RFC 8080 §6.1 (Ed25519)",
    signed: mx,
    key: "257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=",
    ds: "3613 15 2 3AA5AB37EFCE57F737FC1627013FEE07BDF241BD10F3B1964AB55C78E79A304B",
    tag: 3613,
    signature:
      "MX 15 2 3600 20150819220000 20150729220000 3613 example.com. oL9krJun7xfBOIWcGHi7mag5/hdZrKWw15jPGrHpjQeRAvTdszaPD+QLs3fx8A4M3e23mRZ9VrbpMngwcrqNAg==",
  },
  {
    source: "RFC 8080 §6.2 (Ed448)",
    signed: mx,
    key: "257 3 16 3kgROaDjrh0H2iuixWBrc8g2EpBBLCdGzHmn+G2MpTPhpj/OiBVHHSfPodx1FYYUcJKm1MDpJtIA",
    ds: "9713 16 2 6CCF18D5BC5D7FC2FCEB1D59D17321402F2AA8D368048DB93DD811F5CB2B19C7",
    tag: 9713,
    signature:
      "MX 16 2 3600 20150819220000 20150729220000 9713 example.com. 3cPAHkmlnxcDHMyg7vFC34l0blBhuG1qpwLmjInI8w1CMB29FkEAIJUA0amxWndkmnBZ6SKiwZSAxGILn/NBtOXft0+Gj7FSvOKxE/07+4RQvE581N3Aj/JtIyaiYVdnYtyMWbSNyGEY2213WKsJlwEA",
  },
]

describe.each(vectors)("$source", ({ signed, key: keyText, ds, tag, signature: signatureText }) => {
  const key = record("", "DNSKEY", keyText)
  const signature = record(signed.owner, "RRSIG", signatureText)
  const { owner, data } = signed
  const one = signed.type === "A" ? record(owner, "A", data) : record(owner, "MX", data)
  const set: RecordSet = { owner, type: signed.type, records: [one], signatures: [signature] }
  const bytes = Buffer.from(signature.data.signature, "base64")

  test("the signature is right, and no other", async () => {
    const data = signedData(set, signature)
    expect(await isSignedBy(key.data, bytes, data)).toBe(true)
    const changed = Buffer.from(data)
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
    expect(await isSignedBy(key.data, bytes, changed)).toBe(false)
    const other = Buffer.from(bytes)
    other[10] = (other[10] ?? 0) ^ 1
    expect(await isSignedBy(key.data, other, data)).toBe(false)
    expect(await isSignedBy(key.data, bytes.subarray(1), data)).toBe(false)
    expect(await isSignedBy({ ...key.data, publicKey: "AAAA" }, bytes, data)).toBe(false)
    expect(await isSignedBy({ ...key.data, publicKey: "" }, bytes, data)).toBe(false)
    expect(await isSignedBy({ ...key.data, algorithm: 253 }, bytes, data)).toBe(false)
  })

  test("the key has its tag and its DS record", () => {
    expect(tagOf(key)).toBe(tag)
    if (ds === undefined) return
    const zone = signature.data.signer
    const signer = record(zone, "DS", ds).data
    expect(matchingKeys(zone, [key], [signer])).toEqual([key])
    expect(matchingKeys(zone, [key], [{ ...signer, digest: signer.digest.replace(/.$/, "0") }])).toEqual([])
    expect(matchingKeys(`a.${zone}`, [key], [signer])).toEqual([])
  })
})

test("SHA-1 counts only where no other digest is supported (RFC 4509 §3), and RSASHA1 never (RFC 9905 §2)", () => {
  const ds = (algorithm: number, digestType: number) => ({ keyTag: 1, algorithm, digestType, digest: "00" })
  expect(usableSigners([ds(13, 1)])).toEqual([ds(13, 1)])
  expect(usableSigners([ds(13, 1), ds(13, 2)])).toEqual([ds(13, 2)])
  expect(usableSigners([ds(13, 1), ds(253, 2)])).toEqual([ds(13, 1)])
  expect(usableSigners([ds(5, 2), ds(7, 2), ds(13, 3)])).toEqual([])
})

test.each([
  ["example", "0p9mhaveqvm6t7vbl5lop2u3t2rp3tom"],
  ["a.example", "35mthgpgcu1qg68fab165klnsnk3dpvl"],
  ["ai.example", "gjeqe526plbf1g8mklp59enfd789njgi"],
  ["ns1.example", "2t7b4g4vsa5smi47k61mv5bv1a22bojr"],
  ["ns2.example", "q04jkcevqvmu85r014c7dkba38o0ji5r"],
  ["w.example", "k8udemvp1j2f7eg6jebps17vp3n8i58h"],
  ["*.w.example", "r53bq7cc2uvmubfu5ocmm6pers9tk9en"],
  ["x.w.example", "b4um86eghhds6nea196smvmlo4ors995"],
  ["y.w.example", "ji6neoaepv8b5o6k4ev33abha8ht9fgc"],
  ["x.y.w.example", "2vptu5timamqttgl4luu9kg21e0aor3s"],
  ["xx.example", "t644ebqk9bibcna874givr6joj62mlhv"],
])("the hash of %s is that of RFC 5155 appendix A", (name, hash) =>
  expect(hashName(name, { salt: "aabbccdd", iterations: 12 })).toBe(hash),
)

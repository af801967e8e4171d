/** Chains of ARC, and the sentences for the reasons of the library. */
import { expect, test } from "bun:test"
import { sealMessage } from "mailauth/lib/arc"
import {
  check,
  codes,
  now,
  pem,
  plain,
  resultOf,
  rsa,
  sign,
  zone,
} from "../../../test/support/signed-messages.ts"
import { signatureReason } from "./reasons.ts"

/** Each text that the library can give as a comment has a sentence of ours. */
test("no text of the library is missing in the table of reasons", async () => {
  const source = await Bun.file(Bun.resolveSync("mailauth/lib/dkim/dkim-verifier.js", import.meta.dir)).text()
  const tools = await Bun.file(Bun.resolveSync("mailauth/lib/tools.js", import.meta.dir)).text()
  const texts = [
    ...source.matchAll(
      /(?:comment = |comment: |skip = |invalid = |keyError = |violation\()['`]([^'`$]+)['`]/g,
    ),
    ...source.matchAll(/'(domain mismatch)'/g),
    ...tools.matchAll(/^ {4}\['E\w+', '([^']+)'\]/gm),
  ].map(([, text = ""]) => text)
  expect(new Set(texts).size).toBeGreaterThan(18)
  for (const comment of texts) {
    const reason = signatureReason({ result: "neutral", comment }, undefined)
    expect([comment, reason]).toEqual([comment, expect.not.stringContaining("cannot be used")])
    expect(reason).not.toBe(comment)
  }
})

const seal = async (message: string, cv: "none" | "pass") =>
  (
    await sealMessage(message, {
      signingDomain: "list.test",
      selector: "rsa",
      privateKey: pem(rsa.privateKey),
      cv,
      signTime: new Date(now),
      authResults: "list.test; dmarc=pass header.from=a.test",
    })
  ).toString() + message

test("ARC: an intact chain passes, a changed one fails", async () => {
  const listed = (await sign(plain)).replace("noon?", "noon?\r\n-- \r\nThe list")
  const twice = await seal(await seal(listed, "none"), "pass")
  const answer = await check(twice)
  expect(resultOf(answer, "arc")).toMatchObject({ result: "pass", domain: "list.test" })
  expect(codes(answer)).toEqual(["not_authentic", "forwarded", "no_ip"])
  expect(answer.arc_chain).toMatchObject([
    { instance: 1, domain: "list.test", chain_result: "none" },
    { instance: 2, chain_result: "pass" },
  ])
  const broken = await check(twice.replace("The list", "A list"))
  expect(resultOf(broken, "arc")?.result).toBe("fail")
  expect(codes(broken)).not.toContain("forwarded")
  expect(resultOf(await check(twice.replace("i=1;", "i=3;")), "arc")?.result).toBe("fail")
})

test("ARC: each way to break a chain has its reason", async () => {
  const once = await seal(await sign(plain), "none")
  const twice = await seal(once, "pass")
  const key = "rsa._domainkey.list.test"
  const folded = (name: string) => new RegExp(`^${name}:.*\\r\\n(?:[ \\t].*\\r\\n)*`, "m")
  for (const [message, dns, reason] of [
    [
      once.replace("noon", "nine"),
      zone,
      "ARC-Message-Signature: body hash: the body was changed after it was signed",
    ],
    [
      once.replace("Lunch", "Money"),
      zone,
      "ARC-Message-Signature: signature: a signed header field was changed, or the key is not that of the signer",
    ],
    [
      twice.replace("dmarc=pass", "dmarc=fail"),
      zone,
      "the seal of i=2 does not verify: a sealed field was changed",
    ],
    [twice.replaceAll("i=1;", "i=3;"), zone, "`i=`: the sets are not numbered from 1 on without a gap"],
    [
      once.replace(folded("ARC-Authentication-Results"), ""),
      zone,
      "the field arc-authentication-results of i=1 is missing",
    ],
    [once.replace(folded("ARC-Seal"), "$&$&"), zone, "the field arc-seal of i=1 is there several times"],
    [once.replace("cv=none", "cv=pass"), zone, "the first seal must say `cv=none`"],
    [twice.replace("cv=pass", "cv=fail"), zone, "`cv=fail`: a host on the way found the chain broken"],
    [once.replace("cv=none;", ""), zone, "the tag cv of ARC-Seal i=1 is missing or wrong"],
    [once.replaceAll("a=rsa-sha256", "a=rsa-sha1"), zone, "`a=`: an algorithm of the chain is not known"],
    [once, { ...zone, [key]: [] }, `there is no key at the selector: ${key}`],
    [once, { ...zone, [key]: [{ TXT: "v=DKIM1; p=" }] }, `the key was revoked: its \`p=\` is empty: ${key}`],
    [once, { ...zone, [key]: ["SERVFAIL"] }, "the DNS gave no answer for the key"],
  ] as const) {
    const arc = resultOf(await check(message, { dns }), "arc")
    expect([arc?.result, arc?.reason]).toEqual(["fail", reason])
  }
})

test("ARC: premium fields are not computed for others", async () => {
  const answer = await check(await seal(plain, "none"), { premium: false })
  expect(answer).toMatchObject({ arc_chain: [], canonical_headers: [] })
})

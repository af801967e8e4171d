/** Messages with signatures of keys that a DNS has, and what messageauth says of them. */

import { createHash, createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import { type DnsZone, InputRejected } from "../../src/apis/contract.ts"
import { maxAskingMs } from "../../src/apis/isolated-runs.ts"
import { createRun } from "../../src/apis/messageauth/run.ts"
import { checkSender } from "../../src/apis/spfvalidator/check-host.ts"
import { portsFor } from "./zone-ports.ts"

export const run = createRun(checkSender, maxAskingMs)
export const now = "2026-11-23T12:00:00Z"
const ed25519 = generateKeyPairSync("ed25519")
export const rsa = generateKeyPairSync("rsa", { modulusLength: 1_024 })

export const pem = (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }))
const base64Of = (key: KeyObject) => key.export({ type: "spki", format: "der" }).toString("base64")
export const keys: DnsZone = {
  "rsa._domainkey.a.test": [{ TXT: `v=DKIM1; k=rsa; p=${base64Of(rsa.publicKey)}` }],
  "ed._domainkey.a.test": [
    {
      TXT: `v=DKIM1; k=ed25519; p=${Buffer.from(base64Of(ed25519.publicKey), "base64").subarray(-32).toString("base64")}`,
    },
  ],
  "rsa._domainkey.list.test": [{ TXT: `v=DKIM1; p=${base64Of(rsa.publicKey)}` }],
}
export const zone: DnsZone = {
  ...keys,
  "_dmarc.a.test": [{ TXT: "v=DMARC1; p=quarantine" }],
  "a.test": [{ TXT: "v=spf1 ip4:192.0.2.0/24 -all" }],
}

export async function check(
  message: string,
  more: {
    ip?: string
    sender?: string
    helo?: string
    received_at?: string
    dns?: DnsZone
    premium?: boolean
  } = {},
) {
  const { dns = zone, premium = true, ...input } = more
  return run(
    { message, ...input },
    { ports: portsFor({ given: { now, dns } }), giveWay: () => undefined, premium },
  )
}

export const plain = "From: Ann <ann@a.test>\r\nSubject: Lunch\r\n\r\nAt noon?\r\n"

export async function sign(
  message: string,
  options: {
    selector?: string
    canonicalization?: string
    maxBodyLength?: number
    expires?: Date
    signTime?: Date
  } = {},
) {
  const {
    selector = "rsa",
    canonicalization = "relaxed/relaxed",
    maxBodyLength,
    expires,
    signTime = new Date(now),
  } = options
  const privateKey = pem(selector === "ed" ? ed25519.privateKey : rsa.privateKey)
  const signature = {
    ...{ signingDomain: "a.test", selector, privateKey, canonicalization },
    ...(maxBodyLength !== undefined && { maxBodyLength }),
  }
  const { signatures } = await dkimSign(message, {
    ...{ ...signature, signTime, signatureData: [signature] },
    ...(expires && { expires }),
  })
  return signatures + message
}

/** A signature whose `l=` says this length, over the whole body: as a signer makes it whose count is wrong. */
export function signWithLength(bytes: number): string {
  const body = createHash("sha256").update("At noon?\r\n").digest("base64")
  const field = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=a.test; s=rsa; h=from; l=${bytes}; bh=${body}; b=`
  const signed = `from:Ann <ann@a.test>\r\ndkim-signature:${field}`
  const b = createSign("sha256").update(signed).sign(rsa.privateKey, "base64")
  return `DKIM-Signature: ${field}${b}\r\n${plain}`
}

export async function refusal(message: string, more: Parameters<typeof check>[1] = {}): Promise<string> {
  try {
    await check(message, more)
  } catch (error) {
    if (error instanceof InputRejected) return `${error.parameter} ${error.requirement}`
    throw error
  }
  throw new Error("the message was read")
}

export const codes = ({ problems }: Awaited<ReturnType<typeof check>>) => problems.map(({ code }) => code)
export const resultOf = ({ results }: Awaited<ReturnType<typeof check>>, method: string) =>
  results.find((one) => one.method === method)

/** Some of what the library says of signatures and chains. */
export const libraryTexts =
  /did not verify|bad signature|syntax error|missing required|message not signed|DNS failure|invalid (?:public key|as|ams|cv)|inappropriate|unknown (?:key|alg|canon)|expected=|no valid|E[A-Z]{4}/

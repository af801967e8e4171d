import type { Web, WebAnswer, WebEntry, WebFailure, WebFixture } from "../../apis/contract.ts"
import { isObject } from "../../values/is-object.ts"
import { failed, readUrl } from "./https-client.ts"

/** A Web that sends nothing: for a service with `--no-outbound`. */
export const webOff: Web = { get: async () => failed("off") }

/**
 * A Web that answers from a fixture.
 * @throws Error that names the URL whose entry cannot be used
 * @example
 * createFixedWeb({ "https://mta-sts.a.example/.well-known/mta-sts.txt": { body: "version: STSv1" } })
 */
export function createFixedWeb(fixture: WebFixture): Web {
  const answers = new Map<string, WebAnswer>()
  for (const [url, entry] of Object.entries(fixture)) {
    const href = readUrl(url)?.href
    if (href === undefined) throw new Error(`'${url}' must be a URL of https: with a name and without a port`)
    answers.set(href, toAnswer(url, entry))
  }
  return {
    async get(url) {
      const target = readUrl(url)
      return target === null ? failed("url") : (answers.get(target.href) ?? failed("no-address"))
    },
  }
}

const failures: Readonly<Record<WebFailure, true>> = {
  off: true,
  url: true,
  "no-address": true,
  dns: true,
  "private-address": true,
  unreachable: true,
  "no-route": true,
  offline: true,
  "expired-certificate": true,
  "wrong-certificate": true,
  "weak-certificate": true,
  "untrusted-certificate": true,
  tls: true,
  broken: true,
  timeout: true,
  "too-large": true,
  aborted: true,
}

const isFailure = (value: unknown): value is WebFailure =>
  typeof value === "string" && Object.hasOwn(failures, value)

/** An entry may come from a file, so each of its members is checked. */
function toAnswer(url: string, entry: WebEntry): WebAnswer {
  const refuse = (problem: string): never => {
    throw new Error(`the entry of '${url}' ${problem}`)
  }
  if (!isObject(entry)) return refuse("must be a mapping, such as {status: 200, body: text}")
  const known = "failure" in entry ? ["failure", "certificate"] : ["status", "type", "body", "certificate"]
  const unknown = Object.keys(entry).find((name) => !known.includes(name))
  if (unknown !== undefined) return refuse(`has '${unknown}'; there are ${known.join(", ")}`)
  const text = (name: "type" | "body" | "certificate") => {
    const value: unknown = Reflect.get(entry, name)
    return value === undefined || typeof value === "string" ? value : refuse(`must have a text as '${name}'`)
  }
  const certificates = certificatesIn(text("certificate") ?? "")
  if ("failure" in entry) {
    const { failure } = entry
    if (isFailure(failure)) return { kind: "failure", reason: failure, certificates }
    return refuse(`must fail with one of ${Object.keys(failures).join(", ")}`)
  }
  const { status = 200 } = entry
  if (!Number.isInteger(status) || status < 100 || status > 599)
    return refuse("must have a status from 100 to 599")
  const body = new TextEncoder().encode(text("body") ?? "")
  return { kind: "reply", status, contentType: text("type") ?? "text/plain", body, certificates }
}

function certificatesIn(pem: string): readonly string[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z\d+/=]*)-----END CERTIFICATE-----/g)
  return [...blocks].map(([, base64 = ""]) => base64.replace(/\s/g, ""))
}

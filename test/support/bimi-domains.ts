/** A domain with a logo, its documents and its mark, and what bimivalidator says of it. */
import "reflect-metadata"
import { bimivalidator } from "../../src/apis/bimivalidator/index.ts"
import type { WebFixture, ZoneEntry } from "../../src/apis/contract.ts"
import { portsFor } from "./zone-ports.ts"

export const logoUrl = "https://a.example/logo.svg"
export const markUrl = "https://a.example/mark.pem"
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"><title>A</title></svg>`
export const reject = [{ TXT: "v=DMARC1; p=reject" }]

interface Conditions {
  readonly texts?: readonly ZoneEntry[]
  readonly dmarc?: readonly ZoneEntry[]
  readonly web?: WebFixture
  readonly more?: Readonly<Record<string, readonly ZoneEntry[]>>
}

export async function validate(
  input: { readonly domain?: string; readonly selector?: string; readonly svg?: string },
  { texts = [{ TXT: `v=BIMI1; l=${logoUrl}; a=` }], dmarc = reject, web, more = {} }: Conditions = {},
) {
  const dns = { "default._bimi.a.example": texts, "_dmarc.a.example": dmarc, ...more }
  const given = {
    now: "2022-01-01T00:00:00Z",
    dns,
    web: { [logoUrl]: { type: "image/svg+xml", body: logo }, ...web },
  }
  return bimivalidator.run(input, { ports: portsFor({ given }), giveWay: () => undefined, premium: true })
}
export const domain = "a.example"
export const codesOf = async (conditions: Conditions) =>
  (await validate({ domain }, conditions)).problems.map(({ code }): string => code)
export const withRecord = (TXT: string) => codesOf({ texts: [{ TXT }] })
export const unmarked = "no_mark_certificate"

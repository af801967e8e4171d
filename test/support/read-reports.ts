/** Reports of DMARC as mailreportparser reads them, and the mistakes that it tells. */
import { zipSync } from "fflate"
import { InputRejected } from "../../src/apis/contract.ts"
import { run } from "../../src/apis/mailreportparser/run.ts"
import type { Node } from "./mail-reports.ts"
import { portsFor } from "./zone-ports.ts"

export const seed = 20_261_123
export const read = async (report: string, premium = true) =>
  run({ report }, { ports: portsFor({}), giveWay() {}, premium })
export const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64")
export const zip = (...files: readonly (readonly [name: string, text: string])[]) =>
  base64(zipSync(Object.fromEntries(files.map(([name, text]) => [name, Buffer.from(text)]))))

export async function refusal(report: string): Promise<string> {
  try {
    await read(report)
  } catch (error) {
    if (error instanceof InputRejected && error.parameter === "report") return error.requirement
    throw error
  }
  throw new Error("the report was read")
}

export const small = (inner = "", attributes = ' xmlns="urn:ietf:params:xml:ns:dmarc-2.0"') =>
  `<feedback${attributes}><report_metadata><org_name>A</org_name><email>a@a.test</email><report_id>1</report_id><date_range><begin>1</begin><end>2</end></date_range></report_metadata><policy_published><domain>a.test</domain><p>none</p></policy_published>${inner}</feedback>`
export const record = (ip = "192.0.2.1", count = "1", more = "") =>
  `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated><disposition>none</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated></row><identifiers><header_from>a.test</header_from></identifiers><auth_results/>${more}</record>`
export const codes = async (report: string) =>
  (await read(report)).problems.map(({ code, where }) => `${code} ${where}`)

/** The texts of an element's children by their names; of several of one name a list. */
export function textsOf(node: Node | undefined): Record<string, string> {
  const content = node?.[1] ?? []
  const leaves = typeof content === "string" ? [] : content.filter(([, text]) => typeof text === "string")
  return Object.fromEntries(leaves.map(([name, text]) => [name, String(text)]))
}
export function below(node: Node | undefined, name: string): readonly Node[] {
  const content = node?.[1] ?? []
  return typeof content === "string" ? [] : content.filter(([own]) => own === name)
}

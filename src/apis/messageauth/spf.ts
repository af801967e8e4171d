import { toALabels } from "../../values/idna.ts"
import type { Address } from "../../values/ip.ts"
import type { RunContext } from "../contract.ts"

/** A function that checks whether an address may send mail for a domain (RFC 7208 §4). */
export type CheckSender = (
  ip: Address,
  domain: string,
  names: { readonly sender: string; readonly helo?: string },
  context: Pick<RunContext, "ports" | "giveWay">,
  signal: AbortSignal,
) => Promise<{ readonly result: string; readonly explanation: string | null }>

const spfResults = ["none", "pass", "fail", "softfail", "neutral", "temperror", "permerror"] as const

/** The result of SPF, or why there is none. */
export type SpfOutcome =
  | {
      readonly kind: "checked"
      readonly result: (typeof spfResults)[number]
      readonly domain: string
      readonly explanation: string | null
      /** For an Authentication-Results field (RFC 8601 §2.7.2). */
      readonly status: MailauthStatus
    }
  | { readonly kind: "no_ip" | "no_sender" }

/**
 * Checks the domain of MAIL FROM; with an empty MAIL FROM the name of HELO (RFC 7208 §2.3, §2.4).
 * @param sender the address of MAIL FROM, empty for none
 */
export async function checkSpf(
  {
    ip,
    sender,
    helo,
  }: { readonly ip: Address | null; readonly sender: string; readonly helo: string | undefined },
  checkSender: CheckSender,
  context: Pick<RunContext, "ports" | "giveWay">,
  signal: AbortSignal,
): Promise<SpfOutcome> {
  if (ip === null) return { kind: "no_ip" }
  const given = sender === "" ? helo : sender.slice(sender.lastIndexOf("@") + 1)
  if (given === undefined) return { kind: "no_sender" }
  const domain = ((await toALabels(given)) ?? given).toLowerCase().replace(/\.$/, "")
  const names = {
    sender: sender === "" ? `postmaster@${domain}` : sender,
    ...(helo !== undefined && { helo }),
  }
  const { result, explanation } = await checkSender(ip, domain, names, context, signal)
  const smtp = sender === "" ? { helo: domain } : { mailfrom: sender }
  return {
    ...{ kind: "checked", domain, explanation, status: { result, smtp } },
    result: spfResults.find((one) => one === result) ?? "permerror",
  }
}

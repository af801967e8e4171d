import { toALabels } from "../../values/idna.ts"
import { parseAddress } from "../../values/ip.ts"
import { reject } from "../contract.ts"

/**
 * Finds the name that a host fits (RFC 9525 §6.3 and 6.5); null if it fits none. The common name does not count (§6.3).
 * @throws InputRejected for `host`
 */
export async function findNameOf(
  host: string,
  names: readonly { readonly kind: string; readonly value: string }[],
): Promise<string | null> {
  const address = parseAddress(host)?.toString()
  if (address !== undefined)
    return (
      names.find(({ kind, value }) => kind === "ip" && parseAddress(value)?.toString() === address)?.value ??
      null
    )
  const wanted = (await toALabels(host.toLowerCase()))?.replace(/\.$/, "") ?? ""
  if (wanted.length > 253 || !/^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.|$))+$/.test(wanted))
    reject(
      "host",
      "must be the name of a server, such as www.example.com, or an IP address, without https:// and port",
    )
  const isFit = (pattern: string) =>
    // A star is a whole first label, and stands for exactly one.
    pattern === wanted || (pattern.startsWith("*.") && pattern.slice(1) === wanted.replace(/^[^.]+/, ""))
  return names.find(({ kind, value }) => kind === "dns" && isFit(value.toLowerCase()))?.value ?? null
}

import { type Address, isIpv6, isWithin, type Network, parseIpv4, parseIpv6 } from "../../values/ip.ts"
import builtIn from "./special-purpose.json"

/** A network with a special purpose. */
export interface SpecialNetwork extends Network {
  readonly name: string
  /** Address and prefix length. */
  readonly text: string
  readonly rfc: string
  /** Null where IANA does not say. */
  readonly isGloballyReachable: boolean | null
}

/** The networks with special purposes of one day. */
export type SpecialPurposes = ReturnType<typeof createSpecialPurposes>

const builtInNetworks = builtIn.networks.map(({ network, rfc, is_globally_reachable, name }) => ({
  ...parseNetwork(network),
  ...{ name, text: network, rfc, isGloballyReachable: is_globally_reachable },
}))

/** The registries have no multicast, which has a registry of its own. */
export const multicast = builtInNetworks.filter(({ name }) => name === "Multicast")

/**
 * Reads a network such as `192.0.2.0/24`.
 * @throws Error when it is none
 */
export function parseNetwork(text: string): Network {
  const [, addressText = "", digits] = /^([^/]*)\/(\d{1,3})$/.exec(text) ?? []
  const address = parseIpv4(addressText) ?? parseIpv6(addressText)
  const prefix = Number(digits)
  if (address === null || prefix > (isIpv6(address) ? 128 : 32))
    throw new Error(`'${text.slice(0, 50)}' is not a network such as 192.0.2.0/24`)
  return { address, prefix }
}

/** @param date the month of the newest network, `YYYY-MM`; null when it is not known */
export function createSpecialPurposes(date: string | null, networks: readonly SpecialNetwork[]) {
  const longestFirst = networks.toSorted((a, b) => b.prefix - a.prefix)
  return {
    ...{ date, networks },
    /** The network with the longest prefix that an address is in; null if it has no special purpose. */
    find: (address: Address) => longestFirst.find((network) => isWithin(address, network)) ?? null,
  }
}

/** The built-in table. */
export const builtInPurposes = createSpecialPurposes(builtIn.date, builtInNetworks)

import type { DnsZone } from "../apis/contract.ts"
import world from "./dns-world.yaml"

/** The DNS that the mock ships with; parsed when the program is built. */
export const dnsWorld: DnsZone = world

import type { DnsZone } from "../apis/contract.ts"
import zone from "./dns-zone.yaml"

/** The DNS that the mock ships with; parsed when the program is built. */
export const mockZone: DnsZone = zone

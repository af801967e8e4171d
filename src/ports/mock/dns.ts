import type { Dns, DnsZone } from "../../apis/contract.ts"
import { createZoneDns } from "../dns/zone.ts"
import { encodeTexts } from "../dns/zone-texts.ts"

/** DNS from a zone that can be replaced while it is used. Its texts are Unicode, as in a file. */
export interface MockDns extends Dns {
  readonly zone: DnsZone
  /** Answers from this zone from now on. Throws what {@link createZoneDns} throws; the old zone then stays. */
  replace(zone: DnsZone): void
}

export function createMockDns(start: DnsZone): MockDns {
  let zone = start
  let dns = createZoneDns(encodeTexts(start))
  return {
    get zone() {
      return zone
    },
    resolve: (name, type, signal) => dns.resolve(name, type, signal),
    replace(next) {
      dns = createZoneDns(encodeTexts(next))
      zone = next
    },
  }
}

import { conflict } from "../admin/fault.ts"
import type { PageAddresses } from "../admin/parts.ts"
import type { Config } from "../config/load.ts"
import { reachable, urlOf } from "../surfaces/http/server.ts"

/** Where a service listens. */
export interface ListeningAt {
  readonly url: string
  /** The address of the administration; null when it is not known, or off. */
  readonly adminUrl: string | null
}

interface PageAddressParts {
  /** Returns the present configuration. */
  readonly config: () => Config
  /** Null if the service does not listen yet, or is another process: then the configuration says where. */
  readonly listening: () => ListeningAt | null
}

/** Where browsers find the pages: at the address that the operator names, otherwise where the service listens. */
export function pageAddresses({ config, listening }: PageAddressParts): PageAddresses {
  const main = () => {
    const { publicUrl, host, port, tlsCert } = config()
    return publicUrl ?? reachable(listening()?.url ?? urlOf(host, port, tlsCert !== null))
  }
  return {
    service: main,
    console() {
      const { admin, tlsCert } = config()
      if (admin === "same") return main()
      if (admin !== "off")
        return reachable(listening()?.adminUrl ?? urlOf(admin.host, admin.port, tlsCert !== null))
      throw conflict("The console is off. Start the service with --admin same or --admin HOST:PORT.")
    },
    portal() {
      if (!config().noPortal) return main()
      throw conflict("The portal is off. Start the service without --no-portal.")
    },
  }
}

import type { Config } from "../config/load.ts"
import type { Log } from "../ports/log.ts"
import type { ServiceServer } from "../surfaces/http/server.ts"
import { messageOf } from "../values/message-of.ts"
import { readTls } from "./prepare.ts"

/**
 * Returns a function that reads certificate and key again, for new connections. If they cannot be used, this is logged, and the
 * old ones stay.
 */
export function createCertificateReload(
  config: Config,
  server: Pick<ServiceServer, "replaceCertificate">,
  log: Pick<Log, "info" | "error">,
): () => Promise<void> {
  return async () => {
    try {
      const renewed = readTls(config)
      if (renewed === null) return
      const { X509Certificate } = await import("node:crypto")
      await server.replaceCertificate(renewed)
      log.info("certificate reloaded", { validTo: new X509Certificate(renewed.cert).validTo })
    } catch (thrown) {
      log.error("certificate not reloaded; the old one stays", { cause: messageOf(thrown) })
    }
  }
}

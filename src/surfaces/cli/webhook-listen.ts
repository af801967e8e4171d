import type { Command } from "commander"
import { integer } from "../../config/readers.ts"
import { ConfigError } from "../../config/setting-name.ts"
import { mockWebhookSecret } from "../../mock/webhook-secret.ts"
import { escapeHiddenInLines } from "../../values/hidden-characters.ts"
import { messageOf } from "../../values/message-of.ts"
import { findOrAdd } from "./admin/groups.ts"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"

/** The longest body that is read; those of webhooks have about 300 bytes. */
const maxBodyBytes = 1_048_576

/** `webhook listen`: a receiver that prints the webhooks which arrive, and whether they verify. */
export function addWebhookListen(program: Command, { terminal, stopRequested }: CliParts): void {
  findOrAdd(program, ["webhook", "listen"])
    .summary("Receive webhooks, and print them with the check of their signature.")
    .description(
      "Receives webhooks at any path of a port of this machine, and answers each with 204. Prints id, type and body of each, " +
        "and whether it verifies by Standard Webhooks or why not. The secret is that of 'mock --webhook' unless another is given.",
    )
    .argument("<port>", "port to listen on; 0 picks a free one")
    .option("--secret <SECRET>", "secret that signs the webhooks: whsec_…", mockWebhookSecret)
    .option("--json", "print one line of JSON for each")
    .addHelpText("after", example("penknife webhook listen 3000"))
    .action(async (port: string, { secret, json }: { readonly secret: string; readonly json?: boolean }) => {
      if (!/^whsec_[\w+/-]{32,}={0,2}$/.test(secret))
        throw new ConfigError("--secret must be a secret such as whsec_….")
      const { Webhook } = await import("standardwebhooks")
      const webhook = new Webhook(secret)
      const server = listen(toPort(port), async (request) => {
        const body = await request.text()
        const headers = Object.fromEntries(request.headers)
        const reason = reasonOf(() => webhook.verify(body, headers, { jsonParse: false }))
        const seen = {
          id: headers["webhook-id"] ?? null,
          // The first field of a message.
          type: /^\{"type":"([\w.]+)"/.exec(body)?.[1] ?? null,
          verified: reason === null,
          reason,
        }
        const verdict = reason === null ? "verified" : `not verified: ${reason}`
        // A body may come from anyone.
        const shown = escapeHiddenInLines(body)
        const line = `${seen.id ?? "no id"} ${seen.type ?? "no type"} ${verdict}\n${shown}\n`
        terminal.out(json ? `${JSON.stringify({ ...seen, body })}\n` : `${line}\n`)
      })
      const url = `http://127.0.0.1:${server.port}/`
      terminal.out(
        json ? `${JSON.stringify({ event: "listening", url })}\n` : `penknife listening on ${url}\n\n`,
      )
      await stopRequested()
      await server.stop(true)
    })
}

function listen(port: number, receive: (request: Request) => Promise<void>) {
  try {
    return Bun.serve({
      hostname: "127.0.0.1",
      port,
      maxRequestBodySize: maxBodyBytes,
      fetch: (request) => receive(request).then(() => new Response(null, { status: 204 })),
      // The sender hung up in its body.
      error: () => new Response(null, { status: 400 }),
    })
  } catch {
    throw new ConfigError(
      `Port ${port} cannot be opened. Another program may listen there: 0 picks a free port.`,
    )
  }
}

function toPort(text: string): number {
  try {
    return integer(0, 65_535)(text)
  } catch (thrown) {
    throw new ConfigError(`The port ${messageOf(thrown)}.`)
  }
}

/** Why a check throws; null if it does not. */
function reasonOf(check: () => unknown): string | null {
  try {
    check()
    return null
  } catch (thrown) {
    return messageOf(thrown)
  }
}

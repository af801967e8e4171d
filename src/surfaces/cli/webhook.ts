import type { Command } from "commander"
import { onDataFile } from "./data-file-command.ts"
import { example, printRecord } from "./output.ts"
import type { CliParts } from "./parts.ts"

/** `account set-webhook`: where an account's notices are sent. */
export function addSetWebhook(group: Command, parts: CliParts): void {
  const { terminal, openNotices } = parts
  const command = group
    .command("set-webhook")
    .description(
      "Set where an account's notices are sent. Prints the secret that signs them; it is not shown again.",
    )
    .argument("<ID>", "the account's id")
    .argument("[URL]", "https, or http on localhost")
    .option("--allow-private", "allow an address in a private network")
    .option("--off", "remove the webhook")
    .addHelpText(
      "after",
      example("penknife account set-webhook acc_1234567890abcdef https://example.com/hook"),
    )
    .hook("preAction", (_, self) => {
      const hasUrl = self.processedArgs[1] !== undefined
      if (hasUrl === (self.opts().off === true)) self.error("error: give either a URL or --off")
    })

  onDataFile(command, parts, openNotices, async ({ notices }, options: Flags, id = "", url) => {
    const { allowPrivate = false, json } = options
    if (url === undefined) {
      await notices.clearWebhook(id)
      printRecord(terminal, { account: id, url: null }, json)
    } else {
      const webhook = await notices.setWebhook(id, url, { allowPrivate })
      printRecord(terminal, { account: id, ...webhook }, json)
    }
  })
}

type Flags = { readonly allowPrivate?: boolean; readonly json?: boolean }

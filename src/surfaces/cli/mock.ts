import { Command } from "commander"
import { mockOptions, type OptionKey } from "../../config/options.ts"
import type { CliParts } from "./parts.ts"
import { addSettings, readSettings } from "./settings.ts"

const shared = [
  "host",
  "port",
  "maxBodyBytes",
  "bluetoothCompanies",
  "noGraphql",
  "logLevel",
  "logFormat",
] as const
const keys: readonly OptionKey[] = [...shared, ...(Object.keys(mockOptions) as (keyof typeof mockOptions)[])]

/** `mock`: the whole service as a test double. */
export function mockCommand({ terminal, env, startMock, stopRequested }: CliParts): Command {
  const command = new Command("mock")
    .description(
      "Run the service as a test double: in memory, on a clock that stands still, with keys for every state and control " +
        "paths under /_mock. The same requests get the same answers on every run.",
    )
    .option("--json", "print events as JSON lines")
    .option("--stop-with-stdin", "also stop when standard input ends, as it does when its writer is gone")
  addSettings(command, keys)

  return command.action(async () => {
    const { json, stopWithStdin = false } = command.opts<{ json?: boolean; stopWithStdin?: boolean }>()
    const mock = await startMock(readSettings(command, env))
    const stopped = stopRequested({ stdin: stopWithStdin })
    const { url, key, ca } = mock
    if (json) {
      const event = { event: "listening", url, pid: process.pid, key, ...(ca !== null && { ca }) }
      terminal.out(`${JSON.stringify(event)}\n`)
    } else {
      terminal.out(`penknife listening on ${url}\n`)
      terminal.out(helpText(url, key))
    }
    await stopped
    await mock.stop()
  })
}

function helpText(url: string, key: string): string {
  return `
A test double: nothing is kept, nothing is asked outside. Try it:

  curl -H 'x-api-key: ${key}' '${url}/v1/spfvalidator?domain=good.example'
  curl '${url}/_mock'

`
}

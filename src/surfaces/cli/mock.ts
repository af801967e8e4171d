import type { Command } from "commander"
import type { Config } from "../../config/load.ts"
import { mockOptions, mockOwn, type OptionKey } from "../../config/options.ts"
import { ServerFailed } from "./admin/backend.ts"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { choiceOfApis, isChosen, onConfig } from "./settings.ts"

const settings: readonly OptionKey[] = [
  ...([
    "host",
    "port",
    "apis",
    ...choiceOfApis,
    "apiTimeoutSeconds",
    "apiWorkers",
    "apiMemoryBytes",
    "maxBodyBytes",
    "data",
    "dnssecAnchor",
    "noOutbound",
    "noGraphql",
    "noMcp",
    "publicUrl",
    "smtp",
    "mailFrom",
    "signUpMode",
    "title",
    "brandColor",
    "logo",
    "favicon",
    "tryCalls",
    "tryApis",
    "tryPlan",
    "keepRequests",
    "keepAddresses",
    "logLevel",
    "logFormat",
  ] as const),
  ...(Object.keys(mockOptions) as (keyof typeof mockOptions)[]),
]

type MockFlags = Partial<Record<"json" | "stopWithStdin" | "printSeed" | "seedSchema", boolean>>

/** `mock`: the whole service as a test double. */
export function addMock(program: Command, parts: CliParts): void {
  const { terminal, startMock, mockSeedSchema, stopRequested } = parts
  const command = program
    .command("mock")
    .summary("Run the service as a test double.")
    .description(
      "Run the service as a test double: in memory, with a clock that stands still, a key for every state, and control " +
        "paths under /_mock. The same requests get the same answers on every run.",
    )
    .option("--json", "print events as JSON lines")
    .option("--stop-with-stdin", "also stop when standard input ends, for example with the parent process")
    .option("--print-seed", "print the state at the start as a file for --seed, and end")
    .option("--seed-schema", "print the JSON Schema of files for --seed, for editors, and end")
    .addHelpText("after", example("penknife mock --print-seed > seed.yaml && penknife mock --seed seed.yaml"))

  async function run(config: Config, { json, stopWithStdin: stdin = false, ...prints }: MockFlags) {
    if (prints.seedSchema) return terminal.out(await mockSeedSchema())
    const mock = await startMock(prints.printSeed ? { ...config, port: 0, clock: "stopped" } : config)
    if (prints.printSeed) return mock.seed().then(terminal.out).finally(mock.stop)
    const stopped = stopRequested({ stdin })
    const { url, key, ca, webhook, unsent, differences } = mock
    for (const { url, reason } of unsent)
      terminal.err(`penknife: Webhooks to ${url} are listed, but ${reason}\n`)
    for (const difference of differences ?? []) terminal.err(`penknife: --like: ${difference}\n`)
    if (config.strictLike && differences?.length) {
      await mock.stop()
      throw new ServerFailed(`--strict-like: the double ends, since it may differ from ${config.like}.`)
    }
    await mock.warmUp()
    if (json) {
      const event = { event: "listening", url, pid: process.pid, key, ca: ca ?? undefined }
      terminal.out(`${JSON.stringify({ ...event, webhook: webhook ?? undefined, differences })}\n`)
    } else {
      terminal.out(startText(url, key, config))
      if (webhook?.reason === null)
        terminal.out(`Webhooks go to ${webhook.url}, signed with ${webhook.secret}\n\n`)
    }
    await stopped
    await mock.stop()
  }
  onConfig(command, settings, parts, run, mockOwn)
}

function startText(url: string, key: string, config: Config): string {
  return `penknife listening on ${url}

This is a test double: it stores nothing and uses no network beyond this machine. Try it:

  curl -H 'x-api-key: ${key}' '${url}${isChosen(config) ? "/v1/usage" : "/v1/spfvalidator?domain=good.example"}'
  curl '${url}/_mock'    # or open it in a browser, which shows the requests

`
}

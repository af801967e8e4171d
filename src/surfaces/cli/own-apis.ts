import type { PreparedApi } from "../../call/prepared-api.ts"
import type { Config } from "../../config/load.ts"
import type { CliParts } from "./parts.ts"

/** The APIs that a command can use. APIs of `--apis` that cannot be used are named on standard error. */
export async function loadUsable(
  config: Config,
  { loadApis, terminal }: Pick<CliParts, "loadApis" | "terminal">,
): Promise<readonly PreparedApi[]> {
  const { apis, problems } = await loadApis(config)
  for (const { problem } of problems) terminal.err(`penknife: This API is left out: ${problem}\n`)
  return apis
}

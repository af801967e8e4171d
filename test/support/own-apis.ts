import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type CallLimits, loadPlugins, type PluginOptions } from "../../src/plugins/load-plugins.ts"
import { createThreadTime } from "../../src/plugins/thread-time.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { tempDir } from "./temp.ts"

/** Loads a folder of APIs as a service does. End the result when done. */
export async function loadOwn(
  directory: string,
  { limitMs = 60_000, ...options }: Partial<Omit<PluginOptions, "limits"> & CallLimits> = {},
) {
  const limits: CallLimits = { limitMs, maxWorkers: 4, maxMemoryBytes: 1 << 28 }
  const { definitions, ...loaded } = await loadPlugins(directory, {
    taken: [],
    clock: systemClock,
    timer: systemTimer,
    time: createThreadTime(systemClock),
    limits,
    memory: null,
    onRest() {},
    onUncaught() {},
    onSaid() {},
    ...options,
  })
  return { ...loaded, definitions: definitions(limits) }
}

/** A new folder with these files, by their paths in it. It is removed after the file's tests. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = tempDir()
  writeFiles(folder, files)
  return folder
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** The source of an API that returns its text in capitals, or runs the code `run`. */
export const apiSource = (
  id: string,
  {
    run = "return { shouted: text.toUpperCase() }",
    first = "",
    credits = 1,
    shouted = "HELLO",
  }: { run?: string; first?: string; credits?: number; shouted?: string } = {},
): string => `import { defineApi, reject, Type, unavailable } from "penknife/plugin"
${first}
export default defineApi({
  id: "${id}",
  title: "Shout",
  description: "Writes a text in upper case.",
  method: "POST",
  credits: ${credits},
  asksDns: true,
  input: Type.Object({ text: Type.String({ description: "The text." }) }),
  output: Type.Object({ shouted: Type.String({ description: "The text in upper case." }) }),
  examples: [{ name: "One word", input: { text: "hello" }, output: { shouted: "${shouted}" } }],
  async run({ text }, { ports, premium }) {
    ${run}
  },
})
`

/** A `run` for {@link apiSource} that asks the DNS first if the text is "slow". */
export const slowRun = `if (text === "slow") await ports.dns.resolve("slow.example", "MX")
    return { shouted: text.toUpperCase() }`

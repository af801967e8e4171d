import { join } from "node:path"
import { programOptions } from "../scripts/package.ts"
import { runLoad } from "./load.ts"
import { seed } from "./seed.ts"

/** The kinds of calls that the case 'versions' measures. */
export const callKinds = ["get", "post", "batch", "graphql"] as const
export type CallKind = (typeof callKinds)[number]

interface BenchOptions {
  /** The penknife executable to measure. */
  readonly binary: string
  /** The executable that the case 'versions' compares it with. */
  readonly against: string | undefined
  /** Where data files and compiled servers are put. */
  readonly directory: string
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
  /** Thousands of calls after which the case 'versions' counts a process as warm. */
  readonly warm: number
  /** The kinds of calls that the case 'versions' measures. */
  readonly calls: readonly CallKind[]
  /** Calls of the case 'endurance', in millions. */
  readonly millions: number
  /** Prints progress. */
  readonly say: (text: string) => void
}

/** A data file and one key of each of its accounts. */
interface Seeded {
  readonly file: string
  readonly keys: readonly string[]
}

/** The parts that cases are built from. */
export interface Workbench extends BenchOptions {
  /** The command of a baseline server, compiled at its first use. */
  baseline(name: "bare" | "bare-elysia"): Promise<readonly string[]>
  /** The command that starts penknife on a data file. */
  penknife(store: Seeded, ...flags: readonly string[]): readonly string[]
  /** Makes a data file with this many accounts and keys. */
  store(accounts: number, keysPerAccount: number): Promise<Seeded>
  /** {@link runLoad} with the run's connections, seconds and directory. */
  load(load: Parameters<typeof runLoad>[0], url: string): ReturnType<typeof runLoad>
}

export function createWorkbench(options: BenchOptions): Workbench {
  const { binary, directory, connections, seconds, say } = options
  const compiled = new Map<string, Promise<readonly string[]>>()
  let stores = 0

  return {
    ...options,
    baseline(name) {
      const known = compiled.get(name)
      if (known) return known
      say(`compiling the baseline ${name}`)
      const outfile = join(directory, name)
      const command = compile(join(import.meta.dir, "servers", `${name}.ts`), outfile).then(() => [outfile])
      compiled.set(name, command)
      return command
    },
    penknife: ({ file }, ...flags) => [binary, "serve", "--port", "0", "--db", file, "--json", ...flags],
    async store(accounts, keysPerAccount) {
      const file = join(directory, `store-${++stores}.db`)
      const keys = accounts * keysPerAccount
      say(`making ${accounts.toLocaleString("en")} accounts with ${keys.toLocaleString("en")} keys`)
      return { file, keys: await seed(file, { accounts, keysPerAccount }) }
    },
    load: (load, url) => runLoad(load, { url, connections, seconds, directory }),
  }
}

/** Compiles a baseline with the options of `scripts/build.ts`, so that the comparison is fair. */
async function compile(entry: string, outfile: string): Promise<void> {
  const options = ["--compile", "--bytecode", "--format=esm", ...programOptions, `--outfile=${outfile}`]
  const child = Bun.spawn([process.execPath, "build", ...options, entry], {
    stdout: "ignore",
    stderr: "pipe",
  })
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${entry} cannot be compiled: ${errors}`)
}

import { join } from "node:path"
import { compile } from "./compile.ts"
import { runLoad } from "./load.ts"
import { seed } from "./seed.ts"

export interface BenchOptions {
  /** The penknife executable to measure. */
  readonly binary: string
  /** Where data files and compiled servers are put. */
  readonly directory: string
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
  /** Calls of the endurance case, in millions. */
  readonly millions: number
  /** Says what is being done, for whoever waits. */
  readonly say: (text: string) => void
}

/** A data file and one key of each of its accounts. */
export interface Seeded {
  readonly file: string
  readonly keys: readonly string[]
}

/** What cases are made of; everything slow is made once, when it is first asked for. */
export interface Workbench extends BenchOptions {
  /** Command of the bare `Bun.serve`. */
  bare(): Promise<readonly string[]>
  /** Command of the service with metering off. */
  unmetered(): Promise<readonly string[]>
  /** Command of penknife on a data file. */
  penknife(store: Seeded, ...flags: readonly string[]): readonly string[]
  /** A data file of its own with this many accounts and keys. */
  store(accounts: number, keysPerAccount: number): Promise<Seeded>
  /** Whether `serve` has a flag, for cases that are ahead of the executable. */
  serveHas(flag: string): Promise<boolean>
  /** {@link runLoad} with the run's connections, seconds and directory. */
  load(load: Parameters<typeof runLoad>[0], url: string, seconds?: number): ReturnType<typeof runLoad>
}

export function createWorkbench(options: BenchOptions): Workbench {
  const { binary, directory, connections, say } = options
  const compiled = new Map<string, Promise<readonly string[]>>()
  let stores = 0

  function compiledServer(name: string): Promise<readonly string[]> {
    const known = compiled.get(name)
    if (known) return known
    say(`compiling ${name}`)
    const outfile = join(directory, name)
    const command = compile(join(import.meta.dir, `${name}.ts`), outfile).then(() => [outfile])
    compiled.set(name, command)
    return command
  }

  return {
    ...options,
    bare: () => compiledServer("bare-server"),
    unmetered: () => compiledServer("unmetered-server"),
    penknife: ({ file }, ...flags) => [binary, "serve", "--port", "0", "--db", file, "--json", ...flags],
    async store(accounts, keysPerAccount) {
      const file = join(directory, `store-${++stores}.db`)
      say(
        `seeding ${accounts.toLocaleString("en")} accounts with ${(accounts * keysPerAccount).toLocaleString("en")} keys`,
      )
      return { file, keys: await seed(file, { accounts, keysPerAccount }) }
    },
    async serveHas(flag) {
      const help = Bun.spawn([binary, "serve", "--help"], { stdout: "pipe", stderr: "ignore" })
      return (await help.stdout.text()).includes(flag)
    },
    load: (load, url, seconds = options.seconds) => runLoad(load, { url, connections, seconds, directory }),
  }
}

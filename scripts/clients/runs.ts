/** The programs that run `clients/behaviours.json` and the examples with the client of each language. */
import { join } from "node:path"

/** A program that tries a client. It ends with 0 when all that it tried was as expected. */
export interface ClientRun {
  readonly name: string
  readonly command: readonly [program: string, ...args: string[]]
  /** The folder to run it in, from the root of the repository. */
  readonly folder: string
  /** How to get the program, for a machine that lacks it. */
  readonly install: string
  /** A command whose success shows that a library is there. */
  readonly needs?: readonly string[]
  /** The output of a run that skipped nothing. */
  readonly prints: RegExp
}

const root = join(import.meta.dir, "../..")
const ranTable = (language: string) =>
  new RegExp(`^(\\d+) of \\1 behaviours are the same in ${language}$`, "m")

/** The runs that are part of `bun run check`. */
export const checkedRuns: readonly ClientRun[] = [
  {
    name: "behaviours in Bun",
    command: [process.execPath, "behaviours.mjs"],
    folder: "clients/javascript",
    install: "Install Bun.",
    prints: ranTable("Bun"),
  },
  {
    name: "behaviours in Node",
    command: ["node", "behaviours.mjs"],
    folder: "clients/javascript",
    install: "Install Node 20 or newer.",
    prints: ranTable("Node"),
  },
  {
    name: "behaviours in Python",
    command: ["python3", "-B", "behaviours.py"],
    folder: "clients/python",
    install: "Install Debian's python3.",
    prints: ranTable("Python"),
  },
]

/** The program or library that a run lacks on this machine, and how to get it; null if it can run. */
export function missingFor({ command: [program], needs, install }: ClientRun): string | null {
  if (Bun.which(program) === null) return `'${program}' is not installed. ${install}`
  if (needs === undefined || Bun.spawnSync([...needs], { stdio: ["ignore", "ignore", "ignore"] }).success)
    return null
  return `'${needs.join(" ")}' fails. ${install}`
}

/** Runs one with an executable of penknife. */
export async function runClient({ command, folder }: ClientRun, executable: string) {
  const child = Bun.spawn([...command], {
    cwd: join(root, folder),
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, NO_COLOR: "1", PENKNIFE_BIN: executable },
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, text: out + err }
}

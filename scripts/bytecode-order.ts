/**
 * Records which functions a start and the usual calls use. The executable is laid out by that, so that it touches fewer pages:
 * the bytecode of all other functions is not read into memory with them.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Calls of each kind, and the control paths. */
const paths = [
  "/v1/bluetoothlookup?companyid=76",
  "/v1/spfvalidator?domain=good.example",
  "/v1/sunrisesunset?lat=50&lon=8",
  "/v1/none",
  "/_mock/clock",
]

/** Work that `serve` puts off at its start begins after 0.1 s. */
const settledMs = 1_000

/**
 * Runs an executable as a test double and as a service.
 * @param program the path of an executable for this machine
 * @returns files for `--bytecode-order` beside it, the most important one first
 */
export async function recordOrders(program: string): Promise<string[]> {
  const runs = { mock: ["mock"], serve: ["serve", "--db", "order.db"] }
  const files: string[] = []
  for (const [name, argv] of Object.entries(runs)) {
    const file = join(dirname(program), `${name}.order`)
    await record([program, ...argv, "--port", "0", "--json"], file)
    files.push(file)
  }
  return files
}

async function record(command: string[], file: string): Promise<void> {
  const directory = mkdtempSync(`${file}-`)
  // Nothing that is set on this machine may change what is recorded: the same sources make the same executable.
  const env = { PATH: process.env.PATH, BUN_BYTECODE_ORDER_OUT: file }
  const child = Bun.spawn(command, { cwd: directory, env, stdout: "pipe", stderr: "ignore" })
  try {
    const { value } = await child.stdout.getReader().read()
    const { url } = JSON.parse(new TextDecoder().decode(value))
    for (const path of paths) await (await fetch(url + path, { headers: { "x-api-key": "mock-pro" } })).text()
    await Bun.sleep(settledMs)
    child.kill("SIGINT")
    if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`)
  } finally {
    child.kill("SIGKILL")
    rmSync(directory, { recursive: true })
  }
  writeFileSync(file, sorted(readFileSync(file, "utf8")))
}

/** Puts the functions in an order that no timer changes. The first line names the version of the file. */
function sorted(text: string): string {
  const [version, ...lines] = text.trimEnd().split("\n")
  return `${[version, ...lines.sort()].join("\n")}\n`
}

import { existsSync } from "node:fs"
import { join } from "node:path"

const name = process.platform === "win32" ? "penknife.exe" : "penknife"

/** The executable that `bun run build` makes. */
export const binary = join(import.meta.dir, "../../dist", name)

if (!existsSync(binary)) throw new Error("There is no dist/penknife: run 'bun run build' first.")

/** Runs the executable to its end. */
export async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([binary, ...argv], {
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...env },
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

/** Runs the executable with --json and reads what it prints. */
export async function runJson(...argv: string[]) {
  const { code, out, err } = await run([...argv, "--json"])
  if (code !== 0) throw new Error(`penknife ${argv.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

/** Starts a server and resolves once it has said where it listens. */
export async function start(argv: readonly string[]) {
  const child = Bun.spawn([binary, ...argv, "--json"], { stdout: "pipe", stderr: "pipe" })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (!text.includes("\n")) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`penknife ${argv.join(" ")} ended: ${await child.stderr.text()}`)
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  const event = JSON.parse(text.slice(0, text.indexOf("\n"))) as { event: string; url: string; pid: number }
  return {
    child,
    event,
    url: event.url,
    /** Ends it as an operator would; gives the exit code. */
    async stop(signal: NodeJS.Signals = "SIGTERM") {
      child.kill(signal)
      return child.exited
    },
  }
}

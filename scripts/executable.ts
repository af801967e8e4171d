/** Compiles the executable for one kind of machine. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { once } from "../src/values/once.ts"
import { recordOrders } from "./bytecode-order.ts"
import { signMacho, troubleOfSignature } from "./macho.ts"
import { programOptions, run } from "./package.ts"

/**
 * Compiles the executable. The same sources make the same bytes, for any folder and name.
 * @param outfile the path of the executable; for Windows without `.exe`, which is added
 * @param target the kind of machine, as Bun names it without `bun-`; absent for this machine
 * @returns whether every step succeeded
 */
export async function compile(outfile: string, target?: string): Promise<boolean> {
  const orders = await recordedOrders()
  return orders !== null && build(outfile, target, orders)
}

/** As this machine records them, for all kinds of machines; null if nothing can be compiled. */
const recordedOrders = once(async () => {
  const program = "dist/order/penknife"
  if (!build(program, undefined, [])) return null
  return recordOrders(resolve(`${program}${process.platform === "win32" ? ".exe" : ""}`))
})

function build(outfile: string, target: string | undefined, orders: readonly string[]): boolean {
  // Bun writes the file's name into it, so all are compiled under one name, each in a folder of its own.
  const folder = join(dirname(outfile), target ?? "own")
  mkdirSync(folder, { recursive: true })
  const built = join(folder, "penknife")
  const succeeded = run([
    process.execPath,
    "build",
    "--compile",
    // Halves the time to start. It needs the format that it is compiled as.
    "--bytecode",
    ...orders.map((file) => `--bytecode-order=${file}`),
    "--format=esm",
    // Most code of a start runs once, so compiling it takes longer than it saves. `src/main.ts` ends this when it serves.
    "--compile-jit-policy=10",
    ...programOptions,
    // Files in the working directory must not configure a service.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    ...(target ? [`--target=bun-${target}`] : []),
    `--outfile=${built}`,
    "src/main.ts",
    // They run in threads.
    "src/plugins/worker.ts",
    "src/store/sqlite/checkpoint-thread.ts",
    "src/store/sqlite/read-thread.ts",
  ])
  if (!succeeded) return false
  const system = target ?? process.platform
  if (system.startsWith("darwin")) sign(built)
  const suffix = system.startsWith("win") ? ".exe" : ""
  renameSync(`${built}${suffix}`, `${outfile}${suffix}`)
  return true
}

/** @throws Error if macOS would not run the signed program */
function sign(file: string): void {
  const signed = signMacho(readFileSync(file), "penknife")
  const trouble = troubleOfSignature(signed)
  if (trouble !== null) throw new Error(`macOS would not run ${file}: ${trouble}`)
  writeFileSync(file, signed)
}

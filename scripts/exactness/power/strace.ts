import { join } from "node:path"
import { recordFlags } from "./disk-record.ts"

const writes = 2_000
const writer = `
const { openSync, writeSync } = require("node:fs")
const descriptor = openSync(process.argv[1], "w")
const bytes = Buffer.alloc(1024)
writeSync(descriptor, bytes, 0, 1024, 0)
const startMs = performance.now()
for (let n = 0; n < ${writes}; n++) writeSync(descriptor, bytes, 0, 1024, 0)
console.log(performance.now() - startMs)`

/** @throws when `strace` is missing */
export function stracePath(): string {
  const path = Bun.which("strace")
  if (path === null) throw new Error("This trial needs strace: apt-get install strace.")
  return path
}

/** Measures how much longer one recorded write of a page takes than one that is not recorded, in milliseconds. */
export async function straceCostMs(strace: string, directory: string): Promise<number> {
  const file = join(directory, "cost")
  const run = async (under: readonly string[]) => {
    const child = Bun.spawn([...under, process.execPath, "-e", writer, file], {
      stdout: "pipe",
      stderr: "inherit",
    })
    const tookMs = Number(await child.stdout.text())
    if ((await child.exited) !== 0) throw new Error("strace could not run a program")
    return tookMs
  }
  const alone = await run([])
  return (
    Math.max(0, (await run([strace, ...recordFlags(join(directory, "cost-record"), [file])])) - alone) /
    writes
  )
}

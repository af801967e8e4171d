import { link, open, unlink } from "node:fs/promises"
import { ConfigError } from "../../../config/config-error.ts"
import { HttpFailure } from "../../../ports/http-client.ts"
import { messageOf } from "../../../values/message-of.ts"
import type { Terminal } from "../output.ts"
import { type Backend, ServerFailed } from "./backend.ts"
import type { Flags, ReadEntry } from "./read-entry.ts"

/** Carries out an operation that sends a file, writes the file, and says where it is. Nothing is overwritten. */
export async function saveAndPrint(
  backend: Backend,
  { operation, command: { args = [] }, input }: ReadEntry,
  { to, json = false }: Flags,
  terminal: Terminal,
): Promise<void> {
  const file = to ?? String(input[args[0] ?? ""])
  const partial = `${file}.partial`
  // Only its owner can read it, since it may hold secrets.
  const handle = await open(partial, "wx", 0o600).catch((cause: unknown) => refuse(partial, cause))
  let bytes = 0
  try {
    const { chunks, close } = await backend.open(operation, input)
    try {
      for await (const chunk of chunks) {
        await handle.appendFile(chunk)
        bytes += chunk.length
      }
    } finally {
      await close()
    }
    await handle.sync()
    // It gets its name when it is whole. An existing file stays.
    await link(partial, file).catch((cause: unknown) => refuse(file, cause))
  } catch (thrown) {
    throw thrown instanceof HttpFailure
      ? new ServerFailed(`The connection broke after ${bytes} bytes: ${thrown.message}. Try again.`)
      : thrown
  } finally {
    await handle.close()
    await unlink(partial)
  }
  terminal.out(json ? `${JSON.stringify({ file, bytes })}\n` : `${file}  ${bytes} bytes\n`)
}

function refuse(file: string, cause: unknown): never {
  const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST"
  throw new ConfigError(
    exists
      ? `There is a file ${file} already, and it is not overwritten. Name another one with --to, or remove it.`
      : `${file} cannot be written: ${messageOf(cause)}. Name another file with --to.`,
  )
}

import { readFileSync } from "node:fs"
import { basename } from "node:path"

/** A call to the system that changes files, as `strace` recorded it. */
export interface DiskCall {
  /** When it began, in milliseconds since 1970. */
  readonly beganMs: number
  readonly kind: "write" | "truncate" | "flush" | "create" | "remove"
  /** The name of the file without its folder. For the flush of a folder, the name of the folder. */
  readonly file: string
  /** Where a write begins, and the new size of a file that is truncated. */
  readonly offset: number
  readonly bytes: Buffer
}

/** The beginning or the end of a call. Those of several threads overlap. */
export interface DiskEvent {
  readonly atMs: number
  readonly isEnd: boolean
  readonly call: DiskCall
}

const line = /^(\d+) +(\d+\.\d+) (?:(<\.\.\. \w+ resumed>)|(\w+)\()(.*)$/
/** Signals and ends of threads; and `???`, where the kill came before `strace` could read the call: it was not carried out. */
const notCalls = /^\d+ +\S+ (?:---|\+\+\+|\?\?\?\( <unfinished \.\.\.>$|<\.\.\. \?\?\? resumed>\) += \?$)/
/** The end of a call that failed, or that the kill ended. */
const notDone = /\) += (?:-1|\?)/
const writes = /^\d+<([^>]*)>, "([^"]*)", \d+, (\d+)/
const truncates = /^\d+<([^>]*)>, (\d+)/
const flushes = /^\d+<([^>]*)>/
const names = /^(?:AT_FDCWD[^,]*, )?"([^"]*)"(.*)/

/** The flags of `strace` whose output {@link readRecord} reads: full bytes, names of files, and no stop at other calls. */
export function recordFlags(output: string, files: readonly string[]): readonly string[] {
  const calls = "trace=pwrite64,fdatasync,fsync,ftruncate,openat,unlink"
  const paths = files.flatMap((file) => ["-P", file])
  return ["-f", "--seccomp-bpf", "-y", "-xx", "-s", "1000000", "-ttt", "-e", calls, ...paths, "-o", output]
}

/**
 * Reads what `strace` recorded, in the order of the calls.
 * @throws when a line is not understood: a call that is left out would make wrong images
 */
export function readRecord(output: string): readonly DiskEvent[] {
  const events: DiskEvent[] = []
  const under = new Map<string, DiskCall>()
  for (const text of readFileSync(output, "latin1").split("\n")) {
    if (text === "" || notCalls.test(text)) continue
    const [, thread = "", seconds, resumed, name = "", rest = ""] = line.exec(text) ?? []
    if (seconds === undefined)
      throw new Error(`strace wrote a line that is not understood: ${text.slice(0, 200)}`)
    const atMs = Number(seconds) * 1_000
    const call = resumed ? under.get(thread) : toCall(name, rest, atMs)
    under.delete(thread)
    if (!call) continue
    if (!resumed) events.push({ atMs, isEnd: false, call })
    if (rest.endsWith("<unfinished ...>")) under.set(thread, call)
    else if (!notDone.test(rest)) events.push({ atMs, isEnd: true, call })
  }
  return events
}

function toCall(name: string, rest: string, beganMs: number): DiskCall | null {
  const none = { beganMs, offset: 0, bytes: Buffer.alloc(0) }
  const read = (pattern: RegExp) => {
    const found = pattern.exec(rest)
    if (!found)
      throw new Error(`strace wrote a call of ${name} that is not understood: ${rest.slice(0, 200)}`)
    return found
  }
  if (name === "pwrite64") {
    const [, file = "", bytes = "", offset] = read(writes)
    return { ...none, kind: "write", file: baseOf(file), offset: Number(offset), bytes: toBytes(bytes) }
  }
  if (name === "ftruncate") {
    const [, file = "", size] = read(truncates)
    return { ...none, kind: "truncate", file: baseOf(file), offset: Number(size) }
  }
  if (name === "fdatasync" || name === "fsync")
    return { ...none, kind: "flush", file: baseOf(read(flushes)[1] ?? "") }
  const [, file = "", flags = ""] = read(names)
  if (name === "unlink") return { ...none, kind: "remove", file: baseOf(file) }
  return flags.includes("O_CREAT") ? { ...none, kind: "create", file: baseOf(file) } : null
}

const baseOf = (escaped: string): string => basename(toBytes(escaped).toString())

/** Reads escaped bytes, such as `\x2f\x74`. */
const toBytes = (escaped: string): Buffer => Buffer.from(escaped.replaceAll("\\x", ""), "hex")

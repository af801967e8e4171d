import type { DiskCall, DiskEvent } from "./disk-record.ts"

/** How much of what was not flushed is on the disk: all, nothing, or any version of each block of so many bytes. */
export type Kept = "all" | "nothing" | number

interface DiskFile {
  /** The bytes that are on the disk for certain. */
  flushed: Buffer
  /** Writes and truncations since the last flush, in their order. */
  pending: DiskCall[]
  /** Whether the folder that names it is on the disk. */
  isNamed: boolean
}

/** The files of a folder, and what a disk may have of them after a power cut. */
interface Disk {
  apply(event: DiskEvent): void
  /** The bytes that a file may have; null if it may be missing. `random` returns a whole number below its argument. */
  image(file: string, kept: Kept, random: (below: number) => number): Buffer | null
}

/**
 * @param files the files as they are on the disk at first
 * @param folder the name of the folder, as it is told when the folder is flushed
 */
export function createDisk(files: ReadonlyMap<string, Buffer>, folder: string): Disk {
  const all = new Map<string, DiskFile>()
  for (const [name, flushed] of files) all.set(name, { flushed, pending: [], isNamed: true })
  /** The writes that each flush under way is for. */
  const flushing = new Map<DiskCall, readonly DiskCall[]>()
  const ended = new Set<DiskCall>()

  function fileOf(name: string): DiskFile {
    const file = all.get(name) ?? { flushed: Buffer.alloc(0), pending: [], isNamed: false }
    all.set(name, file)
    return file
  }

  function applyFlush(call: DiskCall, isEnd: boolean): void {
    if (call.file === folder) {
      if (isEnd) for (const file of all.values()) file.isNamed = true
      return
    }
    const file = fileOf(call.file)
    if (!isEnd) {
      // A write that has not ended when the flush begins need not be flushed by it.
      flushing.set(
        call,
        file.pending.filter((write) => ended.has(write)),
      )
      return
    }
    const done = new Set(flushing.get(call))
    flushing.delete(call)
    const writes = file.pending.filter((write) => done.has(write))
    file.flushed = written(file.flushed, writes)
    file.pending = file.pending.filter((write) => !done.has(write))
  }

  return {
    apply({ call, isEnd }) {
      if (call.kind === "flush") applyFlush(call, isEnd)
      else if (call.kind === "create") fileOf(call.file)
      else if (call.kind === "remove")
        throw new Error(`${call.file} was removed: end the service with kill -9`)
      else if (isEnd) ended.add(call)
      else fileOf(call.file).pending.push(call)
    },
    image(name, kept, random) {
      const file = all.get(name)
      if (!file || (!file.isNamed && random(2) === 0)) return null
      const { pending } = file
      if (kept === "nothing") return Buffer.from(file.flushed)
      if (kept === "all") return written(Buffer.from(file.flushed), pending)
      return mixed(file, kept, random)
    },
  }
}

/** The bytes of a file after writes and truncations. May change the ones that it is given. */
function written(bytes: Buffer, calls: readonly DiskCall[]): Buffer {
  const result = sized(bytes, Math.max(bytes.length, ...calls.map((call) => call.offset + call.bytes.length)))
  let { length } = bytes
  for (const { kind, offset, bytes: more } of calls) {
    if (kind === "truncate") {
      result.fill(0, offset)
      length = offset
    } else {
      more.copy(result, offset)
      length = Math.max(length, offset + more.length)
    }
  }
  return result.subarray(0, length)
}

/** Each block has a version of its own: as it was flushed, or after any of the writes since. */
function mixed({ flushed, pending }: DiskFile, block: number, random: (below: number) => number): Buffer {
  const pieces = new Map<number, { readonly at: number; readonly bytes: Buffer }[]>()
  let size = flushed.length
  for (const { kind, offset, bytes } of pending) {
    const [end, content] = kind === "truncate" ? [size, null] : [offset + bytes.length, bytes]
    for (let at = offset; at < end; ) {
      const number = Math.floor(at / block)
      const to = Math.min(end, (number + 1) * block)
      const piece = content?.subarray(at - offset, to - offset) ?? Buffer.alloc(to - at)
      const versions = pieces.get(number) ?? []
      versions.push({ at, bytes: piece })
      pieces.set(number, versions)
      at = to
    }
    size = Math.max(size, end)
  }
  const result = sized(Buffer.from(flushed), size)
  let last = flushed.length
  for (const versions of pieces.values())
    for (const { at, bytes } of versions.slice(0, random(versions.length + 1))) {
      bytes.copy(result, at)
      last = Math.max(last, at + bytes.length)
    }
  return result.subarray(0, last)
}

function sized(bytes: Buffer, size: number): Buffer {
  if (size <= bytes.length) return bytes.subarray(0, size)
  return Buffer.concat([bytes, Buffer.alloc(size - bytes.length)])
}

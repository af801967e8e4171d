import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { link, mkdir, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { FolderCopy, OwnedCopy } from "../values/folder-copy.ts"
import { messageOf } from "../values/message-of.ts"
import { makeCopyFolder } from "./copy-place.ts"
import { PluginRefused } from "./plugin-refused.ts"

const maxBytes = 50_000_000
const maxFiles = 10_000
/** So many bytes are copied and hashed at once: other work goes on in between. */
const pieceBytes = 1 << 18
const maxAttempts = 10
/** Bare imports find nothing in a compiled program, so packages are not copied. */
const leftOut = /^(?:node_modules|\..*)$/

/**
 * Copies a folder of APIs at one instant; when files change meanwhile it starts again. Threads load the copy, so that one
 * started later runs the same code as the first.
 * @throws PluginRefused
 */
export async function copyFolder(directory: string): Promise<OwnedCopy> {
  const { folder, remove } = makeCopyFolder()
  try {
    let problem = "its files change while they are read; try again when they stay the same"
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      try {
        const fingerprint = await readAll(directory, folder)
        // If the files are equal before and after, none changed in between.
        if (fingerprint === (await readAll(directory, null))) return { folder, fingerprint, remove }
      } catch (thrown) {
        // A file was renamed or removed meanwhile.
        if (toSystemError(thrown).code !== "ENOENT") throw thrown
        problem = reasonOf(thrown, directory)
      }
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
    }
    throw new PluginRefused(`The folder ${directory} cannot be read: ${problem}.`)
  } catch (thrown) {
    remove()
    if (thrown instanceof PluginRefused) throw thrown
    throw new PluginRefused(`The folder ${directory} cannot be read: ${reasonOf(thrown, directory)}.`)
  }
}

/**
 * Makes a copy of a copy that another process made and may remove. The files are shared by hard links.
 * @throws PluginRefused when the other process has removed it
 */
export async function linkCopy({ folder: from, fingerprint }: FolderCopy): Promise<OwnedCopy> {
  const { folder, remove } = makeCopyFolder()
  try {
    for (const { path } of filesOf(from, "")) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await link(join(from, path), join(folder, path))
    }
    return { folder, fingerprint, remove }
  } catch (thrown) {
    remove()
    throw new PluginRefused(`The copy of the own APIs cannot be used: ${messageOf(thrown)}`)
  }
}

/** The folders in a folder, sorted. */
export function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Hashes the files of a folder, and copies them to `target` unless it is null. */
async function readAll(directory: string, target: string | null): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256").update(directory)
  const files = filesOf(directory, "")
  requireSmall(directory, files)
  await readFiles(directory, files, hasher, target)
  return hasher.digest("hex")
}

/**
 * Hashes files with their paths and sizes.
 * @param onPiece also gets the parts of each file, in order
 */
export async function readFiles(
  directory: string,
  files: readonly FoundFile[],
  hasher: Bun.CryptoHasher,
  target: string | null = null,
  onPiece: (piece: Uint8Array, path: string) => void = () => {},
): Promise<void> {
  for (const { path, bytes } of files) {
    hasher.update(`\n${path.length} ${path} ${bytes} `)
    await readFile(join(directory, path), target === null ? null : join(target, path), (piece) => {
      hasher.update(piece)
      onPiece(piece, path)
    })
  }
}

async function readFile(path: string, target: string | null, onPiece: (piece: Uint8Array) => void) {
  if (target !== null) mkdirSync(dirname(target), { recursive: true })
  await using from = await open(path)
  await using to = target === null ? null : await open(target, "w")
  const buffer = new Uint8Array(pieceBytes)
  for (;;) {
    const { bytesRead } = await from.read(buffer, 0, pieceBytes)
    if (bytesRead === 0) return
    const piece = buffer.subarray(0, bytesRead)
    onPiece(piece)
    await to?.writeFile(piece)
  }
}

/** A file below a folder. */
export interface FoundFile {
  /** Below the folder. */
  readonly path: string
  readonly bytes: number
}

/** The files of a folder and the folders in it, sorted, below `base`. */
export function filesOf(base: string, folder: string): FoundFile[] {
  return readdirSync(join(base, folder))
    .filter((name) => !leftOut.test(name))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      const stats = statSync(join(base, path))
      if (stats.isDirectory()) return filesOf(base, path)
      // A pipe would never end.
      return stats.isFile() ? [{ path, bytes: stats.size }] : []
    })
}

function requireSmall(directory: string, files: readonly FoundFile[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > maxBytes)
    throw new PluginRefused(
      `The folder ${directory} holds ${Math.ceil(bytes / 1e6)} MB; ${maxBytes / 1e6} MB are allowed.`,
    )
  if (files.length > maxFiles)
    throw new PluginRefused(`The folder ${directory} holds ${files.length} files; ${maxFiles} are allowed.`)
}

/** Why something could not be read, and what to change. */
function reasonOf(thrown: unknown, directory: string): string {
  const { code, path } = toSystemError(thrown)
  if (path === directory && code === "ENOENT")
    return "it does not exist. Check the path, or create the folder"
  if (path === directory && code === "ENOTDIR") return "it is a file. Name the folder that the file is in"
  if (code === "ENOENT")
    return `${path} is missing, or a link to nothing. Remove the link, or make its target`
  if (code === "EACCES" || code === "EPERM")
    return `this user may not read ${path}. Give the user the right to read it`
  if (code === "ELOOP") return `${path} is a link that leads back to itself. Remove it`
  return messageOf(thrown)
}

function toSystemError(thrown: unknown): { readonly code: unknown; readonly path: unknown } {
  if (!(thrown instanceof Error)) return { code: null, path: null }
  return { code: "code" in thrown && thrown.code, path: "path" in thrown ? thrown.path : null }
}

import { sep } from "node:path"
import { type FoundFile, filesOf, readFiles } from "./copy-folder.ts"

/** Names of APIs have at most so many bytes. */
const maxNameBytes = 40

/**
 * Fingerprints of the APIs of a copy. Each is of all files that the API may use: its own folder, everything that is no API's
 * folder, and the folders of APIs whose names are somewhere in these files.
 * @param folder of the copy
 * @param apis the names of the folders with an API
 */
export async function fingerprintsOf(
  folder: string,
  apis: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ownerOf = ({ path }: FoundFile) => apis.find((api) => path.startsWith(api + sep)) ?? ""
  const files = Map.groupBy(filesOf(folder, ""), ownerOf)
  const parts = new Map<string, Part>()
  for (const owner of ["", ...apis]) parts.set(owner, await readPart(folder, files.get(owner) ?? [], apis))
  return new Map(
    apis.map((api) => [
      api,
      withMentioned(["", api], parts)
        .map((name) => name + parts.get(name)?.hash)
        .join(" "),
    ]),
  )
}

interface Part {
  readonly hash: string
  /** Names of APIs that are in the files. If one means something else there, the API is only loaded again more often. */
  readonly mentions: ReadonlySet<string>
}

/** The names, and those that their files mention, and so on, sorted. */
function withMentioned(names: readonly string[], parts: ReadonlyMap<string, Part>): readonly string[] {
  // A loop over a set also visits values that are added meanwhile.
  const all = new Set(names)
  for (const name of all) for (const mentioned of parts.get(name)?.mentions ?? []) all.add(mentioned)
  return [...all].sort()
}

async function readPart(folder: string, files: readonly FoundFile[], apis: readonly string[]): Promise<Part> {
  const hasher = new Bun.CryptoHasher("sha256")
  const mentions = new Set<string>()
  let before = { path: "", end: Buffer.of() }
  await readFiles(folder, files, hasher, null, (piece, path) => {
    // A name may begin in one piece and end in the next.
    const text = Buffer.concat([before.path === path ? before.end : Buffer.of(), piece])
    for (const name of apis) if (!mentions.has(name) && text.includes(name)) mentions.add(name)
    before = { path, end: Buffer.from(text.subarray(-maxNameBytes)) }
  })
  return { hash: hasher.digest("hex"), mentions }
}

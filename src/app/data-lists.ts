import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, parse } from "node:path"
import { type CatalogData, dataLists } from "../apis/catalog.ts"
import { readAnchors } from "../apis/mail/dnssec/root-anchors.ts"
import { ConfigError } from "../config/setting-name.ts"
import { messageOf } from "../values/message-of.ts"

const names = Object.keys(dataLists) as (keyof typeof dataLists)[]
/** How a file of each list can be called. */
const fileNames = names.map((name) => `${name}${dataLists[name].endings[0]}`)
/** The largest list of a registry has about 6 MB. A larger file is a mistake, and would hold up the service. */
const maxBytes = 32 * 1024 * 1024

/**
 * Reads the lists of `--data`: a file each, named after the list, in the form in which the list is published.
 * @param place the setting in messages
 * @returns the lists, and their files by the names of the lists
 * @throws ConfigError that names the file and what is wrong with it
 */
export async function readDataLists(directory: string, place = `--data ${directory}`) {
  const data: Record<string, unknown> = {}
  const files = new Map<string, string>()
  for (const file of filesIn(directory, place)) {
    const { name, ext } = parse(file)
    const list = names.find((one) => one === name)
    const endings: readonly string[] = list ? dataLists[list].endings : []
    if (list === undefined || !endings.includes(ext))
      throw new ConfigError(
        `${place}: '${file}' is not a known list. ${list ? `Name it ${endings.map((end) => `${list}${end}`).join(" or ")}` : `Name a file ${fileNames.join(" or ")}`}.`,
      )
    if (Object.hasOwn(data, list))
      throw new ConfigError(`${place}: there are two files for '${list}'. Remove one.`)
    try {
      const path = join(directory, file)
      const { size } = statSync(path)
      if (size > maxBytes) throw new Error(`it has ${size} bytes; ${maxBytes} are allowed`)
      data[list] = await dataLists[list].read(readFileSync(path, "utf8"))
      files.set(list, file)
    } catch (cause) {
      throw new ConfigError(`${place}: ${file}: ${messageOf(cause)}`)
    }
  }
  if (files.size === 0)
    throw new ConfigError(`${place} has no lists. A list is a file such as ${fileNames[0]}.`)
  return { data: data as CatalogData, files }
}

/** A root has two keys, seldom three. A larger file is something else. */
const maxAnchorBytes = 64 * 1024

/**
 * Reads the file of `--dnssec-anchor`.
 * @param place the setting in messages
 * @throws ConfigError that names the file and what is wrong with it
 */
export function readAnchorFile(file: string, place: string): ReturnType<typeof readAnchors> {
  try {
    const { size } = statSync(file)
    if (size > maxAnchorBytes) throw new Error(`it has ${size} bytes; ${maxAnchorBytes} are allowed`)
    return readAnchors(readFileSync(file, "utf8"))
  } catch (cause) {
    const isUnreadable = cause instanceof Error && "syscall" in cause
    throw new ConfigError(`${place}: ${isUnreadable ? "the file cannot be read" : messageOf(cause)}.`)
  }
}

/** Files that begin with a dot are for the system. */
function filesIn(directory: string, place: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((file) => !file.startsWith("."))
      .sort()
  } catch {
    throw new ConfigError(`${place} cannot be read: name a folder.`)
  }
}

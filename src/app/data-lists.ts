import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, parse } from "node:path"
import { type CatalogData, dataReaders } from "../apis/catalog.ts"
import { ConfigError } from "../config/config-error.ts"
import { messageOf } from "../values/message-of.ts"

/** The lists of a folder: a file each, named after the list, in JSON or YAML. */
export interface DataLists {
  readonly data: CatalogData
  /** The files of the lists that were read, by the names of the lists. */
  readonly files: ReadonlyMap<string, string>
}

const names = Object.keys(dataReaders) as (keyof typeof dataReaders)[]
const endings: readonly string[] = [".json", ".yaml", ".yml"]
/** The largest list of a registry has about 6 MB. A larger file is a mistake, and would hold up the service. */
const maxBytes = 32 * 1024 * 1024

/**
 * Reads the lists of `--data`.
 * @throws ConfigError that names the file and what is wrong with it
 */
export async function readDataLists(directory: string): Promise<DataLists> {
  const place = `--data ${directory}`
  const data: Record<string, unknown> = {}
  const files = new Map<string, string>()
  for (const file of filesIn(directory, place)) {
    const { name, ext } = parse(file)
    const list = names.find((one) => one === name)
    if (list === undefined || !endings.includes(ext))
      throw new ConfigError(
        `${place}: '${file}' is not a list that is known. Name a file ${names.join(" or ")}, followed by ${endings.join(" or ")}.`,
      )
    if (Object.hasOwn(data, list))
      throw new ConfigError(`${place}: there are two files for '${list}'. Remove one.`)
    try {
      const path = join(directory, file)
      const { size } = statSync(path)
      if (size > maxBytes) throw new Error(`it has ${size} bytes; ${maxBytes} are allowed`)
      data[list] = await dataReaders[list](readFileSync(path, "utf8"))
      files.set(list, file)
    } catch (cause) {
      throw new ConfigError(`${place}: ${file}: ${messageOf(cause)}`)
    }
  }
  if (files.size === 0)
    throw new ConfigError(`${place} has no list. A list is a file such as ${names[0]}.json.`)
  return { data, files }
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

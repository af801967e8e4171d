/** How a file is compressed (RFC 9110 §8.4.1). */
export type Coding = "br" | "gzip"

/** The forms in which files are kept, the smallest first. */
export const codings: readonly Coding[] = ["br", "gzip"]

/** A script, style sheet or picture of the front end. Its name contains a hash of its bytes. */
export interface WebFile {
  readonly name: string
  /** The names of the scripts that this script imports. */
  readonly imports: readonly string[]
  read(coding: Coding): Promise<Uint8Array>
}

/** Everything that a browser loads besides the page itself, by name. */
export type WebFiles = ReadonlyMap<string, WebFile>

/**
 * The name of a file with its hash, such as `console-4k2j8d.js`.
 * @param name without the hash, such as `console.js`
 */
export function hashedName(files: WebFiles, name: string): string {
  const [, stem = "", ending = ""] = /^(.+)(\.\w+)$/.exec(name) ?? []
  const found = [...files.keys()].find((file) => file.startsWith(`${stem}-`) && file.endsWith(ending))
  if (found === undefined) throw new Error(`The front end has no file '${name}'.`)
  return found
}

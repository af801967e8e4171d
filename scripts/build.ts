/**
 * Builds dist/penknife for this machine, or with `--all` dist/penknife-<target> for every target, with archives and checksums.
 * Also makes the npm package in dist/package.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { makeArchives } from "./archives.ts"
import { compile } from "./executable.ts"
import { writeMockStart } from "./mock-start.ts"
import { makePackage } from "./package.ts"
import { writeWebFiles } from "./web-files.ts"

const targets = [
  ...["linux-x64", "linux-arm64", "linux-x64-musl", "linux-arm64-musl"],
  ...["darwin-arm64", "darwin-x64", "windows-x64"],
]

process.chdir(new URL("..", import.meta.url).pathname)
mkdirSync("dist", { recursive: true })
await writeMockStart()
const webInputs = await writeWebFiles()
const isForAll = process.argv.includes("--all")
const builds: boolean[] = []
if (isForAll) for (const target of targets) builds.push(await compile(`dist/penknife-${target}`, target))
else builds.push(await compile("dist/penknife"))
const succeeded = [...builds, makePackage(webInputs)].every((step) => step)
if (succeeded && isForAll) {
  await makeArchives("dist", targets, {
    LICENSE: readFileSync("LICENSE", "utf8"),
    "THIRD-PARTY-NOTICES.txt": readFileSync("dist/THIRD-PARTY-NOTICES.txt", "utf8"),
  })
}
process.exit(succeeded ? 0 : 1)

/**
 * Builds dist/penknife for this machine, or with `--all` dist/penknife-<target> for every target, with archives and checksums.
 * Also makes the npm package in dist/package.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { makeArchives } from "./archives.ts"
import { makePackage, programOptions, run } from "./package.ts"
import { writeWebFiles } from "./web-files.ts"

const targets = [
  "linux-x64",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-arm64",
  "darwin-x64",
  "windows-x64",
]

process.chdir(new URL("..", import.meta.url).pathname)
mkdirSync("dist", { recursive: true })
const webInputs = await writeWebFiles()
const isForAll = process.argv.includes("--all")
const builds = isForAll
  ? targets.map((target) => build(`dist/penknife-${target}`, target))
  : [build("dist/penknife")]
const succeeded = [...builds, makePackage(webInputs)].every((step) => step)
if (succeeded && isForAll) {
  await makeArchives("dist", targets, {
    LICENSE: readFileSync("LICENSE", "utf8"),
    "THIRD-PARTY-NOTICES.txt": readFileSync("dist/THIRD-PARTY-NOTICES.txt", "utf8"),
  })
}
process.exit(succeeded ? 0 : 1)

function build(outfile: string, target?: string): boolean {
  return run([
    process.execPath,
    "build",
    "--compile",
    // Halves the time to start. It needs the format that it is compiled as.
    "--bytecode",
    "--format=esm",
    // Most code of a start runs once, so compiling it takes longer than it saves. `src/main.ts` ends this when it serves.
    "--compile-jit-policy=10",
    ...programOptions,
    // Files in the working directory must not configure a service.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    ...(target ? [`--target=bun-${target}`] : []),
    `--outfile=${outfile}`,
    "src/main.ts",
    // They run in threads.
    "src/plugins/worker.ts",
    "src/store/sqlite/checkpoint-thread.ts",
    "src/store/sqlite/read-thread.ts",
  ])
}

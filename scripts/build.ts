/**
 * Builds the executable: `bun scripts/build.ts` for this machine into dist/penknife, with `--all` for every target into
 * dist/penknife-<target>. Also builds `penknife/mock` for Node: dist/mock.js, dist/mock.cjs and their types.
 */
import { mkdirSync } from "node:fs"

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
const builds = process.argv.includes("--all")
  ? targets.map((target) => build(`dist/penknife-${target}`, target))
  : [build("dist/penknife")]
process.exit([...builds, ...buildMock()].every((succeeded) => succeeded) ? 0 : 1)

function build(outfile: string, target?: string): boolean {
  return run([
    process.execPath,
    "build",
    "--compile",
    // Bytecode halves the start-up; renaming identifiers would break code that is read back as text (Elysia's).
    "--bytecode",
    "--minify-whitespace",
    "--minify-syntax",
    // A stray .env or bunfig.toml in the working directory must not steer a service.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    ...(target ? [`--target=bun-${target}`] : []),
    `--outfile=${outfile}`,
    "src/main.ts",
  ])
}

/** What test runners in Node import, as a module and for `require`. */
function buildMock(): boolean[] {
  const build = [process.execPath, "build", "--target=node", "mock/start-mock.ts"]
  // Bun would write the path of this machine into a CommonJS file where its own place is asked for.
  const place = 'const moduleUrl = require("node:url").pathToFileURL(__filename).href'
  return [
    run([...build, "--format=esm", "--outfile=dist/mock.js"]),
    run([
      ...build,
      ...[
        "--format=cjs",
        "--define=import.meta.url=moduleUrl",
        `--banner=${place}`,
        "--outfile=dist/mock.cjs",
      ],
    ]),
    run([process.execPath, "node_modules/typescript/bin/tsc", "-p", "mock"]),
  ]
}

function run(command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stdio: ["ignore", "inherit", "inherit"] }).success
}

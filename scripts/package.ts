/**
 * Makes the npm package in dist/package: the program as one file for Bun and the viewer of its `/docs`, `penknife/mock` for Node and Bun as a module and for
 * `require`, types for both, and the command. What it needs is in the program, but for Bun itself.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { thirdPartyNotices } from "./notices.ts"

const folder = "dist/package"

/** How the program is bundled, whatever is made of it. */
export const programOptions = [
  // Renaming identifiers would break code that is read back as text (Elysia's).
  "--minify-whitespace",
  "--minify-syntax",
  // Bun writes the path of this machine there. Dependencies look there for workers of a kind that is not used here.
  "--define=__dirname='.'",
]

/** Works from the project's root. Whether everything could be made. */
export function makePackage(): boolean {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`)
  // Empty, so that the program does not take the one of the project that is tested.
  writeFileSync(join(folder, "bunfig.toml"), "")
  copyFileSync("LICENSE", join(folder, "LICENSE"))
  copyFileSync("src/mock-client/README.md", join(folder, "README.md"))
  return makeProgram() && makeModules() && makeTypes()
}

function manifest(): object {
  const { name, version, description, license, engines, devDependencies } = JSON.parse(
    readFileSync("package.json", "utf8"),
  )
  return {
    name,
    version,
    description,
    license,
    type: "module",
    bin: { penknife: "cli.js" },
    exports: {
      "./mock": {
        require: { types: "./mock.d.cts", default: "./mock.cjs" },
        default: { types: "./mock.d.ts", default: "./mock.js" },
      },
      "./package.json": "./package.json",
    },
    engines: { node: engines.node },
    dependencies: { bun: devDependencies.bun },
  }
}

function makeProgram(): boolean {
  const metafile = "dist/metafile.json"
  const built = build([
    `--metafile=${metafile}`,
    "--target=bun",
    ...programOptions,
    `--outdir=${folder}`,
    "--entry-naming=penknife.js",
    // The viewer of /docs: read when somebody looks.
    "--asset-naming=[name].[ext]",
    "src/main.ts",
  ])
  if (built) {
    // For the executable, which holds the same, too.
    writeFileSync("dist/THIRD-PARTY-NOTICES.txt", thirdPartyNotices(metafile))
    copyFileSync("dist/THIRD-PARTY-NOTICES.txt", join(folder, "THIRD-PARTY-NOTICES.txt"))
  }
  return built
}

function makeModules(): boolean {
  // Bun would write the path of this machine into a CommonJS file where its own place is asked for.
  const place = 'const moduleUrl = require("node:url").pathToFileURL(__filename).href'
  const node = (source: string, name: string, ...more: string[]) =>
    build(["--target=node", ...more, `--outfile=${folder}/${name}`, source])
  return (
    node("src/mock-client/start-mock.ts", "mock.js", "--format=esm") &&
    node(
      ...(["src/mock-client/start-mock.ts", "mock.cjs"] as const),
      ...["--format=cjs", "--define=import.meta.url=moduleUrl", `--banner=${place}`],
    ) &&
    node("src/mock-client/cli.ts", "cli.js", "--format=esm", "--banner=#!/usr/bin/env node")
  )
}

/** Once for `import` and once for `require`, since TypeScript tells by the name which of them a declaration is for. */
function makeTypes(): boolean {
  if (!run([process.execPath, "node_modules/typescript/bin/tsc", "-p", "src/mock-client"])) return false
  for (const name of ["mock.d.ts", "mock.d.cts"])
    copyFileSync("dist/types/start-mock.d.ts", join(folder, name))
  return true
}

function build(args: readonly string[]): boolean {
  return run([process.execPath, "build", ...args])
}

/** Runs a step of the build; whether it succeeded. */
export function run(command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stdio: ["ignore", "inherit", "inherit"] }).success
}

/**
 * Makes the npm package in dist/package: the program for Bun, `penknife/mock` as a module and
 * for `require` with types for both, `penknife/plugin` with its types, and the command. Its only dependency is Bun.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inputsOf, thirdPartyNotices } from "./notices.ts"

const folder = "dist/package"

/** Options of `bun build` for the executable and for the package. */
export const programOptions = [
  // Identifiers keep their names, since Elysia reads the text of functions.
  "--minify-whitespace",
  "--minify-syntax",
  // Modules that are imported when needed (GraphQL, OpenAPI) stay on the disk until then.
  "--splitting",
  // The front end is embedded; from source it is bundled with the first request.
  "--conditions=embedded",
  // Otherwise Bun writes the path of this machine into the bundle.
  "--define=__dirname='.'",
  ...commitOption(),
]

/** Names the commit in `--version` and `/health`. Without Git, or in a folder that is no clone, the program names none. */
function commitOption(): string[] {
  if (!Bun.which("git")) return []
  const found = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], { stderr: "ignore" })
  const commit = found.stdout.toString().trim()
  return found.success && commit !== "" ? [`--define=PENKNIFE_COMMIT="${commit}"`] : []
}

/**
 * Makes the package; the working directory must be the project's root.
 * @param webInputs what the front end was made from, for the notices of third parties
 * @returns whether every step succeeded
 */
export function makePackage(webInputs: readonly string[]): boolean {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`)
  // An empty file keeps Bun from reading the one of the project that is tested.
  writeFileSync(join(folder, "bunfig.toml"), "")
  copyFileSync("LICENSE", join(folder, "LICENSE"))
  copyFileSync("src/mock-client/README.md", join(folder, "README.md"))
  return makeProgram(webInputs) && makeModules() && makeTypes()
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
      "./mock/expect": {
        require: { types: "./expect.d.cts", default: "./expect.cjs" },
        default: { types: "./expect.d.ts", default: "./expect.js" },
      },
      "./mock/jest": {
        require: { types: "./jest.d.cts", default: "./jest.cjs" },
        default: { types: "./jest.d.ts", default: "./jest.js" },
      },
      "./mock/vitest": { types: "./vitest.d.ts", default: "./vitest.js" },
      "./mock/bun": { types: "./bun.d.ts", default: "./bun.js" },
      "./plugin": { types: "./plugin.d.ts", default: "./plugin.js" },
      "./package.json": "./package.json",
    },
    engines: { node: engines.node },
    dependencies: { bun: devDependencies.bun },
  }
}

function makeProgram(webInputs: readonly string[]): boolean {
  const metafile = "dist/metafile.json"
  const built = build([
    `--metafile=${metafile}`,
    "--target=bun",
    ...programOptions,
    `--outdir=${folder}`,
    "--entry-naming=penknife.js",
    // The names of the front end's files hold a hash already.
    "--asset-naming=[name].[ext]",
    "src/main.ts",
  ])
  // Only this file has the isolated APIs, with packages that nothing else uses.
  const workerMetafile = "dist/worker-metafile.json"
  const worker = [`--outdir=${folder}/plugins`, "--entry-naming=worker.js", "src/plugins/worker.ts"]
  if (!build([`--metafile=${workerMetafile}`, "--target=bun", ...programOptions, ...worker])) return false
  const threads = ["checkpoint-thread", "read-thread"].map((name) => `src/store/sqlite/${name}.ts`)
  if (!build(["--target=bun", ...programOptions, `--outdir=${folder}/store/sqlite`, ...threads])) return false
  if (built) {
    // The executable contains the same packages.
    const inputs = [...webInputs, ...inputsOf(workerMetafile)]
    writeFileSync("dist/THIRD-PARTY-NOTICES.txt", thirdPartyNotices(metafile, inputs))
    copyFileSync("dist/THIRD-PARTY-NOTICES.txt", join(folder, "THIRD-PARTY-NOTICES.txt"))
  }
  return built
}

function makeModules(): boolean {
  // Bun would replace import.meta.url in a CommonJS file with a path of this machine.
  const place = 'const moduleUrl = require("node:url").pathToFileURL(__filename).href'
  const node = (source: string, name: string, ...more: string[]) =>
    build(["--target=node", ...more, `--outfile=${folder}/${name}`, source])
  const makeMatchers = (name: string, ending: string, format: string) =>
    node(`clients/javascript/${name}.ts`, `${name}.${ending}`, `--format=${format}`, "--external=vitest")
  return (
    node("src/mock-client/start-mock.ts", "mock.js", "--format=esm") &&
    node(
      ...(["src/mock-client/start-mock.ts", "mock.cjs"] as const),
      ...["--format=cjs", "--define=import.meta.url=moduleUrl", `--banner=${place}`],
    ) &&
    ["expect", "jest", "vitest", "bun"].every((name) => makeMatchers(name, "js", "esm")) &&
    ["expect", "jest"].every((name) => makeMatchers(name, "cjs", "cjs")) &&
    node("src/plugins/plugin-module.ts", "plugin.js", "--format=esm") &&
    node("src/mock-client/cli.ts", "cli.js", "--format=esm", "--banner=#!/usr/bin/env node")
  )
}

/** Two copies, since TypeScript tells by the file name whether types are for `import` or for `require`. */
function makeTypes(): boolean {
  for (const project of ["src/mock-client", "clients/javascript"]) {
    if (!run([process.execPath, "node_modules/typescript/bin/tsc", "-p", project])) return false
  }
  for (const ending of ["d.ts", "d.cts"]) {
    const types = readFileSync("dist/types/start-mock.d.ts", "utf8")
    const options = ending === "d.ts" ? "./mock-options.js" : "./mock-options.cjs"
    writeFileSync(
      join(folder, `mock.${ending}`),
      types.replaceAll(/"\.\/mock-options\.\w+"/g, `"${options}"`),
    )
    for (const name of ["mock-options", "expect", "jest"])
      copyFileSync(`dist/types/${name}.d.ts`, join(folder, `${name}.${ending}`))
  }
  for (const name of ["vitest.d.ts", "bun.d.ts"]) copyFileSync(`dist/types/${name}`, join(folder, name))
  writeFileSync(
    join(folder, "plugin.d.ts"),
    toPackageTypes(readFileSync("docs/penknife-plugin.d.ts", "utf8")),
  )
  return true
}

/** The types that `penknife api new` writes declare a module. In the package they are one. */
function toPackageTypes(declared: string): string {
  const [comment, body] = declared.replace(/\}\n$/, "").split('declare module "penknife/plugin" {\n')
  if (body === undefined) throw new Error("docs/penknife-plugin.d.ts must declare one module.")
  return `${comment}${body.replaceAll(/^ {2}/gm, "").replaceAll(/^export (?=function|const)/gm, "export declare ")}`
}

function build(args: readonly string[]): boolean {
  return run([process.execPath, "build", ...args])
}

/** Runs a command and returns whether it succeeded. */
export function run(command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stdio: ["ignore", "inherit", "inherit"] }).success
}

/** The types of `penknife/plugin`, made from the contract of the APIs. What only built-in APIs may use is `@internal` there. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dir, "../..")
const settings = "scripts/generate/plugin-types"
const sources = ["contract", "dns-port", "web-port", "machine-ports"]

/**
 * Prints the types as a module that an editor finds by the name `penknife/plugin`.
 * @throws Error if the contract does not compile
 */
export function pluginTypes(): string {
  const compiler = [process.execPath, "node_modules/typescript/bin/tsc", "-p", settings]
  const { success, stdout } = Bun.spawnSync(compiler, { cwd: root })
  if (!success) throw new Error(`src/apis/contract.ts does not compile:\n${stdout}`)
  const compiled = sources.map((name) => toModulePart(read(`dist/plugin-types/apis/${name}.d.ts`)))
  // The schemas of TypeBox that an own API may use, under the names that the contract uses.
  const body = [read(`${settings}/schemas.d.ts`).replaceAll("export declare ", "export "), ...compiled].join(
    "\n",
  )
  return `/** The module that an own API imports: \`import { defineApi, Type } from "penknife/plugin"\`. */
declare module "penknife/plugin" {
${body.replace(/^(?=.)/gm, "  ")}
  // Without an empty export everything above would be exported.
  export {}
}
`
}

/** All parts are in one module, where nothing is imported. Who asks is said by the service alone. */
const toModulePart = (text: string): string =>
  text
    .replace(/^(?:import|export type \*) .*\n/gm, "")
    .replaceAll("export declare ", "export ")
    .replaceAll(", ...asker: Asker", "")
    // The compiler indents by four and writes semicolons.
    .replace(/^(?: {4})+/gm, (indent) => " ".repeat(indent.length / 2))
    .replace(/;$/gm, "")

const read = (file: string): string => readFileSync(join(root, file), "utf8")

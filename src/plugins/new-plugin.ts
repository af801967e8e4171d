import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import pluginTypes from "#plugin-types" with { type: "text" }
import { mistakeOfId } from "./check-definition.ts"
import firstApi from "./new-api/index.txt" with { type: "text" }
import settings from "./new-api/tsconfig.txt" with { type: "text" }
import { PluginRefused } from "./plugin-refused.ts"

const nameForm = /^[a-z][a-z0-9]{1,39}$/

/**
 * Writes a folder with a first API that works, and next to the folder the types for editors, unless they are there.
 * @param directory the parent of the new folder; it is made too
 * @param taken the ids of other APIs
 * @returns the files that were written
 * @throws PluginRefused
 */
export function writeNewPlugin(directory: string, name: string, taken: ReadonlySet<string>): string[] {
  if (!nameForm.test(name))
    throw new PluginRefused(
      `The name '${name}' cannot be used. Take 2 to 40 lower-case letters and digits, a letter first.`,
    )
  const mistake = mistakeOfId(name, taken)
  if (mistake !== null) throw new PluginRefused(`The name '${name}' cannot be used: ${mistake}.`)
  const folder = join(directory, name)
  if (existsSync(folder))
    throw new PluginRefused(`${folder} exists already. Choose another name, or remove it.`)
  mkdirSync(folder, { recursive: true })
  const files = [
    { path: join(folder, "index.ts"), text: firstApi.replace("NAME", name), isNew: true },
    { path: join(directory, "penknife-plugin.d.ts"), text: pluginTypes, isNew: false },
    { path: join(directory, "tsconfig.json"), text: settings, isNew: false },
  ]
  const missing = files.filter(({ path, isNew }) => isNew || !existsSync(path))
  for (const { path, text } of missing) writeFileSync(path, text)
  return missing.map(({ path }) => path)
}

import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import pluginTypes from "#plugin-types" with { type: "text" }
import { mistakeOfId } from "./check-definition.ts"
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
    { path: join(folder, "index.ts"), text: firstApi(name), isNew: true },
    { path: join(directory, "penknife-plugin.d.ts"), text: pluginTypes, isNew: false },
    { path: join(directory, "tsconfig.json"), text: settings, isNew: false },
  ]
  const missing = files.filter(({ path, isNew }) => isNew || !existsSync(path))
  for (const { path, text } of missing) writeFileSync(path, text)
  return missing.map(({ path }) => path)
}

const settings = `{
  "compilerOptions": {
    "target": "ESNext",
    "module": "Preserve",
    "moduleResolution": "bundler",
    "allowImportingTsExtensions": true,
    "noEmit": true,
    "strict": true,
    "types": []
  },
  "include": ["."]
}
`

const firstApi = (id: string) => `import { defineApi, premium, reject, Type } from "penknife/plugin"

export default defineApi({
  // The name of this folder.
  id: "${id}",
  title: "Word count",
  // The heading under which it is listed, and words that people search by.
  category: "text",
  keywords: ["length"],
  description: "Counts the words of a text.",
  // GET takes the parameters from the query string, POST from a JSON body.
  method: "POST",
  credits: 1,
  input: Type.Object({
    text: Type.String({ maxLength: 10_000, description: "The text; words are separated by white space." }),
  }),
  output: Type.Object({
    words: Type.Integer({ description: "How many words the text has." }),
    // Absent on plans without premium fields.
    longest: premium(Type.Integer({ description: "How many characters the longest word has." })),
  }),
  // They are the tests: an API whose examples are wrong is not served. 'penknife api check' tries them.
  examples: [{ name: "Three words", input: { text: "one two three" }, output: { words: 3, longest: 5 } }],
  run({ text }) {
    if (text.trim() === "") reject("text", "must have a word")
    const words = text.match(/\\S+/g) ?? []
    return { words: words.length, longest: Math.max(0, ...words.map((word) => word.length)) }
  },
})
`

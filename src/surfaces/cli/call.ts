import type { TSchema } from "@sinclair/typebox"
import { Command, CommanderError, Option as Flag } from "commander"
import { byCategory } from "../../apis/categories.ts"
import { type ApiDefinition, choicesOf } from "../../apis/contract.ts"
import { isJsonValue } from "../../values/json-value.ts"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { choiceOfApis, isChosen, loadUsable, onConfig } from "./settings.ts"
import { collect } from "./values.ts"

/** `call <api>`: one command per API of the catalog and of `--apis`, with a flag for each parameter. */
export async function addCall(program: Command, parts: CliParts, argv: readonly string[]): Promise<void> {
  const group = program
    .command("call")
    .description("Run one API in this process, without a server, and print its data as JSON.")
    .addHelpText("after", example("penknife call bluetoothlookup --companyid 76"))
  const apis = argv[0] === "call" ? await readCallable(argv, parts) : parts.catalog
  for (const { heading, apis: members } of byCategory(apis.map((definition) => ({ definition }))))
    for (const { definition } of members) addApi(group, definition, parts).helpGroup(`${heading}:`)
}

/** An API of `--apis` is known only when its folder has been read, so this looks for that flag before the commands are made. */
async function readCallable(argv: readonly string[], parts: CliParts): Promise<readonly ApiDefinition[]> {
  let apis = parts.catalog
  const command = new Command()
    .allowUnknownOption()
    .argument("[words...]")
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr() {} })
  onConfig(command, ["apis", ...choiceOfApis], parts, async (config) => {
    if (config.apis !== null || isChosen(config))
      apis = (await loadUsable(config, parts)).map(({ definition }) => definition)
  })
  try {
    await command.parseAsync(argv, { from: "user" })
  } catch (thrown) {
    // The command of the API refuses the same words, with a message.
    if (!(thrown instanceof CommanderError)) throw thrown
  }
  return apis
}

type CallFlags = Readonly<Record<string, readonly string[] | undefined>> & { readonly json?: boolean }

function addApi(group: Command, api: ApiDefinition, parts: CliParts): Command {
  const { id, title, description, input } = api
  const required = new Set(input.required)
  const names = Object.keys(input.properties)
  const command = group.command(id).summary(title).description(description)
  for (const [name, schema] of Object.entries(input.properties))
    command.addOption(toFlag(name, schema, required.has(name)))
  command.option("--json", "print the data on one line")
  // Commander knows similar names only. Another name for what is missing is meant for it, as in other surfaces.
  command.exitOverride((refusal) => {
    const missing = names.find((name) => required.has(name) && command.getOptionValue(name) === undefined)
    if (refusal.code === "commander.unknownOption" && missing && !refusal.message.includes("Did you mean"))
      parts.terminal.err(`(Did you mean --${missing}?)\n`)
    throw refusal
  })
  command.addHelpText("after", example(`penknife call ${id} ${exampleFlags(api)}`))

  onConfig(
    command,
    ["apis", ...choiceOfApis, "dnsServers", "noOutbound", "data", "dnssecAnchor"],
    parts,
    async (config, flags: CallFlags) => {
      const parameters = names.flatMap((name) => (flags[name] ?? []).map((text) => ({ name, text })))
      const prepared = (await parts.loadApis(config)).apis.find(({ definition }) => definition.id === id)
      if (!prepared) throw new Error(`no API '${id}' in the catalog`)
      const data = await parts.createLocalCalls(config)(prepared, { kind: "text", parameters })
      parts.terminal.out(`${JSON.stringify(data, null, flags.json ? 0 : 2)}\n`)
    },
  )
  return command
}

/** Every flag is collected, so that the API itself refuses one given twice, as it does for a query string. */
function toFlag(name: string, schema: TSchema, required: boolean): Flag {
  const notes = [
    required ? "required" : null,
    schema.type === "array" ? "repeatable" : null,
    isJsonValue(schema) ? "JSON" : null,
    choicesOf(schema)?.join(" | ") ?? null,
    schema.default === undefined ? null : `default: ${schema.default}`,
  ].filter((note) => note !== null)
  const suffix = notes.length > 0 ? ` (${notes.join("; ")})` : ""
  const flag = new Flag(`--${name} <value>`, `${schema.description}${suffix}`).argParser(collect)
  flag.attributeName = () => name
  return flag
}

/** The input of the API's first example as flags. */
function exampleFlags({ examples, input }: ApiDefinition): string {
  return Object.entries(examples[0]?.input ?? {})
    .flatMap(([name, value]) =>
      toFlagTexts(input.properties[name], value).map((text) => `--${name} ${toShell(text)}`),
    )
    .join(" ")
}

/** The values of flags for parameters of a type other than text. */
export function toFlagTexts(schema: TSchema | undefined, value: unknown): readonly string[] {
  if (schema && isJsonValue(schema)) return [JSON.stringify(value)]
  return [value].flat().map(String)
}

function toShell(text: string): string {
  return /^[\w.,:/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

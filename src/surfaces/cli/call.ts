import type { TSchema } from "@sinclair/typebox"
import { Command, Option as Flag } from "commander"
import { type ApiDefinition, choicesOf } from "../../apis/contract.ts"
import type { CliParts } from "./parts.ts"
import { addSettings, readSettings } from "./settings.ts"
import { collect } from "./values.ts"

/** `call <api>`: one command per API of the catalog, its options made from the input schema. */
export function callCommand(parts: CliParts): Command {
  const call = new Command("call").description(
    "Run one API here, without a server, and print its data as JSON.",
  )
  for (const api of parts.catalog) call.addCommand(apiCommand(api, parts))
  return call
}

function apiCommand(api: ApiDefinition, { terminal, env, callHere }: CliParts): Command {
  const command = new Command(api.id).summary(api.title).description(api.description)
  const required = new Set(api.input.required)
  for (const [name, schema] of Object.entries(api.input.properties)) {
    command.addOption(toFlag(name, schema, required.has(name)))
  }
  command.option("--json", "print the data on one line")
  addSettings(command, ["dnsServers", "bluetoothCompanies"])

  return command.action(async () => {
    const flags = command.opts<Record<string, unknown>>()
    const parameters = Object.keys(api.input.properties).flatMap((name) => {
      const given = flags[name]
      return Array.isArray(given) ? given.map((text: string) => ({ name, text })) : []
    })
    const data = await callHere(readSettings(command, env), api.id, { kind: "text", parameters })
    terminal.out(`${JSON.stringify(data, null, flags.json ? 0 : 2)}\n`)
  })
}

/** Every parameter is collected, so that one given twice is refused by the same rule as in a query string. */
function toFlag(name: string, schema: TSchema, required: boolean): Flag {
  const notes = [
    required ? "required" : null,
    schema.type === "array" ? "repeatable" : null,
    choicesOf(schema)?.join(" | ") ?? null,
    schema.default === undefined ? null : `default: ${schema.default}`,
  ].filter((note) => note !== null)
  const suffix = notes.length > 0 ? ` (${notes.join("; ")})` : ""
  const flag = new Flag(`--${name} <value>`, `${schema.description}${suffix}`).argParser(collect)
  flag.attributeName = () => name
  return flag
}

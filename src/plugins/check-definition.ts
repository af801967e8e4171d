import { Kind, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { isPremium } from "../apis/contract.ts"
import { messageOf } from "../values/message-of.ts"
import type { DefinitionData } from "./definition-text.ts"

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const day = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" })

/** An object without other members. */
const closed = <F extends TProperties>(members: F) => Type.Object(members, { additionalProperties: false })

/** The form of a definition, besides its schemas. */
const shape = closed({
  id: Type.String({ pattern: "^[a-z][a-z0-9]{1,39}$" }),
  title: text(80),
  category: Type.Optional(text(40)),
  keywords: Type.Optional(Type.Array(text(40), { maxItems: 30 })),
  description: text(1_000),
  method: Type.Union([Type.Literal("GET"), Type.Literal("POST")]),
  singleValues: Type.Optional(Type.Array(text(100))),
  credits: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  input: Type.Unknown(),
  output: Type.Unknown(),
  asksDns: Type.Optional(Type.Boolean()),
  asksWeb: Type.Optional(Type.Boolean()),
  deprecation: Type.Optional(
    closed({ since: day, sunset: Type.Optional(day), successor: Type.Optional(text(100)) }),
  ),
  examples: Type.Array(
    closed({
      name: text(200),
      input: Type.Record(Type.String(), Type.Unknown()),
      output: Type.Record(Type.String(), Type.Unknown()),
      given: Type.Optional(
        closed({
          now: Type.Optional(Type.String()),
          dns: Type.Optional(Type.Unknown()),
          web: Type.Optional(Type.Unknown()),
        }),
      ),
      varying: Type.Optional(Type.Array(Type.String())),
    }),
    { minItems: 1, maxItems: 100 },
  ),
})

/** Kinds of schemas that every surface can carry. */
const inputKinds = ["String", "Number", "Integer", "Boolean", "Literal", "Union", "Array"]
const outputKinds = [...inputKinds, "Object", "Null"]
/** Names that XML, CSV, GraphQL and the command line can all carry. */
const nameForm = /^[A-Za-z][A-Za-z0-9_]{0,59}$/

/**
 * The mistakes that keep a definition from being served.
 * @param name of its folder
 * @param taken the ids of other APIs
 */
export function mistakesOf(data: DefinitionData, name: string, taken: ReadonlySet<string>): string[] {
  const [error] = Value.Errors(shape, data)
  if (error) return [`'${error.path.slice(1).replaceAll("/", ".")}' cannot be used: ${error.message}`]
  const { id, input, output } = data
  const mistakes: string[] = []
  if (id !== name) mistakes.push(`the id '${id}' must be the name of its folder, '${name}'`)
  const idMistake = mistakeOfId(id, taken)
  if (idMistake !== null) mistakes.push(idMistake)
  for (const [part, schema, kinds] of [
    ["input", input, inputKinds],
    ["output", output, outputKinds],
  ] as const) {
    if (schema[Kind] !== "Object") mistakes.push(`'${part}' must be made with Type.Object({ … })`)
    else mistakes.push(...mistakesOfFields(schema, part, kinds))
  }
  if (data.method === "GET" && Object.hasOwn(input.properties ?? {}, "format"))
    mistakes.push(
      "'input.format' is the name by which clients ask for JSON, XML, YAML or CSV: choose a different one",
    )
  return mistakes
}

/** Paths below `/v1/` at which the service itself answers. */
const ownPaths: readonly string[] = ["graphql", "usage"]

/** Why an API must not have an id; null if it may. */
export function mistakeOfId(id: string, taken: ReadonlySet<string>): string | null {
  if (taken.has(id)) return `the id '${id}' belongs to another API: choose a different one`
  if (!ownPaths.includes(id)) return null
  return `the id '${id}' would take the path /v1/${id} from the service: choose a different one`
}

function mistakesOfFields(schema: TObject, place: string, kinds: readonly string[]): string[] {
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const where = `${place}.${name}`
    const mistakes = mistakesOfSchema(field, where, kinds)
    if (!nameForm.test(name))
      mistakes.push(`'${where}': a name begins with a letter and has letters, digits and _ only`)
    // The check would take an inherited member for a field that is left out.
    if (name in Object.prototype)
      mistakes.push(`'${where}': every object has something by this name: choose a different one`)
    if (typeof field.description !== "string" || field.description === "")
      mistakes.push(`'${where}' needs a description`)
    return mistakes
  })
}

function mistakesOfSchema(schema: TSchema, where: string, kinds: readonly string[]): string[] {
  const kind = schema[Kind]
  if (kind === undefined) return [`'${where}' must be made with Type, from "penknife/plugin"`]
  if (!kinds.includes(kind)) return [`'${where}' is a ${kind}; use one of ${kinds.join(", ")}`]
  if (schema.format !== undefined)
    return [`'${where}' has a 'format', which is not checked here: use 'pattern', or reject() in run`]
  const mistake = mistakeOfPattern(schema.pattern)
  if (mistake !== null) return [`'${where}' has a 'pattern' that is no regular expression: ${mistake}`]
  if (kind === "Object") return mistakesOfFields(schema as TObject, where, kinds)
  const parts: unknown = kind === "Union" ? schema.anyOf : kind === "Array" ? [schema.items] : []
  if (!Array.isArray(parts)) return [`'${where}' has no list of what it may be`]
  // A plan without premium fields could not tell by an answer which part of the union it has.
  if (kind === "Union" && parts.some(hasPremium))
    return [`'${where}' may be of several types, and one has premium(): mark '${where}' itself instead`]
  return parts.flatMap((part: TSchema) => mistakesOfSchema(part, where, kinds))
}

/** Whether a schema or anything in it is premium. */
function hasPremium(schema: TSchema): boolean {
  const members: readonly TSchema[] = Object.values(schema.properties ?? {})
  const inner: readonly TSchema[] = [members, schema.items ?? [], schema.anyOf ?? []].flat()
  return isPremium(schema) || inner.some(hasPremium)
}

/** Found here, since checks are compiled with the first call that needs them. */
function mistakeOfPattern(pattern: unknown): string | null {
  if (typeof pattern !== "string") return null
  try {
    new RegExp(pattern)
    return null
  } catch (thrown) {
    return messageOf(thrown)
  }
}

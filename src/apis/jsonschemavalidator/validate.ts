import { removeUriSchemePlugin } from "@hyperjump/browser"
import {
  getAllRegisteredSchemaUris,
  InvalidSchemaError,
  type SchemaObject,
  setMetaSchemaOutputFormat,
  setShouldValidateFormat,
  unregisterSchema,
} from "@hyperjump/json-schema/draft-2020-12"
import "@hyperjump/json-schema/draft-07"
import {
  AnnotationsPlugin,
  buildSchemaDocument,
  compile,
  getSchema,
  interpret,
  type SchemaDocument,
} from "@hyperjump/json-schema/experimental"
import { fromJs } from "@hyperjump/json-schema/instance/experimental"
import { once } from "../../values/once.ts"
import { shorten } from "../../values/text.ts"
import { type GiveWay, InputRejected, reject } from "../contract.ts"
import { baseUri, FindingsPlugin, toPointer, toSchemaLocation } from "./findings.ts"
import { correctKeywords } from "./keywords.ts"
import { hideLiterals, type Json } from "./literals.ts"

type Dialect = keyof typeof metaSchemas

const metaSchemas = {
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
  "draft-07": "http://json-schema.org/draft-07/schema",
} as const

// Nothing is ever fetched: a caller's schema could name addresses inside the operator's network.
for (const scheme of ["http", "https", "file"]) removeUriSchemePlugin(scheme)
correctKeywords()
setShouldValidateFormat(false)
setMetaSchemaOutputFormat("BASIC")
/** The addresses of the meta-schemas that all callers share. */
const shared = new Set(getAllRegisteredSchemaUris())

/**
 * The meta-schemas are compiled in steps. The library keeps them by address, so this comes before the schema of a caller, which
 * could use their address. They are known to be right: to check its own, the library would compile a meta-schema once for each
 * vocabulary that it refers to.
 */
const metaSchemaSteps = Object.values(metaSchemas).map((address) =>
  once(async () => {
    for (const one of shared) Object.assign((await getSchema(one)).document, { validated: true })
    await compileDocument(buildSchemaDocument(true, baseUri, address), {})
  }),
)

/** Schemas that another one may refer to, by their addresses. */
export type OtherSchemas = Readonly<Record<string, Json>>

/**
 * Checks a document against a schema.
 * @throws InputRejected for an invalid schema, one that refers to a schema that was not given, and patterns that re2js lacks
 */
export async function validate(
  schema: Json,
  document: Json,
  {
    isAnnotated = false,
    hasFormats = false,
    others = {},
    giveWay = () => undefined,
  }: {
    readonly isAnnotated?: boolean
    /** Whether `format` is checked, whatever the meta-schema says. */
    readonly hasFormats?: boolean
    readonly others?: OtherSchemas
    readonly giveWay?: GiveWay
  } = {},
) {
  for (const step of metaSchemaSteps) {
    await giveWay()
    await step()
  }
  const dialect = dialectOf(schema, others)
  const addresses: string[] = []
  try {
    const compiled = await compileSchema(schema, dialect, others, addresses)
    const findings = new FindingsPlugin()
    const annotations = new AnnotationsPlugin()
    const plugins = isAnnotated ? [findings, annotations] : [findings]
    setShouldValidateFormat(hasFormats)
    const valid = await attempt("schema", dialect, () =>
      attemptToEnd(findings, () => interpret(compiled, fromJs(document), { plugins }).valid),
    )
    return { valid, dialect, findings, annotations: isAnnotated && valid ? annotations.annotations : [] }
  } finally {
    setShouldValidateFormat(false)
    // The library keeps vocabularies and compiled meta-schemas by address. Remove them, so that other callers do not get them.
    for (const address of addresses) unregisterSchema(address)
  }
}

/** JSON Schema (core 2020-12, section 9.4.1) leaves it open how a schema without an end is found. Here the stack overflows. */
function attemptToEnd<T>(findings: FindingsPlugin, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    const circle = thrown instanceof RangeError ? findings.findCircle() : null
    if (circle === null) throw thrown
    reject(
      "schema",
      `must not lead back to itself for the same value, as '${shorten(circle, 200)}' does by its references`,
    )
  }
}

function dialectOf(schema: Json, others: OtherSchemas): Dialect {
  const named = isObject(schema) ? schema.$schema : undefined
  if (named === undefined || named === metaSchemas["2020-12"]) return "2020-12"
  if (named === metaSchemas["draft-07"] || named === `${metaSchemas["draft-07"]}#`) return "draft-07"
  if (typeof named === "string" && Object.hasOwn(others, named)) return "2020-12"
  reject(
    "schema",
    `must have ${metaSchemas["2020-12"]} or ${metaSchemas["draft-07"]}# as its '$schema', or one of 'others'`,
  )
}

async function compileSchema(schema: Json, dialect: Dialect, others: OtherSchemas, addresses: string[]) {
  const cache: Record<string, SchemaDocument> = {}
  for (const [address, other] of Object.entries(others)) {
    const document = await attempt("others", dialect, () => toDocument("others", other, address, dialect))
    addresses.push(document.baseUri)
    cache[address] = document
    cache[document.baseUri] = document
  }
  return attempt("schema", dialect, async () => {
    const document = toDocument("schema", schema, baseUri, dialect)
    return compileDocument(document, cache)
  })
}

/** @param cache where the library looks before it retrieves a document */
async function compileDocument(document: SchemaDocument, cache: Record<string, SchemaDocument>) {
  cache[document.baseUri] = document
  const browser = { _cache: cache, uri: "", document, cursor: "" }
  return compile(await getSchema(document.baseUri, browser))
}

function toDocument(parameter: string, schema: Json, address: string, dialect: Dialect): SchemaDocument {
  if (typeof schema === "boolean") return buildSchemaDocument(schema, address, metaSchemas[dialect])
  const forms = isObject(schema) && isDraft7(schema, dialect) ? draft7AddressForms : addressForms
  const hidden = hideLiterals(schema, (keyword, value) => {
    const [form, requirement] = forms.get(keyword) ?? []
    if (form && !(typeof value === "string" && form.test(value)))
      reject(parameter, `must have ${requirement} as each '${keyword}'`)
  })
  if (!isObject(hidden)) return reject(parameter, "must be an object, true or false")
  const { $vocabulary: vocabulary, ...rest } = hidden
  requireNoVocabulary(parameter, Object.values(rest))
  const document = buildSchemaDocument(
    keepDefinitions(rest, dialect) as SchemaObject,
    address,
    metaSchemas[dialect],
  )
  if (shared.has(document.baseUri))
    reject(parameter, "must not have the address of a meta-schema that is built in")
  if (vocabulary === undefined) return document
  if (parameter === "schema") reject(parameter, "must not have '$vocabulary': give meta-schemas in 'others'")
  return buildSchemaDocument(hidden as SchemaObject, address, metaSchemas[dialect])
}

/**
 * In draft 7, other keywords next to `$ref` are ignored (core, section 8.3), but it may refer to `definitions` next to it, as in
 * the output of many generators. The library loses them, so that they get a schema of their own around the reference.
 */
function keepDefinitions(schema: Readonly<Record<string, Json>>, dialect: Dialect) {
  const { $schema, $id, $ref, definitions } = schema
  if (!isDraft7(schema, dialect) || typeof $ref !== "string" || definitions === undefined) return schema
  return {
    ...($schema !== undefined && { $schema }),
    ...($id !== undefined && { $id }),
    definitions,
    allOf: [{ $ref }],
  }
}

function isDraft7({ $schema }: Readonly<Record<string, Json>>, dialect: Dialect): boolean {
  return typeof $schema === "string" ? $schema.startsWith(metaSchemas["draft-07"]) : dialect === "draft-07"
}

type AddressForm = readonly [form: RegExp, requirement: string]
const anchorForm: AddressForm = [/^[a-z_][-\w.]*$/i, "a name of letters, digits, '-', '_' and '.'"]
/** The library takes addresses out of a schema before its meta-schema can check them (JSON Schema 2020-12, core §8.2). */
const addressForms = new Map<string, AddressForm>([
  ["$id", [/^[^#]*#?$/, "an address without a fragment"]],
  ["$anchor", anchorForm],
  ["$dynamicAnchor", anchorForm],
])
const draft7AddressForms = new Map<string, AddressForm>([["$id", [/(?:)/, "an address"]]])

/** A vocabulary changes what keywords mean. It is only allowed at the root, where its address is known. */
function requireNoVocabulary(parameter: string, value: Json | undefined): void {
  if (value === undefined) return
  if (isObject(value) && "$vocabulary" in value) reject(parameter, "must have '$vocabulary' only at the root")
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  for (const one of inner) requireNoVocabulary(parameter, one)
}

function isObject(value: Json): value is Readonly<Record<string, Json>> & object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Turns the errors that the library throws for a wrong schema into refusals. */
async function attempt<T>(parameter: string, dialect: Dialect, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof InputRejected || thrown instanceof RangeError || !(thrown instanceof Error))
      throw thrown
    reject(parameter, toRequirement(thrown, dialect).replace(/\.$/, ""))
  }
}

function toRequirement(thrown: Error, dialect: Dialect): string {
  if (thrown instanceof InvalidSchemaError) {
    const [first] = thrown.output.errors ?? []
    const place = first
      ? `: '${shorten(toPointer(first.instanceLocation), 200)}' does not fit ${toSchemaLocation(first.absoluteKeywordLocation)}`
      : ""
    return `must be a schema of ${dialect}${place}`
  }
  for (const [message, toSentence] of requirements) {
    const found = message.exec(thrown.message)
    if (found) return toSentence(`'${shorten(toSchemaLocation(found[1] ?? ""), 200)}'`)
  }
  // Values of a wrong type, and names that every JavaScript object has, make the library fail in various places.
  return "cannot be read as a schema: a keyword has a value of a wrong type, or a keyword or an anchor has a reserved name"
}

/** Sentences for the messages of the library, each with the part in quotation marks. */
const requirements: readonly (readonly [RegExp, (quoted: string) => string])[] = [
  [
    /^Unable to load resource '([^']+)'/,
    (place) => `refers to a place that was not given: ${place}. Nothing is fetched`,
  ],
  [/^No such anchor '([^']+)'/, (place) => `refers to ${place}, and has no such anchor`],
  [
    /^No dynamic anchor found for "([^"]+)"/,
    (name) => `refers to the dynamic anchor ${name}, which is not there`,
  ],
  [/^Value at '([^']*)' is/, (place) => `refers to a place that is not there, at ${place}`],
  [/^No schema found at '([^']+)'/, (place) => `must have a schema at ${place}`],
  [/^The document at (\S+) is not a schema/, (place) => `must have a schema at ${place}`],
  [
    /^Encountered unknown dialect '([^']+)'/,
    (name) => `has ${name} as '$schema', which is neither built in nor in 'others' with '$vocabulary'`,
  ],
  [/^Unrecognized vocabulary: (\S+)\./, (name) => `requires the vocabulary ${name}, which is not known`],
  [
    /^Encountered un\w+ keyword '?([^'.]+)/,
    (name) => `has the keyword ${name}, which its meta-schema does not have`,
  ],
]

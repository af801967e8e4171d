import {
  type EvaluationPlugin,
  type Keyword,
  Validation,
  type ValidationContext,
} from "@hyperjump/json-schema/experimental"
import { type JsonNode, uri, value } from "@hyperjump/json-schema/instance/experimental"
import { shorten } from "../../values/text.ts"

/** The address of a schema that has no `$id`. */
export const baseUri = "https://schema.invalid/"

/** A keyword that a value does not fit. */
interface Finding {
  readonly location: string
  readonly expected: unknown
  readonly instance: JsonNode
}

/** The findings of an inner schema count only if the outer one fails, so lists of findings contain lists. */
type Findings = (Finding | Findings)[]

interface Context extends ValidationContext {
  findings?: Findings
}

/** A schema of a few lines can have millions of findings. At most 1,000 are shown. */
const maxKept = 100_000

/** Collects which keywords the values of a document do not fit, with the value of each keyword. */
export class FindingsPlugin implements EvaluationPlugin<Context> {
  #all: Findings = []
  /** How many keywords did not fit. */
  #count = 0
  /** The schemas that are being checked, the innermost last, each with its value. */
  readonly #open: { readonly location: string; readonly instance: JsonNode }[] = []

  beforeSchema(location: string, instance: JsonNode): void {
    this.#open.push({ location, instance })
  }

  /**
   * After a check that did not end: the schema that leads back to itself for the same value, as `{"$ref": "#"}` does; null if the
   * innermost one does not.
   */
  findCircle(): string | null {
    const last = this.#open.at(-1)
    const sameValue = this.#open.slice(
      this.#open.findLastIndex(({ instance }) => instance !== last?.instance) + 1,
    )
    const isAgain = sameValue.slice(0, -1).some(({ location }) => location === last?.location)
    return last && isAgain ? toSchemaLocation(last.location) : null
  }

  afterKeyword(
    [, location, expected]: readonly [id: string, location: string, expected: unknown],
    instance: JsonNode,
    context: Context,
    isValid: boolean,
    schemaContext: Context,
    { simpleApplicator }: Keyword<unknown>,
  ): void {
    if (isValid || ++this.#count > maxKept) return
    schemaContext.findings ??= []
    if (!simpleApplicator) schemaContext.findings.push({ location, expected, instance })
    if (context.findings) schemaContext.findings.push(context.findings)
  }

  afterSchema(location: string, instance: JsonNode, context: Context, isValid: boolean): void {
    this.#open.pop()
    if (!isValid && context.ast[location] === false) {
      context.findings ??= []
      context.findings.push({ location, expected: Validation.id, instance })
    }
    this.#all = context.findings ?? []
  }

  /** The first findings, in the order of the schema. */
  first(count: number) {
    const found: Finding[] = []
    const open: Findings[number][] = [this.#all]
    for (let one = open.pop(); one && found.length < count; one = open.pop()) {
      if (Array.isArray(one)) open.push(...one.slice(0, count).reverse())
      else found.push(one)
    }
    return found.map(toProblem)
  }
}

function toProblem({ location, expected, instance }: Finding) {
  const code = toPointer(location).split("/").at(-1)?.slice(0, 100) || "#"
  return {
    code,
    severity: "error" as const,
    message: describe(code, expected, instance),
    where: toPointer(uri(instance)),
    schema_location: toSchemaLocation(location),
  }
}

/** A place in the schema: a fragment, after the schema's `$id` if it has one. */
export function toSchemaLocation(location: string): string {
  return location.startsWith(baseUri) ? location.slice(baseUri.length) : location
}

/** `#/a%20b` as a JSON Pointer (RFC 6901). The library puts a star before the place of a property whose name is checked. */
export function toPointer(fragment: string): string {
  return decodeURIComponent(fragment.replace(/^[^#]*#?\*?/, ""))
}

function describe(code: string, expected: unknown, instance: JsonNode): string {
  if (expected === Validation.id) return "The value is not allowed here."
  const sentence = sentences[code]
  return sentence ? `The value must ${sentence(expected, instance)}.` : `The value does not fit '${code}'.`
}

const sentences: Readonly<Record<string, (expected: unknown, instance: JsonNode) => string>> = {
  type: (types) => `be of type ${[types].flat().join(" or ")}`,
  const: (one) => `be ${show(one)}`,
  format: (name) => `have the format '${show(name)}'`,
  enum: (values) =>
    `be one of ${values instanceof Set ? show([...values].slice(0, 20).join(", ")) : show(values)}`,
  required: (names, instance) => `have ${show(missing(names, instance))}`,
  pattern: () => "match the pattern",
  minimum: (limit) => `be at least ${show(limit)}`,
  maximum: (limit) => `be at most ${show(limit)}`,
  exclusiveMinimum: (limit) => `be more than ${show(limit)}`,
  exclusiveMaximum: (limit) => `be less than ${show(limit)}`,
  multipleOf: (divisor) => `be a multiple of ${show(divisor)}`,
  minLength: (length) => `have at least ${show(length)} characters`,
  maxLength: (length) => `have at most ${show(length)} characters`,
  minItems: (count) => `have at least ${show(count)} items`,
  maxItems: (count) => `have at most ${show(count)} items`,
  minProperties: (count) => `have at least ${show(count)} properties`,
  maxProperties: (count) => `have at most ${show(count)} properties`,
  uniqueItems: () => "not have an item twice",
  contains: () => "have enough items that fit 'contains', and not too many",
  anyOf: () => "fit a schema of 'anyOf'",
  oneOf: () => "fit exactly one schema of 'oneOf'",
  not: () => "not fit the schema of 'not'",
  dependentRequired: () => "have the properties that others of its properties need",
}

function missing(names: unknown, instance: JsonNode): string {
  const object = value<object>(instance)
  const absent = Array.isArray(names) ? names.filter((name) => !Object.hasOwn(object, name)) : []
  return absent
    .slice(0, 10)
    .map((name) => JSON.stringify(name))
    .join(", ")
}

function show(one: unknown): string {
  const text = typeof one === "string" ? one : JSON.stringify(one)
  return shorten(text, 200)
}

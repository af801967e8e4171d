import { type Browser, keys, step, typeOf, value } from "@hyperjump/browser"
import {
  addKeyword,
  getKeywordName,
  type Keyword,
  type SchemaDocument,
  Validation,
  type ValidationContext,
} from "@hyperjump/json-schema/experimental"
import {
  entries,
  typeOf as instanceTypeOf,
  value as instanceValue,
  type JsonNode,
} from "@hyperjump/json-schema/instance/experimental"
import { formatKeywords } from "./formats.ts"
import { type Json, showLiteral, toCanonical } from "./literals.ts"
import { type Pattern, toPattern } from "./patterns.ts"

const prefix = "https://json-schema.org/keyword/"

/** Keywords collect the names of checked properties for `unevaluatedProperties`. */
interface Evaluation extends ValidationContext {
  readonly evaluatedProperties?: Set<string>
}

const pattern: Keyword<Pattern> = {
  id: `${prefix}pattern`,
  compile: async (schema) => toPattern(value<string>(schema)),
  interpret: (compiled, instance) =>
    instanceTypeOf(instance) !== "string" || compiled.test(instanceValue<string>(instance)),
}

const patternProperties: Keyword<readonly (readonly [Pattern, string])[], Evaluation> = {
  id: `${prefix}patternProperties`,
  simpleApplicator: true,
  async compile(schema, ast) {
    const compiled: [Pattern, string][] = []
    for (const source of keys(schema)) {
      const inner = await step(source, schema)
      requireSchema(inner)
      compiled.push([toPattern(source), await Validation.compile(inner, ast, schema)])
    }
    return compiled
  },
  interpret(compiled, instance, context) {
    return everyProperty(instance, (name, property) => {
      let isValid = true
      for (const [compiledPattern, schema] of compiled) {
        if (!compiledPattern.test(name)) continue
        if (!Validation.interpret(schema, property, context)) isValid = false
        context.evaluatedProperties?.add(name)
      }
      return isValid
    })
  },
}

interface Additional {
  readonly names: ReadonlySet<string>
  readonly patterns: readonly Pattern[]
  readonly schema: string
}

const additionalProperties: Keyword<Additional, Evaluation> = {
  id: `${prefix}additionalProperties`,
  simpleApplicator: true,
  async compile(schema, ast, parent) {
    const { dialectId } = schema.document
    const keysOf = async (keyword: string) => {
      const found = await step(getKeywordName(dialectId, `${prefix}${keyword}`), parent)
      return typeOf(found) === "object" ? [...keys(found)] : []
    }
    return {
      names: new Set(await keysOf("properties")),
      patterns: (await keysOf("patternProperties")).map(toPattern),
      schema: await Validation.compile(schema, ast, parent),
    }
  },
  interpret({ names, patterns, schema }, instance, context) {
    return everyProperty(instance, (name, property) => {
      if (names.has(name) || patterns.some((one) => one.test(name))) return true
      const isValid = Validation.interpret(schema, property, context)
      context.evaluatedProperties?.add(name)
      return isValid
    })
  },
}

function requireSchema(browser: Browser): asserts browser is Browser<SchemaDocument> {
  if (!("dialectId" in browser.document)) throw new Error(`There is no schema at ${browser.uri}`)
}

/** Whether a check holds for each property of an object. Does not stop at the first failure: each one is reported. */
function everyProperty(instance: JsonNode, check: (name: string, property: JsonNode) => boolean): boolean {
  if (instanceTypeOf(instance) !== "object") return true
  let isValid = true
  for (const [name, property] of entries(instance))
    if (!check(instanceValue<string>(name), property)) isValid = false
  return isValid
}

/** The value of `const` as canonical text. */
const constant: Keyword<string> = {
  id: `${prefix}const`,
  compile: async (schema) => toCanonical(showLiteral(value<Json>(schema))),
  interpret: (compiled, instance) => toCanonical(instanceValue<Json>(instance)) === compiled,
}

/** The values of `enum` as canonical texts. */
const enumeration: Keyword<ReadonlySet<string>> = {
  id: `${prefix}enum`,
  compile: async (schema) => new Set(value<Json[]>(schema).map((one) => toCanonical(showLiteral(one)))),
  interpret: (compiled, instance) => compiled.has(toCanonical(instanceValue<Json>(instance))),
}

/**
 * Replaces keywords of the library: patterns by ones that use re2js, `const` and `enum` for values that {@link showLiteral}
 * shows, and formats, some of which the library gets wrong.
 */
export function correctKeywords(): void {
  addKeyword(pattern)
  addKeyword(patternProperties)
  addKeyword(additionalProperties)
  addKeyword(constant)
  addKeyword(enumeration)
  for (const keyword of formatKeywords) addKeyword(keyword)
}

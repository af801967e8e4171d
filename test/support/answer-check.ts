import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { createOpenApiDocument } from "../../src/surfaces/openapi/document.ts"
import type { ApiDocInput, OpenApiDocument } from "../../src/surfaces/openapi/json-object.ts"

/** Throws when an answer does not fit the OpenAPI document. */
export type AnswerCheck = (method: string, path: string, response: Response) => Promise<void>

interface ResponsePart {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, unknown>>
}

interface Found {
  readonly pointer: string
  readonly part: unknown
}

/** By key. Many services of the suite have the same document, which is compiled once. */
const checks = new Map<string, AnswerCheck>()

/** The check of a service's answers. `key` is the same for services that have the same document. */
export function answerCheckFor(key: string, describe: () => ApiDocInput): AnswerCheck {
  return async (method, path, response) => {
    let check = checks.get(key)
    if (!check) {
      check = createAnswerCheck(createOpenApiDocument(describe()))
      checks.set(key, check)
    }
    await check(method, path, response)
  }
}

/** Wraps `fetch`: every answer of a path in the document is checked, whatever the test looks at. */
export function checkedFetch(url: string, check: AnswerCheck) {
  return async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url + path, init)
    await check(init.method ?? "GET", path, response)
    return response
  }
}

/** @param templateOf returns the path of the document that a request's path stands for */
export function createAnswerCheck(
  document: OpenApiDocument,
  templateOf: (method: string, path: string) => string = (_, path) => path,
): AnswerCheck {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    // Redocly checks the document in tests of its own. To write faster code takes longer here than to run it.
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  })
  const closedDocument = closed(document, partsOf(document)) as OpenApiDocument
  ajv.addSchema({ ...closedDocument, $id: "openapi" })
  const compiled = new Map<string, ValidateFunction>()
  const places = new Map<string, Found>()

  function problemsOf(pointer: string, value: unknown): string[] {
    let validate = compiled.get(pointer)
    if (!validate) {
      validate = ajv.compile({ $ref: `openapi${pointer}` })
      compiled.set(pointer, validate)
    }
    if (validate(value)) return []
    return [ajv.errorsText(validate.errors, { dataVar: "" })]
  }

  /** A part of the document and its pointer, with references followed. */
  function at(pointer: string): Found | null {
    const found = places.get(pointer) ?? find(pointer)
    if (found) places.set(pointer, found)
    return found
  }

  function find(pointer: string): Found | null {
    let part: unknown = closedDocument
    for (const token of pointer.split("/").slice(1))
      part = (part as Record<string, unknown> | undefined)?.[
        decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")
      ]
    if (part === undefined) return null
    const { $ref } = part as { $ref?: string }
    return $ref === undefined ? { pointer, part } : at($ref)
  }

  function headerProblems({ headers = {} }: ResponsePart, response: Response): string[] {
    const declared = new Map(Object.entries(headers).map(([name, { $ref }]) => [name.toLowerCase(), $ref]))
    const undeclared = [...response.headers.keys()].filter((name) => isOurs(name) && !declared.has(name))
    const wrong = [...declared].flatMap(([name, ref]) => {
      const text = response.headers.get(name)
      const { required } = (at(ref)?.part ?? {}) as { readonly required?: boolean }
      if (text === null) return required ? [`the header ${name} is missing`] : []
      const value = /^-?\d+$/.test(text) ? [Number(text), text] : [text]
      const problems = value.map((one) => problemsOf(`${ref}/schema`, one))
      return problems.some((none) => none.length === 0) ? [] : [`${name}: ${text}`, ...problems.flat()]
    })
    return [...undeclared.map((name) => `the header ${name} is not declared`), ...wrong]
  }

  async function bodyProblems(found: Found, response: Response): Promise<string[]> {
    const { content } = found.part as ResponsePart
    if (content === undefined) return []
    const type = response.headers.get("content-type")?.split(";")[0]?.trim() ?? ""
    if (!(type in content)) return [`the content type '${type}' is not declared`]
    // It has no end.
    if (type === "text/event-stream") return []
    const text = await response.clone().text()
    const value: unknown = /\bjson$/.test(type) ? JSON.parse(text) : text
    return problemsOf(`${found.pointer}/content/${type.replaceAll("/", "~1")}/schema`, value)
  }

  return async (method, path, response) => {
    // A percent sign is encoded, since a reference after # is decoded.
    const name = templateOf(method, path.split(/[?#]/)[0] ?? "")
      .replaceAll("%", "%25")
      .replaceAll("/", "~1")
    const place = `#/paths/${name}`
    const item = at(place)?.part as Record<string, unknown> | undefined
    if (item === undefined || method === "OPTIONS") return
    const operation = method.toLowerCase() === "head" ? "get" : method.toLowerCase()
    const [other = ""] = Object.keys(item)
    // The 405 for another method is described with the path's own method.
    const found = at(`${place}/${operation in item ? operation : other}/responses/${response.status}`)
    const problems =
      found === null || (!(operation in item) && response.status !== 405)
        ? [`the status ${response.status} is not declared`]
        : [
            ...headerProblems(found.part as ResponsePart, response),
            ...(method === "HEAD" ? [] : await bodyProblems(found, response)),
          ]
    if (response.status === 503 && !(Number(response.headers.get("retry-after")) >= 1))
      problems.push("a 503 does not say when to try again")
    if (problems.length > 0) {
      throw new Error(
        `${method} ${path} → ${response.status} is not what OpenAPI says: ${problems.join("; ")}. Is src/surfaces/openapi behind?`,
      )
    }
  }
}

/** Whether a header is one of the service, and not of HTTP, caches or browsers. */
function isOurs(name: string): boolean {
  const common = ["x-content-type-options", "x-frame-options"]
  return (
    (name.startsWith("x-") && !common.includes(name)) ||
    ["allow", "etag", "retry-after", "www-authenticate"].includes(name)
  )
}

/** Schemas that are only used as parts of others (`allOf`), which add fields. */
const partsOf = ({ components }: OpenApiDocument): ReadonlySet<unknown> =>
  new Set([components.schemas?.Batch, components.schemas?.BatchResult])

/** The schema without room for unknown fields. Clients must accept new fields, but here they are mistakes. */
function closed(value: unknown, open: ReadonlySet<unknown>): unknown {
  if (Array.isArray(value)) return value.map((part) => closed(part, open))
  if (typeof value !== "object" || value === null) return value
  if ("allOf" in value) {
    const parts = new Set([...open, ...(value.allOf as readonly unknown[])])
    return { ...inside(value, parts), unevaluatedProperties: false }
  }
  const isObjectSchema = "type" in value && value.type === "object" && "properties" in value
  const isOpen = !isObjectSchema || open.has(value)
  return { ...inside(value, open), ...(!isOpen && { additionalProperties: false }) }
}

const inside = (value: object, open: ReadonlySet<unknown>): object =>
  Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part, open)]))

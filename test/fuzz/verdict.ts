import { type DocumentNode, Kind, parse, type SelectionSetNode } from "graphql"
import { catalog } from "../../src/app/prepare.ts"
import statuses from "../../src/surfaces/graphql/statuses.json"
import { httpLimits } from "../../src/surfaces/http/read/limits.ts"
import type { AnswerCheck } from "../support/answer-check.ts"
import type { Operation } from "./operations.ts"
import type { FuzzRequest } from "./requests.ts"
import type { WireRequest } from "./wire.ts"

/** Successful calls according to an answer, by API. */
type Successes = ReadonlyMap<string, number>

/** Throws when an answer is wrong. Returns the calls that must have been charged. */
type Verdict = (request: FuzzRequest, response: Response) => Promise<Successes>

const none: Successes = new Map()
const asking: ReadonlySet<string> = new Set(catalog.filter(({ asksDns }) => asksDns).map(({ id }) => id))
const graphqlCodes: ReadonlySet<string> = new Set([...Object.keys(statuses), "BAD_USER_INPUT"])

/**
 * Signs of internals: an internal error in a part of an answer, a line of a stack, a path of the program, an error code of the
 * store. A time of day, such as "at 02:30:00", is not a line of a stack.
 */
const inside =
  /something went wrong here|\bat (?!\d\d?:\d\d:\d\d\b)[^\s"<,]+:\d+:\d+|(?:\.[cm]?[jt]sx?|native|unknown):\d+:\d+|\$bunfs|SQLITE_|\/src\/|node_modules/i

/** The verdict on all answers. `operations` are those of the document that `check` uses. */
export function createVerdict(operations: readonly Operation[], check: AnswerCheck): Verdict {
  const byPath = new Map(operations.map((operation) => [operation.path, operation]))

  return async (request, response) => {
    const { method, target } = request
    const { status } = response
    const path = pathOf(target)
    const operation = byPath.get(path)
    const text = await response.clone().text()
    // Bun answers a head over its limit without the service.
    if (status === 431 && headLength(request) > 15_000) return none
    if (status === 500) throw new Error("a 500")
    if (status === 503 && !asksDns(request)) throw new Error("a 503 of a call that uses no DNS")
    if (path.startsWith("/v1/") && inside.test(text)) throw new Error("the answer shows internals")
    if (!/^[\w.-]{1,128}$/.test(response.headers.get("x-request-id") ?? "")) throw new Error("no id")
    if (hasWrongHost(request)) {
      if (status !== 400) throw new Error(`a ${status} without one valid Host`)
      return none
    }
    if (status === 400 && text.includes("hold different keys") && sends(request, "authorization")) return none
    if (status === 400 && saysTwice(text, request)) return none
    const isWrittenOtherwise = target.split("?")[0] !== path && [404, 405].includes(status)
    if (!operation || isWrittenOtherwise) {
      requireStranger(status, method, path)
      return none
    }
    await check(method, path, response)
    if (operation.id === "graphql") return judgeGraphql(request, status, text)
    // The answer to HEAD has no body.
    if (status === 400 && method !== "HEAD" && !saysTooManyParameters(text, target))
      requireNamed(text, operation.names)
    return status === 200 && method === operation.method ? judgeSuccess(operation, text) : none
  }
}

/** A path that is not in the document must be refused, except the documents for people and crawlers. */
function requireStranger(status: number, method: string, path: string): void {
  const isPage = /^\/(docs|openapi|\.well-known|llms\.txt)(\/|$)/.test(path)
  const known = [404, 405, ...(isPage ? [200, 304] : []), ...(method === "OPTIONS" ? [204] : [])]
  if (!known.includes(status)) throw new Error(`a ${status} at a path that the document does not know`)
}

/** Whether the request has no valid `Host` (RFC 9112 §3.2). */
export function hasWrongHost({ headers }: WireRequest): boolean {
  const host = headers.find(([name]) => name.toLowerCase() === "host")?.[1] ?? ""
  return !/^[\w.-]+(:\d+)?$/.test(host)
}

const sends = ({ headers }: FuzzRequest, name: string): boolean =>
  headers.some(([other]) => other.toLowerCase() === name)

/** Whether a refusal is right that the query has more parameters than are read, whatever their names are. */
const saysTooManyParameters = (text: string, target: string): boolean =>
  /The query string must have at most/.test(text) && target.split("&").length > httpLimits.queryParameters

/** Whether a refusal is right that a header comes twice, or holds two values (RFC 9110 §5.3). The answer to HEAD names none. */
export function saysTwice(text: string, { method, headers }: WireRequest): boolean {
  const named = text.replaceAll("&apos;", "'").replaceAll("&#39;", "'")
  return "X-Request-ID Idempotency-Key Authorization X-Api-Key X-Admin-Key".split(" ").some((header) => {
    const values = headers
      .filter(([name]) => name.toLowerCase() === header.toLowerCase())
      .map(([, value]) => value)
    const isTwice = values.length > 1 || values.some((value) => value.includes(","))
    return (
      isTwice && (method === "HEAD" || named.includes(`The request header '${header}' must be sent once`))
    )
  })
}

/** A refusal must name a parameter that the operation has. */
function requireNamed(text: string, names: ReadonlySet<string>): void {
  const name = namedBy(text)
  if (name === null) throw new Error("a 400 that names no parameter")
  if (!names.has(name)) throw new Error(`a 400 that names '${name}', which the operation does not have`)
}

const namedBy = (text: string): string | null =>
  /The '([^']+?)(?:\[\d+\])?' parameter /.exec(
    text.replaceAll("&apos;", "'").replaceAll("&#39;", "'"),
  )?.[1] ?? null

function judgeSuccess({ id, path, body }: Operation, text: string): Successes {
  const api = /^\/v1\/(\w+)/.exec(path)?.[1]
  if (api === undefined || id === "usage") return none
  if (!path.endsWith("/batch")) return new Map([[api, 1]])
  // The same in the four formats: "succeeded":2  <succeeded>2<  succeeded: 2  succeeded,2
  const succeeded = Number(/succeeded"?[>:,] ?(\d+)/.exec(text)?.[1])
  if (!Number.isInteger(succeeded)) throw new Error("a batch without the count of successes")
  if (text.startsWith("{")) requireItems(text, body, succeeded)
  return succeeded === 0 ? none : new Map([[api, succeeded]])
}

interface BatchAnswer {
  readonly data: { readonly results: readonly { readonly status: string; readonly error: string | null }[] }
}

function requireItems(text: string, body: Operation["body"], succeeded: number): void {
  const { results } = (JSON.parse(text) as BatchAnswer).data
  const names = new Set(Object.keys(body?.schema.properties?.inputs?.items?.properties ?? {}))
  const refused = results.filter(({ status }) => status === "error")
  for (const { error } of refused) {
    // An input is not wrong when DNS does not answer.
    if (!/^The DNS /.test(error ?? "")) requireNamed(error ?? "", new Set([...names, "inputs"]))
  }
  if (results.length - refused.length !== succeeded) throw new Error("a batch with a wrong count")
}

interface GraphqlAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

function judgeGraphql({ body }: FuzzRequest, status: number, text: string): Successes {
  if (status === 204 || text === "") return none
  const { data, errors = [] } = JSON.parse(text) as GraphqlAnswer
  for (const { extensions } of errors)
    if (!graphqlCodes.has(extensions?.code ?? "")) throw new Error("a GraphQL error without a known code")
  if (status !== 200 && errors.length === 0) throw new Error(`a ${status} of GraphQL without an error`)
  if (status !== 200 || !data) return none
  const { query, operationName } = JSON.parse(new TextDecoder().decode(body ?? undefined)) as {
    query: string
    operationName?: unknown
  }
  const apis = rootFieldsOf(parse(query), operationName)
  const charged = Object.entries(data).flatMap(([name, one]) => (one === null ? [] : (apis.get(name) ?? [])))
  return new Map([...new Set(charged)].filter((name) => !name.startsWith("__")).map((name) => [name, 1]))
}

/** Root fields of the operation that ran, by their key in the answer. */
function rootFieldsOf({ definitions }: DocumentNode, operationName: unknown): Map<string, string> {
  const found = new Map<string, string>()
  const gather = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD)
        found.set((selection.alias ?? selection.name).value, selection.name.value)
      else if (selection.kind === Kind.INLINE_FRAGMENT) gather(selection.selectionSet)
      else {
        const spread = definitions.find(
          (node) => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === selection.name.value,
        )
        if (spread && "selectionSet" in spread && spread.selectionSet) gather(spread.selectionSet)
      }
    }
  }
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const meant = operations.find(
    ({ name }) => typeof operationName !== "string" || name?.value === operationName,
  )
  if (meant) gather(meant.selectionSet)
  return found
}

const headLength = ({ target, headers }: FuzzRequest): number =>
  target.length + headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)

function asksDns({ operation, body }: FuzzRequest): boolean {
  const api = /^\/v1\/(\w+)/.exec(operation.path)?.[1] ?? ""
  return (
    asking.has(api) || (operation.id === "graphql" && [...asking].some((id) => String(body).includes(id)))
  )
}

/**
 * The path as Bun reads it: dot segments and backslashes are resolved as browsers do, a target may begin with a host
 * (RFC 9112 §3.2.2), and a slash at the end does not change the path.
 */
export function pathOf(target: string): string {
  const url = URL.parse(target.startsWith("/") ? `http://host${target}` : target)
  return (url?.pathname ?? target).replace(/(?<=.)\/$/, "")
}

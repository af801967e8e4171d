import type { Timer } from "../apis/contract.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import type { Config } from "../config/load.ts"
import { createHttpClient, textOf } from "../ports/http-client.ts"
import { dataName, inputName } from "../surfaces/openapi/api-parts.ts"
import { printOpenApi } from "../surfaces/openapi/document.ts"
import { type JsonObject, toDocInput } from "../surfaces/openapi/json-object.ts"
import { escapeHidden } from "../values/hidden-characters.ts"
import { isObject, toObject } from "../values/is-object.ts"
import { messageOf } from "../values/message-of.ts"
import { shorten } from "../values/text.ts"
import { version } from "./version.ts"

/** The time for the other service's whole answer. */
const limitMs = 5_000
/** Ten times the document of the whole catalog. */
const mostBytes = 10_485_760
const mostDifferences = 100

/**
 * Compares the document of the service of `--like` with that of this program: version, paths, prices, parameters, data, plans.
 * @returns the differences, a sentence each; also a sentence if they could not be found out
 */
export async function differencesFrom(config: Config, apis: readonly PreparedApi[], timer: Timer) {
  const own = await printOpenApi(toDocInput(config, { apis, version, logo: null }))
  const url = `${config.like}/openapi.json`
  const found = await read(url, timer)
    .then((text) => compare(publishedBy(text), publishedBy(own)))
    .catch((thrown) => [`It could not be found out what differs. ${url}: ${messageOf(thrown)}`])
  const more = found.length - mostDifferences
  // The texts are another service's: without characters that move a terminal's cursor.
  const shown = found.slice(0, mostDifferences).map((text) => shorten(escapeHidden(text), 500))
  return more > 0 ? [...shown, `There are ${more} more differences.`] : shown
}

async function read(url: string, timer: Timer): Promise<string> {
  const stop = new AbortController()
  const cancel = timer.after(limitMs, () => stop.abort("no whole answer in 5 s"))
  const request = { method: "GET", url, headers: {}, body: null, limitMs }
  try {
    const { status, headers, pieces } = await createHttpClient(timer).open(request, stop.signal)
    if (status !== 200) throw new Error(`status ${status} ${headers.get("location") ?? ""}`.trim())
    return await textOf(pieces, mostBytes)
  } finally {
    cancel()
    stop.signal.throwIfAborted()
    stop.abort()
  }
}

type Published = ReadonlyMap<string, JsonObject>

/** The properties of the program, of each path and of each plan. */
function publishedBy(text: string): Published {
  const { info, paths, components, "x-plans": plans } = toObject(JSON.parse(text))
  const { version } = toObject(info)
  if (typeof version !== "string" || !isObject(paths)) throw new Error("no document of such a service")
  if (!isObject(plans)) throw new Error("no plans, as in those of older versions")
  const schemas = toObject(toObject(components).schemas)
  const calls = Object.entries(paths).filter(([path]) => /^\/v1\/[^/]+$/.test(path))
  return new Map([
    ["the program", { version }],
    ...calls.map(([path, methods]) => [path, propertiesOf(path, toObject(methods), schemas)] as const),
    ...Object.entries(plans).map(([name, terms]) => [`plan ${name}`, toObject(terms)] as const),
  ])
}

function propertiesOf(path: string, methods: JsonObject, schemas: JsonObject): JsonObject {
  const [[method, operation] = []] = Object.entries(methods)
  const { "x-credits": credits, "x-data-date": list } = toObject(operation)
  const id = path.slice("/v1/".length)
  const kinds = { parameter: toObject(schemas[inputName(id)]), field: toObject(schemas[dataName(id)]) }
  const fields = Object.entries(kinds).flatMap(([kind, { properties, required }]) => [
    [`required ${kind}s`, required],
    ...Object.entries(toObject(properties)).map(([name, schema]) => [`${kind} ${name}`, schema]),
  ])
  return { method, "price in credits": credits, "date of its list": list, ...Object.fromEntries(fields) }
}

function compare(there: Published, here: Published): string[] {
  return [...new Set([...there.keys(), ...here.keys()])].flatMap((subject) => {
    const [theirs, ours] = [there.get(subject), here.get(subject)]
    if (!theirs || !ours) return `Only the ${theirs ? "service" : "double"} has ${subject}.`
    return Object.keys({ ...theirs, ...ours }).flatMap((name) => {
      const [their, our] = [toText(theirs[name]), toText(ours[name])]
      return their === our ? [] : `${subject}, ${name}: ${their} in the service, ${our} in the double.`
    })
  })
}

/** JSON without descriptions, which change nothing for a caller. */
function toText(value: unknown): string {
  const isKept = (key: string, part: unknown) => key !== "description" || typeof part !== "string"
  return JSON.stringify(value, (key, part: unknown) => (isKept(key, part) ? part : undefined)) ?? "missing"
}

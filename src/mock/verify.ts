import { type Static, Type } from "@sinclair/typebox"
import { shortenKeys } from "../accounts/key.ts"
import { type JournalEntry, type JournalRecord, shownKey } from "./journal.ts"
import { keyMatches } from "./keys.ts"
import { hasValues, keyText, texts, type Values, values } from "./rule.ts"
import type { ShownNotice } from "./state.ts"

/** A kind of request that a test expects: all conditions hold. With `webhook`, alone, it is a delivered webhook of this type. */
export const patternSchema = Type.Object({
  api: Type.Optional(Type.String()),
  key: Type.Optional(keyText),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
  // The values of one input of the API; in a batch, of any of its inputs.
  input: Type.Optional(values),
  header: Type.Optional(texts),
  webhook: Type.Optional(Type.String()),
})

const number = (minimum: number) => Type.Optional(Type.Integer({ minimum, maximum: 1_000_000 }))
const steps =
  "must be a list of 2 to 100 objects, each with some of api, key, status, input, header or webhook"

/** How often requests or webhooks should have come, at least once if there is no number; or in which order. */
export const expectationSchema = Type.Object({
  ...patternSchema.properties,
  ...{ count: number(0), at_least: number(1), at_most: number(0) },
  order: Type.Optional(Type.Array(values, { minItems: 2, maxItems: 100, "x-requirement": steps })),
})

export type Pattern = Static<typeof patternSchema>
export type Expectation = Omit<Static<typeof expectationSchema>, "order"> & { order?: Pattern[] }

/** The expectation and what came. The outcome is unknown when the journal no longer holds what decides it. */
type Verdict = { readonly outcome: "met" | "unmet" | "unknown"; readonly text: string }

/** A request of the journal, or a webhook in the place of one. */
type Came = JournalRecord & { readonly notice?: ShownNotice }
type Given = { records: readonly Came[]; dropped: number; pause: () => Promise<void> | undefined }

/**
 * Whether the requests, or webhooks, that came are as expected.
 * @param notices those that were raised, oldest first
 */
export async function verify(
  expectation: Expectation,
  given: Given,
  notices: () => Promise<readonly ShownNotice[]>,
): Promise<Verdict> {
  const { order } = expectation
  const isOfWebhooks = (order?.[0] ?? expectation).webhook !== undefined
  const came = isOfWebhooks ? { ...given, dropped: 0, records: toRecords(await notices()) } : given
  return order ? verifyOrder(order, came) : verifyCount(expectation, came)
}

/** Webhooks in the order in which they were delivered. Those that were not come last. */
function toRecords(notices: readonly ShownNotice[]): readonly Came[] {
  const placeOf = ({ arrival }: ShownNotice) => arrival ?? notices.length + 1
  const sorted = notices.toSorted((one, two) => placeOf(one) - placeOf(two))
  return sorted.map((notice, index) => ({ ...nothing, number: index + 1, notice }))
}

/** The kept requests that match, oldest first; how many requests came; how many of them are no longer kept. */
export async function findRequests(pattern: Pattern, { records, dropped, pause }: Given) {
  const requests: JournalEntry[] = []
  for (const record of records) {
    await pause()
    const { fit, entry } = compare(pattern, record)
    if (fit === "same") requests.push(entry)
  }
  return { requests, total: dropped + records.length, dropped }
}

async function verifyCount(expectation: Expectation, given: Given): Promise<Verdict> {
  const { count, at_most = count ?? Number.POSITIVE_INFINITY } = expectation
  const { at_least = count ?? (expectation.at_most === undefined ? 1 : 0) } = expectation
  const { same, other, unknown } = await sort(expectation, given)
  const least = at_least === at_most ? `exactly ${at_least}` : at_least > 0 ? `at least ${at_least}` : ""
  const rest = at_least !== at_most && Number.isFinite(at_most) ? `at most ${at_most}` : ""
  const bounds = [least, rest].filter((one) => one !== "")
  const expected = `Expected ${bounds.join(" and ")}: ${toText(expectation)}`
  const came = `${same.length} came.${list(same)}`
  const most = same.length + unknown.length + given.dropped
  if (same.length >= at_least && most <= at_most) return { outcome: "met", text: `${expected}\n${came}` }
  if (same.length > at_most) return { outcome: "unmet", text: `${expected}\n${came}` }
  if (most >= at_least) return toUnknown(`${expected}\nAt least ${came}`, given.dropped, unknown)
  return { outcome: "unmet", text: `${expected}\n${came}\n${nearest(expectation, other)}` }
}

/** Each pattern must match a request after the one of the pattern before it. Others may come between them. */
async function verifyOrder(order: readonly Pattern[], given: Given): Promise<Verdict> {
  const steps = order.map((pattern, index) => `\n  ${index + 1}. ${toText(pattern)}`)
  const expected = `Expected in this order:${steps.join("")}`
  const unknown: Came[] = []
  let [found, last] = [0, 0]
  for (const record of given.records) {
    await given.pause()
    const pattern = order[found]
    const fit = pattern ? compare(pattern, record).fit : "other"
    if (fit === "unknown") unknown.push(record)
    if (fit !== "same") continue
    found++
    last = record.number
  }
  const missing = order[found]
  if (!missing) return { outcome: "met", text: `${expected}\nThey came.` }
  if (given.dropped + unknown.length > 0) return toUnknown(expected, given.dropped, unknown)
  const { same, other } = await sort(missing, given)
  const early = same.length > 0 ? ` It came before:${list(same)}` : ""
  const later = other.filter(({ number }) => number > last)
  const text = `Number ${found + 1} did not come${last === 0 ? "" : ` after #${last}`}.${early}`
  return { outcome: "unmet", text: `${expected}\n${text}\n${nearest(missing, later)}` }
}

function toUnknown(expected: string, dropped: number, [tooLong]: readonly Came[]): Verdict {
  const lost = `\nThe ${dropped} oldest requests are no longer kept: empty the journal before the part to verify.`
  const cut = `\nThe input of #${tooLong?.number} is too long to be kept: leave out 'input'.`
  const text = `It cannot be found out. ${expected}${dropped > 0 ? lost : ""}${tooLong ? cut : ""}`
  return { outcome: "unknown", text }
}

/** Records that came by how they fit a pattern, oldest first; those that do not, the nearest first. */
async function sort(pattern: Pattern, { records, pause }: Given) {
  const found: Record<Fit, Came[]> = { same: [], other: [], unknown: [] }
  const distances = new Map<Came, number>()
  for (const record of records) {
    await pause()
    const { fit, distance } = compare(pattern, record)
    found[fit].push(record)
    distances.set(record, distance)
  }
  found.other.sort((one, two) => (distances.get(one) ?? 0) - (distances.get(two) ?? 0))
  return found
}

type Fit = "same" | "other" | "unknown"

/** The conditions of a pattern beside what came. */
function compare(pattern: Pattern, { notice, unpack }: Came) {
  const { entry, inputs } = unpack()
  const { apis, request, response } = entry
  const { webhook, api, key, status, header = {}, input = {} } = pattern
  const conditions: { name: string; wanted: string; came: string; fit: Fit; distance: number }[] = []
  const add = (name: string, wanted: unknown, came: unknown, isSame: boolean | null, distance = 2) =>
    conditions.push({
      ...{ name, wanted: String(wanted), came: String(came ?? "(none)"), distance: isSame ? 0 : distance },
      fit: isSame === null ? "unknown" : isSame ? "same" : "other",
    })
  if (webhook !== undefined) {
    const { type, state, reason } = notice ?? {}
    add("webhook", webhook, type, type === webhook, 100)
    add("state", "delivered", reason ? `${state}: ${reason}` : state, state === "delivered")
  }
  if (api !== undefined) add("api", api, apis.join(", ") || null, apis.includes(api), 100)
  if (key !== undefined) add("key", shownKey(key), entry.key, keyMatches(shownKey(key), entry.key))
  if (status !== undefined) add("status", status, response?.status, response?.status === status)
  for (const [name, wanted] of Object.entries(header)) {
    const sent = request.headers[name.toLowerCase()]
    add(`header ${name}`, wanted, sent, sent === shortenKeys(wanted), sent === undefined ? 3 : 2)
  }
  const isKept = inputs !== null || !apis.includes(api ?? "")
  const sent = nearestInput(input, inputs, api ?? "")
  for (const [name, value] of Object.entries(input)) {
    const came = isKept ? JSON.stringify(sent[name]) : "not kept"
    add(`input.${name}`, JSON.stringify(value), came, isKept ? hasValues(sent, { [name]: value }) : null)
  }
  const has = (fit: Fit) => conditions.some((one) => one.fit === fit)
  const fit: Fit = has("other") ? "other" : has("unknown") ? "unknown" : "same"
  return { entry, conditions, fit, distance: conditions.reduce((sum, one) => sum + one.distance, 0) }
}

/** The input of an API with the most of the wanted values; empty if there is none. */
function nearestInput(wanted: Values, inputs: string | null, api: string): Values {
  const names = Object.keys(wanted)
  if (names.length === 0 || inputs === null) return {}
  const kept: Readonly<Record<string, readonly Values[]>> = JSON.parse(inputs)
  const sameOf = (input: Values) => names.filter((name) => hasValues(input, { [name]: wanted[name] })).length
  const counted = (kept[api] ?? []).map((input) => ({ input, same: sameOf(input) }))
  return counted.reduce((best, one) => (one.same > best.same ? one : best), { input: {}, same: -1 }).input
}

function toText(pattern: Pattern): string {
  const texts = compare(pattern, nothing).conditions.map(({ name, wanted }) => `${name} ${shown(wanted)}`)
  return texts.join(", ") || "any request"
}

const request = { headers: {}, body: "", cut: false }
const none = { number: 0, at: "", method: "", path: "", apis: [], key: null, fault: null, response: null }
const nothing = { number: 0, characters: 0, unpack: () => ({ entry: { ...none, request }, inputs: "{}" }) }

/** How many requests or webhooks a text shows, and how many characters of a value. */
const [maxShown, maxValue] = [5, 200]

/** The first of the others, as diffs. */
function nearest(pattern: Pattern, others: readonly Came[]): string {
  if (others.length === 0) return `No other ${pattern.webhook === undefined ? "request" : "webhook"} came.`
  const diffs = others.slice(0, maxShown).map((record) => {
    const lines = compare(pattern, record).conditions.map(({ name, wanted, came, fit }) => {
      const [one, other] = shownBoth(wanted, came)
      return fit === "other" ? `\n  - ${name} ${one}\n  + ${name} ${other}` : `\n    ${name} ${shown(wanted)}`
    })
    return `${head(record)}${lines.join("")}`
  })
  return `The nearest of ${others.length} others (- expected, + came):\n${diffs.join("\n")}`
}

function list(records: readonly Came[]): string {
  const more = records.length > maxShown ? [`and ${records.length - maxShown} more`] : []
  return [...records.slice(0, maxShown).map(head), ...more].map((line) => `\n${line}`).join("")
}

function head({ number, notice, unpack }: Came): string {
  if (notice) return `#${number} ${notice.type} ${notice.id}`
  const { method, path, key, response } = unpack().entry
  const answer = response?.status ?? "connection reset"
  return `#${number} ${method} ${shown(path)} with ${key === null ? "no key" : `key ${shown(key)}`} → ${answer}`
}

/** Two texts, both from shortly before their first difference if that is far behind. */
function shownBoth(wanted: string, came: string): readonly string[] {
  let at = 0
  while (at < wanted.length && wanted[at] === came[at]) at++
  const start = at < maxValue / 2 ? 0 : at - 50
  return [wanted, came].map((text) => (start > 0 ? `…${shown(text.slice(start))}` : shown(text)))
}

function shown(text: string): string {
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text
}

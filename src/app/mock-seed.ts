import { Kind, type Static, type TSchema, Type } from "@sinclair/typebox"
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value"
import { periodAt } from "../accounts/credits.ts"
import { maxCredits } from "../accounts/plan.ts"
import { requireWebhookUrl } from "../accounts/webhook.ts"
import { requireAddressFor } from "../admin/accounts/change-account.ts"
import { checksOf, newAccount, toNewAccount } from "../admin/accounts/new-account.ts"
import { createKeyDetails } from "../admin/keys/key-details.ts"
import { keyParameters, readKeySettings } from "../admin/keys/key-input.ts"
import { choice, defineFormat, InputRejected, type WebEntry, type ZoneEntry } from "../apis/contract.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { toRequirement } from "../call/requirement.ts"
import type { Config } from "../config/load.ts"
import { readPlacedToml, readPlacedYaml } from "../config/placed-text.ts"
import { plansOfNames, plansTable, readPlans } from "../config/plans.ts"
import { ConfigError, settingName } from "../config/setting-name.ts"
import { createFaults, faultSchema, isSameTarget, standardProfiles } from "../mock/faults.ts"
import { adminKeyName, defaultKey, toMagicKey } from "../mock/keys.ts"
import { isSameCall, stubSchema } from "../mock/stubs.ts"
import { mockWebhookSecret } from "../mock/webhook-secret.ts"
import { toWireName } from "../ports/dns/name.ts"
import { parseZone } from "../ports/dns/zone-file.ts"
import { createSeededRandom } from "../ports/random.ts"
import { createFixedWeb } from "../ports/web/fixed-web.ts"
import { type Mutation, notifyChoices } from "../store/admin-store.ts"
import { requireFault, requireStub } from "../surfaces/http/mock/control-input.ts"
import { fromUtf8 } from "../values/byte-text.ts"
import { escapeHidden } from "../values/hidden-characters.ts"
import { isObject } from "../values/is-object.ts"
import { pointerTo } from "../values/json-value.ts"
import { messageOf } from "../values/message-of.ts"
import { nearestFirst } from "../values/nearest.ts"
import { parseInstant } from "../values/time-text.ts"

defineFormat("penknife-instant", (text) => (parseInstant(text) ?? -1) >= 0)

const closed = { additionalProperties: false }
const like = "must be an instant from 1970 to 9999, such as 2025-01-31T12:00:00Z"
const instant = (description: string) =>
  Type.Optional(Type.String({ format: "penknife-instant", description, "x-requirement": like }))
const credits = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: maxCredits, description }))
const url = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }))
const list = <T extends TSchema>(item: T, description: string, maxItems = 1_000) =>
  Type.Optional(Type.Array(item, { maxItems, description }))
const mapping = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Record(Type.String(), item, { description }))

const keyFields = {
  text: Type.String({
    pattern: "^[!-~]{8,200}$",
    description: "The text that calls send. A built-in key such as `mock-free` is then this one.",
    "x-requirement": "must be a text of 8 to 200 printable ASCII characters without blanks",
  }),
  ...keyParameters,
  created: instant("When it was made; by default with its account, or when it ended."),
  revoked: instant("When it was revoked."),
  disabled: instant("When it was disabled."),
}
const key = Type.Object(keyFields, closed)
const accountFields = {
  ...newAccount.properties,
  created: instant("When it was made, and its months began; by default at the start, or when it was closed."),
  closed: instant("When it was closed."),
  notify: Type.Optional(choice(notifyChoices, { description: "How it gets notices." })),
  credits_used: credits("Credits used of this month, at most those of its plan."),
  bonus: credits("Bonus credits left; by default those of its plan at sign-up."),
  webhook: url("Where its webhook messages go; signed as with `--webhook`."),
  keys: list(key, "Its keys.", 100),
}
const account = Type.Object(accountFields, closed)
const fault = Type.Object(faultSchema.properties, closed)
const stub = Type.Object(stubSchema.properties, closed)
const record = Type.Unsafe<ZoneEntry>({ [Kind]: "Unknown" })
const reply = Type.Unsafe<WebEntry>({ [Kind]: "Unknown" })
const plans = { ...plansTable, description: "Plans by name, as in a configuration file." }

/** A seed file. Its check, its JSON Schema and docs/mock-seed.md are all made of this. */
const seedFields = {
  now: instant("The clock at the start."),
  plans: Type.Optional(plans),
  accounts: list(account, "Accounts with their keys."),
  webhook: url("The webhook of all accounts without one of their own, as `--webhook`."),
  profiles: mapping(Type.Array(fault), "Own profiles by name: lists of faults."),
  profile: Type.Optional(Type.String({ description: "The profile at the start." })),
  faults: list(fault, "Faults, as `PUT /_mock/faults` takes them."),
  stubs: list(stub, "Stubs, as `PUT /_mock/stubs` takes them."),
  dns: mapping(Type.Array(record), "DNS records by name, as `--dns` reads them."),
  web: mapping(reply, "HTTPS replies by URL, as `--web` reads them."),
}
export const seedSchema = Type.Object(seedFields, closed)
/** The schemas of an account and a key of a seed. */
export const entrySchemas = { account, key }

/** A state to start from, checked. */
export type Seed = Awaited<ReturnType<typeof readSeed>>

/** The most bytes of a seed. */
const maxBytes = 524_288

/**
 * Reads and checks a seed: a file, TOML if its name ends so, otherwise YAML or JSON; or JSON itself.
 * @throws ConfigError with all mistakes, one a line: `FILE:LINE:COLUMN: …`
 */
export async function readSeed(config: Config, apis: readonly PreparedApi[]) {
  const given = config.seedFile ?? ""
  const name = given.startsWith("{") ? "--seed" : given
  const file = given.startsWith("{") ? new Blob([given]) : Bun.file(given)
  const read = file.slice(0, maxBytes + 1).bytes()
  const bytes = await read.catch((cause) => {
    throw new ConfigError(`The seed ${name} cannot be read: ${messageOf(cause)}.`)
  })
  if (bytes.length > maxBytes)
    throw new ConfigError(`The seed ${name} is too large: it may have ${maxBytes} bytes.`)
  const text = fromUtf8(bytes)?.replace(/^\uFEFF/, "")
  if (text === undefined) throw new ConfigError(`The seed ${name} must be text in UTF-8.`)
  const placed = name.endsWith(".toml") ? readPlacedToml(text) : readPlacedYaml(text)
  const seed = placed.value === undefined ? null : await check(placed.value ?? {}, config, apis)
  const lines = [...placed.mistakes]
  for (const [pointer, problem] of seed?.problems ?? []) {
    const path = pointer.split("/").slice(1).map(unescaped)
    const sentence = problem
      .replace(/^The '\S+' parameter |^line 1: (?:an entry of '[^']*' )?/, "")
      .replace(/\.$/, "")
    const shown = path.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join("")
    const part = shown.slice(1, 200) || "the seed"
    const place = placed.placeOf(path, /^is not known here|^must have a\w* name/.test(problem))
    lines.push([...place, `${part}${/^[a-z]/.test(sentence) ? "" : ":"} ${sentence}.`])
  }
  if (seed && lines.length === 0) return seed
  lines.sort(([line, column], [otherLine, otherColumn]) => line - otherLine || column - otherColumn)
  const texts = lines.map(([line, column, text]) => `${name}:${line}:${column}: ${escapeHidden(text)}`)
  throw new ConfigError(texts.join("\n"))
}

async function check(value: unknown, config: Config, apis: readonly PreparedApi[]) {
  const problems = new Map<string, string>()
  /** Keeps the first problem of each part. */
  const addProblem = (pointer: string, problem: string) =>
    void (problems.has(pointer) || problems.set(pointer, problem))
  /** @param isWhole false if fields were left out, so that none is told to be missing */
  async function attempt<T>(pointer: string, work: () => T | Promise<T>, isWhole = true): Promise<T | null> {
    try {
      return await work()
    } catch (thrown) {
      const parameter = thrown instanceof Error && "parameter" in thrown ? `${thrown.parameter ?? ""}` : ""
      const isField = /\/(?:profile|webhook)$/.test(pointer) || pointer.endsWith(`/${parameter}`)
      const inner = isField ? [] : parameter.split(/[.[\]]+/).filter((name) => name !== "")
      const problem = thrown instanceof InputRejected ? thrown.requirement : messageOf(thrown)
      if (isWhole || !problem.startsWith("is missing")) addProblem(inner.reduce(pointerTo, pointer), problem)
      return null
    }
  }
  const seen = new Map<string, string>()
  /** Refuses a text that an earlier part has too. */
  function requireOne(kind: string, text: string | null | undefined, pointer: string): void {
    if (seen.has(`${kind} ${text}`))
      addProblem(pointer, `is the ${kind} of another one too: change one of them`)
    else if (typeof text === "string") seen.set(`${kind} ${text}`, pointer)
  }
  /** Makes a check that refuses a rule which takes the place of an earlier one. */
  function otherRules<Rule>(isSame: (one: Rule, other: Rule) => boolean) {
    const earlier: Rule[] = []
    return (rule: Rule, pointer: string) => {
      const isTaken = earlier.some((one) => isSame(one, rule))
      if (isTaken) addProblem(pointer, "is for the same calls as an earlier one: leave one of them out")
      earlier.push(rule)
    }
  }
  const readName = (name: string, entries: readonly ZoneEntry[]) =>
    parseZone(JSON.stringify({ [name]: entries }))
  const readWebhook = (pointer: string, url: string) =>
    attempt(pointer, () => requireWebhookUrl(url, { allowPrivate: true, allowLocal: true, ports: null }))
  type Read<T extends TSchema> = (entry: Static<T>, pointer: string) => unknown
  /** Reads the entries of a list, without the fields that have the wrong form: those mistakes are known. */
  async function each<T extends TSchema>(list: string, entries: unknown, schema: T, read: Read<T>) {
    for (const [index, entry] of Array.isArray(entries) ? entries.entries() : []) {
      const [pointer, isWhole] = [`${list}/${index}`, Value.Check(schema, entry)]
      const right = isWhole || !isObject(entry) ? entry : rightFieldsOf(entry, schema)
      if (isWhole || isObject(entry)) await attempt(pointer, () => read(right, pointer), isWhole)
    }
  }

  for (const error of Value.Errors(seedSchema, value)) addProblem(error.path, problemOf(error))
  const file: Static<typeof seedSchema> = isObject(value) ? value : {}
  const own = Value.Check(plansTable, file.plans) ? readPlans(file.plans, "") : plansOfNames(file.plans)
  const named = [...own].filter(([name]) => Object.hasOwn(file.plans ?? {}, name))
  const plans = new Map([...config.plans, ...named])
  const nowMs = (config.origins.seedTimeMs === "default" ? toMs(file.now) : null) ?? config.seedTimeMs
  const webhook = config.webhook ?? file.webhook ?? null
  const definitions = new Map(apis.map(({ definition }) => [definition.id, definition]))
  const prices = new Map(apis.map(({ definition }) => [definition.id, 0]))
  const mutations: Mutation[] = []
  const names = new Map<string, string>()
  /** The clock when something was made: by default at `usualMs`, or at its first end. Refuses ends before `created`. */
  function madeAt(created: string | undefined, usualMs: number, ends: object, pointer: string) {
    const times = Object.entries(ends).filter(([, end]) => end !== undefined)
    const madeMs = toMs(created) ?? Math.min(usualMs, ...times.map(([, end]) => toMs(end) ?? usualMs))
    for (const [name, end] of times)
      if ((toMs(end) ?? madeMs) < madeMs) addProblem(`${pointer}/${name}`, "must not be before 'created'")
    return at(madeMs)
  }
  const secret = mockWebhookSecret

  async function readAccount(entry: Static<typeof account>, pointer: string): Promise<void> {
    const { credits_used: used = 0 } = entry
    const random = createSeededRandom(`seed account ${pointer}`)
    const clock = madeAt(entry.created, nowMs, { closed: entry.closed }, pointer)
    const parts = { plans, clock, random }
    for (const one of checksOf(entry, parts)) await attempt(pointer, one)
    const { monthlyCredits = null } = plans.get("plan" in entry ? `${entry.plan}` : "free") ?? {}
    if (monthlyCredits !== null && used > monthlyCredits)
      addProblem(
        `${pointer}/credits_used`,
        `must be at most ${monthlyCredits}, the month's credits of its plan`,
      )
    requireOne("external id", entry.external_id, `${pointer}/external_id`)
    // Its keys are checked also if it cannot be made.
    const made = await attempt(pointer, () => toNewAccount(entry, parts))
    const { id = "", createdMs = nowMs } = made ?? {}
    if (made) {
      requireOne("e-mail address", made.email, `${pointer}/email`)
      const { notify = made.notify, bonus = made.bonus } = entry
      await attempt(pointer, () => requireAddressFor({ email: made.email, notify }))
      const periodStartMs = periodAt(createdMs, nowMs).startMs
      const changes = { used, notify, bonus, closedMs: toMs(entry.closed), periodStartMs }
      mutations.push({ kind: "account.insert", account: { ...made, ...changes } })
    }
    const to = entry.webhook ?? webhook
    const url = to && (await readWebhook(`${pointer}/webhook`, to))
    if (url)
      mutations.push({ kind: "webhook.set", accountId: id, webhook: { url, secret, allowPrivate: true } })
    await each(`${pointer}/keys`, entry.keys, key, (one, inner) => readKey(one, inner, id, createdMs))
  }

  async function readKey(entry: Static<typeof key>, pointer: string, accountId: string, accountMs: number) {
    const { text, created, revoked, disabled, ...settings } = entry
    const clock = madeAt(created, accountMs, { revoked, disabled }, pointer)
    const own = { revokedMs: toMs(revoked), disabledMs: toMs(disabled) }
    for (const [name, value] of Object.entries(settings)) {
      const read = () => readKeySettings({ [name]: value }, { clock, prices })
      Object.assign(own, await attempt(`${pointer}/${name}`, read))
    }
    requireOne("text", text, `${pointer}/text`)
    requireOne("external id of a key", settings.external_id, `${pointer}/external_id`)
    if (toMagicKey(text) === adminKeyName || /^pk[als]-/.test(text))
      addProblem(`${pointer}/text`, "must not be an admin key or one of a browser's session: it is for calls")
    const made = createKeyDetails(accountId, own, clock.now(), createSeededRandom(`seed key ${text}`))
    mutations.push(made.mutation)
    names.set(text, made.text)
  }

  await each("/accounts", file.accounts, account, readAccount)
  const [otherFault, otherStub] = [otherRules(isSameTarget), otherRules(isSameCall)]
  await each("/faults", file.faults, fault, (rule, at) => otherFault(requireFault(rule, definitions), at))
  await each("/stubs", file.stubs, stub, (rule, at) => otherStub(requireStub(rule, definitions), at))
  for (const [name, rules] of Object.entries(file.profiles ?? {})) {
    const taken = "must have another name: every test double has a profile of this one"
    if (Object.hasOwn(standardProfiles, name)) addProblem(pointerTo("/profiles", name), taken)
    await each(pointerTo("/profiles", name), rules, fault, (rule) => requireFault(rule, definitions))
  }
  const ownProfiles = Object.fromEntries(Object.keys(file.profiles ?? {}).map((name) => [name, []]))
  await attempt("/profile", () => createFaults(createSeededRandom, ownProfiles, file.profile))
  if (typeof file.webhook === "string") await readWebhook("/webhook", file.webhook)
  for (const [name, entries] of Object.entries(file.dns ?? {})) {
    requireOne("domain name", toWireName(name), pointerTo("/dns", name))
    const known = problems.size
    await each(pointerTo("/dns", name), entries, record, (one) => readName(name, [one]))
    if (problems.size === known) await attempt(pointerTo("/dns", name), () => readName(name, entries))
  }
  for (const [url, one] of Object.entries(file.web ?? {})) {
    requireOne("address", URL.parse(url)?.href, pointerTo("/web", url))
    await attempt(pointerTo("/web", url), () => createFixedWeb({ [url]: one }))
  }
  const place = seen.get(`text ${defaultKey}`)
  if (place !== undefined && config.origins.plan !== "default")
    addProblem(place, `gets its plan here and from ${settingName(config, "plan")}: leave one of them out`)
  return { problems, file, settings: { plans, seedTimeMs: nowMs, webhook }, records: { mutations, names } }
}

const at = (ms: number) => ({ now: () => ms, monotonicMs: () => 0 })
const toMs = (instant?: string) => (instant === undefined ? null : parseInstant(instant))
/** Undoes the escapes of a JSON pointer. */
const unescaped = (name: string) => name.replaceAll("~1", "/").replaceAll("~0", "~")

/** An entry whose fields of the wrong form are undefined. Of its keys each is checked by itself. */
function rightFieldsOf(entry: Readonly<Record<string, unknown>>, { properties }: TSchema) {
  const known = Object.entries(entry).filter(([name]) => Object.hasOwn(properties, name))
  const isRight = (name: string, value: unknown) => name === "keys" || Value.Check(properties[name], value)
  return Object.fromEntries(known.map(([name, value]) => [name, isRight(name, value) ? value : undefined]))
}

/** The rule that a part breaks. */
function problemOf({ type, path, schema }: ValueError): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return `is missing: it ${toRequirement(schema)}`
  if (type !== ValueErrorType.ObjectAdditionalProperties) return toRequirement(schema)
  if (!schema.properties) return "must have a name of small letters, digits, '-' and '_', first a letter"
  const known = nearestFirst(path.slice(path.lastIndexOf("/") + 1), Object.keys(schema.properties))
  return `is not known here; there are ${known.join(", ")}`
}

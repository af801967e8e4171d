import { Kind, type Static, type TSchema, Type } from "@sinclair/typebox"
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value"
import { periodAt } from "../accounts/credits.ts"
import { maxCredits } from "../accounts/plan.ts"
import { requireWebhookUrl } from "../accounts/webhook.ts"
import { checksOf, newAccount, toNewAccount } from "../admin/accounts/new-account.ts"
import { createKeyDetails } from "../admin/keys/key-details.ts"
import { keyParameters, readKeySettings } from "../admin/keys/key-input.ts"
import { choice, defineFormat, InputRejected, type WebEntry, type ZoneEntry } from "../apis/contract.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { toRequirement } from "../call/requirement.ts"
import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import { readPlacedToml, readPlacedYaml } from "../config/placed-text.ts"
import { plansOfNames, plansTable, readPlans } from "../config/plans.ts"
import { settingName } from "../config/setting-name.ts"
import { createFaults } from "../mock/faults.ts"
import { adminKeyName, defaultKey, toMagicKey } from "../mock/keys.ts"
import { mockWebhookSecret } from "../mock/webhook-secret.ts"
import { parseZone } from "../ports/dns/zone-file.ts"
import { createSeededRandom } from "../ports/mock-ports.ts"
import { createFixedWeb } from "../ports/web/fixed-web.ts"
import { type Mutation, notifyChoices } from "../store/admin-store.ts"
import { requireFault, requireStub, ruleSchemas } from "../surfaces/http/mock/control-input.ts"
import { escapeHidden } from "../values/hidden-characters.ts"
import { isObject } from "../values/is-object.ts"
import { pointerTo } from "../values/json-pointer.ts"
import { messageOf } from "../values/message-of.ts"
import { nearestFirst } from "../values/nearest.ts"
import { parseInstant } from "../values/time-text.ts"

defineFormat("penknife-instant", (text) => (parseInstant(text) ?? -1) >= 0)

const closed = { additionalProperties: false }
const text = (pattern: string, description: string, requirement: string) =>
  Type.String({ pattern, description, "x-requirement": requirement })
const instant = (description: string) =>
  Type.Optional(
    Type.String({
      format: "penknife-instant",
      description,
      "x-requirement": "must be an instant such as 2025-01-31T12:00:00Z",
    }),
  )
const credits = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: maxCredits, description }))
const url = (description: string) => Type.String({ maxLength: 2_000, description })
const list = <T extends TSchema>(item: T, description: string, maxItems = 1_000) =>
  Type.Optional(Type.Array(item, { maxItems, description }))

/** A key of a seed. */
export const keySchema = Type.Object(
  {
    text: text(
      "^[!-~]{8,200}$",
      "The text that calls send. A built-in key such as `mock-free` is then this one.",
      "must be a text of 8 to 200 printable ASCII characters without blanks",
    ),
    ...keyParameters,
    created: instant("When it was made; by default with its account."),
    revoked: instant("When it was revoked."),
    disabled: instant("When it was disabled."),
  },
  closed,
)
/** An account of a seed. */
export const accountSchema = Type.Object(
  {
    ...newAccount.properties,
    id: Type.Optional(
      text(
        "^acc_[0-9A-Za-z]{1,60}$",
        "Its id; by default one that follows from its name.",
        "must be `acc_` and 1 to 60 letters and digits",
      ),
    ),
    created: instant("When it was made, from which its months count; by default at the start."),
    closed: instant("When it was closed."),
    notify: Type.Optional(choice(notifyChoices, { description: "How it gets notices." })),
    credits_used: credits("Credits used of this month, at most those of its plan."),
    bonus: credits("Bonus credits left; by default those of its plan at sign-up."),
    webhook: Type.Optional(url("Where its webhook messages go; signed as with `--webhook`.")),
    keys: list(keySchema, "Its keys.", 100),
  },
  closed,
)
const faultSchema = Type.Object(ruleSchemas.fault.properties, closed)
const stubSchema = Type.Object(ruleSchemas.stub.properties, closed)

/** A seed file. Its check, its JSON Schema and docs/mock-seed.md are all made of this. */
export const seedSchema = Type.Object(
  {
    now: instant("The clock at the start."),
    plans: Type.Optional({
      ...plansTable,
      description: "Plans by name, as in a configuration file: new ones, or changes.",
    }),
    accounts: list(accountSchema, "Accounts with their keys."),
    webhook: Type.Optional(url("The webhook of all accounts without one of their own, as `--webhook`.")),
    profiles: Type.Optional(
      Type.Record(Type.String(), Type.Array(faultSchema), {
        description: "Own profiles by name: lists of faults.",
      }),
    ),
    profile: Type.Optional(Type.String({ description: "The profile at the start." })),
    faults: list(faultSchema, "Faults, as `PUT /_mock/faults` takes them."),
    stubs: list(stubSchema, "Stubs, as `PUT /_mock/stubs` takes them."),
    dns: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.Unsafe<ZoneEntry>({ [Kind]: "Unknown" })), {
        description: "DNS records, as in `--dns`.",
      }),
    ),
    web: Type.Optional(
      Type.Record(Type.String(), Type.Unsafe<WebEntry>({ [Kind]: "Unknown" }), {
        description: "HTTPS replies, as in `--web`.",
      }),
    ),
  },
  closed,
)

type SeedFile = Static<typeof seedSchema>
type Key = Static<typeof keySchema>

/** A state to start from, checked. */
export type Seed = Awaited<ReturnType<typeof readSeed>>

/** The most bytes of a seed: as many names of one mapping take seconds to compare. */
const maxBytes = 524_288
/** The most mistakes that are said. */
const maxMistakes = 100

/**
 * Reads and checks a seed: a file, TOML if its name ends so, otherwise YAML or JSON; or JSON itself.
 * @throws ConfigError with all mistakes, one a line: `FILE:LINE:COLUMN: …`
 */
export async function readSeed(config: Config, apis: readonly PreparedApi[]) {
  const given = config.seedFile ?? ""
  const name = given.startsWith("{") ? "--seed" : given
  const file = given.startsWith("{") ? new Blob([given]) : Bun.file(given)
  const read = file.slice(0, maxBytes + 1).text()
  const text = await read.catch((cause) => {
    throw new ConfigError(`The seed ${name} cannot be read: ${messageOf(cause)}.`)
  })
  if (Buffer.byteLength(text) > maxBytes)
    throw new ConfigError(
      `The seed ${name} is too large: it may have ${maxBytes.toLocaleString("en-US")} bytes.`,
    )
  const lines: { readonly line: number; readonly col: number; readonly problem: string }[] = []
  const reader = name.endsWith(".toml") ? readPlacedToml : readPlacedYaml
  const placed = reader(text, (place, problem) => lines.push({ ...place, problem }))
  const seed = placed && (await check(placed.value ?? {}, config, apis))
  for (const [pointer, problem] of seed?.problems ?? []) {
    const path = pointer
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    const sentence = problem.replace(/^The '\S+' parameter /, "").replace(/\.$/, "")
    const place = placed?.placeOf(path) ?? { line: 1, col: 1 }
    lines.push({ ...place, problem: `${shown(path)}${/^[a-z]/.test(sentence) ? "" : ":"} ${sentence}.` })
  }
  if (seed && lines.length === 0) return seed
  const sorted = lines.sort((a, b) => a.line - b.line || a.col - b.col)
  const texts = sorted.map(({ line, col, problem }) => escapeHidden(`${name}:${line}:${col}: ${problem}`))
  const more = lines.length > maxMistakes ? [`… and ${lines.length - maxMistakes} more mistakes.`] : []
  throw new ConfigError([...texts.slice(0, maxMistakes), ...more].join("\n"))
}

async function check(value: unknown, config: Config, apis: readonly PreparedApi[]) {
  const problems = new Map<string, string>()
  /** Keeps the first problem of each part. */
  const refuse = (pointer: string, problem: string) => {
    if (!problems.has(pointer)) problems.set(pointer, problem)
  }
  async function attempt<T>(pointer: string, work: () => T | Promise<T>): Promise<T | null> {
    try {
      return await work()
    } catch (thrown) {
      const parameter = thrown instanceof Error && "parameter" in thrown ? `${thrown.parameter ?? ""}` : ""
      const inner = parameter.split(/[.[\]]+/).filter((name) => name !== "" && !pointer.endsWith(`/${name}`))
      const problem = thrown instanceof InputRejected ? thrown.requirement : messageOf(thrown)
      refuse(inner.reduce(pointerTo, pointer), problem)
      return null
    }
  }
  const seen = new Map<string, string>()
  /** Refuses a text that an earlier part has too. */
  function requireOne(kind: string, text: string | null | undefined, pointer: string): void {
    if (seen.has(`${kind} ${text}`)) refuse(pointer, `is the ${kind} of another one too: change one of them`)
    else if (typeof text === "string") seen.set(`${kind} ${text}`, pointer)
  }
  const readWebhook = (pointer: string, url: string) =>
    attempt(pointer, () => requireWebhookUrl(url, { allowPrivate: true, allowLocal: true, ports: null }))
  /** Reads the entries of a list that have the right form: the mistakes of others are known. */
  async function each<T extends TSchema>(
    pointer: string,
    schema: T,
    read: (entry: Static<T>, pointer: string) => unknown,
  ): Promise<void> {
    const entries: unknown = Reflect.get(file, pointer.slice(1))
    for (const [index, entry] of Array.isArray(entries) ? entries.entries() : [])
      if (Value.Check(schema, entry))
        await attempt(`${pointer}/${index}`, () => read(entry, `${pointer}/${index}`))
  }

  for (const error of Value.Errors(seedSchema, value)) refuse(error.path, problemOf(error))
  const file: SeedFile = isObject(value) ? value : {}
  const own = Value.Check(plansTable, file.plans) ? readPlans(file.plans, "") : plansOfNames(file.plans)
  const named = [...own].filter(([name]) => Object.hasOwn(file.plans ?? {}, name))
  const plans = new Map([...config.plans, ...named])
  const nowMs = toMs(file.now) ?? config.seedTimeMs
  const definitions = new Map(apis.map(({ definition }) => [definition.id, definition]))
  const prices = new Map(apis.map(({ definition }) => [definition.id, 0]))
  const mutations: Mutation[] = []
  const names = new Map<string, string>()
  const withoutWebhook: string[] = []

  async function readAccount(entry: Static<typeof accountSchema>, pointer: string): Promise<void> {
    const { credits_used: used = 0, closed, webhook, keys = [] } = entry
    const random = createSeededRandom(`seed account ${entry.name}`)
    const parts = { plans, clock: at(entry.created, nowMs), random }
    for (const one of checksOf(entry, parts)) await attempt(pointer, one)
    const { monthlyCredits = null } = plans.get(entry.plan ?? "free") ?? {}
    if (monthlyCredits !== null && used > monthlyCredits)
      refuse(
        `${pointer}/credits_used`,
        `must be at most ${monthlyCredits}, the credits of a month of its plan`,
      )
    const createdMs = parts.clock.now()
    const periodStartMs = periodAt(createdMs, nowMs).startMs
    const account = await attempt(pointer, () => toNewAccount(entry, parts))
    const { id = account?.id ?? "", notify = account?.notify, bonus = account?.bonus } = entry
    requireOne("id", id, entry.id === undefined ? `${pointer}/name` : `${pointer}/id`)
    requireOne("e-mail address", account?.email, `${pointer}/email`)
    requireOne("external id", entry.external_id, `${pointer}/external_id`)
    const changes = { id, used, closedMs: toMs(closed), createdMs, periodStartMs }
    if (account && notify && bonus !== undefined)
      mutations.push({ kind: "account.insert", account: { ...account, ...changes, notify, bonus } })
    if (webhook === undefined) withoutWebhook.push(id)
    else {
      const url = (await readWebhook(`${pointer}/webhook`, webhook)) ?? ""
      const set = { url, secret: mockWebhookSecret, allowPrivate: true }
      mutations.push({ kind: "webhook.set", accountId: id, webhook: set })
    }
    for (const [index, key] of keys.entries()) await readKey(key, `${pointer}/keys/${index}`, id, createdMs)
  }

  async function readKey(entry: Key, pointer: string, accountId: string, accountMs: number): Promise<void> {
    const { text, created, revoked, disabled, ...settings } = entry
    const clock = at(created, accountMs)
    const own = { revokedMs: toMs(revoked), disabledMs: toMs(disabled) }
    for (const [name, value] of Object.entries(settings)) {
      const read = () => readKeySettings({ [name]: value }, { clock, prices })
      Object.assign(own, await attempt(`${pointer}/${name}`, read))
    }
    requireOne("text", text, `${pointer}/text`)
    requireOne("external id of a key", settings.external_id, `${pointer}/external_id`)
    if (toMagicKey(text) === adminKeyName || /^pk[als]-/.test(text))
      refuse(`${pointer}/text`, "must not be an admin key or one of a browser's session: it is for calls")
    const made = createKeyDetails(accountId, own, clock.now(), createSeededRandom(`seed key ${text}`))
    mutations.push(made.mutation)
    names.set(text, made.text)
  }

  await each("/accounts", accountSchema, readAccount)
  await each("/faults", faultSchema, (rule) => requireFault(rule, definitions))
  await each("/stubs", stubSchema, (stub) => requireStub(stub, definitions))
  for (const [name, rules] of Object.entries(isObject(file.profiles) ? file.profiles : {}))
    for (const [index, rule] of Array.isArray(rules) ? rules.entries() : [])
      if (Value.Check(faultSchema, rule))
        await attempt(`${pointerTo("/profiles", name)}/${index}`, () => requireFault(rule, definitions))
  await attempt("/profile", () => createFaults(createSeededRandom, file.profiles, file.profile))
  if (typeof file.webhook === "string") await readWebhook("/webhook", file.webhook)
  for (const [name, entries] of Object.entries(isObject(file.dns) ? file.dns : {}))
    for (const [index, entry] of Array.isArray(entries) ? entries.entries() : []) {
      const read = () => parseZone(JSON.stringify({ [name]: [entry] }))
      await attempt(`${pointerTo("/dns", name)}/${index}`, read)
    }
  for (const [url, reply] of Object.entries(isObject(file.web) ? file.web : {}))
    await attempt(pointerTo("/web", url), () => createFixedWeb({ [url]: reply }))
  const both = { now: "seedTimeMs", webhook: "webhook", dns: "dnsFile", web: "webFile" } as const
  for (const field of Object.keys(both) as (keyof typeof both)[])
    if (file[field] !== undefined && config.origins[both[field]] !== "default")
      refuse(`/${field}`, `is also set by ${settingName(config, both[field])}: leave one of them out`)
  const defaultPlace = seen.get(`text ${defaultKey}`)
  if (defaultPlace !== undefined && config.origins.plan !== "default")
    refuse(defaultPlace, `gets its plan here and from ${settingName(config, "plan")}: leave one of them out`)
  return {
    problems,
    file,
    /** The settings of the test double that the seed has. */
    settings: { plans, seedTimeMs: nowMs, webhook: file.webhook ?? config.webhook },
    records: { mutations, names, withoutWebhook },
    /** Another seed has another one. Ids that are made later follow from it, so that they are none of the file's. */
    digest: Bun.SHA256.hash(JSON.stringify(mutations), "hex"),
  }
}

function at(instant: string | undefined, otherwiseMs: number) {
  const ms = toMs(instant) ?? otherwiseMs
  return { now: () => ms, monotonicMs: () => 0 }
}

function toMs(instant: string | undefined): number | null {
  return instant === undefined ? null : parseInstant(instant)
}

/** A part of the file as its reader would write it: `accounts[0].plan`. */
function shown(path: readonly string[]): string {
  const text = path.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join("")
  return text.slice(1, 200) || "the seed"
}

/** The rule that a part breaks. */
function problemOf({ type, path, schema }: ValueError): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return `is missing: it ${toRequirement(schema)}`
  if (type === ValueErrorType.ArrayMaxItems) return `must have at most ${schema.maxItems} entries`
  if (type === ValueErrorType.ArrayUniqueItems) return "must have no entry twice"
  if (type !== ValueErrorType.ObjectAdditionalProperties) return toRequirement(schema)
  if (!schema.properties)
    return "must have a name of small letters, digits, '-' and '_' that begins with a letter"
  const known = nearestFirst(path.slice(path.lastIndexOf("/") + 1), Object.keys(schema.properties))
  return `is not known here; there are ${known.join(", ")}`
}

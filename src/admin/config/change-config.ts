import { type Static, Type } from "@sinclair/typebox"
import { nullable } from "../../apis/contract.ts"
import { AdminFault, type AdminFaultCode, conflict, invalid } from "../fault.ts"
import { idNumber, listOf, optionalFlag } from "../fields.ts"
import { defineChange, defineRead } from "../operation.ts"
import { wholeList } from "../pages.ts"
import { type ConfigChange, type ConfigRefusal, ConfigRefused, settingSchema } from "./config-control.ts"

const item = Type.Object({
  setting: Type.String({
    description: "The setting's name in the configuration file.",
  }),
  before: Type.Unknown({
    description: "The value before; null where it was not set. Secrets are shown as `(set)`.",
  }),
  after: Type.Unknown({
    description: "The value after; null where it was not set. Secrets are shown as `(set)`.",
  }),
  needs_restart: Type.Boolean({
    description: "Whether it is taken over only when the service is started again.",
  }),
})

/** The settings that differ, on one page. */
const changeList = listOf(item)

/** The columns that fit a terminal. */
const changeColumns = ["setting", "before", "after", "needs_restart"]

function toChangeList(changes: readonly ConfigChange[]): Static<typeof changeList> {
  const data = changes.map(({ needsRestart, ...change }) => ({ ...change, needs_restart: needsRestart }))
  return wholeList(data)
}

/**
 * Waits for work on the configuration.
 * @throws AdminFault that says why a configuration is refused
 */
async function orRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    if (!(thrown instanceof ConfigRefused)) throw thrown
    // Values come in one parameter alone.
    const parameter = thrown.reason === "values" ? "changes" : null
    throw new AdminFault(faultOf[thrown.reason], thrown.message, { parameter })
  }
}

/**
 * For a change whose first answer was lost: the process ended before or after the file was changed, or another process of the
 * service is changing it.
 * @throws AdminFault
 */
async function refuseRecall(): Promise<never> {
  throw conflict(
    "Whether the first request with this Idempotency-Key changed the configuration is not known. Read the configuration, and send a new " +
      "Idempotency-Key to change it.",
  )
}

const faultOf = {
  values: "invalid",
  state: "conflict",
  outdated: "version-mismatch",
} as const satisfies Record<ConfigRefusal, AdminFaultCode>

/** The changes that are taken over now, for the audit log: values by setting. */
function takenChanges(changes: readonly ConfigChange[]) {
  const taken = changes.filter(({ needsRestart }) => !needsRestart)
  const values = (side: "before" | "after") =>
    Object.fromEntries(taken.map((change): [string, unknown] => [change.setting, change[side]]))
  return { before: values("before"), after: values("after") }
}

/** Each setting reads and writes the whole text again. */
const maxSettings = 100
/** To say which setting was meant, a name is compared with all others. */
const maxNameBytes = 200

const value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.String()),
  Type.Null(),
])

export const putConfig = defineChange({
  id: "config.put",
  title: "Change the configuration file",
  description:
    "Changes plans, prices and settings that need no restart in the configuration file of a running service, and takes them over, or " +
    "changes nothing. Other processes of the service follow within moments. The rest of the file stays unchanged, with its comments.",
  permission: "config.write",
  method: "PATCH",
  path: "/config",
  command: {
    words: "config set",
    args: ["changes"],
    example: "credits.hmac=3 plans.free.monthly_credits=2000 --dry-run --server https://penknife.example.com",
    empty: "Nothing differs.",
    columns: changeColumns,
  },
  input: Type.Object({
    changes: Type.Record(Type.String(), value, {
      minProperties: 1,
      maxProperties: maxSettings,
      description:
        "Values by setting, as the configuration file names them: `max_calls`, `credits.hmac`, `plans.free.premium`. Null removes a " +
        "setting from the file, and with `plans.NAME` a whole plan.",
      "x-pairs": "SETTING=VALUE",
      "x-requirement": `must be an object of 1 to ${maxSettings} settings, each with a text, a number, true, false, a list of texts or null`,
    }),
    dry_run: optionalFlag("Whether only to say what would change.", { default: false }),
  }),
  output: Type.Object({
    ...changeList.properties,
    version: nullable(idNumber(), {
      description: "Stands for the text of the configuration file that runs now.",
    }),
  }),
  example: { changes: { "credits.hmac": 3, "plans.free.monthly_credits": 2_000 } },
  async prepare({ changes: values, dry_run: isDryRun }, { config, ifVersion }) {
    requireShortNames(Object.keys(values))
    const version = config.version()
    if (ifVersion !== null && version !== null && ifVersion !== version)
      throw new AdminFault("version-mismatch", "Read the configuration again: it was changed meanwhile.")
    const { changes, isNew, save } = await orRefusal(config.edit(values))
    const isTrial = isDryRun === true || !isNew
    return {
      mutations: [],
      isTrial,
      isOutside: true,
      target: { kind: "config", id: "config", accountId: null },
      ...takenChanges(changes),
      answer: async () => ({
        ...toChangeList(isTrial ? changes : await orRefusal(save())),
        version: config.version(),
      }),
    }
  },
  recall: refuseRecall,
})

function requireShortNames(names: readonly string[]): void {
  if (names.every((name) => Buffer.byteLength(name) <= maxNameBytes)) return
  throw invalid("changes", `The name of a setting in 'changes' must have at most ${maxNameBytes} bytes.`)
}

const reloadCommand = {
  example: "--server https://penknife.example.com",
  empty: "Nothing differs.",
  columns: changeColumns,
}

export const reloadConfig = defineChange({
  id: "config.reload",
  title: "Take over the configuration file",
  description:
    "Reads the configuration file of a running service again and takes over what can change while it runs, or nothing. " +
    "Other processes of the service follow within moments. Settings that need a restart are named and stay unchanged.",
  permission: "config.write",
  path: "/config/reload",
  command: { ...reloadCommand, words: "config reload" },
  otherCommands: [{ ...reloadCommand, words: "reload" }],
  input: Type.Object({}),
  output: changeList,
  async prepare(_, { config }) {
    return {
      mutations: [],
      isOutside: true,
      target: { kind: "config", id: "config", accountId: null },
      ...takenChanges(await orRefusal(config.diff())),
      answer: async () => toChangeList(await orRefusal(config.reload())),
    }
  },
  recall: refuseRecall,
})

export const getConfig = defineRead({
  id: "config.get",
  title: "Show the configuration",
  description:
    "Shows the running configuration by the names of the configuration file. Secrets are shown as `(set)`. `sources` says where " +
    "each value comes from: flag, environment, file or default. `version` stands for the text of the configuration file and is the " +
    "ETag to send with a change of it; null where the file cannot be changed in this way.",
  permission: "config.read",
  path: "/config",
  command: { words: "config show", example: "" },
  input: Type.Object({}),
  output: Type.Unsafe<{ readonly [setting: string]: unknown; readonly version: number | null }>(
    Type.Record(Type.String(), Type.Unknown(), { description: "Settings by name." }),
  ),
  read: async (_, { settings, config }) => ({ ...settings(), version: config.version() }),
})

export const listConfig = defineRead({
  id: "config.list",
  title: "List settings",
  description:
    "Lists the settings of the running service: the value, where it comes from, the default, what it is for, which values it can have, and when a change of it takes effect. " +
    "Secrets are shown as `(set)`. Plans and prices have lists of their own.",
  permission: "config.read",
  path: "/config/settings",
  command: {
    words: "config list",
    example: "",
    columns: ["setting", "value", "default", "source", "change"],
  },
  input: Type.Object({}),
  output: listOf(settingSchema),
  read: async (_, { settingList }) => wholeList(settingList()),
})

export const diffConfig = defineRead({
  id: "config.diff",
  title: "Compare the configuration",
  description:
    "Reads the configuration file again and lists the settings that differ from the running ones, without changing anything. " +
    "On a store, lists the settings that differ from the defaults.",
  permission: "config.read",
  path: "/config/diff",
  command: { words: "config diff", example: "", empty: "Nothing differs.", columns: changeColumns },
  input: Type.Object({}),
  output: changeList,
  read: async (_, { config }) => toChangeList(await orRefusal(config.diff())),
})

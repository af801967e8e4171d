import { Type } from "@sinclair/typebox"
import { nullable } from "../../apis/contract.ts"
import { AdminFault } from "../fault.ts"
import { defineChange } from "../operation.ts"
import {
  changeColumns,
  changeList,
  orRefusal,
  refuseRecall,
  takenChanges,
  toChangeList,
} from "./change-list.ts"

/** Each setting reads and writes the whole text again. */
const maxSettings = 100

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
    "Changes plans, prices and settings that need no restart in the configuration file of a running service, and takes them over in " +
    "every process of the service, or changes nothing. The rest of the file stays unchanged, with its comments. Send the ETag " +
    "of the configuration as If-Match, so that nobody else's change is lost.",
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
        "Values by setting, as the configuration file names them: `max_calls`, `credits.hmac`, `plans.free.premium`. Null takes a " +
        "setting out of the file, and `plans.NAME` a whole plan.",
      "x-pairs": "SETTING=VALUE",
      "x-requirement": `must be an object of 1 to ${maxSettings} settings, each with a text, a number, true, false, a list of texts or null`,
    }),
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: "Whether only to say what would change." }),
    ),
  }),
  output: Type.Object({
    ...changeList.properties,
    version: nullable(Type.Integer(), {
      description: "Stands for the text of the configuration file that runs now.",
    }),
  }),
  example: { changes: { "credits.hmac": 3, "plans.free.monthly_credits": 2_000 } },
  async prepare({ changes: values, dry_run: isDryRun }, { config, ifVersion }) {
    const version = config.version()
    if (ifVersion !== null && version !== null && ifVersion !== version) {
      throw new AdminFault("version-mismatch", "Read the configuration again: it was changed meanwhile.")
    }
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

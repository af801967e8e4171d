import { Type } from "@sinclair/typebox"
import { defineChange } from "../operation.ts"
import {
  changeColumns,
  changeList,
  orRefusal,
  refuseRecall,
  takenChanges,
  toChangeList,
} from "./change-list.ts"

const command = {
  example: "--server https://penknife.example.com",
  empty: "Nothing differs.",
  columns: changeColumns,
}

export const reloadConfig = defineChange({
  id: "config.reload",
  title: "Take over the configuration file",
  description:
    "Reads the configuration file of a running service again and takes over what can change while it runs, in every process of " +
    "the service or in none. Settings that need a restart are named and stay unchanged.",
  permission: "config.write",
  method: "POST",
  path: "/config/reload",
  command: { ...command, words: "config reload" },
  otherCommands: [{ ...command, words: "reload" }],
  input: Type.Object({}),
  output: changeList,
  example: {},
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

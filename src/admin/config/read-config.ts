import { Type } from "@sinclair/typebox"
import { defineRead } from "../operation.ts"
import { changeColumns, changeList, orRefusal, toChangeList } from "./change-list.ts"

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
  example: {},
  read: async (_, { settings, config }) => ({ ...settings, version: config.version() }),
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
  example: {},
  read: async (_, { config }) => toChangeList(await orRefusal(config.diff())),
})

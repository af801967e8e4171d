import { Type } from "@sinclair/typebox"
import { defineOperation } from "../operation.ts"
import { changeColumns, changeList, orRefusal, toChangeList } from "./change-list.ts"

export const diffConfig = defineOperation({
  id: "config.diff",
  title: "Compare the configuration",
  description:
    "Reads the configuration file again and lists the settings that differ from the running ones, without changing anything. " +
    "On a store, lists the settings that differ from the defaults.",
  permission: "config.read",
  method: "GET",
  path: "/config/diff",
  command: { words: "config diff", example: "", empty: "Nothing differs.", columns: changeColumns },
  input: Type.Object({}),
  output: changeList,
  example: {},
  run: { kind: "read", read: async (_, { config }) => toChangeList(await orRefusal(config.diff())) },
})

import { Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { formatParameter, instant, listOf } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { wholeList } from "../pages.ts"
import { apiParameter } from "./calls.ts"
import { adviceFor } from "./fault-advice.ts"
import { readTime, timeParameters } from "./range.ts"

export const historyOfFaults = defineRead({
  id: "history.faults",
  title: "Show errors by kind",
  description:
    "Shows the requests that failed, by what was wrong and by API, most frequent first; of the last day unless a time is given.",
  permission: "usage.read",
  path: "/history/faults",
  command: {
    words: "history faults",
    example: "--api hmac",
    empty: "No errors in this time.",
    columns: ["fault", "api", "calls", "first", "last"],
  },
  input: Type.Object({ ...timeParameters, api: apiParameter, ...formatParameter }),
  output: listOf(
    Type.Object({
      fault: Type.String({ description: "What was wrong, such as `rateLimited`." }),
      api: Type.String({ description: "The API, or `several`, `usage` or `none`." }),
      calls: Type.Integer({ description: "Requests that failed with this fault." }),
      first: instant("When the first one failed."),
      last: instant("When the last one failed."),
      meaning: Type.String({ description: "What was wrong, for an operator." }),
      advice: Type.String({ description: "What to do about it." }),
    }),
  ),
  example: {},
  async read({ api, format: _, ...given }, { history, clock }) {
    const faults = await history.faults({ ...readTime(given, { clock }), api })
    const data = faults
      .toSorted((a, b) => b.calls - a.calls || b.lastMs - a.lastMs || compare(a, b))
      .map(({ fault, api: ofApi, calls, firstMs, lastMs }) => ({
        ...{ fault, api: ofApi, calls, first: toIso(firstMs), last: toIso(lastMs) },
        ...adviceFor(fault),
      }))
    return wholeList(data)
  },
})

function compare(a: { fault: string; api: string }, b: { fault: string; api: string }): number {
  return `${a.fault} ${a.api}` < `${b.fault} ${b.api}` ? -1 : 1
}

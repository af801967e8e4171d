import { Type } from "@sinclair/typebox"
import { choice } from "../../apis/contract.ts"
import type { ChargesSum, CreditsSum } from "../../store/history.ts"
import { toIso } from "../../values/time-text.ts"
import { requireAccount } from "../accounts/account.ts"
import { accountId, instant, listOf, optionalText, pageParameters } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPlacedPage, wholeList } from "../pages.ts"
import { rangeFields, rangeParameters, readRange, showRange } from "./range.ts"

const sum = Type.Object({
  at: instant("When the minute, hour or day begins."),
  account: optionalText("The account's id."),
  calls: Type.Integer({ description: "Successful calls that were charged; a batch may hold many." }),
  credits: Type.Integer({ description: "Credits that they were charged." }),
})

export const historyOfCredits = defineRead({
  id: "history.credits",
  title: "Show credits by time",
  description:
    "Shows charged calls and credits by time, of all accounts together, of one, or by account. By account it comes in pages, which can have fewer entries than asked for, or none, and be followed by more.",
  permission: "usage.read",
  path: "/history/credits",
  command: {
    words: "history credits",
    example: "--step day --by account",
    empty: "No charges in this time.",
  },
  input: Type.Object({
    ...rangeParameters,
    account: Type.Optional({ ...accountId, description: "Only this account." }),
    by: Type.Optional(
      choice(["account", "none"], {
        default: "none",
        description: "`account` for the sums of each account, sorted by account and time.",
      }),
    ),
    ...pageParameters,
  }),
  output: Type.Object({ ...rangeFields, ...listOf(sum).properties }),
  example: { step: "day" },
  async read({ account, by = "none", limit, after, format: _, ...given }, context) {
    const { history } = context
    const range = readRange(given, context)
    if (account !== undefined) await requireAccount(context, account)
    if (account === undefined && by === "none") {
      const data = (await history.charges(range)).map(toOutput)
      return { ...showRange(range), ...wholeList(data) }
    }
    const page = await readPlacedPage(
      "credits",
      // One account has at most as many intervals as a plot.
      { limit: account === undefined ? limit : 1_500, after },
      async (place) => {
        const { sums, next } = await history.credits({ ...range, account }, place)
        return { rows: sums, next }
      },
      toOutput,
    )
    return { ...showRange(range), ...page }
  },
})

function toOutput({ atMs, ...sum }: ChargesSum | CreditsSum) {
  return { at: toIso(atMs), ...sum }
}

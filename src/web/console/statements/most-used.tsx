import { addressOf } from "../../client/address.ts"
import type { AnswerOf, EntryOf } from "../../client/operations.ts"
import { read } from "../../client/request.ts"
import { useLoad } from "../../client/use-read.ts"
import { Empty, Ready } from "../../kit/states.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { formatNumber } from "../../kit/text.tsx"

type Sum = EntryOf<"usage.query">
type Used = Sum & { readonly name: string; readonly plan: string }

/** How many accounts are shown, and how many sums one request reads. */
const mostShown = 20
const pageSize = 1_000

/** The accounts that used most in a month, most first. */
export function MostUsed({ month }: { readonly month: string }) {
  const reading = useLoad(`most used in ${month}`, (signal) => readMostUsed(month, signal))
  const columns: readonly Column<Used>[] = [
    {
      title: "Account",
      isName: true,
      cell: ({ account = "", name }) => <a href={addressOf(`/statements/${account}`, { month })}>{name}</a>,
    },
    { title: "Plan now", cell: ({ plan }) => plan },
    { title: "Used", isNumber: true, cell: ({ credits = 0 }) => formatNumber(credits) },
    { title: "Calls", isNumber: true, cell: ({ calls }) => formatNumber(calls) },
  ]
  return (
    <Ready reading={reading} what="the usage of all accounts">
      {(accounts) => (
        <>
          <Table
            card="top"
            caption="accounts that used most"
            columns={columns}
            rows={accounts}
            keyOf={({ account = "" }) => account}
            empty={<Empty title="Nothing was used">No account was charged in this month.</Empty>}
          />
          {accounts.length > 0 && (
            <p class="muted">
              {accounts.length === mostShown
                ? `These are the first ${mostShown}. The CSV file has all accounts.`
                : "Accounts that used nothing in this month are left out. The CSV file has them."}
            </p>
          )}
        </>
      )}
    </Ready>
  )
}

/**
 * Sums come account by account, so all of them are read and the largest kept.
 * @throws Problem, Unreachable
 */
async function readMostUsed(month: string, signal: AbortSignal): Promise<readonly Used[]> {
  const range = { from: `${month}-01`, to: lastDayOf(month), by: ["account" as const], limit: pageSize }
  let most: readonly Sum[] = []
  let after: string | null = null
  do {
    const page: AnswerOf<"usage.query"> = await read("usage.query", { ...range, after }, signal)
    most = [...most, ...page.data].toSorted((a, b) => (b.credits ?? 0) - (a.credits ?? 0)).slice(0, mostShown)
    after = page.next
  } while (after !== null)
  return Promise.all(
    most.map(async (sum) => {
      const { name, plan } = await read("accounts.get", { id: sum.account ?? "" }, signal)
      return { ...sum, name, plan }
    }),
  )
}

/** The last day of a month such as 2027-01: 2027-01-31. */
function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}

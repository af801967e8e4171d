import { addressOf } from "../../client/address.ts"
import { type AnswerOf, addressOfRead, type EntryOf } from "../../client/operations.ts"
import { read } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useLoad, useRead } from "../../client/use-read.ts"
import { LinkButton } from "../../kit/dialog.tsx"
import { ChoiceFilter, Filters, filterValue } from "../../kit/filters.tsx"
import { Empty, Page, Ready } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { formatNumber, lines } from "../../kit/text.tsx"
import { AccountStatement } from "../../shared/account-statement.tsx"
import { monthInWords } from "../../shared/statement.tsx"

const sorts = [
  ["", "Newest first"],
  ["used", "Most used first"],
] as const

/** The sums of all accounts for a month, from which invoices are made. The last month is shown first, if there was an account. */
export function StatementsScreen() {
  const months = useRead("statements.all_months", {})
  const known = months.data?.data.map(({ month }) => month) ?? []
  const standard = known[1] ?? known[0]
  const month = known.find((each) => each === filterValue("month")) ?? standard
  return (
    <Page
      title="Statements"
      intro="What invoices are made from: the sums of each account for a calendar month (UTC). They never change once the month is over."
      actions={
        month && (
          <LinkButton
            icon="download"
            href={addressOfRead("statements.list", { month, format: "csv" })}
            download={`statements-${month}.csv`}
          >
            Save as CSV
          </LinkButton>
        )
      }
    >
      <Ready reading={months} what="months">
        {() =>
          month === undefined ? (
            <Empty title="No statements">There are no accounts yet.</Empty>
          ) : (
            <>
              <Filters label="Choose a month">
                <ChoiceFilter
                  name="month"
                  label="Month"
                  isFixed
                  choices={known.map((one) => [one === standard ? "" : one, monthInWords(one)])}
                />
                {may("usage.query") && <ChoiceFilter name="sort" label="Order" choices={sorts} isFixed />}
              </Filters>
              <Accounts month={month} />
            </>
          )
        }
      </Ready>
    </Page>
  )
}

/** The accounts of a month in the chosen order. */
function Accounts({ month }: { readonly month: string }) {
  const columns: readonly Column<EntryOf<"statements.list">>[] = [
    {
      title: "Account",
      isName: true,
      cell: ({ account, name, external_id }) =>
        lines(<a href={addressOf(`/statements/${account}`, { month })}>{name}</a>, external_id ?? account),
    },
    { title: "Plan", cell: ({ plan, price }) => lines(plan, price) },
    { title: "Granted", isNumber: true, cell: ({ granted }) => formatNumber(granted) },
    { title: "Adjusted", isNumber: true, cell: ({ adjusted }) => formatNumber(adjusted) },
    { title: "Used", isNumber: true, cell: ({ used }) => formatNumber(used) },
    { title: "Calls", isNumber: true, cell: ({ calls }) => formatNumber(calls) },
    { title: "State", cell: ({ final }) => (final ? "final" : "not final") },
  ]
  if (filterValue("sort") === "used" && may("usage.query")) return <MostUsed month={month} />
  return (
    <PagedTable
      isTop
      what="statements"
      operation="statements.list"
      filters={{ month }}
      hasCsv={false}
      columns={columns}
      keyOf={({ account }) => account}
      empty={<Empty title="No statements">There were no accounts in this month.</Empty>}
    />
  )
}

/** The statements of one account. */
export function StatementScreen({ id }: { readonly id: string }) {
  const up = { title: "Statements", href: addressOf("/statements") }
  return <AccountStatement account={id} title="Statement" up={up} />
}

type Sum = EntryOf<"usage.query">
type Used = Sum & { readonly name: string; readonly plan: string }

/** How many accounts are shown, and how many sums one request reads. */
const mostShown = 20
const pageSize = 1_000

/** The accounts that used most in a month, most first. */
function MostUsed({ month }: { readonly month: string }) {
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

import type { AnswerOf, OwnAccount } from "../../client/operations.ts"
import { ownAccount, session } from "../../client/session.ts"
import { type Reading, useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/dialog.tsx"
import { ChoiceFilter, Filters, filterValue } from "../../kit/filters.tsx"
import { Empty, Meter, Page, Ready, Section, Stat, Stats } from "../../kit/page.tsx"
import { saveCsv } from "../../kit/save-csv.ts"
import { Segments, segmentsInAddress } from "../../kit/segments.tsx"
import { Table } from "../../kit/table.tsx"
import { formatNumber, Time } from "../../kit/text.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import { UsagePlots } from "../../shared/usage-plots.tsx"
import { toChoices, useCatalog } from "../playground-catalog.ts"

const ranges = [
  ["7", "7 days"],
  ["31", "31 days"],
  ["90", "90 days"],
] as const
/** The most keys and APIs that a table of sums has. */
const mostSums = 200

/** The usage screen: credits of the month, and calls and credits by day, API and key. */
export function UsageScreen() {
  const account = useRead("accounts.get", { id: ownAccount() })
  return (
    <Page title="Usage">
      <Ready reading={account} what="credits">
        {(data) => <Credits account={data} />}
      </Ready>
      <Section title="Calls and credits">
        <Days />
      </Section>
    </Page>
  )
}

function Credits({ account }: { readonly account: OwnAccount }) {
  const { plan, used, used_percent: percent, bonus, remaining, allowance, renews } = account
  const price = session.value?.account?.price
  return (
    <Stats>
      <Stat
        label="Credits left"
        value={formatNumber(remaining ?? 0)}
        note={bonus > 0 ? `${formatNumber(bonus)} of them bonus` : remaining === 0 && "calls are refused now"}
      />
      <Stat
        label="Used this month"
        value={formatNumber(used)}
        note={<Meter percent={percent} label={`Used of ${formatNumber(allowance ?? 0)} credits`} />}
      />
      <Stat label="Renews" value={<Time at={renews} />} note={<Time at={renews} style="distance" />} />
      <Stat
        label="Plan"
        value={plan}
        note={`${price ? `${price} · ` : ""}${formatNumber(allowance ?? 0)} credits a month`}
      />
    </Stats>
  )
}

function Days() {
  const range = segmentsInAddress("range", ranges, "31")
  const days = Number(range.chosen)
  const filters = { account: ownAccount(), days, api: filterValue("api"), key: filterValue("key") }
  const byDay = useRead("usage.query", { ...filters, by: ["day"], limit: days })
  const byApi = useRead("usage.query", { ...filters, by: ["api"], limit: mostSums })
  const byKey = useRead("usage.query", { ...filters, by: ["key"], limit: mostSums })
  const keys = useRead("keys.list", { limit: mostSums })
  const catalog = useCatalog()
  const titles = new Map(catalog.data?.map(({ id, title }) => [id, title]))
  const names = new Map(keys.data?.data.map((key) => [key.id, nameOf(key)]))
  return (
    <>
      <Filters label="What is shown">
        <Segments {...range} label="Time" />
        <ChoiceFilter name="api" label="API" choices={[["", "All APIs"], ...toChoices(catalog.data ?? [])]} />
        <ChoiceFilter name="key" label="Key" choices={[["", "All keys"], ...names]} />
      </Filters>
      <Ready reading={byDay} what="usage">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={`No calls in the last ${days} days`}>Successful calls appear here.</Empty>
          ) : (
            <>
              <h2 class="hidden">Usage by day</h2>
              <UsagePlots sums={data} days={days} file="usage" />
              <div class="plots">
                <Sums title="By API" by="api" reading={byApi} known={titles} />
                <Sums title="By key" by="key" reading={byKey} known={names} />
              </div>
            </>
          )
        }
      </Ready>
    </>
  )
}

interface SumsProps {
  readonly title: string
  readonly by: "api" | "key"
  readonly reading: Reading<AnswerOf<"usage.query">>
  /** Titles of APIs or names of keys. */
  readonly known: ReadonlyMap<string, string>
}

/** Calls and credits of each API or key, the most credits first. */
function Sums({ title, by, reading, known }: SumsProps) {
  const heading = title.replace("By ", "").replace("key", "Key")
  return (
    <Ready reading={reading} what={`usage ${title.replace("By", "by")}`}>
      {({ data }) => {
        const rows = data
          .map((sum) => ({ ...sum, name: known.get(sum[by] ?? "") ?? sum[by] ?? "" }))
          .toSorted((one, other) => (other.credits ?? 0) - (one.credits ?? 0))
        const save = () =>
          saveCsv(
            `usage-by-${by}`,
            [heading, "Calls", "Credits"],
            rows.map(({ name, calls, credits }) => [name, calls, credits ?? 0]),
          )
        return (
          <section class="card sums">
            <div class="section-head row between">
              <h3>{title}</h3>
              <Button icon="download" label={`Save as CSV: ${title}`} onClick={save}>
                Save as CSV
              </Button>
            </div>
            <Table
              isBare
              caption={title}
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                { title: heading, isName: true, cell: ({ name }) => name },
                { title: "Calls", isNumber: true, cell: ({ calls }) => formatNumber(calls) },
                { title: "Credits", isNumber: true, cell: ({ credits }) => formatNumber(credits ?? 0) },
              ]}
            />
          </section>
        )
      }}
    </Ready>
  )
}

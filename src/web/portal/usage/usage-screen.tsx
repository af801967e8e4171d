import { nowMs } from "../../client/browser.ts"
import type { Account, Key, Listed, UsageSums } from "../../client/types.ts"
import { useRead } from "../../client/use-read.ts"
import { Meter, Stat, Stats } from "../../kit/facts.tsx"
import { ChoiceFilter, Filters, filterValue } from "../../kit/filters.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Plot } from "../../kit/plot.tsx"
import { Segments, segmentValue } from "../../kit/segments.tsx"
import { Empty, Ready } from "../../kit/states.tsx"
import { formatNumber, Time } from "../../kit/text.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import { ownAccount } from "../own-account.ts"
import { useCatalog } from "../playground/catalog.ts"
import { SumsTable } from "./sums-table.tsx"

export type Sum = UsageSums["data"][number]

const ranges = [
  ["7", "7 days"],
  ["31", "31 days"],
  ["90", "90 days"],
] as const
const dayMs = 86_400_000
/** The most keys and APIs that a table of sums has. */
const mostSums = 200

/** What was used: credits of the month, and calls and credits by day, API and key. */
export function UsageScreen() {
  const account = useRead<Account>(`/accounts/${encodeURIComponent(ownAccount())}`)
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

function Credits({ account }: { readonly account: Account }) {
  const { plan, used, used_percent: percent, bonus, remaining, allowance, renews } = account
  return (
    <Stats>
      <Stat
        label="Credits left"
        value={formatNumber(remaining ?? 0)}
        note={bonus > 0 ? `${formatNumber(bonus)} of them bonus` : null}
      />
      <Stat
        label="Used this month"
        value={formatNumber(used)}
        note={<Meter percent={percent} label={`Used of ${formatNumber(allowance ?? 0)} credits`} />}
      />
      <Stat label="Renews" value={<Time at={renews} />} note={<Time at={renews} style="distance" />} />
      <Stat label="Plan" value={plan} note={`${formatNumber(allowance ?? 0)} credits a month`} />
    </Stats>
  )
}

function Days() {
  const days = Number(segmentValue("range", ranges, "31"))
  const filters = { account: ownAccount(), days, api: filterValue("api"), key: filterValue("key") }
  const byDay = useRead<Listed<Sum>>("/usage", { ...filters, by: ["day"], limit: days })
  const byApi = useRead<Listed<Sum>>("/usage", { ...filters, by: ["api"], limit: mostSums })
  const byKey = useRead<Listed<Sum>>("/usage", { ...filters, by: ["key"], limit: mostSums })
  const keys = useRead<Listed<Key>>("/keys", { limit: mostSums })
  const catalog = useCatalog()
  const titles = new Map(catalog.data?.map(({ id, title }) => [id, title]))
  const names = new Map(keys.data?.data.map((key) => [key.id, nameOf(key)]))
  return (
    <>
      <Filters label="What is shown">
        <Segments name="range" label="Time" choices={ranges} standard="31" />
        <ChoiceFilter name="api" label="API" choices={[["", "All APIs"], ...titles]} />
        <ChoiceFilter name="key" label="Key" choices={[["", "All keys"], ...names]} />
      </Filters>
      <Ready reading={byDay} what="usage">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={`No calls in the last ${days} days`}>Successful calls appear here.</Empty>
          ) : (
            <>
              <Plots sums={data} days={days} />
              <div class="plots">
                <Ready reading={byApi} what="usage by API">
                  {({ data }) => (
                    <SumsTable
                      title="By API"
                      file="usage-by-api"
                      rows={data.map((sum) => ({ ...sum, name: titles.get(sum.api ?? "") ?? sum.api ?? "" }))}
                    />
                  )}
                </Ready>
                <Ready reading={byKey} what="usage by key">
                  {({ data }) => (
                    <SumsTable
                      title="By key"
                      file="usage-by-key"
                      rows={data.map((sum) => ({ ...sum, name: names.get(sum.key ?? "") ?? sum.key ?? "" }))}
                    />
                  )}
                </Ready>
              </div>
            </>
          )
        }
      </Ready>
    </>
  )
}

function Plots({ sums, days }: { readonly sums: readonly Sum[]; readonly days: number }) {
  const known = new Map(sums.map((sum) => [sum.day, sum]))
  const shown = lastDays(days)
  const times = shown.map((day) => `${day}T00:00:00Z`)
  const calls = shown.map((day) => known.get(day)?.calls ?? 0)
  const credits = shown.map((day) => known.get(day)?.credits ?? 0)
  return (
    <div class="plots">
      <Plot
        title="Calls"
        times={times}
        step="day"
        file="calls-by-day"
        series={[{ label: "Calls", kind: "bars", tone: "accent", values: calls }]}
      />
      <Plot
        title="Credits"
        times={times}
        step="day"
        file="credits-by-day"
        series={[{ label: "Credits", kind: "bars", tone: "accent", values: credits }]}
      />
    </div>
  )
}

/** The last UTC days, today's the last: `2027-01-31`. */
function lastDays(count: number): string[] {
  const today = nowMs()
  return Array.from({ length: count }, (_, index) =>
    new Date(today - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
}

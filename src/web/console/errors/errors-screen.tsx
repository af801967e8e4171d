import { useMemo } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import { nowMs } from "../../client/browser.ts"
import type { AnswerOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/dialog.tsx"
import { ChoiceFilter, Filters, filterValue } from "../../kit/filters.tsx"
import { Empty, Page, Ready } from "../../kit/page.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { formatNumber, Time } from "../../kit/text.tsx"
import { ApiFilter } from "../choices.tsx"

type FaultSum = AnswerOf<"history.faults">["data"][number]

const hourMs = 3_600_000
const ranges = { hour: hourMs, day: 24 * hourMs, week: 168 * hourMs, month: 720 * hourMs } as const
const rangeChoices = [
  ["hour", "Last hour"],
  ["", "Last day"],
  ["week", "Last week"],
  ["month", "Last 30 days"],
] as const
const otherApis = [
  ["several", "Several in one request"],
  ["usage", "Usage"],
  ["none", "None"],
] as const

/** The screens that show the requests behind a sum. */
const links = [
  { operation: "requests.list", title: "Kept", text: "Search", about: "requests with ", view: "kept" },
  { operation: "requests.tail", title: "Live", text: "Watch live", about: "", view: null },
] as const

/** Failed requests, grouped by fault. */
export function ErrorsScreen() {
  const range = filterValue("range") ?? "day"
  const from = useMemo(() => new Date(nowMs() - msOf(range)).toISOString(), [range])
  const reading = useRead("history.faults", { from, api: filterValue("api") })
  const isFiltered = filterValue("api") !== null
  return (
    <Page
      title="Errors"
      intro="Requests that were refused or failed, by what was wrong. A request is here a minute later."
      actions={<Button onClick={reading.reload}>Refresh</Button>}
    >
      <Filters label="Filter errors">
        <ChoiceFilter name="range" label="Time" choices={rangeChoices} isFixed />
        <ApiFilter others={otherApis} />
      </Filters>
      <Ready reading={reading} what="errors">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No errors in this time">
              {isFiltered
                ? "Choose another API or a longer time above."
                : "Errors are kept where the service runs with a history (--history)."}
            </Empty>
          ) : (
            <div class="stack gap-4">
              {groupsOf(data).map((group) => (
                <Group key={group[0]?.fault} faults={group} />
              ))}
            </div>
          )
        }
      </Ready>
    </Page>
  )
}

function Group({ faults }: { readonly faults: readonly FaultSum[] }) {
  const [first] = faults
  if (!first) return null
  const { fault, meaning, advice } = first
  const total = faults.reduce((sum, { calls }) => sum + calls, 0)
  const columns: readonly Column<FaultSum>[] = [
    { title: "API", isName: true, cell: ({ api }) => nameOfApi(api) },
    { title: "Requests", isNumber: true, cell: ({ calls }) => formatNumber(calls) },
    { title: "First", cell: ({ first: at }) => <Time at={at} style="distance" /> },
    { title: "Last", cell: ({ last }) => <Time at={last} style="distance" /> },
    ...links
      .filter(({ operation }) => may(operation))
      .map(({ title, text, about, view }) => ({
        title,
        cell: ({ api }: FaultSum) => (
          <a href={addressOf("/requests", { view, fault, api: api === "several" ? null : api })}>
            {text}
            <span class="hidden"> {`${about}${fault} of ${nameOfApi(api)}`}</span>
          </a>
        ),
      })),
  ]
  return (
    <section class="card flush group-card">
      <div class="group-head stack gap-1">
        <h2 class="row between">
          <code>{fault}</code>
          <span class="count">
            {formatNumber(total)} {total === 1 ? "request" : "requests"}
          </span>
        </h2>
        <p>{meaning}</p>
        <p>
          <span class="muted">What to do:</span> {advice}
        </p>
      </div>
      <Table isBare caption={`${fault} by API`} columns={columns} rows={faults} keyOf={({ api }) => api} />
    </section>
  )
}

/** Most frequent first, as the service sorts them. */
function groupsOf(faults: readonly FaultSum[]): readonly (readonly FaultSum[])[] {
  const groups = [...Map.groupBy(faults, ({ fault }) => fault).values()]
  const sum = (group: readonly FaultSum[]) => group.reduce((total, { calls }) => total + calls, 0)
  return groups.toSorted((a, b) => sum(b) - sum(a))
}

function nameOfApi(api: string): string {
  return new Map<string, string>(otherApis).get(api) ?? api
}

function msOf(range: string): number {
  return Object.hasOwn(ranges, range) ? ranges[range as keyof typeof ranges] : ranges.day
}

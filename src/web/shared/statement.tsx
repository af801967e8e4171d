import { serviceName } from "../client/address.ts"
import { nowMs, printPage } from "../client/browser.ts"
import { type AnswerOf, addressOfRead } from "../client/operations.ts"
import { useRead } from "../client/use-read.ts"
import { Button, LinkButton } from "../kit/dialog.tsx"
import { Empty, Facts, Notice, Ready, Section, Stat, Stats } from "../kit/page.tsx"
import { type Column, Table } from "../kit/table.tsx"
import { formatDay, formatNumber, Time } from "../kit/text.tsx"

type Statement = Omit<AnswerOf<"statements.show">, "external_id">
type Line = Statement["data"][number]

const words: Readonly<Record<Exclude<Line["line"], "usage">, string>> = {
  renewal: "New credit month:",
  plan_change: "Moved to",
  sign_up: "Sign-up bonus",
  grant: "Granted",
  adjustment: "Adjusted",
  undo: "Undone",
}

/** More lines than that are only in the CSV. */
const mostLines = 1_000

/** A month such as 2027-01 in words: January 2027. */
export function monthInWords(month: string): string {
  const format = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" })
  return format.format(new Date(`${month}-01T00:00:00Z`))
}

interface StatementViewProps {
  readonly account: string
  readonly month: string
}

/** The statement of an account for a month, for the screen and for paper. */
export function StatementView({ account, month }: StatementViewProps) {
  const reading = useRead("statements.show", { id: account, month, limit: mostLines })
  return (
    <Ready reading={reading} what="the statement">
      {(statement) => <Shown statement={statement} />}
    </Ready>
  )
}

/** Buttons that save a statement as CSV and print it. */
export function StatementActions({ account, month }: StatementViewProps) {
  const address = addressOfRead("statements.show", { id: account, month, format: "csv" })
  return (
    <>
      <LinkButton icon="download" href={address} download={`statement-${account}-${month}.csv`}>
        Save as CSV
      </LinkButton>
      <Button onClick={printPage}>Print</Button>
    </>
  )
}

function Shown({ statement }: { readonly statement: Statement }) {
  const { account, name, month, plan, price, granted, adjusted, used, calls, final, data, has_more } =
    statement
  const steps = data.filter(({ line }) => line !== "usage")
  const usage = data.filter(({ line }) => line === "usage")
  return (
    <div class="statement">
      <div class="on-paper">
        <Facts
          facts={[
            ["Service", serviceName],
            ["Account", name],
            ["Account id", account],
            ["Month", `${monthInWords(month)} (UTC)`],
            ["Printed on", formatDay(new Date(nowMs()).toISOString())],
          ]}
        />
      </div>
      {!final && (
        <Notice tone="plain">
          This month is not over: the statement shows the present state and is not final.
        </Notice>
      )}
      <Stats>
        <Stat label="Account" value={<span class="stat-name">{name}</span>} note={monthInWords(month)} />
        <Stat label="Plan" value={plan} note={price} />
        <Stat
          label="Credits used"
          value={formatNumber(used)}
          note={calls === 1 ? "in 1 call" : `in ${formatNumber(calls)} calls`}
        />
        <Stat
          label="Bonus granted"
          value={formatNumber(granted)}
          note={`${formatNumber(adjusted)} credits adjusted`}
        />
      </Stats>
      <Section title="Credits and plan">
        <Table
          caption="Credits and plan"
          columns={stepColumns}
          rows={steps}
          keyOf={keyOf}
          empty={<Empty title="Nothing changed">No credits were added or taken, and the plan stayed.</Empty>}
        />
      </Section>
      <Section title="Usage">
        <Table
          caption="Usage by key and API"
          columns={usageColumns}
          rows={usage}
          keyOf={keyOf}
          empty={<Empty title="No calls">Nothing was charged in this month.</Empty>}
        />
        {has_more && <p>This is a part of a long statement. Save it as CSV to see all.</p>}
      </Section>
    </div>
  )
}

function keyOf({ line, id, at, key, api, plan }: Line): string {
  return [line, id, at, key, api, plan].join(" ")
}

const stepColumns: readonly Column<Line>[] = [
  {
    title: "What",
    isName: true,
    cell: ({ line, plan }) => (line === "usage" ? "" : [words[line], plan].filter(Boolean).join(" ")),
  },
  { title: "When", cell: ({ at }) => at && <Time at={at} style="instant" /> },
  {
    title: "Why",
    cell: ({ reason, reference, price }) => [reason, reference, price].filter(Boolean).join(" · ") || "–",
  },
  {
    title: "Credits",
    isNumber: true,
    cell: ({ line, credits }) =>
      credits === null ? (line === "renewal" ? "unlimited" : "–") : formatNumber(credits),
  },
]

const usageColumns: readonly Column<Line>[] = [
  { title: "API", isName: true, cell: ({ api }) => api },
  { title: "Key", cell: ({ key, key_name }) => key_name || key || "without a key" },
  { title: "Calls", isNumber: true, cell: ({ calls }) => formatNumber(calls ?? 0) },
  { title: "Credits", isNumber: true, cell: ({ credits }) => formatNumber(credits ?? 0) },
]

import { useEffect, useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import { after } from "../../client/browser.ts"
import type { AnswerOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { readAgain, useRead } from "../../client/use-read.ts"
import { ChoiceFilter, filterValue } from "../../kit/filters.tsx"
import { Empty, Facts, Meter, Page, Ready, Section } from "../../kit/page.tsx"
import { Segments, segmentsInAddress } from "../../kit/segments.tsx"
import { formatNumber, Tag, Time } from "../../kit/text.tsx"
import { formatBytes, useApiChoices } from "../choices.tsx"
import { Traffic } from "./traffic.tsx"

const ranges = [
  ["hour", "Hour"],
  ["day", "Day"],
  ["month", "Month"],
] as const
const steps = { hour: "minute", day: "hour", month: "day" } as const
const renewMs = 60_000

/** How the service is doing: what was called, how fast, who is near a limit, whether all is well. */
export function OverviewScreen() {
  useReadEvery(renewMs)
  const range = segmentsInAddress("range", ranges, "day")
  const apis = useApiChoices()
  return (
    <Page
      title="Overview"
      actions={
        may("history.calls") && (
          <>
            {apis.length > 0 && (
              <ChoiceFilter name="api" label="API" isLabelHidden choices={[["", "All APIs"], ...apis]} />
            )}
            <Segments {...range} label="Time that is shown" />
          </>
        )
      }
    >
      {may("history.calls") && <Traffic step={steps[range.chosen]} api={filterValue("api")} />}
      <div class="halves">
        {may("accounts.list") && (
          <Section title="Accounts near their limit">
            <NearLimit />
          </Section>
        )}
        {may("health.detail") && (
          <Section title="Health">
            <HealthFacts />
          </Section>
        )}
      </div>
    </Page>
  )
}

/** Reads the screen again each time `everyMs` have passed, while the page can be seen. */
function useReadEvery(everyMs: number): void {
  const [count, setCount] = useState(0)
  useEffect(() => {
    function tick(): void {
      readAgain()
      setCount(count + 1)
    }
    return after(everyMs, () => {
      if (document.visibilityState === "visible") tick()
      else document.addEventListener("visibilitychange", tick, { once: true })
    })
  }, [count, everyMs])
}

const maxShown = 6

/** Accounts that have used most of their month's credits. */
function NearLimit() {
  const reading = useRead("accounts.list", { near_limit: true, limit: maxShown })
  return (
    <Ready reading={reading} what="accounts near their limit">
      {({ data, has_more }) =>
        data.length === 0 ? (
          <Empty title="No account is near its limit">
            Accounts that have used 80&nbsp;% of a month appear here.
          </Empty>
        ) : (
          <>
            <ul class="card rows lined">
              {data.map(({ id, name, used_percent }) => (
                <li class="row between" key={id}>
                  <a href={addressOf(`/accounts/${id}`)}>{name}</a>
                  <Meter percent={used_percent} label={`Used by ${name}`} />
                </li>
              ))}
            </ul>
            {has_more && (
              <a href={addressOf("/accounts", { near_limit: true })}>All accounts near their limit</a>
            )}
          </>
        )
      }
    </Ready>
  )
}

type Health = AnswerOf<"health.detail">

const dayS = 86_400

/** Version, store, notices and the age of the last backup. */
function HealthFacts() {
  const reading = useRead("health.detail", {})
  return (
    <Ready reading={reading} what="health">
      {(health) => (
        <Facts
          facts={[
            ["Version", health.version],
            health.started === undefined
              ? null
              : ["Running since", <Time key="started" at={health.started} style="distance" />],
            [
              "Store",
              `${health.store === "sqlite" ? "SQLite" : "PostgreSQL"}, ${formatBytes(sizeOf(health))}`,
            ],
            ["Charges", `${formatNumber(health.charges)} (${formatNumber(health.refusals)} refused)`],
            ["Notices", `${formatNumber(health.notices.pending || "none")} waiting`],
            ["Mail", <Mail key="mail" health={health} />],
            ["Last backup", <LastBackup key="backup" health={health} />],
            ...Object.entries(health.lists).map(
              ([name, date]) => [`Date of list ${name}`, date ?? "without a date"] as const,
            ),
          ]}
        />
      )}
    </Ready>
  )
}

function Mail({ health: { mail } }: { readonly health: Health }) {
  const { state, problem, pending, sign_up_limit_reached, sign_up_questions } = mail
  if (state === "off")
    return <span class="muted">off: without --smtp there are no sign-in links and no notices by mail</span>
  return (
    <>
      <Tag tone={state === "on" ? "good" : "bad"}>{state === "on" ? "on" : "failing"}</Tag>
      {problem !== null && <> {problem}</>}
      {pending > 0 && <>, {formatNumber(pending)} waiting</>}
      {sign_up_limit_reached && (
        <>
          {" "}
          <Tag tone="bad">nobody can sign up</Tag> {formatNumber(sign_up_questions)} questions within the hour
        </>
      )}
    </>
  )
}

function LastBackup({ health }: { readonly health: Health }) {
  const { last_backup, last_backup_age_seconds, store } = health
  if (last_backup === null || last_backup_age_seconds === null)
    return store === "sqlite" ? (
      <Tag tone="warn">none</Tag>
    ) : (
      <span class="muted">made by the database server</span>
    )
  const isOld = last_backup_age_seconds > 2 * dayS
  return (
    <Tag tone={isOld ? "warn" : "good"}>
      <Time at={last_backup} style="distance" />
    </Tag>
  )
}

function sizeOf({ store_bytes }: Health): number {
  return Object.values(store_bytes).reduce((sum, bytes) => sum + bytes, 0)
}

import { useEffect, useState } from "preact/hooks"
import { after } from "../../client/browser.ts"
import { may } from "../../client/session.ts"
import { ChoiceFilter, filterValue } from "../../kit/filters.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Segments, segmentValue } from "../../kit/segments.tsx"
import { useApiChoices } from "../api-filter.tsx"
import { HealthFacts } from "./health-facts.tsx"
import { NearLimit } from "./near-limit.tsx"
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
  const version = useTick(renewMs)
  const range = segmentValue("range", ranges, "day")
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
            <Segments name="range" label="Time that is shown" choices={ranges} standard="day" />
          </>
        )
      }
    >
      {may("history.calls") && <Traffic step={steps[range]} api={filterValue("api")} version={version} />}
      <div class="halves">
        {may("accounts.list") && (
          <Section title="Accounts near their limit">
            <NearLimit version={version} />
          </Section>
        )}
        {may("health.detail") && (
          <Section title="Health">
            <HealthFacts version={version} />
          </Section>
        )}
      </div>
    </Page>
  )
}

/** A number that rises each time `everyMs` have passed while the page can be seen. */
function useTick(everyMs: number): number {
  const [count, setCount] = useState(0)
  useEffect(
    () =>
      after(everyMs, () => {
        if (document.visibilityState === "visible") setCount(count + 1)
        else document.addEventListener("visibilitychange", () => setCount(count + 1), { once: true })
      }),
    [count, everyMs],
  )
  return count
}

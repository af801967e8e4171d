import type { AnswerOf, Plan } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/button.tsx"
import { WindowButton } from "../../kit/dialog.tsx"
import { ActionButton } from "../../kit/form-dialog.tsx"
import { Page, Ready, Section } from "../../kit/page.tsx"
import { say } from "../../kit/status.tsx"
import { actionsColumn, type Column, Table } from "../../kit/table.tsx"
import { formatNumber, lines } from "../../kit/text.tsx"
import { ChangeTable, NoFile, useConfigFile } from "./change-window.tsx"
import { EditPlan, EditPrices } from "./edit-plan.tsx"

/** The running plans and prices, and the configuration file that they come from. */
export function PlansScreen() {
  const plans = useRead("plans.list", {})
  const { fileVersion, editable, isReadOnly, changed } = useConfigFile()
  const edit = (plan: Plan | null) => <EditPlan plan={plan} version={editable ?? 0} changed={changed} />

  const columns: readonly Column<Plan>[] = [
    { title: "Plan, price shown", isName: true, cell: ({ name, price }) => lines(name, price) },
    { title: "Credits a month", isNumber: true, cell: (plan) => formatNumber(plan.monthly_credits) },
    { title: "Sign-up bonus", isNumber: true, cell: (plan) => formatNumber(plan.sign_up_bonus) },
    { title: "Calls a minute", isNumber: true, cell: (plan) => formatNumber(plan.requests_per_minute) },
    { title: "APIs in a query", isNumber: true, cell: (plan) => formatNumber(plan.graphql_apis) },
    { title: "Premium fields", cell: ({ premium }) => (premium ? "yes" : "no") },
    ...(editable !== null
      ? [
          actionsColumn<Plan>((plan) => (
            <WindowButton operation="config.put" opens={edit(plan)} label={`Edit ${plan.name}`}>
              Edit
            </WindowButton>
          )),
        ]
      : []),
  ]
  const priceColumns: readonly Column<{ readonly api: string; readonly credits: number }>[] = [
    { title: "API", isName: true, cell: ({ api }) => api },
    { title: "Credits per call", isNumber: true, cell: ({ credits }) => formatNumber(credits) },
  ]

  return (
    <Page
      title="Plans"
      intro="What accounts get and what calls cost, as this service runs now. A change takes effect at once, without a restart."
      actions={
        editable !== null && (
          <WindowButton operation="config.put" kind="primary" icon="plus" opens={edit(null)}>
            Create plan
          </WindowButton>
        )
      }
    >
      {isReadOnly && <NoFile what="plans and prices" />}
      <Ready reading={plans} what="plans">
        {({ data, prices }) => (
          <>
            <Table caption="plans" columns={columns} rows={data} keyOf={({ name }) => name} />
            <Section
              title="Prices"
              actions={
                editable !== null && (
                  <WindowButton
                    operation="config.put"
                    opens={<EditPrices prices={prices} version={editable} changed={changed} />}
                  >
                    Edit prices
                  </WindowButton>
                )
              }
            >
              <Table
                card="narrow"
                caption="prices"
                columns={priceColumns}
                rows={Object.entries(prices).map(([api, credits]) => ({ api, credits }))}
                keyOf={({ api }) => api}
              />
            </Section>
          </>
        )}
      </Ready>
      {may("config.diff") && fileVersion !== null && <ConfigFile />}
    </Page>
  )
}

/** Changes in the configuration file that the service has not loaded yet. */
function ConfigFile() {
  const reading = useRead("config.diff", {})
  const waiting = reading.data?.data.some(({ needs_restart }) => !needs_restart) ?? false

  function reloaded({ data }: AnswerOf<"config.reload">): void {
    const later = data.filter(({ needs_restart }) => needs_restart).length
    say(later === 0 ? "The file is loaded." : "The file is loaded. Some changes need a restart.")
  }

  return (
    <Section
      title="Configuration file"
      intro="Changes that were made in the file by hand take effect when you load them here."
      actions={
        <>
          <Button onClick={reading.reload}>Refresh</Button>
          {waiting && (
            <ActionButton kind="primary" operation="config.reload" input={{}} done={reloaded}>
              Load these changes
            </ActionButton>
          )}
        </>
      }
    >
      <Ready reading={reading} what="the difference">
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">The service runs with the settings of the file.</p>
          ) : (
            <ChangeTable changes={data} />
          )
        }
      </Ready>
    </Section>
  )
}

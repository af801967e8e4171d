import { useState } from "preact/hooks"
import type { AnswerOf, Plan } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { formatNumber } from "../../kit/text.tsx"
import { ChangeTable } from "./change-window.tsx"
import { EditPlan, EditPrices } from "./edit-plan.tsx"

type Window = { readonly kind: "plan"; readonly plan: Plan | null } | { readonly kind: "prices" }
interface Price {
  readonly api: string
  readonly credits: number
}

/** The running plans and prices, and the configuration file that they come from. */
export function PlansScreen() {
  const [version, setVersion] = useState(0)
  const [window, setWindow] = useState<Window | null>(null)
  const plans = useRead("plans.list", {}, version)
  const config = useRead(may("config.get") ? "config.get" : null, {}, version)
  const fileVersion = config.data?.version ?? null
  const mayEdit = may("config.put") && fileVersion !== null
  const close = () => setWindow(null)
  const readAgain = () => setVersion((before) => before + 1)

  function changed(version: number | null): void {
    // The next change is made to this version, also before it is read again.
    config.show({ ...config.data, version })
    readAgain()
  }

  const columns: readonly Column<Plan>[] = [
    {
      title: "Plan, price shown",
      isName: true,
      cell: ({ name, price }) => (
        <>
          {name}
          {price !== null && <span class="below">{price}</span>}
        </>
      ),
    },
    { title: "Credits a month", isNumber: true, cell: (plan) => formatNumber(plan.monthly_credits) },
    { title: "Sign-up bonus", isNumber: true, cell: (plan) => formatNumber(plan.sign_up_bonus) },
    { title: "Calls a minute", isNumber: true, cell: (plan) => formatNumber(plan.requests_per_minute) },
    { title: "APIs in a query", isNumber: true, cell: (plan) => formatNumber(plan.graphql_apis) },
    { title: "Premium fields", cell: ({ premium }) => (premium ? "yes" : "no") },
    ...(mayEdit
      ? [
          {
            title: "Actions",
            cell: (plan: Plan) => (
              <div class="row-actions">
                <Button onClick={() => setWindow({ kind: "plan", plan })} label={`Edit ${plan.name}`}>
                  Edit
                </Button>
              </div>
            ),
          },
        ]
      : []),
  ]
  const priceColumns: readonly Column<Price>[] = [
    { title: "API", isName: true, cell: ({ api }) => api },
    { title: "Credits per call", isNumber: true, cell: ({ credits }) => formatNumber(credits) },
  ]

  return (
    <Page
      title="Plans"
      intro="What accounts get and what calls cost, as this service runs now. A change takes effect at once, without a restart."
      actions={
        mayEdit && (
          <Button kind="primary" icon="plus" onClick={() => setWindow({ kind: "plan", plan: null })}>
            Create plan
          </Button>
        )
      }
    >
      {may("config.put") && config.data && fileVersion === null && <NoFile />}
      <Ready reading={plans} what="plans">
        {({ data, prices }) => (
          <>
            <div class="card flush">
              <Table caption="plans" columns={columns} rows={data} keyOf={({ name }) => name} />
            </div>
            <Section
              title="Prices"
              actions={mayEdit && <Button onClick={() => setWindow({ kind: "prices" })}>Edit prices</Button>}
            >
              <div class="card flush narrow">
                <Table
                  caption="prices"
                  columns={priceColumns}
                  rows={Object.entries(prices).map(([api, credits]) => ({ api, credits }))}
                  keyOf={({ api }) => api}
                />
              </div>
            </Section>
            {window?.kind === "plan" && fileVersion !== null && (
              <EditPlan plan={window.plan} version={fileVersion} close={close} changed={changed} />
            )}
            {window?.kind === "prices" && fileVersion !== null && (
              <EditPrices prices={prices} version={fileVersion} close={close} changed={changed} />
            )}
          </>
        )}
      </Ready>
      {may("config.diff") && fileVersion !== null && <ConfigFile version={version} changed={readAgain} />}
    </Page>
  )
}

/** Why nothing can be edited, and what to do about it. */
function NoFile() {
  return (
    <div class="note">
      <p>
        <strong>Read-only: this service runs without a configuration file.</strong>
      </p>
      <p>
        Make a file, an empty one to begin with, and start the service with{" "}
        <code>--config penknife.toml</code>. Then plans and prices can be changed here and in the file. Where
        the service may not write the file, it can be changed by hand and taken over here.
      </p>
    </div>
  )
}

interface ConfigFileProps {
  /** Rises when the configuration was changed. */
  readonly version: number
  changed(): void
}

/** Changes in the configuration file that the service has not loaded yet. */
export function ConfigFile({ version, changed }: ConfigFileProps) {
  const reading = useRead("config.diff", {}, version)
  const waiting = reading.data?.data.some(({ needs_restart }) => !needs_restart) ?? false

  function reloaded({ data }: AnswerOf<"config.reload">): void {
    const later = data.filter(({ needs_restart }) => needs_restart).length
    say(later === 0 ? "The file is loaded." : "The file is loaded. Some changes need a restart.")
    changed()
  }

  return (
    <Section
      title="Configuration file"
      intro="Changes that were made in the file by hand take effect when you load them here."
      actions={
        <>
          <Button onClick={reading.reload}>Refresh</Button>
          {waiting && may("config.reload") && (
            <ActionButton
              kind="primary"
              run={(idempotencyKey) => send("config.reload", {}, { idempotencyKey })}
              done={reloaded}
            >
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

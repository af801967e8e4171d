import type { AnswerOf, Plan } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button, say, WindowButton } from "../../kit/dialog.tsx"
import { ActionButton } from "../../kit/form-dialog.tsx"
import type { FormField } from "../../kit/form-fields.tsx"
import { Page, Ready, Section } from "../../kit/page.tsx"
import { actionsColumn, type Column, Table } from "../../kit/table.tsx"
import { formatNumber, lines } from "../../kit/text.tsx"
import {
  type ChangedFile,
  type Changes,
  ChangeTable,
  ChangeWindow,
  NoFile,
  useConfigFile,
} from "./change-window.tsx"

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

/** Whole numbers, or "unlimited". */
const limits = [
  ["monthly_credits", "Credits a month", "A whole number, or unlimited."],
  ["sign_up_bonus", "Sign-up bonus", "Credits that a new account gets once."],
  ["requests_per_minute", "Calls a minute", "A whole number, or unlimited."],
  ["graphql_apis", "APIs in a GraphQL query", "How many different ones. A whole number, or unlimited."],
  [
    "portal_keys",
    "Key limit",
    "The most keys an account may have before its customer cannot create more in the portal.",
  ],
] as const
/** Texts that the plan may lack. */
const texts = [
  ["price", "Price to show", "As customers read it, such as €29 a month. Payments are taken elsewhere."],
  [
    "description",
    "Description",
    "For whom the plan is. With it or a price, the landing page shows the plan.",
  ],
] as const
const rights = [
  ["create", "Create keys"],
  ["rotate", "Rotate keys"],
  ["revoke", "Revoke keys"],
  ["webhook", "Set their webhook"],
] as const

/** The first values of a new plan. */
const fresh: Omit<Plan, "name" | "is_built_in"> = {
  monthly_credits: 10_000,
  sign_up_bonus: 0,
  requests_per_minute: 60,
  graphql_apis: 3,
  portal_keys: 10,
  premium: false,
  portal: rights.map(([right]) => right),
  price: null,
  description: null,
  highlight: false,
}

/** @param plan null makes a new one */
function EditPlan({ plan, ...file }: ChangedFile & { readonly plan: Plan | null }) {
  const shown = plan ?? fresh
  return (
    <ChangeWindow
      {...file}
      title={plan ? `Edit plan ${plan.name}` : "Create plan"}
      isWide
      first={plan === null ? [nameField] : []}
      grid={limits.map(([name, label, hint]) => ({
        name,
        label,
        hint,
        kind: "text",
        isRequired: true,
        missing: "Type a whole number, or unlimited.",
        value: shown[name],
        read: (typed) => toLimit(typed.text(name)),
      }))}
      fields={[
        ...texts.map(([name, label, hint]) => {
          return { name, label, hint, kind: "text", isNullable: true, value: shown[name] } as const
        }),
        {
          name: "highlight",
          label: "Recommend it on the landing page",
          kind: "flag",
          value: shown.highlight,
        },
        { name: "premium", label: "Answers have premium fields", kind: "flag", value: shown.premium },
        {
          name: "portal",
          label: "What customers may do in the portal",
          kind: "list",
          choices: rights,
          value: shown.portal,
        },
      ]}
      toChanges={({ name = plan?.name, ...typed }) => {
        const present: Readonly<Record<string, unknown>> = { ...plan }
        const differing = Object.entries(typed).filter(
          ([field, value]) => String(present[field] ?? null) !== String(value),
        )
        return Object.fromEntries(
          differing.map(([field, value]) => [`plans.${name}.${field}`, value]),
        ) as Changes
      }}
      remove={
        plan && !plan.is_built_in
          ? { label: `Remove plan ${plan.name}`, changes: { [`plans.${plan.name}`]: null } }
          : undefined
      }
      running={(setting) =>
        plan && Object.entries(plan).find(([field]) => setting.endsWith(`.${field}`))?.[1]
      }
    />
  )
}

const nameField: FormField = {
  name: "name",
  label: "Name",
  hint: "Letters, digits, - and _. Accounts refer to the plan by this name.",
  kind: "text",
  isRequired: true,
}

/** Text that is not a number is sent unchanged; the service says what is wrong with it. */
function toLimit(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text
}

function EditPrices({ prices, ...file }: ChangedFile & Pick<AnswerOf<"plans.list">, "prices">) {
  return (
    <ChangeWindow
      {...file}
      title="Edit prices"
      grid={Object.entries(prices).map(([api, value]) => {
        return { name: api, label: api, kind: "number", isRequired: true, value } as const
      })}
      toChanges={(typed) =>
        Object.fromEntries(
          Object.entries(typed)
            .filter(([api, value]) => prices[api] !== value)
            .map(([api, value]) => [`credits.${api}`, Number(value)]),
        )
      }
      running={(setting) => prices[setting.slice("credits.".length)]}
    >
      <p class="muted">Credits of one call. Calls that are under way keep the price with which they began.</p>
    </ChangeWindow>
  )
}

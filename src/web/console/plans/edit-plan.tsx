import type { Plan } from "../../client/operations.ts"
import { CheckField, CheckGroup, TextField } from "../../kit/field.tsx"
import type { FormValues } from "../../kit/form.tsx"
import { type Changes, ChangeWindow } from "./change-window.tsx"

interface EditPlanProps {
  /** Null makes a new one. */
  readonly plan: Plan | null
  readonly version: number
  close(): void
  changed(version: number | null): void
}

const fields = [
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

export function EditPlan({ plan, version, close, changed }: EditPlanProps) {
  const shown = plan ?? fresh

  function toChanges(values: FormValues): Changes {
    const name = plan?.name ?? values.text("name")
    const typed = [
      ...fields.map(([field]) => [field, toLimit(values.text(field))] as const),
      ...texts.map(([field]) => [field, values.text(field) || null] as const),
      ["premium", values.isTicked("premium")] as const,
      ["highlight", values.isTicked("highlight")] as const,
      ["portal", values.list("portal")] as const,
    ]
    const differing = typed.filter(([field, value]) => String(plan?.[field] ?? null) !== String(value))
    return Object.fromEntries(differing.map(([field, value]) => [`plans.${name}.${field}`, value]))
  }

  return (
    <ChangeWindow
      title={plan ? `Edit plan ${plan.name}` : "Create plan"}
      version={version}
      isWide
      required={{
        ...(plan === null && { name: "Type a name, such as team." }),
        ...Object.fromEntries(fields.map(([field]) => [field, "Type a whole number, or unlimited."])),
      }}
      toChanges={toChanges}
      remove={
        plan && !plan.is_built_in
          ? { label: `Remove plan ${plan.name}`, changes: { [`plans.${plan.name}`]: null } }
          : undefined
      }
      running={(setting) =>
        plan && Object.entries(plan).find(([field]) => setting.endsWith(`.${field}`))?.[1]
      }
      close={close}
      changed={changed}
    >
      {plan === null && (
        <TextField
          name="name"
          label="Name"
          required
          hint="Letters, digits, - and _. Accounts refer to the plan by this name."
        />
      )}
      <div class="field-grid">
        {fields.map(([field, label, hint]) => (
          <TextField
            key={field}
            name={field}
            label={label}
            required
            value={String(shown[field])}
            hint={hint}
          />
        ))}
      </div>
      {texts.map(([field, label, hint]) => (
        <TextField key={field} name={field} label={label} value={shown[field] ?? ""} hint={hint} />
      ))}
      <CheckField name="highlight" label="Recommend it on the landing page" checked={shown.highlight} />
      <CheckField name="premium" label="Answers have premium fields" checked={shown.premium} />
      <CheckGroup name="portal" label="What customers may do in the portal">
        {rights.map(([right, label]) => (
          <CheckField
            key={right}
            name="portal"
            value={right}
            label={label}
            checked={shown.portal.includes(right)}
          />
        ))}
      </CheckGroup>
    </ChangeWindow>
  )
}

/** Text that is not a number is sent unchanged; the service says what is wrong with it. */
function toLimit(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text
}

interface EditPricesProps {
  readonly prices: Readonly<Record<string, number>>
  readonly version: number
  close(): void
  changed(version: number | null): void
}

export function EditPrices({ prices, version, close, changed }: EditPricesProps) {
  const apis = Object.keys(prices)
  return (
    <ChangeWindow
      title="Edit prices"
      version={version}
      numbers={apis}
      required={Object.fromEntries(apis.map((api) => [api, "Type a whole number, such as 1."]))}
      toChanges={(values) =>
        Object.fromEntries(
          apis
            .map((api) => [`credits.${api}`, Number(values.text(api))] as const)
            .filter(([name, value]) => prices[name.slice("credits.".length)] !== value),
        )
      }
      running={(setting) => prices[setting.slice("credits.".length)]}
      close={close}
      changed={changed}
    >
      <p class="muted">Credits of one call. Calls that are under way keep the price with which they began.</p>
      <div class="field-grid">
        {apis.map((api) => (
          <TextField key={api} name={api} label={api} type="number" required value={String(prices[api])} />
        ))}
      </div>
    </ChangeWindow>
  )
}

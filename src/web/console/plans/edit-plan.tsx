import type { AnswerOf, Plan } from "../../client/operations.ts"
import type { FormField } from "../../kit/form-fields.tsx"
import { type ChangedFile, type Changes, ChangeWindow } from "./change-window.tsx"

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
export function EditPlan({ plan, ...file }: ChangedFile & { readonly plan: Plan | null }) {
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

export function EditPrices({ prices, ...file }: ChangedFile & Pick<AnswerOf<"plans.list">, "prices">) {
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

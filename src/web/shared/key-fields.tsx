import { area } from "../client/address.ts"
import { openWindow } from "../kit/dialog.tsx"
import type { Choices } from "../kit/field.tsx"
import { FormButton } from "../kit/form-dialog.tsx"
import { NewKeyText } from "./shown-once.tsx"

/**
 * The settings of a key, for the forms of `keys.create` and `keys.update`.
 * @param apis all APIs to choose from
 */
export function keyFields(apis: Choices) {
  return {
    name: { hint: "What the key is for, such as production." },
    expires: { hint: "A day such as 2027-01-31, or a time from now such as 30d. Empty for never." },
    rate_limit: { hint: "For this key alone. Empty for no limit besides that of the plan." },
    allow_apis: { choices: apis, hint: "Tick none to allow all." },
    allow_ips: { hint: "One network a line, such as 192.0.2.0/24. Empty for any." },
  }
}

const limits = { title: "Limits", names: ["rate_limit", "allow_apis", "allow_ips"] }

interface CreateKeyProps {
  /** The account that gets the key; null asks for it. */
  readonly account: string | null
  /** A hook that returns all APIs to choose from. */
  readonly useApis: () => Choices
  readonly kind?: "primary"
}

/**
 * Asks what a key may do, makes it, and shows its text, which cannot be read again. In the portal its limits are closed at
 * first.
 */
export function CreateKey({ account, useApis, kind }: CreateKeyProps) {
  return (
    <FormButton
      operation="keys.create"
      label="Create key"
      kind={kind}
      icon="plus"
      given={account === null ? {} : { account }}
      fields={() => ({
        ...(account === null && { account: { hint: "Its id, such as acc_1234567890abcdef." } }),
        ...keyFields(useApis()),
      })}
      {...(area.kind === "portal" && { more: limits })}
      done={({ key }) => openWindow(<NewKeyText title="Key created" text={key} />)}
    />
  )
}

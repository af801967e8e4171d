import { openWindow } from "../kit/dialog.tsx"
import type { Choices } from "../kit/field.tsx"
import { FormDialog } from "../kit/form-dialog.tsx"
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

interface CreateKeyProps {
  /** The account that gets the key; null asks for it. */
  readonly account: string | null
  readonly apis: Choices
  /** Whether the limits are closed at first. */
  readonly isBrief?: boolean
}

/** Asks what a key may do, makes it, and shows its text, which cannot be read again. */
export function CreateKey({ account, apis, isBrief = false }: CreateKeyProps) {
  const { name, expires, ...limits } = keyFields(apis)
  const owner = account === null ? { account: { hint: "Its id, such as acc_1234567890abcdef." } } : {}
  return (
    <FormDialog
      operation="keys.create"
      title="Create key"
      submit="Create key"
      {...(account !== null && { given: { account } })}
      fields={{ ...owner, name, expires, ...(!isBrief && limits) }}
      {...(isBrief && { more: { title: "Limits", fields: limits } })}
      done={({ key }) => openWindow(<NewKeyText title="Key created" text={key} />)}
    />
  )
}

import { area } from "../client/address.ts"
import type { Key, OwnKey } from "../client/operations.ts"
import { openWindow } from "../kit/dialog.tsx"
import type { Choices } from "../kit/field.tsx"
import { FormButton } from "../kit/form-dialog.tsx"
import { formatInstant } from "../kit/text.tsx"
import { nameOf } from "./key-state.tsx"
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

/** The props of a window that changes a key, as an operator or its customer sees it. */
export interface ChangeKeyProps<Seen extends OwnKey = OwnKey> {
  readonly value: Seen
  /** Called with the key after the change. */
  readonly done?: (key: Key) => void
}

/** Asks before a key is revoked. */
export function RevokeKey({ value, done }: ChangeKeyProps) {
  return (
    <FormButton
      operation="keys.revoke"
      label="Revoke"
      of={inList(value)}
      title={`Revoke ${nameOf(value)}?`}
      submit="Revoke key"
      danger
      given={{ id: value.id }}
      done="Key revoked."
      then={done}
    >
      <p>
        Calls with the key <code>{value.prefix}…</code> are refused from now on. This cannot be undone.
      </p>
      <p>
        {area.kind === "console"
          ? "To stop it for a while, disable it instead."
          : "If you signed in with this key, you are signed out. To replace it without a break, rotate it instead: the old text can go on working for a while."}
      </p>
    </FormButton>
  )
}

/** In the portal the buttons stand in a list, where others have the same label. */
function inList(key: OwnKey): string | undefined {
  return area.kind === "portal" ? nameOf(key) : undefined
}

const graces = [
  ["0", "It stops at once"],
  ["1h", "For an hour"],
  ["24h", "For a day"],
  ["7d", "For a week"],
] as const

/** Gives a key a new text. */
export function RotateKey({ value, done }: ChangeKeyProps) {
  return (
    <FormButton
      operation="keys.rotate"
      label="Rotate"
      of={inList(value)}
      title={`Rotate ${nameOf(value)}`}
      submit="Rotate key"
      given={{ id: value.id }}
      values={{ grace: "24h" }}
      fields={{ grace: { label: "How long the old text still works", hint: "", choices: graces } }}
      done={(key) => {
        done?.(key)
        const note = key.old_key_ends ? `The old text works until ${formatInstant(key.old_key_ends)}.` : ""
        openWindow(<NewKeyText title="The new text" text={key.key} note={note} />)
      }}
    >
      <p class="muted">The key gets a new text. Everything else about it stays.</p>
    </FormButton>
  )
}

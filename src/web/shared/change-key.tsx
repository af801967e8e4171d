/** Buttons that revoke a key or give it a new text, each with its window, in the console and the portal. */
import { area } from "../client/address.ts"
import type { Key, OwnKey } from "../client/operations.ts"
import { openWindow } from "../kit/dialog.tsx"
import { FormButton } from "../kit/form-dialog.tsx"
import { formatInstant } from "../kit/text.tsx"
import { nameOf } from "./key-state.tsx"
import { NewKeyText } from "./shown-once.tsx"

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

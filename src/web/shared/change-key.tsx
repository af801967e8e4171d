/** The windows that revoke a key or give it a new text, in the console and the portal. */
import { useState } from "preact/hooks"
import { area } from "../client/area.ts"
import type { AnswerOf, Key, OwnKey } from "../client/operations.ts"
import { SelectField } from "../kit/field.tsx"
import { FormDialog } from "../kit/form.tsx"
import { formatInstant } from "../kit/text.tsx"
import { nameOf } from "./key-state.tsx"
import { NewKeyText } from "./shown-once.tsx"

/** The props of a window that changes a key, as an operator or its customer sees it. */
export interface ChangeKeyProps<Seen extends OwnKey = OwnKey> {
  readonly value: Seen
  /** Called when nothing was changed. */
  close(): void
  /** Called with the key after the change. */
  done(key: Key): void
}

/** Asks before a key is revoked. */
export function RevokeKey({ value, close, done }: ChangeKeyProps) {
  return (
    <FormDialog
      title={`Revoke ${nameOf(value)}?`}
      close={close}
      submit="Revoke key"
      danger
      operation="keys.revoke"
      input={() => ({ id: value.id })}
      done={done}
    >
      <p>
        Calls with the key <code>{value.prefix}…</code> are refused from now on. This cannot be undone.
      </p>
      <p>
        {area.kind === "console"
          ? "To stop it for a while, disable it instead."
          : "If you signed in with this key, you are signed out. To replace it without a break, rotate it instead: the old text can go on working for a while."}
      </p>
    </FormDialog>
  )
}

const graces = [
  ["0", "It stops at once"],
  ["1h", "For an hour"],
  ["24h", "For a day"],
  ["7d", "For a week"],
] as const

/** Gives a key a new text. */
export function RotateKey({ value, close, done }: ChangeKeyProps) {
  const [rotated, setRotated] = useState<AnswerOf<"keys.rotate"> | null>(null)
  if (rotated) {
    const note = rotated.old_key_ends
      ? `The old text works until ${formatInstant(rotated.old_key_ends)}.`
      : ""
    return <NewKeyText title="The new text" text={rotated.key} note={note} done={() => done(rotated)} />
  }
  return (
    <FormDialog
      title={`Rotate ${nameOf(value)}`}
      close={close}
      submit="Rotate key"
      operation="keys.rotate"
      input={(values) => ({ id: value.id, grace: values.text("grace") })}
      done={setRotated}
    >
      <p class="muted">The key gets a new text. Everything else about it stays.</p>
      <SelectField
        name="grace"
        label="How long the old text still works"
        required
        value="24h"
        choices={graces}
      />
    </FormDialog>
  )
}

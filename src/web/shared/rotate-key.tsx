import { useState } from "preact/hooks"
import { write } from "../client/request.ts"
import type { RotatedKey } from "../client/types.ts"
import { Dialog } from "../kit/dialog.tsx"
import { SelectField } from "../kit/field.tsx"
import { Form } from "../kit/form.tsx"
import { formatInstant } from "../kit/text.tsx"
import { nameOf } from "./key-state.tsx"
import type { KeyWindowProps } from "./key-window.ts"
import { NewKeyText } from "./new-key-text.tsx"

const graces = [
  ["0", "It stops at once"],
  ["1h", "For an hour"],
  ["24h", "For a day"],
  ["7d", "For a week"],
] as const

/** Gives a key a new text. */
export function RotateKey({ value, close, done }: KeyWindowProps) {
  const [rotated, setRotated] = useState<RotatedKey | null>(null)
  if (rotated) {
    const note = rotated.old_key_ends
      ? `The old text works until ${formatInstant(rotated.old_key_ends)}.`
      : ""
    return <NewKeyText title="The new text" text={rotated.key} note={note} done={done} />
  }
  return (
    <Dialog title={`Rotate ${nameOf(value)}`} close={close}>
      <Form
        submit="Rotate key"
        cancel={close}
        send={(values, idempotencyKey) =>
          write<RotatedKey>(
            "POST",
            `/keys/${encodeURIComponent(value.id)}/rotate`,
            { grace: values.text("grace") },
            { idempotencyKey },
          )
        }
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
      </Form>
    </Dialog>
  )
}

import { send } from "../../client/request.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { formatNumber } from "../../kit/text.tsx"
import type { AccountWindowProps } from "./edit-account.tsx"

/** Adds bonus credits. */
export function GrantCredits({ account, close, done }: AccountWindowProps) {
  return (
    <Dialog title={`Grant credits to ${account.name}`} close={close}>
      <Form
        submit="Grant credits"
        required={{ credits: "Type how many credits to add, such as 500." }}
        numbers={["credits"]}
        cancel={close}
        send={(values, idempotencyKey) =>
          send(
            "credits.grant",
            { id: account.id, credits: Number(values.text("credits")) },
            { idempotencyKey },
          )
        }
        done={done}
      >
        <p class="muted">
          Bonus credits do not expire, and are used when those of the month are gone. It has{" "}
          {formatNumber(account.bonus)} now.
        </p>
        <TextField name="credits" label="Credits" type="number" required />
      </Form>
    </Dialog>
  )
}

import { TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"
import { formatNumber } from "../../kit/text.tsx"
import type { AccountWindowProps } from "./edit-account.tsx"

/** Adds bonus credits. */
export function GrantCredits({ account, close, done }: AccountWindowProps) {
  return (
    <FormDialog
      title={`Grant credits to ${account.name}`}
      close={close}
      submit="Grant credits"
      required={{ credits: "Type how many credits to add, such as 500." }}
      numbers={["credits"]}
      operation="credits.grant"
      input={(values) => ({ id: account.id, credits: Number(values.text("credits")) })}
      done={done}
    >
      <p class="muted">
        Bonus credits do not expire, and are used when those of the month are gone. It has{" "}
        {formatNumber(account.bonus)} now.
      </p>
      <TextField name="credits" label="Credits" type="number" required />
    </FormDialog>
  )
}

import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { TextField } from "../../kit/field.tsx"
import { FormDialog, type FormValues } from "../../kit/form.tsx"
import { Section } from "../../kit/page.tsx"
import { say } from "../../kit/status.tsx"
import { formatNumber } from "../../kit/text.tsx"
import { type Adjustment, Adjustments } from "../../shared/adjustments.tsx"

interface AccountAdjustmentsProps {
  readonly account: Account
  /** Reads the account again. */
  reload(): void
}

/** What was added to the bonus of an account or taken from it, with buttons to adjust and to undo. */
export function AccountAdjustments({ account, reload }: AccountAdjustmentsProps) {
  const [isAdjusting, setAdjusting] = useState(false)
  const [version, setVersion] = useState(0)
  const mayAdjust = account.closed === null && may("credits.adjust")

  function changed(text: string): void {
    say(text)
    setAdjusting(false)
    setVersion((before) => before + 1)
    reload()
  }

  const undo = ({ id, kind, undone_by }: Adjustment) =>
    mayAdjust &&
    kind !== "undo" &&
    undone_by === null && (
      <ActionButton
        run={(idempotencyKey) => send("credits.undo", { id }, { idempotencyKey })}
        done={() => changed("Adjustment undone.")}
      >
        Undo
      </ActionButton>
    )

  return (
    <Section
      title="Adjustments"
      actions={
        <>
          {may("statements.show") && (
            <a class="button plain" href={addressOf(`/statements/${account.id}`)}>
              Statements
            </a>
          )}
          {mayAdjust && <Button onClick={() => setAdjusting(true)}>Adjust credits</Button>}
        </>
      }
    >
      <Adjustments account={account.id} version={version + account.bonus} actionsOf={undo} />
      {isAdjusting && (
        <FormDialog
          title={`Adjust credits of ${account.name}`}
          close={() => setAdjusting(false)}
          submit="Adjust credits"
          required={adjustmentRequired}
          operation="credits.adjust"
          input={(values) => ({ id: account.id, ...readAdjustment(values) })}
          done={() => changed("Credits adjusted.")}
        >
          <p class="muted">The bonus is {formatNumber(account.bonus)} credits now.</p>
          <AdjustmentFields />
        </FormDialog>
      )}
    </Section>
  )
}

export const adjustmentRequired = {
  credits: "Type how many credits, such as 500 or -500.",
  reason: "Type why.",
}

/** What an adjustment asks for. */
export function AdjustmentFields() {
  return (
    <>
      <TextField name="credits" label="Credits" required hint="Negative to take some, such as -500." />
      <TextField name="reason" label="Reason" required hint="The customer may read it." />
      <TextField
        name="reference"
        label="Reference"
        hint="Such as the number of a payment. Each counts once in an account."
      />
    </>
  )
}

/** What was typed into {@link AdjustmentFields}, as the operation takes it. */
export function readAdjustment(values: FormValues) {
  return {
    credits: Number(values.text("credits")),
    reason: values.text("reason"),
    ...(values.text("reference") !== "" && { reference: values.text("reference") }),
  }
}

import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { TextField } from "../../kit/field.tsx"
import { FormDialog, type FormValues } from "../../kit/form.tsx"
import { Section } from "../../kit/page.tsx"
import { formatNumber } from "../../kit/text.tsx"
import { type Adjustment, Adjustments } from "../../shared/adjustments.tsx"

/** The longest reason that an adjustment can have. */
const mostOfReason = 500

interface AccountAdjustmentsProps {
  readonly account: Account
  /** A number that rises when there are new ones. */
  readonly version: number
  /** Called when one was undone. */
  changed(text: string): void
}

/** Changes of an account's bonus, with buttons to undo them. */
export function AccountAdjustments({ account, version, changed }: AccountAdjustmentsProps) {
  const [undoing, setUndoing] = useState<Adjustment | null>(null)
  const [undos, setUndos] = useState(0)
  const section = useRef<HTMLElement>(null)
  const mayUndo = account.closed === null && may("credits.undo")

  function undone(): void {
    setUndoing(null)
    setUndos((before) => before + 1)
    changed("Adjustment undone.")
  }

  // The button that had the focus goes with the next list.
  useLayoutEffect(() => {
    if (undos > 0) section.current?.focus()
  }, [undos])

  const undo = (entry: Adjustment) =>
    mayUndo &&
    entry.kind !== "undo" &&
    entry.undone_by === null && <Button onClick={() => setUndoing(entry)}>Undo</Button>

  return (
    <Section
      title="Adjustments"
      actions={
        may("statements.show") && (
          <a class="button plain" href={addressOf(`/statements/${account.id}`)}>
            Statements
          </a>
        )
      }
    >
      <section ref={section} tabIndex={-1} aria-label="Latest adjustments">
        <Adjustments account={account.id} version={version + account.bonus} actionsOf={undo} />
      </section>
      {undoing && (
        <UndoAdjustment entry={undoing} bonus={account.bonus} close={() => setUndoing(null)} done={undone} />
      )}
    </Section>
  )
}

interface AdjustCreditsProps {
  readonly account: Account
  close(): void
  done(): void
}

/** Adds credits to the bonus of an account, or takes some. */
export function AdjustCredits({ account, close, done }: AdjustCreditsProps) {
  return (
    <FormDialog
      title={`Adjust credits of ${account.name}`}
      close={close}
      submit="Adjust credits"
      required={adjustmentRequired}
      operation="credits.adjust"
      input={(values) => ({ id: account.id, ...readAdjustment(values) })}
      done={done}
    >
      <p class="muted">
        Bonus credits do not expire, and are used when those of the month are gone. The bonus is{" "}
        {formatNumber(account.bonus)} credits now.
      </p>
      <AdjustmentFields />
    </FormDialog>
  )
}

interface UndoAdjustmentProps {
  readonly entry: Adjustment
  readonly bonus: number
  close(): void
  done(): void
}

/** Asks before an adjustment is undone, and for the reason that the customer reads. */
function UndoAdjustment({ entry, bonus, close, done }: UndoAdjustmentProps) {
  const { id, credits, reason } = entry
  return (
    <FormDialog
      title="Undo this adjustment?"
      close={close}
      submit="Undo adjustment"
      danger
      required={{ reason: "Type why." }}
      operation="credits.undo"
      input={(values) => ({ id, reason: values.text("reason") })}
      done={done}
    >
      <p>“{reason}”</p>
      <p>
        {credits > 0
          ? `${formatNumber(credits)} credits are taken from the account.`
          : `${formatNumber(-credits)} credits are added to the account.`}{" "}
        Its bonus is then {formatNumber(bonus - credits)} credits. This cannot be undone.
      </p>
      <TextField
        name="reason"
        label="Reason"
        required
        value={`Undo: ${reason}`.slice(0, mostOfReason)}
        hint="The customer may read it."
      />
    </FormDialog>
  )
}

export const adjustmentRequired = {
  credits: "Type how many credits, such as 500 or -500.",
  reason: "Type why.",
}

/** The fields of an adjustment. */
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

/** The values of {@link AdjustmentFields}, as the operation takes them. */
export function readAdjustment(values: FormValues) {
  return {
    credits: Number(values.text("credits")),
    reason: values.text("reason"),
    ...(values.text("reference") !== "" && { reference: values.text("reference") }),
  }
}

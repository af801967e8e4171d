import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { LinkButton } from "../../kit/button.tsx"
import { WindowButton } from "../../kit/dialog.tsx"
import { FormDialog } from "../../kit/form-dialog.tsx"
import { Section } from "../../kit/page.tsx"
import { say } from "../../kit/status.tsx"
import { formatNumber } from "../../kit/text.tsx"
import { type Adjustment, Adjustments } from "../../shared/adjustments.tsx"

/** The longest reason that an adjustment can have. */
const mostOfReason = 500

/** Changes of an account's bonus, with buttons to undo them. */
export function AccountAdjustments({ account }: { readonly account: Account }) {
  const [undos, setUndos] = useState(0)
  const section = useRef<HTMLElement>(null)

  function undone(): void {
    say("Adjustment undone.")
    setUndos((before) => before + 1)
  }

  // The button that had the focus goes with the next list.
  useLayoutEffect(() => {
    if (undos > 0) section.current?.focus()
  }, [undos])

  const undo = (entry: Adjustment) =>
    account.closed === null &&
    entry.kind !== "undo" &&
    entry.undone_by === null && (
      <WindowButton
        operation="credits.undo"
        opens={<UndoAdjustment entry={entry} bonus={account.bonus} done={undone} />}
      >
        Undo
      </WindowButton>
    )

  return (
    <Section
      title="Adjustments"
      actions={
        may("statements.show") && (
          <LinkButton href={addressOf(`/statements/${account.id}`)}>Statements</LinkButton>
        )
      }
    >
      <section ref={section} tabIndex={-1} aria-label="Latest adjustments">
        <Adjustments account={account.id} actionsOf={undo} />
      </section>
    </Section>
  )
}

interface UndoAdjustmentProps {
  readonly entry: Adjustment
  readonly bonus: number
  done(): void
}

/** Asks before an adjustment is undone, and for the reason that the customer reads. */
function UndoAdjustment({ entry: { id, credits, reason }, bonus, done }: UndoAdjustmentProps) {
  return (
    <FormDialog
      operation="credits.undo"
      title="Undo this adjustment?"
      submit="Undo adjustment"
      danger
      given={{ id }}
      values={{ reason: `Undo: ${reason}`.slice(0, mostOfReason) }}
      fields={{ reason: { hint: "The customer may read it." } }}
      done={done}
    >
      <p>“{reason}”</p>
      <p>
        {credits > 0
          ? `${formatNumber(credits)} credits are taken from the account.`
          : `${formatNumber(-credits)} credits are added to the account.`}{" "}
        Its bonus is then {formatNumber(bonus - credits)} credits. This cannot be undone.
      </p>
    </FormDialog>
  )
}

import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { LinkButton } from "../../kit/button.tsx"
import { FormButton } from "../../kit/form-dialog.tsx"
import { Section } from "../../kit/page.tsx"
import { formatNumber } from "../../kit/text.tsx"
import { type Adjustment, Adjustments } from "../../shared/adjustments.tsx"

/** The longest reason that an adjustment can have. */
const mostOfReason = 500

/** Changes of an account's bonus, with buttons to undo them. */
export function AccountAdjustments({ account }: { readonly account: Account }) {
  const [undos, setUndos] = useState(0)
  const section = useRef<HTMLElement>(null)

  // The button that had the focus goes with the next list.
  useLayoutEffect(() => {
    if (undos > 0) section.current?.focus()
  }, [undos])

  const undo = ({ id, kind, credits, reason, undone_by }: Adjustment) =>
    account.closed === null &&
    kind !== "undo" &&
    undone_by === null && (
      <FormButton
        operation="credits.undo"
        label="Undo"
        kind="plain"
        title="Undo this adjustment?"
        submit="Undo adjustment"
        danger
        given={{ id }}
        values={{ reason: `Undo: ${reason}`.slice(0, mostOfReason) }}
        fields={{ reason: { hint: "The customer may read it." } }}
        done="Adjustment undone."
        then={() => setUndos((before) => before + 1)}
      >
        <p>“{reason}”</p>
        <p>
          {credits > 0
            ? `${formatNumber(credits)} credits are taken from the account.`
            : `${formatNumber(-credits)} credits are added to the account.`}{" "}
          Its bonus is then {formatNumber(account.bonus - credits)} credits. This cannot be undone.
        </p>
      </FormButton>
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

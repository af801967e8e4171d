import { ownAccount } from "../../client/session.ts"
import { Section } from "../../kit/page.tsx"
import { AccountStatement } from "../../shared/account-statement.tsx"
import { Adjustments } from "../../shared/adjustments.tsx"

/** The customer's own statements, and what was added to the bonus or taken from it. */
export function StatementsScreen() {
  const account = ownAccount()
  return (
    <AccountStatement account={account} title="Statements">
      <Section title="Adjustments of credits">
        <Adjustments account={account} />
      </Section>
    </AccountStatement>
  )
}

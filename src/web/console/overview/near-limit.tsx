import { addressOf } from "../../client/address.ts"
import { nowMs } from "../../client/browser.ts"
import type { Notice } from "../../client/operations.ts"
import { useRead } from "../../client/use-read.ts"
import { Meter } from "../../kit/facts.tsx"
import { Empty, Ready } from "../../kit/states.tsx"

const maxShown = 6
const lookedAt = 100

/** The accounts that were last notified that most of the month's credits are used. */
export function NearLimit({ version }: { readonly version: number }) {
  const reading = useRead("notices.list", { limit: lookedAt }, version)
  return (
    <Ready reading={reading} what="accounts near their limit">
      {({ data }) => {
        const ids = idsOf(data)
        return ids.length === 0 ? (
          <Empty title="No account is near its limit">
            Accounts that have used 80&nbsp;% of a month appear here.
          </Empty>
        ) : (
          <ul class="card rows">
            {ids.slice(0, maxShown).map((id) => (
              <AccountRow key={id} id={id} version={version} />
            ))}
          </ul>
        )
      }}
    </Ready>
  )
}

function AccountRow({ id, version }: { readonly id: string; readonly version: number }) {
  const { data: account } = useRead("accounts.get", { id }, version)
  return (
    <li>
      <a href={addressOf(`/accounts/${id}`)}>{account?.name ?? id}</a>
      {account && <Meter percent={account.used_percent} label={`Used by ${account.name}`} />}
    </li>
  )
}

/** The accounts with a threshold notice of the present month, newest first. */
function idsOf(notices: readonly Notice[]): string[] {
  const now = nowMs()
  const present = notices.filter(
    ({ threshold, period_end }) => threshold !== null && new Date(period_end).getTime() > now,
  )
  return [...new Set(present.map(({ account }) => account))]
}

import { addressOf } from "../../client/address.ts"
import type { OperationId } from "../../client/operations.ts"
import { may } from "../../client/session.ts"

/** The column with the account and the key of a request. */
export const caller = {
  title: "Account and key",
  cell: ({ account, key }: { readonly account: string | null; readonly key: string | null }) => (
    <div class="stacked">
      <Known id={account} screen="/accounts" operation="accounts.get" />
      {key !== null && <Known id={key} screen="/keys" operation="keys.get" />}
    </div>
  ),
}

interface KnownProps {
  readonly id: string | null
  readonly screen: string
  readonly operation: OperationId
}

/** An id, as a link if the session may read it. */
function Known({ id, screen, operation }: KnownProps) {
  if (id === null) return <span class="muted">–</span>
  if (!may(operation)) return <span class="mono">{id}</span>
  return (
    <a class="mono" href={addressOf(`${screen}/${id}`)}>
      {id}
    </a>
  )
}

import type { ComponentChildren } from "preact"
import { addressOf } from "../../client/address.ts"
import type { OperationId } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { CopyId } from "../../kit/copy-id.tsx"

interface Caller {
  readonly account: string | null
  readonly key: string | null
}

/** The column with the account and the key of a request. */
export const caller = callerColumn((link) => link)

/** The same with buttons that copy the ids. */
export const copiedCaller = callerColumn((link, id) => <CopyId id={id}>{link}</CopyId>)

function callerColumn(show: (link: ComponentChildren, id: string) => ComponentChildren) {
  return {
    title: "Account, key",
    cell: ({ account, key }: Caller) => (
      <div class="stacked">
        {account === null ? (
          <span class="muted">–</span>
        ) : (
          <span>{show(<Known id={account} screen="/accounts" operation="accounts.get" />, account)}</span>
        )}
        {key !== null && <span>{show(<Known id={key} screen="/keys" operation="keys.get" />, key)}</span>}
      </div>
    ),
  }
}

interface KnownProps {
  readonly id: string
  readonly screen: string
  readonly operation: OperationId
}

/** An id, as a link if the session may read it. */
function Known({ id, screen, operation }: KnownProps) {
  if (!may(operation)) return <span class="mono nowrap">{id}</span>
  return (
    <a class="mono nowrap" href={addressOf(`${screen}/${id}`)}>
      {id}
    </a>
  )
}

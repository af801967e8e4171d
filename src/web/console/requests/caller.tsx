import type { ComponentChildren } from "preact"
import { addressOf } from "../../client/address.ts"
import type { OperationId } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { CopyId } from "../../kit/text.tsx"

interface Caller {
  readonly account: string | null
  readonly key: string | null
  readonly account_name?: string | null
  readonly key_name?: string | null
}

/** The column with the account and the key of a request. */
export const caller = callerColumn((id) => id)

/** The same with buttons that copy the ids. */
export const copiedCaller = callerColumn((id, text) => <CopyId id={text}>{id}</CopyId>)

/** @param show returns an id, or a link in its place, as the column has it */
function callerColumn(show: (id: ComponentChildren, text: string) => ComponentChildren) {
  return {
    title: "Account, key",
    cell: ({ account, account_name, key, key_name }: Caller) => (
      <div class="stacked">
        {account === null ? (
          <span class="muted">–</span>
        ) : (
          <Known id={account} name={account_name} screen="/accounts" operation="accounts.get" show={show} />
        )}
        {key !== null && <Known id={key} name={key_name} screen="/keys" operation="keys.get" show={show} />}
      </div>
    ),
  }
}

interface KnownProps {
  readonly id: string
  readonly name: string | null | undefined
  readonly screen: string
  readonly operation: OperationId
  show(id: ComponentChildren, text: string): ComponentChildren
}

/** A name with its id, or an id without a name; a link if the session may read it. */
function Known({ id, name, screen, operation, show }: KnownProps) {
  const link = (text: string, style?: string) => {
    if (!may(operation)) return <span class={style}>{text}</span>
    return (
      <a class={style} href={addressOf(`${screen}/${id}`)}>
        {text}
      </a>
    )
  }
  if (!name) return <span>{show(link(id, "mono nowrap"), id)}</span>
  return (
    <span>
      {link(name)} <span class="below nowrap">{show(<span>{id}</span>, id)}</span>
    </span>
  )
}

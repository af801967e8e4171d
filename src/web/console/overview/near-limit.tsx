import { addressOf } from "../../client/address.ts"
import { useRead } from "../../client/use-read.ts"
import { Meter } from "../../kit/facts.tsx"
import { Empty, Ready } from "../../kit/states.tsx"

const maxShown = 6

/** Accounts that have used most of their month's credits. */
export function NearLimit({ version }: { readonly version: number }) {
  const reading = useRead("accounts.list", { near_limit: true, limit: maxShown }, version)
  return (
    <Ready reading={reading} what="accounts near their limit">
      {({ data, has_more }) =>
        data.length === 0 ? (
          <Empty title="No account is near its limit">
            Accounts that have used 80&nbsp;% of a month appear here.
          </Empty>
        ) : (
          <>
            <ul class="card rows">
              {data.map(({ id, name, used_percent }) => (
                <li key={id}>
                  <a href={addressOf(`/accounts/${id}`)}>{name}</a>
                  <Meter percent={used_percent} label={`Used by ${name}`} />
                </li>
              ))}
            </ul>
            {has_more && (
              <a href={addressOf("/accounts", { near_limit: true })}>All accounts near their limit</a>
            )}
          </>
        )
      }
    </Ready>
  )
}

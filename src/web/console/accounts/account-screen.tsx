import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/types.ts"
import { useRead } from "../../client/use-read.ts"
import { Facts, Meter, Stat, Stats } from "../../kit/facts.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { Code, formatNumber, Time } from "../../kit/text.tsx"
import { AccountState } from "./accounts-screen.tsx"

/** One account. */
export function AccountScreen({ id }: { readonly id: string }) {
  const reading = useRead<Account>(`/accounts/${encodeURIComponent(id)}`)
  return (
    <Page title={reading.data?.name ?? "Account"} up={{ title: "Accounts", href: addressOf("/accounts") }}>
      <Ready reading={reading} what="the account">
        {(account) => (
          <>
            <Stats>
              <Stat
                label="Credits left"
                value={formatNumber(account.remaining ?? "unknown")}
                note={`${formatNumber(account.bonus)} of them bonus`}
              />
              <Stat
                label="Used this month"
                value={formatNumber(account.used)}
                note={<Meter percent={account.used_percent} label="Used of the month's credits" />}
              />
              <Stat
                label="Renews"
                value={<Time at={account.renews} />}
                note={<Time at={account.renews} style="distance" />}
              />
            </Stats>
            <Section title="Details">
              <Facts
                facts={[
                  ["Id", <Code key="id">{account.id}</Code>],
                  ["State", <AccountState key="state" account={account} />],
                  ["Plan", account.plan],
                  ["External id", account.external_id ?? "none"],
                  ["Created", <Time key="created" at={account.created} style="instant" />],
                ]}
              />
            </Section>
          </>
        )}
      </Ready>
    </Page>
  )
}

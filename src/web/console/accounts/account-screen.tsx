import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/button.tsx"
import { CopyId } from "../../kit/copy-id.tsx"
import { Facts, Meter, Stat, Stats } from "../../kit/facts.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Notice, Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { formatNumber, Time } from "../../kit/text.tsx"
import { RecentUsage } from "../recent-usage.tsx"
import { AccountAdjustments, AdjustCredits } from "./account-adjustments.tsx"
import { AccountKeys, AccountWebhook } from "./account-sections.tsx"
import {
  CloseAccount,
  EditAccount,
  GrantCredits,
  notifyChoices,
  PortalLink,
  ReopenButton,
} from "./account-windows.tsx"
import { AccountState } from "./accounts-screen.tsx"

type WindowName = "edit" | "adjust" | "grant" | "close" | "link"

/** One account: what it has and used, its keys and its webhook, and everything that can be changed. */
export function AccountScreen({ id }: { readonly id: string }) {
  const reading = useRead("accounts.get", { id })
  const [window, setWindow] = useState<WindowName | null>(null)
  const [adjusted, setAdjusted] = useState(0)
  const close = () => setWindow(null)

  function adjustmentMade(text: string): void {
    close()
    say(text)
    setAdjusted((before) => before + 1)
    reading.reload()
  }

  function changed(text: string, account: Account): void {
    close()
    say(text)
    reading.show(account)
  }

  function windowProps(account: Account, text: string) {
    return { account, close, done: (saved: Account) => changed(text, saved) }
  }

  return (
    <Page
      title={reading.data?.name ?? "Account"}
      up={{ title: "Accounts", href: addressOf("/accounts") }}
      actions={reading.data && <Actions account={reading.data} open={setWindow} changed={changed} />}
    >
      <Ready reading={reading} what="the account">
        {(account) => (
          <>
            {account.problem !== null && <Notice tone="bad">{account.problem}</Notice>}
            {account.closed !== null && (
              <Notice tone="plain">
                This account has been closed since <Time at={account.closed} style="instant" />. Its keys are
                refused.
              </Notice>
            )}
            <Balance account={account} />
            {may("usage.query") && (
              <Section title="Usage" actions={may("requests.list") && <RequestLinks id={id} />}>
                <RecentUsage filter={{ account: id }} file={`usage-${id}`} />
              </Section>
            )}
            {may("credits.list") && (
              <AccountAdjustments account={account} version={adjusted} changed={adjustmentMade} />
            )}
            {may("keys.list") && <AccountKeys account={account} />}
            <Details account={account} />
            {may("webhooks.get") && <AccountWebhook account={account} changed={changed} />}
            {window === "edit" && <EditAccount {...windowProps(account, "Account saved.")} />}
            {window === "adjust" && (
              <AdjustCredits
                account={account}
                close={close}
                done={() => adjustmentMade("Credits adjusted.")}
              />
            )}
            {window === "grant" && <GrantCredits {...windowProps(account, "Credits granted.")} />}
            {window === "close" && <CloseAccount {...windowProps(account, "Account closed.")} />}
            {window === "link" && <PortalLink account={account} close={close} />}
          </>
        )}
      </Ready>
    </Page>
  )
}

/** Leads to the kept requests of an account, where the reason of each failure is. */
function RequestLinks({ id }: { readonly id: string }) {
  const requests = { view: "kept", account: id }
  return (
    <>
      <a class="button plain" href={addressOf("/requests", requests)}>
        Requests
      </a>
      <a class="button plain" href={addressOf("/requests", { ...requests, status: "4xx" })}>
        Failed requests
      </a>
    </>
  )
}

interface ActionsProps {
  readonly account: Account
  open(window: WindowName): void
  changed(text: string, account: Account): void
}

function Actions({ account, open, changed }: ActionsProps) {
  if (account.closed !== null) {
    return (
      may("accounts.reopen") && (
        <ReopenButton account={account} done={(saved) => changed("Account reopened.", saved)} />
      )
    )
  }
  return (
    <>
      {may("portal.link") && <Button onClick={() => open("link")}>Portal link</Button>}
      {may("accounts.update") && <Button onClick={() => open("edit")}>Edit</Button>}
      {may("accounts.close") && (
        <Button kind="risky" onClick={() => open("close")}>
          Close
        </Button>
      )}
      {may("credits.adjust") ? (
        <Button kind="primary" onClick={() => open("adjust")}>
          Adjust credits
        </Button>
      ) : (
        may("credits.grant") && (
          <Button kind="primary" onClick={() => open("grant")}>
            Grant credits
          </Button>
        )
      )}
    </>
  )
}

function Balance({ account }: { readonly account: Account }) {
  const { remaining, bonus, used, allowance, used_percent, renews } = account
  return (
    <Stats>
      <Stat label="Credits left" value={formatNumber(remaining ?? "unknown")} note={bonusNote(bonus)} />
      <Stat
        label={allowance === null ? "Used this month" : `Used of ${formatNumber(allowance)}`}
        value={formatNumber(used)}
        note={<Meter percent={used_percent} label="Used of the month's credits" />}
      />
      <Stat
        label="Next credit month"
        value={<Time at={renews} />}
        note={<Time at={renews} style="distance" />}
      />
    </Stats>
  )
}

/** Below zero, which needs `--allow-debt`, a bonus is what the customer owes. */
function bonusNote(bonus: number): string {
  if (bonus < 0) return `owes ${formatNumber(-bonus)} credits`
  return bonus > 0 ? `${formatNumber(bonus)} of them bonus, which does not expire` : "no bonus"
}

function Details({ account }: { readonly account: Account }) {
  const metadata = Object.entries(account.metadata)
  return (
    <Section title="Details">
      <Facts
        facts={[
          ["Id", <CopyId key="id" id={account.id} />],
          ["State", <AccountState key="state" account={account} />],
          ["Plan", account.plan],
          ["E-mail", account.email ?? <span class="muted">none</span>],
          ["Notices", notifyChoices.find(([value]) => value === account.notify)?.[1] ?? account.notify],
          ["External id", account.external_id ?? <span class="muted">none</span>],
          ["Created", <Time key="created" at={account.created} style="instant" />],
          ...metadata.map(([name, value]) => [name, JSON.stringify(value)] as const),
        ]}
      />
    </Section>
  )
}

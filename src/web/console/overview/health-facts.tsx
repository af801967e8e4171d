import { addressOf } from "../../client/address.ts"
import type { AnswerOf } from "../../client/operations.ts"
import { useRead } from "../../client/use-read.ts"
import { Facts } from "../../kit/facts.tsx"
import { Ready } from "../../kit/states.tsx"
import { formatBytes, formatNumber, Tag, Time } from "../../kit/text.tsx"

type Health = AnswerOf<"health.detail">

const dayS = 86_400

/** Version, store, notices and the age of the last backup. */
export function HealthFacts({ version }: { readonly version: number }) {
  const reading = useRead("health.detail", {}, version)
  return (
    <Ready reading={reading} what="health">
      {(health) => (
        <Facts
          facts={[
            ["Version", health.version],
            ["Running since", <Time key="started" at={health.started} style="distance" />],
            [
              "Store",
              `${health.store === "sqlite" ? "SQLite" : "PostgreSQL"}, ${formatBytes(sizeOf(health))}`,
            ],
            ["Charges", `${formatNumber(health.charges)} (${formatNumber(health.refusals)} refused)`],
            ["Notices", <Notices key="notices" health={health} />],
            ["Last backup", <LastBackup key="backup" health={health} />],
          ]}
        />
      )}
    </Ready>
  )
}

function Notices({ health: { notices } }: { readonly health: Health }) {
  const { pending = 0, failed = 0 } = notices
  if (failed === 0) return <>{pending === 0 ? "none waiting" : `${formatNumber(pending)} waiting`}</>
  return (
    <a href={addressOf("/notices", { state: "failed" })}>
      <Tag tone="bad">{formatNumber(failed)} failed</Tag>
    </a>
  )
}

function LastBackup({ health }: { readonly health: Health }) {
  const { last_backup, last_backup_age_seconds, store } = health
  if (last_backup === null || last_backup_age_seconds === null) {
    return store === "sqlite" ? (
      <Tag tone="warn">none</Tag>
    ) : (
      <span class="muted">made by the database server</span>
    )
  }
  const isOld = last_backup_age_seconds > 2 * dayS
  return (
    <Tag tone={isOld ? "warn" : "good"}>
      <Time at={last_backup} style="distance" />
    </Tag>
  )
}

function sizeOf({ store_bytes }: Health): number {
  return Object.values(store_bytes).reduce((sum, bytes) => sum + bytes, 0)
}

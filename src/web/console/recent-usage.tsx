import type { ReadInput } from "../client/operations.ts"
import { useRead } from "../client/use-read.ts"
import { Empty, Ready } from "../kit/page.tsx"
import { UsagePlots } from "../shared/usage-plots.tsx"

interface RecentUsageProps {
  /** The account or key whose usage it is. */
  readonly filter: Pick<ReadInput<"usage.query">, "account" | "key">
  /** The start of the names of the CSV files. */
  readonly file: string
}

const days = 31

/** Calls and credits of the last days. */
export function RecentUsage({ filter, file }: RecentUsageProps) {
  const reading = useRead("usage.query", { ...filter, days, by: ["day"], limit: days })
  return (
    <Ready reading={reading} what="usage">
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={`No calls in the last ${days} days`}>Successful calls appear here.</Empty>
        ) : (
          <UsagePlots sums={data} days={days} file={file} />
        )
      }
    </Ready>
  )
}

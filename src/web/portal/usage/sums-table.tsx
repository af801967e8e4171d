import { Button } from "../../kit/button.tsx"
import { toCsv } from "../../kit/csv.ts"
import { saveFile } from "../../kit/save-file.ts"
import { Table } from "../../kit/table.tsx"
import { formatNumber } from "../../kit/text.tsx"

interface NamedSum {
  /** The API's title or the key's name. */
  readonly name: string
  readonly calls: number
  readonly credits?: number
}

interface SumsTableProps {
  readonly title: string
  readonly rows: readonly NamedSum[]
  /** The name of the CSV file, without its ending. */
  readonly file: string
}

/** Calls and credits of each API or key, the most credits first. */
export function SumsTable({ title, rows, file }: SumsTableProps) {
  const sorted = rows.toSorted((one, other) => (other.credits ?? 0) - (one.credits ?? 0))
  const heading = title.replace("By ", "").replace("key", "Key")
  const save = () =>
    saveFile(
      `${file}.csv`,
      toCsv(
        [heading, "Calls", "Credits"],
        sorted.map(({ name, calls, credits }) => [name, calls, credits ?? 0]),
      ),
    )
  return (
    <section class="card sums">
      <div class="section-head">
        <h3>{title}</h3>
        <Button icon="download" label={`Save as CSV: ${title}`} onClick={save}>
          Save as CSV
        </Button>
      </div>
      <Table
        caption={title}
        rows={sorted}
        keyOf={({ name }) => name}
        columns={[
          { title: heading, isName: true, cell: ({ name }) => name },
          { title: "Calls", isNumber: true, cell: ({ calls }) => formatNumber(calls) },
          { title: "Credits", isNumber: true, cell: ({ credits }) => formatNumber(credits ?? 0) },
        ]}
      />
    </section>
  )
}

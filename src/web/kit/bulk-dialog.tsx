import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { randomId } from "../client/browser.ts"
import type { BulkId, BulkResult } from "../client/operations.ts"
import { Problem, send } from "../client/request.ts"
import { may } from "../client/session.ts"
import { readAgain } from "../client/use-read.ts"
import { Button, closeWindow, Dialog, say } from "./dialog.tsx"
import { Form, type FormValues } from "./form.tsx"
import {
  type FieldsOf,
  type FormField,
  FormFields,
  fieldsOf,
  readFields,
  requiredOf,
} from "./form-fields.tsx"
import { countOf, formatNumber } from "./text.tsx"

interface ActionTexts<Row> {
  /** On its button: "Adjust credits". */
  readonly label: string
  /** The window's title for "3 accounts": "Adjust credits of 3 accounts". By default the label and these words. */
  readonly title?: (rows: string) => string
  /** The message when it is done: "Credits of 3 accounts adjusted." */
  done(rows: string): string
  /** The effect on the rows. */
  readonly about: ComponentChildren
  /** Whether the window begins at Cancel. */
  readonly danger?: boolean
  /** Why it makes no sense for a row, such as "closed already"; null if it does. */
  skip(row: Row): string | null
}

/** An operation that the service runs for each of several rows. */
export interface BulkAction<Row> extends ActionTexts<Row> {
  readonly operation: BulkId
  /** Fields that are filled in once, for all rows. */
  readonly asked: readonly FormField[]
}

/** An operation that is run for each row, with its id. Null if the user may not run it. */
export function bulkAction<Row, Id extends BulkId>(
  texts: ActionTexts<Row> & { readonly operation: Id; readonly fields?: FieldsOf<Id> },
): BulkAction<Row> | null {
  const { operation, fields = {}, ...action } = texts
  return may(operation) ? { ...action, operation, asked: fieldsOf<Id>(operation, fields) } : null
}

/** Why a row was refused. */
type Failed<Row> = BulkResult & { readonly row: Row }

interface BulkDialogProps<Row> {
  readonly thing: string
  readonly action: BulkAction<Row>
  readonly rows: readonly Row[]
  nameOf(row: Row): string
  /** Called when it closes, with the rows that it has left as they were. */
  left(rows: readonly Row[]): void
}

/** Says what will happen to which rows, does it, and says what failed. */
export function BulkDialog<Row extends { readonly id: string }>(props: BulkDialogProps<Row>) {
  const { thing, action, rows, nameOf, left } = props
  /** The rows that were refused; null before the first answer. */
  const [failed, setFailed] = useState<readonly Failed<Row>[] | null>(null)
  // The same when rows are tried again, so that nothing is done twice.
  const idempotencyKey = useRef(randomId())
  const skipped = rows.filter((row) => action.skip(row) !== null)
  const chosen = rows.filter((row) => action.skip(row) === null)
  const rest = failed ? failed.map(({ row }) => row) : chosen
  const { title: titleOf = (rows: string) => `${action.label} ${rows}` } = action
  const title = titleOf(countOf(chosen.length, thing))
  const skippedText = `${countOf(skipped.length, thing)} skipped`
  const namesOfSkipped = (
    <Names title={skippedText} names={skipped.map((row) => `${nameOf(row)}: ${action.skip(row)}`)} />
  )

  function close(rows: readonly Row[]): void {
    closeWindow()
    left(rows)
  }

  async function run(typed: FormValues): Promise<readonly Failed<Row>[]> {
    const items = rest.map(({ id }) => ({ ...readFields(action.asked, typed), id }))
    const keyed = { idempotencyKey: idempotencyKey.current }
    const results = (await send("bulk.run", { operation: action.operation, items }, keyed)).data
    const refused = results.flatMap((result, at) =>
      result.problem === null ? [] : [{ ...result, row: rest[at] as Row }],
    )
    // The form shows what is wrong for all rows at its field.
    const isWrong = refused.length === rest.length && refused.every(({ problem }) => problem === "invalid")
    if (action.asked.length > 0 && failed === null && isWrong) throw new Problem(400, refused[0])
    return refused
  }

  function ended(refused: readonly Failed<Row>[]): void {
    readAgain()
    setFailed(refused)
    if (refused.length > 0) return
    say(action.done(countOf(chosen.length, thing)) + (skipped.length > 0 ? ` ${skippedText}.` : ""))
    close([])
  }

  if (chosen.length === 0)
    return (
      <Dialog title={action.label} close={() => close(rows)}>
        <div class="dialog-text stack gap-3 muted">
          <p>There is nothing to do for what is selected.</p>
        </div>
        {namesOfSkipped}
        <div class="form-buttons row">
          <Button onClick={() => close(rows)}>Close</Button>
        </div>
      </Dialog>
    )
  const leave = () => close(failed ? rest : rows)
  const isAsking = failed === null
  return (
    <Dialog title={action.danger && isAsking ? `${title}?` : title} close={leave}>
      <Form
        submit={isAsking ? title : "Try again"}
        danger={isAsking && (action.danger ?? false)}
        required={requiredOf(action.asked)}
        cancel={leave}
        cancelLabel={isAsking ? "Cancel" : "Close"}
        send={run}
        done={ended}
      >
        {failed && <Ended failed={failed} done={chosen.length - rest.length} thing={thing} nameOf={nameOf} />}
        {/* The values stay in the form: "Try again" sends them for the other rows. */}
        <div hidden={!isAsking}>
          <div class="stack gap-4">
            <p>{action.about}</p>
            <Names title={countOf(chosen.length, thing)} names={chosen.map(nameOf)} />
            {skipped.length > 0 && namesOfSkipped}
            <FormFields fields={action.asked} />
          </div>
        </div>
      </Form>
    </Dialog>
  )
}

interface NamesProps {
  readonly title: string
  readonly names: readonly string[]
}

/** So many names are shown at once, so that fields below them stay in sight. */
const maxShown = 8

/** Names of rows, all of which can be shown. */
function Names({ title, names }: NamesProps) {
  const rest = names.slice(maxShown)
  return (
    <div class="names stack gap-1">
      <p>{title}</p>
      <NameList names={names.slice(0, maxShown)} />
      {rest.length > 0 && (
        <details class="figures">
          <summary>{formatNumber(rest.length)} more</summary>
          <NameList names={rest} />
        </details>
      )}
    </div>
  )
}

function NameList({ names }: Pick<NamesProps, "names">) {
  return (
    <ul class="sunken">
      {names.map((name, index) => (
        <li key={index}>{name}</li>
      ))}
    </ul>
  )
}

interface EndedProps<Row> extends Pick<BulkDialogProps<Row>, "thing" | "nameOf"> {
  readonly failed: readonly Failed<Row>[]
  /** How many rows were changed in all. */
  readonly done: number
}

/** The result: how many rows were changed, and which ones were refused and why. The focus goes to its last button. */
function Ended<Row>({ failed, done, thing, nameOf }: EndedProps<Row>) {
  const text = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    text.current?.closest("form")?.querySelector<HTMLElement>(".form-buttons .quiet")?.focus()
  }, [])
  return (
    <>
      <div class="dialog-text muted" role="alert" ref={text}>
        <p>
          {countOf(done, thing)} done, {formatNumber(failed.length)} failed.
        </p>
      </div>
      <Names
        title={`${countOf(failed.length, thing)} failed`}
        names={failed.map(({ row, detail }) => `${nameOf(row)}: ${detail}`)}
      />
    </>
  )
}

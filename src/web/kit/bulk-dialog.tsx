import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { randomId } from "../client/browser.ts"
import type { InputOf, SendId } from "../client/operations.ts"
import { send } from "../client/request.ts"
import { may } from "../client/session.ts"
import { readAgain } from "../client/use-read.ts"
import { Button } from "./button.tsx"
import { closeWindow, Dialog } from "./dialog.tsx"
import { Form, type FormValues } from "./form.tsx"
import { checksOf, type FieldsOf, FormFields, fieldsOf, readFields } from "./form-fields.tsx"
import { type Outcome, runEach, type Step } from "./run-each.ts"
import { say } from "./status.tsx"
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

/** Something that can be done to several rows. */
export interface BulkAction<Row> extends ActionTexts<Row> {
  /** Absent if nothing is asked for. */
  readonly fields?: ComponentChildren
  readonly checks: ReturnType<typeof checksOf>
  run(row: Row, typed: FormValues, idempotencyKey: string): Promise<unknown>
}

interface OperationTexts<Row, Id extends SendId> extends ActionTexts<Row> {
  readonly operation: Id
  /** Fields that are filled in once, for all rows. */
  readonly fields?: FieldsOf<Id>
}

/** An operation that runs once for each row, with its id. Null if the user may not run it. */
export function bulkAction<Row extends { readonly id: string }, Id extends SendId>(
  texts: OperationTexts<Row, Id>,
): BulkAction<Row> | null {
  const { operation, fields, ...action } = texts
  if (!may(operation)) return null
  const asked = fieldsOf(operation, fields ?? {})
  return {
    ...action,
    ...(fields && { fields: <FormFields fields={asked} /> }),
    checks: checksOf(asked),
    run: ({ id }, typed, idempotencyKey) =>
      send(operation, { id, ...readFields(asked, typed) } as unknown as InputOf<Id>, { idempotencyKey }),
  }
}

interface BulkDialogProps<Row> {
  readonly thing: string
  readonly action: BulkAction<Row>
  readonly rows: readonly Row[]
  nameOf(row: Row): string
  /** Called when it closes, with the rows that it has left as they were. */
  left(rows: readonly Row[]): void
}

/** Says what will happen to which rows, does it row after row, and says what failed. */
export function BulkDialog<Row>({ thing, action, rows, nameOf, left }: BulkDialogProps<Row>) {
  const [progress, setProgress] = useState<Progress | null>(null)
  const [outcome, setOutcome] = useState<Outcome<Row> | null>(null)
  const abort = useRef(new AbortController())
  // Stop when the user leaves the screen.
  useEffect(() => () => abort.current.abort(), [])
  const skipped = rows.filter((row) => action.skip(row) !== null)
  const steps = useMemo(() => toSteps(rows.filter((row) => action.skip(row) === null)), [])
  const { title: titleOf = (rows: string) => `${action.label} ${rows}` } = action
  const title = titleOf(countOf(steps.length, thing))
  const count = (some: readonly unknown[], word: string) => `${countOf(some.length, thing)} ${word}`
  const namesOfSkipped = (
    <Names
      title={count(skipped, "skipped")}
      names={skipped.map((row) => `${nameOf(row)}: ${action.skip(row)}`)}
    />
  )

  function close(rows: readonly Row[]): void {
    closeWindow()
    left(rows)
  }

  async function run(typed: FormValues): Promise<Outcome<Row>> {
    abort.current = new AbortController()
    const rest = outcome?.rest ?? steps
    try {
      return await runEach(rest, {
        send: (row, idempotencyKey) => action.run(row, typed, idempotencyKey),
        signal: abort.current.signal,
        onStep: (behind) => setProgress({ behind, count: rest.length, waitMs: null }),
        onWait: (waitMs) => setProgress((before) => before && { ...before, waitMs }),
        isShared: ({ status }) => status === 400 && action.fields !== undefined && outcome === null,
      })
    } finally {
      setProgress(null)
    }
  }

  function ended(ended: Outcome<Row>): void {
    readAgain()
    setOutcome(ended)
    if (ended.rest.length > 0) return
    say(
      action.done(countOf(steps.length, thing)) +
        (skipped.length > 0 ? ` ${count(skipped, "skipped")}.` : ""),
    )
    close([])
  }

  if (steps.length === 0) {
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
  }
  const leave = () => close(outcome ? outcome.rest.map(({ row }) => row) : rows)
  const isAsking = outcome === null
  const isStopped = outcome?.error === null && outcome.rest.every(({ refusal }) => refusal === undefined)
  return (
    <Dialog
      title={action.danger && progress === null && isAsking ? `${title}?` : title}
      close={leave}
      mayClose={progress === null}
    >
      {progress && <Running {...progress} stop={() => abort.current.abort()} />}
      <div hidden={progress !== null}>
        <Form
          submit={isAsking ? title : isStopped ? "Go on" : "Try again"}
          danger={isAsking && (action.danger ?? false)}
          {...action.checks}
          cancel={leave}
          cancelLabel={isAsking ? "Cancel" : "Close"}
          send={run}
          done={ended}
        >
          {outcome && progress === null && (
            <Ended outcome={outcome} of={steps.length} thing={thing} nameOf={nameOf} />
          )}
          {/* The values stay in the form: "Try again" sends them for the other rows. */}
          <div hidden={!isAsking}>
            <div class="stack gap-4">
              <p>{action.about}</p>
              <Names title={countOf(steps.length, thing)} names={steps.map(({ row }) => nameOf(row))} />
              {skipped.length > 0 && namesOfSkipped}
              {action.fields}
            </div>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}

function toSteps<Row>(rows: readonly Row[]): readonly Step<Row>[] {
  return rows.map((row) => ({ row, idempotencyKey: randomId() }))
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

interface Progress {
  readonly behind: number
  readonly count: number
  /** How long the service wants no request; null while it takes them. */
  readonly waitMs: number | null
}

function Running({ behind, count, waitMs, stop }: Progress & { readonly stop: () => void }) {
  const buttons = useRef<HTMLDivElement>(null)
  const [isStopping, setStopping] = useState(false)
  useLayoutEffect(() => buttons.current?.querySelector("button")?.focus(), [])
  return (
    <div class="stack">
      <progress max={count} value={behind} aria-label="Progress" />
      <p>
        {formatNumber(behind)} of {formatNumber(count)}
      </p>
      <p class="muted" role="status">
        {isStopping
          ? "It stops after the present one."
          : waitMs !== null &&
            `The service limits requests a minute. It goes on in ${formatNumber(Math.ceil(waitMs / 1_000))} s.`}
      </p>
      <div class="form-buttons row" ref={buttons}>
        <Button
          onClick={() => {
            setStopping(true)
            stop()
          }}
        >
          Stop
        </Button>
      </div>
    </div>
  )
}

interface EndedProps<Row> {
  readonly outcome: Outcome<Row>
  /** How many rows there were. */
  readonly of: number
  readonly thing: string
  nameOf(row: Row): string
}

/** The result: rows that were changed, that failed and why, and that were not reached. The focus goes to its last button. */
function Ended<Row>({ outcome: { rest, error }, of, thing, nameOf }: EndedProps<Row>) {
  const text = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    text.current?.closest("form")?.querySelector<HTMLElement>(".form-buttons .quiet")?.focus()
  }, [])
  const failed = rest.filter(({ refusal }) => refusal !== undefined)
  const left = rest.filter(({ refusal }) => refusal === undefined)
  return (
    <>
      <div class="dialog-text stack gap-3 muted" role="alert" ref={text}>
        <p>
          {countOf(of - rest.length, thing)} done, {formatNumber(failed.length)} failed
          {left.length > 0 && `, ${formatNumber(left.length)} not reached`}.
        </p>
        {error && <p>{error.message} What was done already is not done twice.</p>}
      </div>
      {failed.length > 0 && (
        <Names
          title={`${countOf(failed.length, thing)} failed`}
          names={failed.map(({ row, refusal }) => `${nameOf(row)}: ${refusal}`)}
        />
      )}
      {left.length > 0 && (
        <Names
          title={`${countOf(left.length, thing)} not reached`}
          names={left.map(({ row }) => nameOf(row))}
        />
      )}
    </>
  )
}

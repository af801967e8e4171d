import type { Database } from "bun:sqlite"
import { insertNotice } from "../account-steps.ts"
import type { StoreListeners } from "../open-store.ts"
import type { NoticeRecord } from "../outbox.ts"
import { prepareTimedEventReads, type TimedEvents, type TimedNotice } from "../timed-events.ts"
import { selectNotice } from "./notice-rows.ts"
import { createRun, runStep } from "./statement.ts"
import type { Write } from "./write.ts"

interface TimedEventsParts {
  readonly read: <T>(operation: () => T) => T
  readonly write: Write
  readonly onRaised: StoreListeners["onRaised"]
}

/** The events of a data file that come with time. */
export function prepareTimedEvents(
  database: Database,
  { read, write, onRaised }: TimedEventsParts,
): TimedEvents {
  const insertAll = database.transaction((notices: readonly TimedNotice[]) =>
    notices.filter((notice) => runStep(database, insertNotice(notice)) > 0),
  )

  return {
    ...prepareTimedEventReads({
      read: createRun(database, read),
      write: createRun(database, write),
      // SQLite finds the rows by the first conditions. It does not compare pairs in an index of an expression.
      isIn: (column) =>
        `${column} > $1 AND ${column} >= $3 AND ${column} <= $2 AND (${column} > $3 OR id > $4)`,
      indexedBy: (index) => `INDEXED BY ${index}`,
    }),
    async raise(notices) {
      const raised = await write(() => insertAll.immediate(notices))
      if (raised.length === 0) return
      const find = database.query<NoticeRecord, [string]>(selectNotice)
      onRaised(raised.flatMap(({ id }) => read(() => find.get(id)) ?? []))
    },
  }
}

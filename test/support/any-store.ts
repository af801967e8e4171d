import { afterEach } from "bun:test"
import { join } from "node:path"
import { SQL } from "bun"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { isPostgresUrl, openStore } from "../../src/store/open.ts"
import type { AnyStoreOptions, StoreListeners } from "../../src/store/store-options.ts"
import { withChanges } from "./changes.ts"
import { usePostgres } from "./postgres.ts"
import { tempDir } from "./temp.ts"
import { hasTurn } from "./turns.ts"

/** A kind of store that tests run on. */
export interface StoreKind {
  readonly name: string
  /** Names a new, empty store, as `--db` does. */
  create(): Promise<string>
}

/** Both kinds of stores: a data file, and a database on a PostgreSQL server that ends with the tests of the file. */
export function useStoreKinds(): readonly StoreKind[] {
  const dir = tempDir()
  const postgres = usePostgres()
  let files = 0
  return [
    { name: "a data file", create: async () => join(dir, `any-${++files}.db`) },
    { name: "PostgreSQL", create: () => postgres.createDatabase() },
  ]
}

/**
 * The kind of stores that has its turn, for tests of what stands above the stores: the check of each commit tries half of such
 * files on either kind. What a store promises is tried on both with each (test/store).
 * @param place the other half has the other number
 */
export function useStoreKindsInTurn(place: 0 | 1): readonly StoreKind[] {
  return useStoreKinds().filter((_, kind) => hasTurn(kind + place, 2))
}

/**
 * Opens a store that raises notices at 80 and 95 percent. On PostgreSQL it is open when notifications arrive: until then the
 * delivery is woken once without a notice, and a notice wakes nobody.
 */
export async function openAnyStore(
  db: string,
  onRaised: StoreListeners["onRaised"] = () => {},
  more: Pick<AnyStoreOptions, "serving" | "limitMs"> = {},
) {
  const notices = { thresholds: [80, 95], now: systemClock.now }
  const opened = await openStore(db, {
    timer: keepAliveTimer,
    clock: systemClock,
    random: systemRandom,
    notices,
    // A busy machine may take longer for a step than a server of calls lets the database take.
    limitMs: 30_000,
    ...more,
  })
  const { promise: connected, resolve: onConnected } = Promise.withResolvers<void>()
  let isConnected = !isPostgresUrl(db)
  const onRaisedSince: typeof onRaised = (raised) => isConnected && onRaised(raised)
  opened.listen({ onRaised: onRaisedSince, onMessage() {}, onConnected })
  if (!isConnected) await connected
  isConnected = true
  return withChanges(opened)
}

/** Runs statements on a store, as another program would, and returns the rows of the last one. */
export async function runSql(db: string, statements: string): Promise<readonly unknown[]> {
  await using sql = new SQL(isPostgresUrl(db) ? db : `sqlite://${db}`, { max: 1 })
  return [...(await sql.unsafe(statements).simple())]
}

/** The result of {@link openAnyStore}. */
export type AnyTestStore = Awaited<ReturnType<typeof openAnyStore>>

/** Opens stores for one test each: several on one database work as several processes do. They are closed after the test. */
export function useOpenStores(): typeof openAnyStore {
  const open: AnyTestStore[] = []
  afterEach(async () => {
    for (const { store } of open.splice(0)) await store.close()
  })
  return async (...given) => {
    const opened = await openAnyStore(...given)
    open.push(opened)
    return opened
  }
}

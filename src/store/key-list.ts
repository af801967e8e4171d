import { InputRejected } from "../apis/contract.ts"
import type { KeyDetails, Page } from "./admin-store.ts"
import type { KeyFilter, KeySort } from "./list-filters.ts"
import {
  beginsWith,
  byFirst,
  type Candidates,
  type Condition,
  countRows,
  equals,
  type ListParts,
  type ListQuery,
  type Order,
  orderBy,
  type RowCount,
  readPage,
} from "./list-page.ts"
import * as rows from "./rows.ts"

/** A key and the last day with a call by it. */
export interface LastUse {
  readonly keyId: string
  readonly day: string
}

/** Keys of one account that are sorted by their last use. */
const mostSorted = 5_000

/** The list of keys, in any kind of store. */
export function prepareKeyList(parts: ListParts) {
  const { read, texts, lowerName } = parts
  const oldest = orderBy(false, "created_ms", "id")
  const orders: Readonly<Record<"newest" | "oldest" | "name", Order>> = {
    newest: orderBy(true, "created_ms", "id"),
    oldest,
    name: {
      columns: [
        [lowerName.keys, "string"],
        ["id", "string"],
      ],
      isDescending: false,
    },
  }

  function toWhere(filter: KeyFilter, hasIndexes: boolean): Omit<ListQuery, "page" | "order"> {
    const { accountId, externalId, prefix, idPrefix, state } = filter
    const ofKey = [...equals("account_id", accountId), ...equals("external_id", externalId)]
    const ofState = state ? [stateConditions[state.name](state.nowMs)] : []
    const { conditions, checks } = hasIndexes ? byFirst(ofKey) : { conditions: [], checks: ofKey }
    const candidates: Candidates[] = checks.map((one) => withIds(one))
    const ofPrefix = [
      ...(prefix === undefined ? [] : [beginsWith(`prefix COLLATE "C"`, prefix)]),
      ...(idPrefix === undefined ? [] : [beginsWith("id", idPrefix)]),
    ]
    candidates.push(...ofPrefix.map(withIds))
    if (state && state.name !== "works") candidates.push(withIds(ofState[0] ?? [() => "true"]))
    const select = (keys: string) => rows.selectKeyDetails.replace("FROM keys", `FROM ${keys}`)
    return { table: "keys", select, conditions, checks: [...checks, ...ofPrefix, ...ofState], candidates }
  }

  async function lastUses(keys: readonly Pick<KeyDetails, "id" | "accountId">[]) {
    const ids = texts.toParameter(keys.map(({ id }) => id))
    const accounts = texts.toParameter([...new Set(keys.map(({ accountId }) => accountId))])
    const select = `SELECT key_id AS "keyId", max(day) AS day FROM (
        SELECT id AS key_id, (SELECT max(day) FROM key_usage WHERE key_id = keys.id) AS day FROM keys WHERE id ${texts.isIn("$1")}
        UNION ALL
        SELECT key_id, day FROM (${parts.openDays} WHERE account_id ${texts.isIn("$2")}) AS open_days WHERE key_id ${texts.isIn("$1")}
      ) AS days WHERE day IS NOT NULL GROUP BY key_id`
    return read<LastUse>(select, [ids, accounts])
  }

  /** Sorts the keys of one account, which are few. */
  async function readByUse(filter: KeyFilter, page: Page): Promise<readonly KeyDetails[]> {
    if (filter.accountId === undefined)
      throw new InputRejected("sort", "may be last_used for one account only")
    const all = { limit: mostSorted + 1, after: null }
    const found = await readPage<rows.KeyDetailsRow>(parts, {
      ...toWhere(filter, true),
      order: oldest,
      page: all,
    })
    if (found.length > mostSorted) {
      throw new InputRejected("sort", `may be last_used for an account with up to ${mostSorted} keys`)
    }
    const days = new Map((await lastUses(found)).map(({ keyId, day }) => [keyId, day]))
    const keyed = found.map((row) => [`${days.get(row.id) ?? ""} ${row.id}`, row] as const)
    const [day, id] = page.after ?? []
    const after = page.after === null ? null : `${day} ${id}`
    return keyed
      .filter(([place]) => after === null || place < after)
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .slice(0, page.limit)
      .map(([, row]) => rows.toKeyDetails(row))
  }

  return {
    lastUses,
    async read(filter: KeyFilter, page: Page, sort: KeySort = "oldest"): Promise<readonly KeyDetails[]> {
      if (sort === "last_used") return readByUse(filter, page)
      const query = { ...toWhere(filter, sort !== "name"), order: orders[sort], page }
      return (await readPage<rows.KeyDetailsRow>(parts, query)).map(rows.toKeyDetails)
    },
    count: (filter: KeyFilter, most: number): Promise<RowCount> =>
      countRows(parts, { ...toWhere(filter, true), most }),
  }
}

const stateConditions: Readonly<
  Record<NonNullable<KeyFilter["state"]>["name"], (nowMs: number) => Condition>
> = {
  revoked: () => [() => "revoked_ms IS NOT NULL"],
  disabled: () => [() => "(disabled_ms IS NOT NULL AND revoked_ms IS NULL)"],
  expired: (nowMs) => [
    (now) =>
      `(expires_ms IS NOT NULL AND revoked_ms IS NULL AND disabled_ms IS NULL AND expires_ms <= ${now})`,
    nowMs,
  ],
  works: (nowMs) => [
    (now) => `(revoked_ms IS NULL AND disabled_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ${now}))`,
    nowMs,
  ],
}

function withIds([toSql, ...values]: Condition): Candidates {
  const select = (...given: string[]) => `SELECT id FROM keys WHERE ${toSql(...given)}`
  return { column: "id", select: [select, ...values] }
}

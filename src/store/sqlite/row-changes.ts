import type { Database } from "bun:sqlite"

/** Fields of a record. Its lists are JSON in the row, and `createdMs` is in the column `created_ms`. */
type Fields = Readonly<Record<string, string | number | null | undefined | readonly string[]>>

/**
 * Inserts a row with a value for each field.
 * @param end what follows the values, such as `ON CONFLICT DO NOTHING`
 * @returns whether the row was inserted
 */
export function insertRow(database: Database, table: string, fields: Fields, end = ""): boolean {
  const given = Object.keys(fields)
  const insert = `INSERT INTO ${table} (${given.map(toColumn).join(", ")}) VALUES (${given.map(toParameter).join(", ")}) ${end}`
  return database.query(insert).run(toValues(fields)).changes === 1
}

/** Sets the fields that are not undefined in the row with an id, and raises its version. */
export function updateVersioned(database: Database, table: "accounts" | "keys", id: string, fields: Fields) {
  const given = Object.keys(fields).filter((field) => fields[field] !== undefined)
  const set = given.map((field) => `, ${toColumn(field)} = ${toParameter(field)}`)
  const update = `UPDATE ${table} SET version = version + 1${set.join("")} WHERE id = $id`
  database.query(update).run({ ...toValues(fields), id })
}

function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function toParameter(field: string): string {
  return `$${field}`
}

function toValues(fields: Fields): Record<string, string | number | null> {
  const values = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    values.map(([field, value]) => [field, Array.isArray(value) ? JSON.stringify(value) : (value as string)]),
  )
}

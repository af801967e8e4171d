import { expect, test } from "bun:test"
import { requireServerVersion } from "./migrations.ts"

const address = "postgres://ann@db:5432/x"

test("a server older than 15 is refused", () => {
  const old = { number: 140_012, name: "14.12", encoding: "UTF8" }
  expect(() => requireServerVersion(old, address)).toThrow(
    "postgres://ann@db:5432/x is on PostgreSQL 14.12. Use version 15 or newer.",
  )
  requireServerVersion({ number: 150_000, name: "15.0", encoding: "UTF8" }, address)
})

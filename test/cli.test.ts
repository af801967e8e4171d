/** The command line, run in this process on real files. */

import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCliForTest } from "./support/cli.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
let stores = 0
const newStore = () => join(dir, `cli-${stores++}.db`)

async function json(...argv: string[]) {
  const { code, out, err } = await runCliForTest([...argv, "--json"])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return JSON.parse(out)
}

async function failure(...argv: string[]) {
  const { code, out, err } = await runCliForTest(argv)
  expect(out).toBe("")
  return { code, err }
}

describe("help", () => {
  test.each([
    [["--help"], ["serve", "call", "account", "key"]],
    [
      ["serve", "--help"],
      ["--host", "--port", "--db", "--dns-server", "--trust-proxy", "--tls-cert", "PENKNIFE_PORT"],
    ],
    [
      ["call", "--help"],
      ["hmac", "linesorter", "bluetoothlookup"],
    ],
    [
      ["call", "hmac", "--help"],
      ["--message", "--secret", "sha256 | sha384", "default: hex", "required"],
    ],
    [
      ["account", "--help"],
      ["create", "list", "show", "set-plan", "grant", "close"],
    ],
    [
      ["key", "create", "--help"],
      ["--account", "--expires", "--allow-api", "--block-api", "--allow-ip", "--rate-limit"],
    ],
    [
      ["key", "rotate", "--help"],
      ["--grace", "--db"],
    ],
  ])("%p", async (argv, words) => {
    const { code, out, err } = await runCliForTest(argv)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    for (const word of words) expect(out).toContain(word)
  })

  test.each([[["help"]], [["help", "serve"]], [["account", "help", "create"]]])(
    "%p is no mistake",
    async (argv) => {
      const { code, out } = await runCliForTest(argv)
      expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Usage: penknife") })
    },
  )

  test("no default is told twice", async () => {
    for (const argv of [["usage"], ["key", "rotate"], ["account", "create"]]) {
      const { out } = await runCliForTest([...argv, "--help"])
      for (const line of out.split("  -"))
        expect(line.match(/\(default/g)?.length ?? 0).toBeLessThanOrEqual(1)
    }
  })

  test("--version", async () => {
    expect(await runCliForTest(["--version"])).toEqual({ code: 0, out: "0.0.0-test\n", err: "" })
  })
})

describe("accounts and keys", () => {
  test("a life: create, show, grant, set-plan, key, rotate, revoke, close", async () => {
    const db = ["--db", newStore()]
    const account = await json("account", "create", "--name", "Ann", "--plan", "free", ...db)
    expect(account.id).toMatch(/^acc_[0-9A-Za-z]{16}$/)
    expect(account).toMatchObject({ name: "Ann", plan: "free", closed: null })

    const key = await json(
      "key",
      "create",
      "--account",
      account.id,
      "--name",
      "ci",
      "--expires",
      "30d",
      ...db,
    )
    expect(Object.keys(key)).toEqual(["id", "key"])
    expect(key.key).toMatch(/^pk_[0-9A-Za-z]{38}$/)

    expect(await json("account", "show", account.id, ...db)).toMatchObject({
      allowance: 1_000,
      used: 0,
      bonus: 500,
      remaining: 1_500,
      keys: 1,
    })
    expect(await json("account", "grant", account.id, "50", ...db)).toMatchObject({
      bonus: 550,
      remaining: 1_550,
    })
    expect(await json("account", "set-plan", account.id, "enterprise", ...db)).toMatchObject({
      plan: "enterprise",
      remaining: "unlimited",
    })

    const rotated = await json("key", "rotate", key.id, "--grace", "1h", ...db)
    expect(rotated).toMatchObject({ id: key.id })
    expect(rotated.key).not.toBe(key.key)
    await json("key", "revoke", key.id, ...db)
    const [listed] = await json("key", "list", "--account", account.id, ...db)
    expect(listed).toMatchObject({ id: key.id, name: "ci", prefix: rotated.key.slice(0, 9) })
    expect(Date.parse(listed.revoked)).toBeGreaterThan(0)
    expect(Date.parse(listed.expires)).toBeGreaterThan(Date.parse(listed.revoked))

    expect(Date.parse((await json("account", "close", account.id, ...db)).closed)).toBeGreaterThan(0)
    expect(await json("account", "list", ...db)).toHaveLength(1)
  })

  test("tables for people", async () => {
    const db = ["--db", newStore()]
    await json("account", "create", "--name", "Ann", ...db)
    await json("account", "create", "--name", "Bob the second", "--plan", "pro", ...db)
    const { out } = await runCliForTest(["account", "list", ...db])
    const lines = out.trimEnd().split("\n")
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^id +name +plan +created +closed$/)
    expect(new Set(lines.map((line) => /\b(plan|free|pro)\b/.exec(line)?.index)).size).toBe(1)
  })

  test("no list, file or table holds a key", async () => {
    const file = newStore()
    const { id } = await json("account", "create", "--name", "Ann", "--db", file)
    const { key } = await json("key", "create", "--account", id, "--db", file)
    for (const command of [
      ["key", "list"],
      ["account", "show", id],
      ["account", "list"],
    ]) {
      expect((await runCliForTest([...command, "--db", file])).out).not.toContain(key.slice(0, 12))
    }
    const database = new Database(file, { readonly: true })
    const dump = JSON.stringify(
      ["accounts", "keys", "secrets"].map((table) => database.query(`SELECT * FROM ${table}`).all()),
    )
    database.close()
    expect(dump).toContain(key.slice(0, 9))
    expect(dump).not.toContain(key.slice(0, 12))
  })
})

describe("wrong usage is exit code 2 and says what to change", () => {
  test.each([
    [["nonsense"], "unknown command 'nonsense'"],
    [["serve", "--port", "x"], "--port must be a whole number from 0 to 65535, not 'x'."],
    [["serve", "--nonsense"], "unknown option '--nonsense'"],
    [["account", "create"], "required option '--name <NAME>' not specified"],
    [["account", "grant", "acc_1", "-5"], "Write a whole number, 1 or more."],
    [["account", "grant", "acc_1", "0"], "Write a whole number, 1 or more."],
    [["account", "grant", "acc_1", "9007199254740992"], "That is too large: write 9007199254740991 or less."],
    [["key", "create", "--account", "acc_1", "--expires", "soon"], "Write a date such as 2027-01-31"],
    [["key", "create", "--account", "acc_1", "--expires", "2027-02-30"], "Write a date such as"],
    [["key", "rotate", "key_1", "--grace", "1w"], "Write a time such as 90s"],
    [["call", "bluetoothlookup"], "The 'companyid' parameter is required"],
    [["call", "bluetoothlookup", "--companyid", "4C"], "The 'companyid' parameter"],
    [
      ["call", "sunrisesunset", "--lat", "1", "--lat", "2", "--lon", "3"],
      "The 'lat' parameter must be given once",
    ],
    [
      ["call", "sunrisesunset", "--lat", "91", "--lon", "3"],
      "The 'lat' parameter must be a number from -90 to 90.",
    ],
    [["serve", "--config", "/nonexistent.toml"], "/nonexistent.toml cannot be read"],
  ])("%p", async (argv, message) => {
    const { code, err } = await failure(...argv)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
  })

  test("a group without a command shows what there is", async () => {
    const { code, err } = await failure("account")
    expect(code).toBe(2)
    expect(err).toContain("set-plan")
  })
})

describe("errors are exit code 1", () => {
  test("a data file that is not there is not made", async () => {
    const db = newStore()
    for (const command of [
      ["account", "list"],
      ["key", "list"],
      ["account", "show", "acc_1"],
    ]) {
      const { code, err } = await failure(...command, "--db", db)
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`There is no data file ${db}`) })
    }
    expect(existsSync(db)).toBe(false)
  })

  test("things that do not exist are named", async () => {
    const db = ["--db", newStore()]
    const { id } = await json("account", "create", "--name", "Ann", ...db)
    const cases: [string[], string][] = [
      [["account", "show", "acc_9"], "There is no account 'acc_9'."],
      [
        ["account", "set-plan", id, "gold"],
        "There is no plan 'gold'. The plans are free, starter, pro, mega, enterprise.",
      ],
      [["account", "create", "--name", " "], "An account needs a name."],
      [["key", "create", "--account", "acc_9"], "There is no account 'acc_9'."],
      [["key", "create", "--account", id, "--allow-api", "hmca"], "There is no API 'hmca'."],
      [["key", "create", "--account", id, "--allow-ip", "10.0.0.0/99"], "'10.0.0.0/99' is not an IP address"],
      [
        ["key", "create", "--account", id, "--expires", "2001-01-01"],
        "The expiry of a new key must be in the future.",
      ],
      [
        ["key", "create", "--account", id, "--rate-limit", "1000001"],
        "The rate limit of a key must be a whole number from 1 to 1,000,000 calls a minute.",
      ],
      [["key", "revoke", "key_9"], "There is no key 'key_9'."],
    ]
    for (const [argv, message] of cases) {
      const { code, err } = await failure(...argv, ...db)
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`penknife: ${message}`) })
    }
    expect(await json("key", "list", ...db)).toEqual([])
  })

  test("a closed account takes no keys, a revoked key no rotation", async () => {
    const db = ["--db", newStore()]
    const { id } = await json("account", "create", "--name", "Ann", ...db)
    const key = await json("key", "create", "--account", id, ...db)
    await json("key", "revoke", key.id, ...db)
    expect((await failure("key", "rotate", key.id, ...db)).err).toContain("is revoked")
    await json("account", "close", id, ...db)
    expect((await failure("key", "create", "--account", id, ...db)).err).toContain("is closed")
    expect((await failure("account", "grant", id, "5", ...db)).err).toContain("is closed")
  })
})

describe("serve", () => {
  test("says when it listens, makes the demo key once, and the printed call works", async () => {
    const db = newStore()
    const first = await serve(["serve", "--port", "0", "--db", db, "--demo"], async (out) => {
      const [, key, url] = /curl -H 'x-api-key: (pk_\w+)' '([^']+)'/.exec(out) ?? []
      const answer = await fetch(url === undefined ? "" : String(url), {
        headers: { "x-api-key": String(key) },
      })
      return answer.json()
    })
    expect(first.result.code).toBe(0)
    expect(first.result.out).toMatch(/^penknife listening on http:\/\/127\.0\.0\.1:\d+\n/)
    expect(first.seen).toMatchObject({ status: "ok", data: { company: "Apple, Inc." } })

    const second = await serve(["serve", "--port", "0", "--db", db, "--demo"], async () => null)
    expect(second.result.out).toMatch(/^penknife listening on \S+\n$/)
  })

  test("--json prints events, and settings come from file and environment", async () => {
    const file = join(dir, "settings.toml")
    writeFileSync(file, `db = ${JSON.stringify(newStore())}\nport = 0\n[credits]\nhmac = 7\n`)
    const { result } = await serve(["serve", "--json", "--config", file], async () => null)
    const event = JSON.parse(result.out)
    expect(event).toEqual({
      event: "listening",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: process.pid,
    })
  })

  test("refuses prices and plans that do not fit, and a list of companies that it cannot read", async () => {
    const wrong = join(dir, "wrong.toml")
    writeFileSync(wrong, "[credits]\nhmca = 7\n")
    expect(await failure("serve", "--port", "0", "--db", newStore(), "--config", wrong)).toEqual({
      code: 2,
      err: "penknife: 'credits.hmca': there is no API 'hmca'.\n",
    })
    const custom = join(dir, "custom.toml")
    writeFileSync(custom, "[plans.team]\nmonthly_credits = 5\n")
    const db = newStore()
    await json("account", "create", "--name", "Ann", "--plan", "team", "--db", db, "--config", custom)
    const refused = await failure("serve", "--port", "0", "--db", db)
    expect(refused).toEqual({
      code: 2,
      err: expect.stringContaining("has the plan 'team', which is not configured"),
    })
    const list = join(dir, "companies.json")
    writeFileSync(list, "[]]")
    const companies = await failure("serve", "--port", "0", "--db", newStore(), "--bluetooth-companies", list)
    expect(companies).toEqual({ code: 2, err: expect.stringContaining(list) })
  })

  test("a host that it cannot listen on is refused in whole sentences, with what to change", async () => {
    // Kept for documentation and for tests (RFC 5737, RFC 6761): no machine has them.
    for (const host of ["192.0.2.1", "nowhere.invalid"]) {
      const { code, err } = await failure("serve", "--host", host, "--port", "0", "--db", newStore())
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^penknife: [A-Z][^\n]+\.\n$/) })
      expect(err).toContain(" machine")
      expect(err).toContain("check --host.")
      expect(err).not.toContain("port 0")
    }
  })
})

/** Runs `serve`, looks at it once it has printed something, and stops it. */
async function serve<T>(argv: string[], look: (out: string) => Promise<T>) {
  const started = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<void>()
  let out = ""
  const running = runCliForTest(argv, {
    stopRequested: () => stop.promise,
    onOut: (text) => {
      out += text
      // What comes with the first line is printed in the same turn.
      queueMicrotask(started.resolve)
    },
  })
  await started.promise
  const seen = await look(out)
  stop.resolve()
  return { seen, result: await running }
}

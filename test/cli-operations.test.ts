/** The commands that are made from the operations of the administration, on real data files. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { operations } from "../src/admin/operations.ts"
import { firstRowAt } from "../src/store/kept-requests.ts"
import { person, piped, runLine, runLineJson } from "./support/admin-cli.ts"
import { openAnyStore } from "./support/any-store.ts"
import { keptRequestOf } from "./support/kept-request.ts"
import { readLines } from "./support/log.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
let stores = 0
const newStore = () => `--db ${join(dir, `operations-${stores++}.db`)}`

async function withKey() {
  const db = newStore()
  const { id } = await runLineJson(`account create --name Ann ${db}`)
  const key = await runLineJson(`key create --account ${id} --name ci ${db}`)
  return { db, account: id as string, id: key.id as string, text: key.key as string }
}

test("the help offers '' for a list alone that may be empty", async () => {
  const { db } = await withKey()
  for (const words of ["people add", "admin-key create"]) {
    const { out } = await runLine(`${words} --help`)
    expect(out.replace(/\s+/g, " ")).toMatch(/--may .*?; repeatable(?:\)| \()/)
    expect(out).not.toMatch(/--may[^-]*'' for none/)
  }
  const { out } = await runLine("key update --help")
  expect(out.replace(/\s+/g, " ")).toContain("An empty list allows all; repeatable; '' for none")
  const refused = await runLine(`people add None --may '' ${db}`)
  const unknown = expect.stringContaining("There is no permission ''. Known are *, accounts.read,")
  expect([refused.code, refused.err]).toEqual([2, unknown])
})

test("a refusal names parameters as they are written on the command line", async () => {
  const { db, account } = await withKey()
  const renewed = await runLine(`account renew ${account} ${db}`)
  expect([renewed.code, renewed.err]).toEqual([
    1,
    expect.stringContaining("Set --anyway to do it nevertheless."),
  ])
  const usage = await runLine(`usage --days 3 --from 2026-11-01 ${db}`)
  expect([usage.code, usage.err]).toEqual([2, expect.stringContaining("Give --from or --days, not both.")])
})

test("a person without passkeys has an empty list, and an example is safe to paste", async () => {
  const { db } = await withKey()
  const { id } = await runLineJson(`people add Ann ${db}`)
  const listed = await runLine(`people passkeys ${id} ${db}`)
  expect([listed.out, listed.err]).toEqual(["", expect.stringContaining("No passkeys.")])
  for (const { command, otherCommands = [] } of operations)
    for (const { example = "" } of [command, ...otherCommands])
      expect(example.replace(/'[^']*'/g, "")).not.toContain("*")
})

test("every operation has a command with help", async () => {
  expect(operations.length).toBeGreaterThan(20)
  for (const { id, command, otherCommands = [] } of operations)
    for (const { words, switch: flag } of [command, ...otherCommands]) {
      const { code, out } = await runLine(`${words} --help`)
      expect({ id, code }).toEqual({ id, code: 0 })
      expect(out).toContain(`Usage: penknife ${words} `)
      expect(out).toContain("\nExample:\n")
      for (const word of ["--db", "--server", "--admin-key", "--json", "--wide"]) expect(out).toContain(word)
      if (flag) expect(out).toContain(`--${flag}`)
    }
})

test("the help says what each flag does, and which text is that of another operation of the command", async () => {
  const pages: string[] = []
  for (const { command, otherCommands = [] } of operations)
    for (const { words } of [command, ...otherCommands]) pages.push((await runLine(`${words} --help`)).out)
  const all = pages.join("\n").replace(/\n {20,}/g, " ")
  // A flag says what it does; descriptions say whether it does so, or which of two values it asks for.
  const flags = [...all.matchAll(/^ {2}(--[\w-]+) {2,}(.*)$/gm)].map(
    ([, flag = "", does = ""]) => `${flag} ${does}`,
  )
  expect(flags).toContain("--dry-run only check the accounts and say how many would be created")
  expect(flags).toContain("--closed only closed accounts")
  expect(flags.filter((flag) => /^\S+ whether|, and to |, or only /i.test(flag))).toEqual([])
  const { out } = await runLine("account set-webhook --help")
  expect(out.replace(/\s+/g, " ")).toContain("With '--off': Removes an account's webhook.")
})

test("a bulk prints a result for each thing, and exits with 1 if one was refused", async () => {
  const { db, id } = await withKey()
  const item = (key: string) => `--item '{"id": "${key}"}'`
  const refused = await runLine(`bulk keys.disable ${item(id)} ${item("key_none")} ${db}`)
  expect(refused.code).toBe(1)
  expect(refused.out).toMatch(new RegExp(`^${id} +- +-$`, "m"))
  expect(refused.out).toMatch(/^key_none +not-found +There is no key 'key_none'/m)
  expect(refused.err).toContain("1 of 2 were refused.")
  expect((await runLineJson(`key show ${id} ${db}`)).disabled).not.toBeNull()
  const done = await runLineJson(`bulk keys.enable ${item(id)} ${db}`)
  expect(done).toEqual([{ id, problem: null, detail: null, parameter: null }])
  const wrong = await runLine(`bulk keys.rotate ${item(id)} ${db}`)
  expect([wrong.code, wrong.out]).toEqual([2, ""])
})

describe("what the commands take", () => {
  test("options of every kind reach the operation, and '' takes a value away", async () => {
    const { db, account, id } = await withKey()
    const set = `--expires 30d --allow-api hmac --allow-api linesorter --allow-ip 10.0.0.0/8 --rate-limit 60 --external-id k1 --metadata '{"team":"blue"}'`
    const key = await runLineJson(`key update ${id} --name 'two words' ${set} ${db}`)
    expect(key).toMatchObject({
      name: "two words",
      allow_apis: ["hmac", "linesorter"],
      allow_ips: ["10.0.0.0/8"],
      rate_limit: 60,
      external_id: "k1",
      metadata: { team: "blue" },
    })
    expect(Date.parse(key.expires)).toBeGreaterThan(Date.now())
    const cleared = await runLineJson(
      `key update ${id} --expires '' --allow-api '' --allow-ip '' --rate-limit '' --external-id '' ${db}`,
    )
    expect(cleared).toMatchObject({
      expires: null,
      allow_apis: null,
      allow_ips: null,
      rate_limit: null,
      external_id: null,
    })
    const events = `--event key.created --event key.revoked`
    expect((await runLineJson(`account update ${account} ${events} ${db}`)).events).toEqual([
      "key.created",
      "key.revoked",
    ])
    expect((await runLineJson(`account update ${account} --event '' ${db}`)).events).toEqual([])
  })

  test("a condition is asked for, ruled out, or left open", async () => {
    const { db, account } = await withKey()
    await runLineJson(`account create --name Bob ${db}`)
    await runLineJson(`account close ${account} ${db}`)
    const names = async (flags: string) =>
      (await runLineJson(`account list ${flags} ${db}`)).map(({ name }: { name: string }) => name)
    expect(await names("--closed")).toEqual(["Ann"])
    expect(await names("--no-closed")).toEqual(["Bob"])
    expect((await names("")).toSorted()).toEqual(["Ann", "Bob"])
    expect(await names("--sort name")).toEqual(["Ann", "Bob"])
  })

  test.each([
    ["account create --name X --metadata nonsense", "Write a JSON object such as"],
    ["account create --name X --metadata [1]", "Write a JSON object such as"],
    ["account create --name X --event nonsense", "Allowed choices are credits.exhausted"],
    ["account create --name ''", "penknife: --name must be a non-empty string of at most 200 characters."],
    ["account rename acc_1", "missing required argument 'NAME'"],
    ["account set-plan acc_1", "missing required argument 'PLAN'"],
    ["account rename acc_1 Ann --plan pro", "unknown option '--plan'"],
    ["notices --log --state failed", "penknife: --state and --log do not go together"],
    ["key list --limit 0", "Write a whole number, 1 or more."],
    ["account list --server http://127.0.0.1 --db x.db", "Give either --db or --server"],
    ["account list --server ftp://127.0.0.1", "--server must be a URL such as"],
    ["account list --server http://a:b@127.0.0.1", "without a user name"],
    ["account list --server http://127.0.0.1", "set PENKNIFE_ADMIN_KEY"],
    ["account list --server http://127.0.0.1 --admin-key 'a b'", "characters that no key has"],
    ["key find", "the key on standard input must be a non-empty string"],
  ])("%s: exit code 2", async (line, message) => {
    expect(await runLine(line)).toEqual({ code: 2, out: "", err: expect.stringContaining(message) })
  })

  test.each([
    ["--metadata", `{"a":"${"x".repeat(4_096)}"}`, "at most 4096 bytes"],
    ["--name", "An\u0007n", "characters that are not seen, such as controls"],
    ["--after", "nonsense", "must be the 'next' of the page before"],
  ])("%s refused by the administration is wrong usage, and nothing changed", async (flag, value, message) => {
    const { db, account } = await withKey()
    const line = flag === "--after" ? "account list" : `account update ${account}`
    const before = await runLineJson(`account show ${account} ${db}`)
    const { code, err } = await runLine(`${line} ${flag} '${value}' ${db}`)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    expect(await runLineJson(`account show ${account} ${db}`)).toEqual(before)
  })

  test("a permission that does not exist is named", async () => {
    const { db } = await withKey()
    const { code, err } = await runLine(`admin-key create --name ops --may keys.writ ${db}`)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("keys.writ") })
  })
})

test("a key by its text is found and revoked through standard input, and never printed", async () => {
  const { db, account, id, text } = await withKey()
  const standardInput = piped(`${text}\n`)
  const found = await runLine(`key find ${db} --json`, { standardInput })
  expect(JSON.parse(found.out)).toMatchObject({ id, account, state: "works" })
  const revoked = await runLine(`key revoke ${db} --json`, { standardInput })
  expect(JSON.parse(revoked.out)).toMatchObject({ id, revoked: expect.any(String) })
  const { out } = await runLine(`key find ${db}`, { standardInput })
  expect(out).toMatch(/^state +revoked$/m)
  const wrong = await runLine(`key find ${db}`, { standardInput: piped(`${text}x`) })
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("No key has this text.") })
  const all = [found, revoked, wrong].map((result) => JSON.stringify(result)).join() + out
  expect(all).toContain(text.slice(0, 9))
  expect(all).not.toContain(text.slice(0, 12))
})

test.each(["", "x".repeat(201)])(
  "a key by its text that is none is refused as standard input: %p",
  async (text) => {
    const { db } = await withKey()
    const { code, err } = await runLine(`key find ${db}`, { standardInput: piped(text) })
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("the key on standard input must be a non-empty string of at most 200"),
    })
  },
)

test("a key by its text is asked for without showing it, where a person sits", async () => {
  const { db, id, text } = await withKey()
  const { standardInput, questions } = person(text)
  expect(await runLineJson(`key find ${db}`, { standardInput })).toMatchObject({ id })
  expect(questions).toEqual([{ question: expect.stringContaining("it is not shown"), hidden: true }])
})

test("before what cannot be undone: a person is asked, and nothing happens without a yes", async () => {
  const { db, id } = await withKey()
  for (const answer of ["", "n", "no", null]) {
    const { standardInput, questions } = person(answer)
    const { code, out, err } = await runLine(`key revoke ${id} ${db}`, { standardInput })
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: "penknife: Nothing was changed.\n" })
    expect(questions).toEqual([
      { question: `Revoke a key ${id}: this cannot be undone. Go on? [y/N] `, hidden: false },
    ])
  }
  expect((await runLineJson(`key show ${id} ${db}`)).revoked).toBeNull()
  const { standardInput } = person("y")
  expect((await runLineJson(`key revoke ${id} ${db}`, { standardInput })).revoked).not.toBeNull()
})

test("before what cannot be undone: --yes and a script are not asked", async () => {
  const first = await withKey()
  const { standardInput, questions } = person()
  await runLineJson(`key revoke ${first.id} --yes ${first.db}`, { standardInput })
  expect(questions).toEqual([])
  const second = await withKey()
  await runLineJson(`key revoke ${second.id} ${second.db}`, { standardInput: piped("") })
})

test("before what cannot be undone: a change that can be undone is not asked for", async () => {
  const { db, id } = await withKey()
  const { standardInput, questions } = person()
  await runLineJson(`key disable ${id} ${db}`, { standardInput })
  expect(questions).toEqual([])
})

describe("what the commands print", () => {
  test("a table fits the terminal, its numbers under each other, empty columns left out; --wide shows all", async () => {
    const { db } = await withKey()
    await runLineJson(`account create --name '${"long ".repeat(30)}' --plan pro ${db}`)
    const { out } = await runLine(`account list --sort name ${db}`, { columns: 80 })
    const lines = out.trimEnd().split("\n")
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines[0]).not.toContain("closed")
    expect(lines[2]).toContain("…")
    const end = (lines[0]?.indexOf("remaining") ?? 0) + "remaining".length
    expect(lines[1]?.slice(0, end)).toEndWith(" 1,500")
    expect(lines[2]?.slice(0, end)).toEndWith(" 1,000,000")
    expect(lines[1]).toMatch(/^acc_\w{16} /)
    expect(lines[0]).not.toContain("created")
    const { out: broad } = await runLine(`account list --sort name ${db}`, { columns: 100 })
    expect(broad.split("\n")[1]).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d$/)
    const wide = await runLine(`account list --wide ${db}`, { columns: 80 })
    expect(wide.out.split("\n")[0]).toContain("external_id")
    expect(wide.out).toMatch(/T\d\d:\d\d:\d\d\.\d{3}Z/)
    expect(wide.out).not.toContain("…")
  })

  test("colours where there are some, and what others wrote cannot add any", async () => {
    const { db } = await withKey()
    const start = "\u001b["
    expect((await runLine(`account list ${db}`)).out).not.toContain(start)
    const database = new Database(db.replace("--db ", ""))
    database.run("UPDATE accounts SET name = ?1", [`${start}31mred`])
    database.close()
    const { out } = await runLine(`account list ${db}`, { columns: 100, colours: true })
    expect(out.split("\n")[0]).toStartWith(`${start}1m`)
    expect(out).not.toContain(`${start}31m`)
    expect(out).toContain("\\u001b[31mred")
  })

  test("a list in which nothing is found says so, whatever it was filtered by", async () => {
    const { db } = await withKey()
    const { out, err } = await runLine(`account list --search nobody ${db}`)
    expect({ out, err }).toEqual({ out: "", err: "No accounts found. 'account create' makes one.\n" })
  })

  test("a list has all pages, or as many entries as --limit says and how to go on", async () => {
    const { db } = await withKey()
    for (const name of ["B", "C"]) await runLineJson(`account create --name ${name} ${db}`)
    expect(await runLineJson(`account list ${db}`)).toHaveLength(3)
    const first = await runLine(`account list --sort name --limit 2 --json ${db}`)
    expect(JSON.parse(first.out)).toHaveLength(2)
    const [, cursor] = /--after (\S+)\n$/.exec(first.err) ?? []
    const rest = await runLineJson(`account list --sort name --after ${cursor} ${db}`)
    expect(rest.map(({ name }: { name: string }) => name)).toEqual(["C"])
  })

  test("the audit log names the user and the machine, and is exported as JSON lines", async () => {
    const { db, account } = await withKey()
    const records = await runLineJson(`audit ${db}`)
    const made = records.map(({ operation }: { operation: string }) => operation)
    expect(made).toEqual(["keys.create", "accounts.create"])
    expect(records[1].actor).toMatch(/^cli:./)
    expect(records[1].source).toMatch(/./)
    expect(JSON.stringify(records)).toContain(account)
    const { out } = await runLine(`audit export ${db}`)
    expect(readLines(out)).toEqual(records)
  })

  test("kept requests are exported as JSON lines, page after page", async () => {
    const { db } = await withKey()
    const { requests, store } = await openAnyStore(db.replace("--db ", ""))
    for (let first = 0; first < 2_500; first += 500)
      await requests.add({
        process: "p",
        requests: Array.from({ length: 500 }, (_, n) =>
          keptRequestOf({ row: firstRowAt(1_000) + first + n }),
        ),
      })
    await store.close()
    const lines = async (more: string) => readLines((await runLine(`requests export ${more} ${db}`)).out)
    expect(await lines("--format jsonl")).toHaveLength(2_500)
    const [newest, ...others] = await lines("--limit 1 --status 4xx")
    expect([newest, others]).toMatchObject([
      { request_id: `id-${firstRowAt(1_000) + 2_499}`, status: 400 },
      [],
    ])
    expect(await lines("--status 5xx")).toEqual([])
    const refused = await runLine(`requests export --format csv ${db}`)
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--format must be jsonl.")])
  })
})

test("the page of the commands has every command", () => {
  const page = readFileSync(join(import.meta.dir, "../docs/commands.md"), "utf8")
  const missing = operations
    .flatMap(({ command, otherCommands = [] }) => [command, ...otherCommands])
    .filter(({ words }) => !new RegExp(`\`(penknife )?${words}[ \`]`).test(page))
  expect(missing.map(({ words }) => words)).toEqual([])
})

test("the audit log fits 80 columns by shortening ids, and leaves out no column", async () => {
  const { db } = await withKey()
  const { out } = await runLine(`audit ${db}`, { columns: 80 })
  const [head = "", ...rows] = out.trimEnd().split("\n")
  expect(head.split(/ +/)).toEqual(["at", "actor", "actor_name", "operation", "target", "source"])
  for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(80)
})

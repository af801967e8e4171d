/** The command line, run in this process on real files. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { operations } from "../src/admin/operations.ts"
import { catalog } from "../src/app/prepare.ts"
import { runLineJson as json } from "./support/admin-cli.ts"
import { type CliTestOptions, runCliForTest } from "./support/cli.ts"
import { folderOf } from "./support/own-apis.ts"
import { tempDir } from "./support/temp.ts"
import { portsFor } from "./support/zone-ports.ts"

const dir = tempDir()
const backupDir = tempDir()
const signUpFile = join(folderOf({ "penknife.toml": '[sign_up]\nmode = "invite"\n' }), "penknife.toml")
let stores = 0
const newStore = () => join(dir, `cli-${stores++}.db`)

/** Runs a command line, written as in a shell. */
function run(line: string, options?: CliTestOptions) {
  const argv = [...line.matchAll(/(["'])(.*?)\1|\S+/g)].map(([word, , quoted]) => quoted ?? word)
  return runCliForTest(argv, options)
}

async function failure(line: string) {
  const { code, out, err } = await run(line)
  expect(out).toBe("")
  return { code, err }
}

const helps = new Map<string, Promise<string>>()

/** The help of a command. Several tests read that of every command. */
function helpOf(command: string): Promise<string> {
  const help = helps.get(command) ?? readHelp(command)
  helps.set(command, help)
  return help
}

async function readHelp(command: string): Promise<string> {
  const { code, out, err } = await run(`${command} --help`)
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return out
}

/** Does what must be done before a command can work. Returns the id of what it works on, if that is no account and no key. */
async function prepare(command: string, account: string, key: string, db: string): Promise<string> {
  const done = (line: string) => json(`${line} --db ${db}`)
  if (command === "account reopen") await done(`account close ${account}`)
  if (command === "key enable") await done(`key disable ${key}`)
  if (command === "account renew") {
    const database = new Database(db)
    database.run("UPDATE ledger SET period_start_ms = 4102444800000 WHERE account_id = ?1", [account])
    database.close()
  }
  if (command === "invitation revoke")
    return (await done(`invite ${account}@example.com --plan pro --config ${signUpFile}`)).id
  if (/^people (update|link|remove|passkeys)$/.test(command)) return (await done("people add Ann --may *")).id
  if (/^people \w+-passkey$/.test(command)) return addPasskey((await done("people add Ann --may *")).id, db)
  if (command === "admin-key revoke") return (await done("admin-key create --name ops")).id
  if (/^backups (verify|download)$/.test(command))
    return (await done(`backups create --backup-dir ${backupDir}`)).name
  if (!/^(notices (test|resend)|account set-webhook)$/.test(command)) return ""
  await done(`account set-webhook ${account} http://127.0.0.1:1/`)
  const { id } = await done(`notices test ${account}`)
  if (command === "notices resend") {
    // A notice that waits cannot be sent again.
    await done(`account set-webhook ${account} --off`)
    await done(`account set-webhook ${account} http://127.0.0.1:1/`)
  }
  return id
}

/** Adds a passkey, as only a browser can, and returns its id. */
function addPasskey(person: string, db: string): string {
  const id = person.replace("psn", "psk")
  const database = new Database(db)
  database
    .query(`INSERT INTO passkeys VALUES (?1, ?1, ?2, 'Key', '', 0, '[]', 'localhost', '["*"]', 0, NULL)`)
    .run(id, person)
  database.close()
  return id
}

/** The commands that help lists without a sentence. */
async function undescribed(command = ""): Promise<readonly string[]> {
  const list = /\nCommands:\n(.*?)(\n\n|$)/s.exec(await helpOf(command))?.[1] ?? ""
  const lines = list.split("\n").filter((line) => /^ {2}\S/.test(line))
  const nameOf = (line: string) => `${command} ${line.trim().split(" ")[0]}`.trim()
  const here = lines.filter((line) => !/^ {2}\S+(?: [[<]\S+)* {2,}\S/.test(line)).map(nameOf)
  const below = lines.map(nameOf).filter((name) => !/\bhelp$/.test(name))
  return [...here, ...(await Promise.all(below.map(undescribed))).flat()]
}

/** Every command that does something, with its help. */
async function allHelp(command = ""): Promise<[command: string, help: string][]> {
  const help = await helpOf(command)
  const list = /\nCommands:\n(.*?)(\n\n|$)/s.exec(help)?.[1] ?? ""
  const names = [...list.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, name]) => name)
  const own: [string, string][] = help.includes("\nExample:") || names.length === 0 ? [[command, help]] : []
  const below = names.filter((name) => name !== "help").map((name) => allHelp(`${command} ${name}`.trim()))
  return [...(command === "" ? [] : own), ...(await Promise.all(below)).flat()]
}

test.each([
  ["", "serve call account key"],
  ["serve", "--host --port --db --dns-server --trust-proxy --tls-cert PENKNIFE_PORT"],
  ["call", "hmac linesorter bluetoothlookup"],
  ["call hmac", "--message --secret 'sha256 | sha384' 'default: hex' required"],
  ["account", "create list show set-plan grant close"],
  ["key create", "--account --expires --allow-api --block-api --allow-ip --rate-limit"],
  ["key rotate", "--grace --db"],
])("help: %s --help", async (command, words) => {
  const help = await helpOf(command)
  for (const word of words.match(/'[^']*'|\S+/g) ?? []) expect(help).toContain(word.replaceAll("'", ""))
})

test("help: --keep-audit is a flag of the one command that uses it", async () => {
  expect(await helpOf("serve")).not.toContain("--keep-audit")
  expect(await helpOf("audit prune")).toContain("--keep-audit")
})

test.each(["help", "help serve", "account help create"])("help: %s", async (line) => {
  const { code, out } = await run(line)
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Usage: penknife") })
})

test("help says of every command what it does", async () => expect(await undescribed()).toEqual([]))

test("help: no default is shown twice", async () => {
  for (const command of ["usage", "key rotate", "account create"])
    for (const option of (await helpOf(command)).split("  -"))
      expect(option.match(/\(default/g)?.length ?? 0).toBeLessThanOrEqual(1)
})

test("help: the example of every command works", async () => {
  const db = newStore()
  const accounts = join(folderOf({ "accounts.csv": "name,plan\nAnn,pro\n" }), "accounts.csv")
  const lists = folderOf({ "bluetooth-companies.json": '[{"code": 76, "name": "A"}]' })
  const create = async () => {
    const { id } = await json(`account create --name Ann --db ${db}`)
    return { id, key: await json(`key create --account ${id} --db ${db}`) }
  }
  const shared = await create()
  const all = await allHelp()
  const commands = operations.flatMap((one) => [one.command, ...(one.otherCommands ?? [])])
  expect(commands.filter(({ words }) => !all.some(([name]) => name === words))).toEqual([])
  for (const [command, help] of all) {
    // They need a running service: see config-reload.test.ts, config-put.test.ts and cli-remote.test.ts.
    if (["config reload", "reload", "config set", "requests"].includes(command)) continue
    // A command that names an account or a key may change it.
    const { id, key } = /\nExample:.*(?:acc|key|msg|adj)_/s.test(help) ? await create() : shared
    const prepared = await prepare(command, id, key.id, db)
    const line = (/\nExample:\n {2}penknife (.*)/.exec(help)?.[1] ?? "no example")
      .replace(/acc_\w+/, id)
      .replace(/key_\w+/, key.id)
      .replace(/adj_\w+/, `adj_${id}`)
      .replace(/--month \S+/, `--month ${new Date().toISOString().slice(0, 7)}`)
      .replace(/(?:adm|msg|eml|psn|psk)_\w+|penknife-\d\S+\.db/, prepared)
      .replace("penknife-backup.db", join(dir, "backup.db"))
      .replace(/(--apis|api check) apis/, `$1 ${join(dir, "apis")}`)
      .replace("data check lists", `data check ${lists}`)
      .replace("import accounts.csv", `import ${accounts}`)
      .replace("example.com --fail-below C", "all.dane.test --fail-below F")
      .replace("--from penknife.db", `--from ${db}`)
      .replace(/postgres:\S+/, newStore())
      .replace(/ ?[<>] .*/, "")
    expect(line).toStartWith(command)
    const called = command === "audit-mail" ? "call mailaudit" : command
    const [api] = catalog.filter((one) => called === `call ${one.id}`).flatMap(({ examples }) => examples)
    const ownStore = help.includes("--db ") ? ` --db ${db}` : ""
    const freePort = help.includes("--port ") ? " --port 0" : ""
    const target = command === "backups download" ? ` --to ${join(dir, "download.db")}` : ""
    const { code, err } = await run(`${line}${ownStore}${freePort}${target}`, {
      stopRequested: () => Promise.resolve(),
      standardInput: { isTerminal: false, read: async () => `${key.key}\n`, ask: async () => null },
      env: { PENKNIFE_BACKUP_DIR: backupDir, PENKNIFE_CONFIG: signUpFile },
      ...(api && { ports: portsFor(api) }),
    })
    const harmless = expect.not.stringMatching(/^penknife: (?!warning)/m)
    expect({ line, code, err }).toEqual({ line, code: 0, err: harmless })
  }
})

test("help: --version", async () =>
  expect(await run("--version")).toEqual({ code: 0, out: "0.0.0-test\n", err: "" }))

test("--version behind any command prints the version, unless it is the value of an option", async () => {
  for (const line of ["--version", "-V", "serve --version", "key rotate --version", "call hmac --version"]) {
    const result = await runCliForTest(line.split(" "))
    expect({ line, ...result }).toEqual({ line, code: 0, out: "0.0.0-test\n", err: "" })
  }
  const create = ["account", "create", "--name", "--version", "--db", join(tempDir(), "a.db"), "--json"]
  expect(JSON.parse((await runCliForTest(create)).out)).toMatchObject({ name: "--version" })
})

test("accounts and keys: a life: create, show, grant, set-plan, key, rotate, revoke, close", async () => {
  const db = `--db ${newStore()}`
  const account = await json(`account create --name Ann --plan free ${db}`)
  expect(account.id).toMatch(/^acc_[0-9A-Za-z]{16}$/)
  expect(account).toMatchObject({ name: "Ann", plan: "free", closed: null })
  const key = await json(`key create --account ${account.id} --name ci --expires 30d ${db}`)
  expect(Object.keys(key).slice(0, 2)).toEqual(["id", "key"])
  expect(key.key).toMatch(/^pk-[0-9A-Za-z]{38}$/)

  const shown = { allowance: 1_000, used: 0, bonus: 500, remaining: 1_500, keys: 1 }
  expect(await json(`account show ${account.id} ${db}`)).toMatchObject(shown)
  const granted = { bonus: 550, remaining: 1_550 }
  expect(await json(`account grant ${account.id} 50 ${db}`)).toMatchObject(granted)
  const unlimited = { plan: "enterprise", remaining: "unlimited" }
  expect(await json(`account set-plan ${account.id} enterprise ${db}`)).toMatchObject(unlimited)

  const rotated = await json(`key rotate ${key.id} --grace 1h ${db}`)
  expect(rotated).toMatchObject({ id: key.id })
  expect(rotated.key).not.toBe(key.key)
  await json(`key revoke ${key.id} ${db}`)
  const [listed] = await json(`key list --account ${account.id} ${db}`)
  expect(listed).toMatchObject({ id: key.id, name: "ci", prefix: rotated.key.slice(0, 9) })
  expect(Date.parse(listed.revoked)).toBeGreaterThan(0)
  expect(Date.parse(listed.expires)).toBeGreaterThan(Date.parse(listed.revoked))

  expect(Date.parse((await json(`account close ${account.id} ${db}`)).closed)).toBeGreaterThan(0)
  expect(await json(`account list ${db}`)).toHaveLength(1)
})

test("accounts and keys: tables for people", async () => {
  const db = `--db ${newStore()}`
  await json(`account create --name Ann ${db}`)
  await json(`account create --name 'Bob the second' --plan pro ${db}`)
  const lines = (await run(`account list ${db}`)).out.trimEnd().split("\n")
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(/^id +name +plan +used +remaining +used_percent +created$/)
  expect(new Set(lines.map((line) => /\b(plan|free|pro)\b/.exec(line)?.index)).size).toBe(1)
})

test("accounts and keys: no list, file or table holds a key", async () => {
  const file = newStore()
  const { id } = await json(`account create --name Ann --db ${file}`)
  const { key } = await json(`key create --account ${id} --db ${file}`)
  for (const command of ["key list", `account show ${id}`, "account list"])
    expect((await run(`${command} --db ${file}`)).out).not.toContain(key.slice(0, 12))
  const database = new Database(file, { readonly: true })
  const dump = JSON.stringify(
    ["accounts", "keys", "secrets"].map((table) => database.query(`SELECT * FROM ${table}`).all()),
  )
  database.close()
  expect(dump).toContain(key.slice(0, 9))
  expect(dump).not.toContain(key.slice(0, 12))
})

test.each([
  ["nonsense", "unknown command 'nonsense'"],
  ["nonsense --help", "unknown command 'nonsense'"],
  ["--help nonsense", "unknown command 'nonsense'"],
  ["toString --help", "unknown command 'toString'"],
  ["__proto__", "unknown command '__proto__'"],
  ["config nonsense -h", "unknown command 'nonsense'"],
  ["help config nonsense", "unknown command 'nonsense'"],
  ["notices nonsense --help", "too many arguments"],
  ["serve nonsense --help", "too many arguments"],
  ["serve --help nonsense", "too many arguments"],
  ["account show acc_1 nonsense --help", "too many arguments"],
  ["call nonsense --help", "unknown command 'nonsense'"],
  ["call linesorter", "The 'lines' parameter is required"],
  ["call linesorter --apis", "option '--apis <DIR>' argument missing"],
  ["call --apis", "unknown option '--apis'"],
  ["serve --port x", "--port must be a whole number from 0 to 65535, not 'x'."],
  ["serve --log-level loud", "Allowed choices are debug, info, warn, error, silent."],
  ["serve --nonsense", "unknown option '--nonsense'"],
  ["account create", "required option '--name <NAME>' not specified"],
  ["account grant acc_1 -5", "Write a whole number, 1 or more."],
  ["account adjust acc_1 1e3 --reason x", "Write a whole number in digits, such as 1000 or -1000."],
  ["account adjust acc_1 1.5 --reason x", "Write a whole number in digits, such as 1000 or -1000."],
  ["account grant acc_1 0", "Write a whole number, 1 or more."],
  ["account grant acc_1 9007199254740992", "That is too large: write 4000000000000000 or less."],
  ["usage acc_1 --days 0", "Write a whole number, 1 or more."],
  ["usage acc_1 --days 36501", "That is too large: write 36500 or less."],
  ["usage acc_1 --days 99999999999", "That is too large: write 36500 or less."],
  ["key create --account acc_1 --expires 1000000d", "such as 30d (999999d at most)"],
  ["key create --account a --expires x", "or a time from now such as 30d (999999d at most); '' for never"],
  ["admin-key create --name a --expires soon", "or a time from now such as 30d (999999d at most)."],
  ["key rotate key_1 --grace 99999999999d", "7d (999999d at most), or 0 for none."],
  ["key create --account a --expires soon", "--expires must be a date such as 2027-01-31"],
  ["key create --account acc_1 --expires 2027-02-30", "--expires must be a date such as"],
  ["key rotate key_1 --grace 1w", "--grace must be a time such as 15m"],
  ["key create --account acc_1 --rate-limit 1000001", "That is too large: write 1000000 or less."],
  ["call bluetoothlookup", "The 'companyid' parameter is required"],
  ["call bluetoothlookup --companyid 4C", "The 'companyid' parameter"],
  ["call sunrisesunset --lat 1 --lat 2 --lon 3", "The 'lat' parameter must be given once"],
  ["call sunrisesunset --lat 91 --lon 3", "The 'lat' parameter must be a number from -90 to 90."],
  ["serve --config /nonexistent.toml", "/nonexistent.toml cannot be read"],
  ["account", "set-plan"],
])("wrong usage is exit code 2 and says what to change: %s", async (line, message) => {
  const { code, err } = await failure(line)
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
})

test.each([
  ["nonsense", "(to see the commands: penknife --help)"],
  ["nonsense --help", "(to see the commands: penknife --help)"],
  ["config nonsense", "(to see the commands: penknife config --help)"],
  ["linesorter --lines b", "(to run this API: penknife call linesorter)"],
  ["call nonsense", "(to see the commands: penknife call --help)"],
  [
    "call bluetoothlookup companyid=76",
    "(write parameters as options: penknife call bluetoothlookup --companyid <value>)",
  ],
  ["call bluetoothlookup help", "(add --help for help)"],
  ["serve nonsense", "(add --help for help)"],
])(
  "wrong usage is exit code 2 and says what to change: %s: what helps is on the last line",
  async (line, hint) => {
    const { code, err } = await failure(line)
    expect({ code, hint: err.trimEnd().split("\n").at(-1) }).toEqual({ code: 2, hint })
  },
)

test("wrong usage is exit code 2 and says what to change: a group without a command shows its help without a hint", async () => {
  const { code, err } = await failure("account")
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^Usage: penknife account /) })
  expect(err).not.toContain("(add --help")
})

test("errors are exit code 1: a data file that is missing is not created", async () => {
  const db = newStore()
  for (const command of ["account list", "key list", "account show acc_1"]) {
    const { code, err } = await failure(`${command} --db ${db}`)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`There is no data file ${db}`) })
  }
  expect(existsSync(db)).toBe(false)
})

test("errors are exit code 1: a thing that is missing is named, and a wrong value is exit code 2", async () => {
  const db = `--db ${newStore()}`
  const { id } = await json(`account create --name Ann ${db}`)
  const plans = "free, starter, pro, mega, enterprise"
  for (const [line, expected, message] of [
    ["account show acc_9", 1, "There is no account 'acc_9'."],
    ["key create --account acc_9", 1, "There is no account 'acc_9'."],
    ["key revoke key_9", 1, "There is no key 'key_9'."],
    [`account set-plan ${id} gold`, 2, `There is no plan 'gold'. The plans are ${plans}.`],
    ["account create --name ' '", 2, "The name of an account needs at least one visible character"],
    [`key create --account ${id} --allow-api hmca`, 2, "There is no API 'hmca'."],
    [`key create --account ${id} --allow-ip 10.0.0.0/99`, 2, "'10.0.0.0/99' is not an IP address"],
    [`key create --account ${id} --expires 2001-01-01`, 2, "The expiry of a key must be in the future."],
    [`account adjust ${id} 0 --reason x`, 2, "CREDITS must not be 0."],
  ] as const) {
    const { code, err } = await failure(`${line} ${db}`)
    expect({ code, err }).toEqual({ code: expected, err: expect.stringContaining(`penknife: ${message}`) })
  }
  expect(await json(`key list ${db}`)).toEqual([])
})

test("errors are exit code 1: a closed account takes no keys, a revoked key no rotation", async () => {
  const db = `--db ${newStore()}`
  const { id } = await json(`account create --name Ann ${db}`)
  const key = await json(`key create --account ${id} ${db}`)
  await json(`key revoke ${key.id} ${db}`)
  expect((await failure(`key rotate ${key.id} ${db}`)).err).toContain("is revoked")
  await json(`account close ${id} ${db}`)
  expect((await failure(`key create --account ${id} ${db}`)).err).toContain("is closed")
  expect((await failure(`account grant ${id} 5 ${db}`)).err).toContain("is closed")
})

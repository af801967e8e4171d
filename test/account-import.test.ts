/** `account import FILE.csv`: all lines of a file or none, on both kinds of stores and on a running service. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { createHttpClient, HttpFailure } from "../src/ports/http-client.ts"
import { keepAliveTimer } from "../src/ports/timer.ts"
import {
  header,
  importFile,
  linesOf,
  namesIn,
  openPlace,
  type Place,
  timer,
  toCsv,
  useCsvFiles,
} from "./support/account-import.ts"
import { adminOf, createTestAdminKey } from "./support/admin.ts"
import { runLineJson } from "./support/admin-cli.ts"
import { useStoreKindsInTurn } from "./support/any-store.ts"
import { startTestService } from "./support/service.ts"

const { dir, write } = useCsvFiles()
const kinds = useStoreKindsInTurn(1)
const byText = (texts: readonly string[]) => texts.toSorted()

/** A running service with an administrator. */
async function serveImports() {
  const { url, db } = await startTestService()
  const { key } = await createTestAdminKey(db)
  const place: Place = { to: `--server ${url}`, options: { timer, env: { PENKNIFE_ADMIN_KEY: key } } }
  return { db, place }
}

const places: readonly { readonly name: string; readonly open: () => Promise<Place> }[] = [
  ...kinds.map(({ name, create }) => ({ name, open: () => openPlace(create) })),
  {
    name: "a running service",
    open: async () => {
      const { db, place } = await serveImports()
      await openPlace(async () => db)
      return place
    },
  },
]

describe.each(places)("on $name", ({ open }) => {
  test("a dry run says what would be created, the import creates it, and again it creates nothing", async () => {
    const place = await open()
    const file = write(toCsv(linesOf(250)))
    const plans = { pro: 63, free: 187 }
    const line = `account import ${file} ${place.to}`
    const dry = await runLineJson(`${line} --dry-run`, place.options)
    expect(dry).toEqual({ dry_run: true, accounts: 250, created_before: 0, plans })
    expect(await namesIn(place)).toEqual(["Zed"])
    const first = await runLineJson(line, place.options)
    expect(first).toEqual({ dry_run: false, accounts: 250, created_before: 0, plans })
    expect(await runLineJson(line, place.options)).toEqual({ ...first, created_before: 250 })
    expect(await namesIn(place)).toHaveLength(251)
    const [account] = await runLineJson(`account list --external-id crm-4 ${place.to}`, place.options)
    expect(account).toMatchObject({ name: "Customer 4", plan: "pro", email: "c4@example.com" })
  })

  test("if one of many lines is wrong, nothing is imported", async () => {
    const place = await open()
    const lines = linesOf(450)
    lines[276] = "Customer,free,nobody,crm-x"
    const { code, out, err } = await importFile(write(toCsv(lines)), place)
    expect([code, out]).toEqual([1, ""])
    const mistake = "Line 278, column 'email': The 'email' parameter"
    expect(err).toContain(`has 1 mistake, so nothing was imported.\n${mistake}`)
    expect(await namesIn(place)).toEqual(["Zed"])
  })

  test("every mistake is named with its line and column", async () => {
    const place = await open()
    const file = write(
      [
        "external_id,name,plan,email,metadata,events",
        ",Ann,gold,nobody,{,[]",
        "crm-zed,,pro,ZED@example.com,[],",
        '"","Bob\u202e",,bob@example.com,"{""a"":1}","[""key.lost""]"',
        "a,b",
        "",
        "crm-1,Cy,,BOB@EXAMPLE.COM,,",
        "crm-1,Dora,,,,,",
        "crm-1,Eve,,,,",
        "crm-2,Fay ,free,,,key.created",
      ].join("\n"),
    )
    const { code, err } = await importFile(file, place)
    expect(code).toBe(1)
    const [first, ...mistakes] = err.trimEnd().split("\n")
    expect(first).toEndWith(" has 14 mistakes, so nothing was imported.")
    const places = mistakes.map((line) => line.replace(/^Line (\d+)(?:, column '(\w+)')?: .*$/, "$1 $2"))
    expect(places).toEqual([
      ...["2 plan", "2 email", "2 metadata"],
      ...["3 external_id", "3 name", "3 email", "3 metadata"],
      ...["4 name", "4 events", "5 ", "7 email", "8 ", "9 external_id", "10 events"],
    ])
    expect(err).toContain("Line 3, column 'name': The 'name' parameter is required")
    expect(err).not.toContain("there is no parameter")
    expect(await namesIn(place)).toEqual(["Zed"])
  })
})

test("over HTTP a refusal has every mistake, and an import is answered again for the same key", async () => {
  const admin = await adminOf(await startTestService())
  const accounts = [{ name: "Ann", email: "ann@example.com" }, { name: "Bob" }]
  const refused = await admin("POST", "/accounts/import", {
    body: { accounts: [...accounts, { name: "Cy", plan: "gold" }, "Dora"] },
  })
  expect([refused.status, refused.body.parameter]).toEqual([400, "accounts"])
  expect(refused.body.mistakes).toEqual([
    { index: 2, parameter: "plan", detail: expect.stringContaining("There is no plan 'gold'.") },
    { index: 3, parameter: null, detail: "An account must be an object with a name." },
  ])
  const headers = { "idempotency-key": "list-1" }
  const created = await admin("POST", "/accounts/import", { body: { accounts }, headers })
  expect([created.status, created.body.accounts]).toEqual([200, 2])
  const again = await admin("POST", "/accounts/import", { body: { accounts, dry_run: true }, headers })
  expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([created.body, "true"])
  const taken = await admin("POST", "/accounts/import", { body: { accounts, dry_run: true } })
  expect([taken.status, taken.body.mistakes]).toEqual([
    409,
    [{ index: 0, parameter: "email", detail: "Choose another 'email': this one is taken." }],
  ])
})

test("a file of which a part was imported goes on there, when the connection broke or the command ended", async () => {
  const { place } = await serveImports()
  const real = createHttpClient(keepAliveTimer)
  const names = Array.from({ length: 450 }, (_, index) => `Customer ${index}`)
  const file = write(["name", ...names, ""].join("\n"))
  /** Ends the command: from one request on, the answers get lost, or the requests. */
  const breaking = (after: number, isDone: boolean) => {
    let sent = 0
    return {
      ...real,
      async send(request: Parameters<typeof real.send>[0]) {
        const isReal = request.body?.includes('"dry_run":false')
        if (isReal && ++sent > after) {
          if (isDone && sent === after + 1) await real.send(request)
          throw new HttpFailure("broken", "the system's words", null)
        }
        return real.send(request)
      },
    }
  }
  for (const [after, isDone, created] of [
    [2, false, 200],
    // The parts before are not sent again.
    [1, true, 300],
  ] as const) {
    const options = { ...place.options, httpClient: breaking(after, isDone) }
    const { code, out, err } = await importFile(file, { ...place, options })
    expect([code, out]).toEqual([1, ""])
    expect(err).toContain(`The ${created} accounts of the lines before line ${created + 2} were created.`)
    expect(err).toContain("Run the same command again within 24 hours")
  }
  // The part whose answer was lost was created too.
  expect(await namesIn(place)).toHaveLength(400)
  const rest = await importFile(file, place, "--json")
  const imported = { dry_run: false, accounts: 450, created_before: 400, plans: { free: 450 } }
  expect([rest.code, JSON.parse(rest.out)]).toEqual([0, imported])
  expect(byText(await namesIn(place))).toEqual(byText(names))
})

test("a command on a data file that ends between two parts is repeated with the rest", async () => {
  const place = await openPlace(async () => join(dir, "broken.db"))
  const file = write(toCsv(linesOf(350)))
  let pauses = 0
  const ending = {
    ...timer,
    after(delayMs: number, then: () => void) {
      if (++pauses === 2) throw new Error("the process was ended")
      return timer.after(delayMs, then)
    },
  }
  expect((await importFile(file, { ...place, options: { timer: ending } })).code).toBe(1)
  expect(await namesIn(place)).toHaveLength(201)
  const dry = await runLineJson(`account import ${file} --dry-run ${place.to}`, place.options)
  expect(dry).toMatchObject({ accounts: 350, created_before: 200 })
  const rest = await runLineJson(`account import ${file} ${place.to}`, place.options)
  expect(rest).toEqual({ dry_run: false, accounts: 350, created_before: 200, plans: { pro: 88, free: 262 } })
  const names = Array.from({ length: 350 }, (_, index) => `Customer ${index}`)
  expect(byText(await namesIn(place))).toEqual(byText(["Zed", ...names]))
})

test("after 24 hours the accounts of the same file are taken, and not created again", async () => {
  const db = join(dir, "old.db")
  const place = await openPlace(async () => db)
  const file = write(`${header}\nAnn,,ann@example.com,\nBob,,,crm-2\n`)
  expect((await importFile(file, place)).code).toBe(0)
  const database = new Database(db)
  database.run("UPDATE replays SET created_ms = created_ms - 86400001")
  database.close()
  const { code, err } = await importFile(file, place)
  expect([code, err]).toEqual([
    1,
    `penknife: ${file} has 2 mistakes, so nothing was imported.
Line 2, column 'email': Choose another 'email': this one is taken.
Line 3, column 'external_id': Choose another 'external_id': this one is taken.
`,
  ])
})

test("what someone takes during an import ends it, with what was created and what to do", async () => {
  const place = await openPlace(async () => join(dir, "race.db"))
  const file = write(toCsv(linesOf(150)))
  let isFirst = true
  const racing = {
    ...timer,
    after(delayMs: number, then: () => void) {
      if (!isFirst) return timer.after(delayMs, then)
      isFirst = false
      void runLineJson(`account create --name Eve --email c120@example.com ${place.to}`).then(then)
      return () => {}
    },
  }
  const { code, err } = await importFile(file, { ...place, options: { timer: racing } })
  expect(code).toBe(1)
  const taken = "\nLine 122, column 'email': Choose another 'email': this one is taken.\n"
  const done = "The 100 accounts of the lines before line 102 were created"
  expect(err).toBe(
    `penknife: Something else has created or changed accounts since the lines were checked. ${done}. Run the same command again within 24 hours: it goes on there, and creates none twice. If it names a line again, mend that one.${taken}`,
  )
  expect(await namesIn(place)).toHaveLength(102)
  const again = await importFile(file, place)
  expect([again.code, again.err]).toEqual([
    1,
    `penknife: ${file} has 1 mistake, so nothing more was imported. ${done} by an earlier command: delete these lines, mend the mistakes, and import the rest.${taken}`,
  ])
  const [eve] = await runLineJson(`account list --email c120@example.com ${place.to}`, place.options)
  await runLineJson(`account update ${eve.id} --email eve@example.com ${place.to}`, place.options)
  expect((await importFile(file, place)).code).toBe(0)
  expect(await namesIn(place)).toHaveLength(152)
})

describe("while the same import runs elsewhere", () => {
  /** A service, and an import that does something before a request of its own is sent. */
  async function withRival(isMoment: (body: string) => boolean, act: (place: Place) => Promise<unknown>) {
    const { place } = await serveImports()
    const real = createHttpClient(keepAliveTimer)
    let isFirst = true
    const httpClient: typeof real = {
      ...real,
      async send(request) {
        if (isFirst && isMoment(request.body ?? "")) {
          isFirst = false
          await act(place)
        }
        return real.send(request)
      },
    }
    return { place, slow: { ...place, options: { ...place.options, httpClient } } }
  }

  test("lines of the first part that are taken meanwhile are named, with what to do", async () => {
    const file = write(toCsv(linesOf(150)))
    const { place, slow } = await withRival(
      (body) => body.includes('"dry_run":false'),
      ({ to, options }) => runLineJson(`account create --name Eve --email c20@example.com ${to}`, options),
    )
    const { code, err } = await importFile(file, slow)
    expect([code, err]).toEqual([
      1,
      `penknife: Something else has created or changed accounts since the lines were checked. Nothing was imported. Run the same command again within 24 hours: it goes on there, and creates none twice. If it names a line again, mend that one.
Line 22, column 'email': Choose another 'email': this one is taken.
`,
    ])
    expect(await namesIn(place)).toEqual(["Eve"])
  })

  test("lines that it has created are no mistakes, and are not created twice", async () => {
    const file = write(toCsv(linesOf(150)))
    let dryRuns = 0
    const { place, slow } = await withRival(
      (body) => body.includes('"dry_run":true') && ++dryRuns === 2,
      (other) => importFile(file, other),
    )
    expect(await importFile(file, slow)).toMatchObject({ code: 0, err: "" })
    const again = await runLineJson(`account import ${file} ${place.to}`, place.options)
    expect(again).toMatchObject({ accounts: 150, created_before: 150 })
    expect(await namesIn(place)).toHaveLength(150)
  })
})

test("accounts that only the key of a part knows again are counted on standard error", async () => {
  const place = await openPlace(async () => join(dir, "nameless.db"))
  const { code, out, err } = await importFile(write("name\nAnn\nBob\n"), place, "--json")
  expect([code, JSON.parse(out).accounts]).toEqual([0, 2])
  expect(err).toStartWith("Lines without an email and an external_id: 2. ")
})

test("of 20,000 lines one is wrong, and nothing is imported", async () => {
  const place = await openPlace(async () => join(dir, "large.db"))
  const lines = linesOf(20_000)
  lines[17_777] = "Customer,free,c5@example.com,crm-x"
  const { code, err } = await importFile(write(toCsv(lines)), place)
  expect([code, err]).toEqual([
    1,
    expect.stringContaining("Line 17779, column 'email': Line 7 has this one too.\n"),
  ])
  expect(await namesIn(place)).toEqual(["Zed"])
})

test("a long file tells how far it is, and shows the first 100 mistakes", async () => {
  const place = await openPlace(async () => join(dir, "long.db"))
  const { code, out, err } = await importFile(write(`name,plan\n${"Ann,gold\n".repeat(5_000)}`), place)
  expect([code, out]).toEqual([1, ""])
  expect(err).toContain("Checked 2,000 of 5,000 lines.\n")
  expect(err).toContain("has 5,000 mistakes, so nothing was imported.\n")
  expect(err.match(/^Line \d+, column 'plan'/gm)).toHaveLength(100)
  expect(err).toEndWith("There are 4,900 more mistakes.\n")
})

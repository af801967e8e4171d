/** The jobs that a business is measured by: how each is prepared, what a person does, and what must have happened. */
import { Database } from "bun:sqlite"
import { expect } from "bun:test"
import { eventually } from "../../support/eventually.ts"
import type { TakenMail } from "../../support/mail-server.ts"
import { lookUp, type SeededAccount } from "../accounts.ts"
import { addDevice } from "./authenticator.ts"
import type { Desk, Visit } from "./desk.ts"
import type { Person, Way } from "./person.ts"
import { said } from "./wait.ts"

export interface JobService {
  readonly url: string
  readonly adminKey: string
  /** Mails that the service has sent. */
  readonly mails: readonly TakenMail[]
}

/** Where a job begins, and what it is about. */
interface Begin {
  readonly path: string
  /** True where nobody is signed in. */
  readonly isVisitor?: boolean
  /** True where the address must have a host name. */
  readonly isNamed?: boolean
  readonly customer?: Customer
  /** A link that someone got. */
  readonly link?: string
}

interface Customer {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly keyId: string
  readonly key: string
}

interface About {
  readonly desk: Desk
  readonly service: JobService
  readonly look: Visit["look"]
}

interface Job {
  readonly name: string
  readonly maxSteps: number
  prepare(desk: Desk, service: JobService, way: Way): Promise<Begin>
  run(person: Person, about: Begin & About): Promise<void>
}

const console = async (): Promise<Begin> => ({ path: "/console" })
const withCustomer = async (desk: Desk, _: JobService, way: Way): Promise<Begin> => ({
  path: "/console",
  customer: await createCustomer(desk, `${way} ${++customers}`),
})
let customers = 0

export const jobs: readonly Job[] = [
  {
    name: "sign up and make a first call",
    maxSteps: 8,
    prepare: async () => ({ path: "/", isVisitor: true }),
    async run(person, { service }) {
      const { page, way } = person
      await person.press("Sign up")
      await person.write("E-mail", `${way}@example.com`)
      await person.press("I accept the terms")
      await person.press("Send me a link")
      await person.sees(page.getByRole("heading", { name: "Check your mail" }))
      person.doesElsewhere()
      await page.goto(await linkOf(service, `${way}@example.com`))
      await person.press("Create my account")
      await person.sees(page.getByText("First call", { exact: true }))
      const [, command = ""] = await page.locator(".secret code").allTextContents()
      person.doesElsewhere()
      const call = Bun.spawn(["sh", "-c", command], { stdout: "pipe", stderr: "ignore" })
      expect(JSON.parse(await call.stdout.text())).toMatchObject({ status: "ok", error: null })
    },
  },
  {
    name: "find a customer by e-mail and see why a call failed",
    maxSteps: 4,
    async prepare(desk, service, way) {
      const begin = await withCustomer(desk, service, way)
      const key = begin.customer?.key ?? ""
      const refused = await fetch(`${desk.url}/v1/bluetoothlookup?companyid=nobody`, {
        headers: { "x-api-key": key },
      })
      expect(refused.status).toBe(400)
      return begin
    },
    async run(person, { customer }) {
      const { page } = person
      await find(person, customer?.email ?? "")
      await person.press("Failed requests")
      await person.sees(page.getByText("inputRejected"))
      await person.sees(page.getByText("parameter companyid"))
    },
  },
  {
    name: "take back a mistaken grant",
    maxSteps: 4,
    async prepare(desk, service, way) {
      const begin = await withCustomer(desk, service, way)
      await desk.call("POST", `/accounts/${begin.customer?.id}/credits`, { credits: 50_000 })
      return begin
    },
    async run(person, { desk, customer }) {
      await find(person, customer?.name ?? "", "Enter")
      await person.press("Undo")
      await person.press("Undo adjustment")
      await said(person.page, "Adjustment undone.")
      expect((await desk.call("GET", `/accounts/${customer?.id}`)).bonus).toBe(0)
    },
  },
  {
    name: "find and end a leaked key",
    maxSteps: 5,
    prepare: withCustomer,
    async run(person, { desk, customer }) {
      await find(person, customer?.key ?? "")
      await person.press("Revoke")
      await person.press("Revoke key")
      await said(person.page, "Key revoked.")
      const refused = await fetch(desk.url + lookUp, { headers: { "x-api-key": customer?.key ?? "" } })
      expect(refused.status).toBe(401)
    },
  },
  {
    name: "see who used most last month",
    maxSteps: 3,
    prepare: console,
    async run(person, { look }) {
      await person.press("Statements", ["g", "s"])
      await person.choose("Order", "Most used first")
      const rows = person.page.getByRole("table", { name: "accounts that used most" }).getByRole("row")
      await person.sees(rows.nth(1).getByText("90,000").first())
      await person.sees(rows.nth(1).getByText("mega").first())
      await person.sees(rows.nth(2).getByText("1,000").first())
      await look("statements-most-used")
    },
  },
  {
    name: "raise a limit",
    maxSteps: 7,
    prepare: withCustomer,
    async run(person, { desk, customer }) {
      await find(person, customer?.name ?? "")
      await person.press("Edit")
      await person.choose("Plan", "mega")
      await person.press("Save")
      await said(person.page, "Account saved.")
      expect((await desk.call("GET", `/accounts/${customer?.id}`)).plan).toBe("mega")
    },
  },
  {
    name: "invite a colleague",
    maxSteps: 5,
    prepare: console,
    async run(person, { desk }) {
      const { page, way } = person
      await person.press("People", ["g", "l"])
      await person.press("Invite a colleague")
      await person.write("Name", `Bo by ${way}`)
      await person.press("Everything")
      await person.press("Make the link")
      await person.sees(page.getByRole("dialog").getByText(`Link for Bo by ${way}`))
      expect((await desk.call("GET", "/people")).data).toContainEqual(
        expect.objectContaining({ name: `Bo by ${way}` }),
      )
    },
  },
  {
    name: "sign in by passkey",
    maxSteps: 1,
    async prepare(desk, _, way) {
      const { url } = await desk.call("POST", "/people", { name: `Cy by ${way}`, may: ["*"] })
      return { path: "/console", isVisitor: true, isNamed: true, link: String(url) }
    },
    async run(person, { link }) {
      const { page, way } = person
      const device = await addDevice(page)
      // The passkey is added before, as it would be on another day.
      await page.goto(link ?? "")
      await page.getByRole("button", { name: "Add a passkey" }).first().click()
      await page.getByRole("dialog").getByRole("button", { name: "Add the passkey" }).click()
      await page.getByRole("rowheader", { name: "This device" }).waitFor()
      expect(await device.count()).toBe(1)
      await page.context().clearCookies()
      await page.goto(new URL("/console", page.url()).href)
      await person.press("Sign in with a passkey")
      await person.sees(page.locator(".who-name").getByText(`Cy by ${way}`))
      await device.remove()
    },
  },
  {
    name: "try a call without a key",
    maxSteps: 4,
    prepare: async () => ({ path: "/", isVisitor: true }),
    async run(person) {
      const { page } = person
      await person.write("Find an API by name or task", "hmac")
      await person.press("Try it: HMAC signature")
      await person.press("Send the call")
      await person.sees(page.getByText(/^Free to try/))
    },
  },
  {
    name: "export a month for invoicing",
    maxSteps: 2,
    prepare: console,
    async run(person) {
      await person.press("Statements", ["g", "s"])
      const download = person.page.waitForEvent("download")
      await person.press("Save as CSV")
      const saved = await download
      expect(saved.suggestedFilename()).toBe(`statements-${lastMonth()}.csv`)
      const [head = "", ...lines] = (await Bun.file(await saved.path()).text()).trim().split(/\r?\n/)
      expect(head).toContain("account")
      expect(lines.some((line) => line.includes("90000"))).toBe(true)
    },
  },
]

/** Finds something with the search above all screens, and opens it: by Enter, or as the person works. */
async function find(person: Person, text: string, end?: "Enter"): Promise<void> {
  await person.press("Search Ctrl K", ["Control+k"])
  await person.write("Search", text)
  const first = person.page.getByRole("dialog").getByRole("listitem").getByRole("link").first()
  if (person.way === "mouse" && end === undefined) {
    await first.waitFor()
    await person.press((await first.textContent()) ?? "")
  } else await person.end("Enter")
  await person.page.getByRole("dialog").waitFor({ state: "detached" })
}

/** The link in the mail to an address. */
async function linkOf({ mails }: JobService, to: string): Promise<string> {
  let link = ""
  await eventually(async () => {
    const mail = mails.find((each) => each.to === to)
    // Quoted-printable, RFC 2045 section 6.7.
    const text = mail?.message.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=") ?? ""
    link = /https?:\/\/\S+#\S+/.exec(text)?.[0] ?? ""
    expect(link).not.toBe("")
  })
  return link
}

async function createCustomer(desk: Desk, name: string): Promise<Customer> {
  const email = `${name.replace(" ", "-")}@customer.example`
  const { id } = await desk.call("POST", "/accounts", { name, email, plan: "pro" })
  const made = await desk.call("POST", "/keys", { account: id, name: `key of ${name}` })
  return { id, name, email, keyId: made.id, key: made.key }
}

/** The month before this one, such as 2027-01. */
function lastMonth(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7)
}

/** Makes an account of a data file one of the time before, which used so many credits last month. */
export function useLastMonth(db: string, { id }: SeededAccount, credits: number): void {
  const database = new Database(db)
  const day = `${lastMonth()}-15`
  database.query("UPDATE accounts SET created_ms = ?2 WHERE id = ?1").run(id, Date.parse(`${lastMonth()}-01`))
  database
    .query(
      "INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits) VALUES (?1, 0, ?2, 'hmac', ?3, ?3)",
    )
    .run(id, day, credits)
  database.close()
}

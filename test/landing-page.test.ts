/** The landing page's contents, and the operator's name and pictures in all answers of the service. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { readAnswer } from "./support/answer.ts"
import { postWith } from "./support/keyed-request.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

const html = { headers: { accept: "text/html" } }
const textOf = async (service: TestService, path = "/", init: RequestInit = html) =>
  (await fetch(service.url + path, init)).text()

test("the landing page shows no plans, prices or links that the operator does not name, and never the console", async () => {
  const text = await textOf(await startTestService())
  expect(text).not.toMatch(/id="plans"|class="plan|Sign up|Contact<|Terms<|Privacy<|Status<|\/console/)
  expect(text).not.toContain('id="check"')
})

test("the landing page shows plans with price or description, as text, and where to sign up", async () => {
  const service = await startTestService({
    file: {
      sign_up_url: "https://acme.example/join?a=1&b=2",
      contact: "help@acme.example",
      terms_url: "https://acme.example/terms",
      privacy_url: "https://acme.example/privacy",
      status_url: "https://status.acme.example",
      plans: {
        free: { price: "<b>€0</b>" },
        pro: { price: "€29 a month", description: "For teams & more.", highlight: true },
        hidden: { monthly_credits: 5 },
      },
    },
  })
  const text = await textOf(service)
  expect(text).toContain("&lt;b&gt;€0&lt;/b&gt;")
  expect(text).toContain("For teams &amp; more.")
  expect(text).toMatch(/<li class="plan box highlight">\s*<p class="tag badge">Recommended/)
  expect(text).toContain("1,000,000 credits a month")
  expect(text).toContain("60 calls a minute")
  expect(text).not.toMatch(/Hidden|Mega/)
  expect(text.match(/href="https:\/\/acme\.example\/join\?a=1&amp;b=2"/g)?.length).toBe(4)
  expect(text).toContain('href="mailto:help@acme.example"')
  for (const link of [
    "https://acme.example/terms",
    "https://acme.example/privacy",
    "https://status.acme.example/",
  ])
    expect(text).toContain(`href="${link}"`)
  expect(await textOf(service, "/docs")).toContain('href="/#plans"')
})

test("the rule about keys leads to the operator as the landing page does", async () => {
  const service = await startTestService({ flags: { noPortal: true }, file: { contact: "help@example.com" } })
  for (const path of ["/", "/docs/identity"])
    expect(await textOf(service, path)).toContain(
      'from <a href="mailto:help@example.com">the operator of this service</a>',
    )
})

test("the landing page begins with the field that checks a domain, where guests may ask mailaudit", async () => {
  const service = await startTestService({ file: { try: { calls: 5 } } })
  const answer = await fetch(service.url, html)
  const text = await answer.text()
  expect(text).toMatch(/<main[^>]*>\s*<section class="domain-check"/)
  expect(text).toContain("You need no key for up to 5 checks a minute.")
  // It works without a script too.
  expect(text).toContain('<form action="/v1/mailaudit" method="get"')
  expect(answer.headers.get("content-security-policy")).toContain("form-action 'self'")
  expect(await textOf(service, "/apis/hmac")).toContain('data-guests="5"')
  expect(await textOf(service, "/apis/spfvalidator")).not.toContain("data-guests")
  for (const file of [
    { try: { calls: 5, apis: ["hmac"] } },
    { try: { calls: 5 }, catalog: { exclude: ["mailaudit"] } },
  ])
    expect(await textOf(await startTestService({ file }))).not.toContain("domain-check")
})

test("the landing page has a page with the same field for each domain, an address to share, where guests may ask mailaudit", async () => {
  const service = await startTestService({ file: { try: { calls: 5 } } })
  for (const path of ["/check", "/check/example.com", "/check/nobody%40example.com"]) {
    const answer = await fetch(`${service.url}${path}`, html)
    expect([path, answer.status]).toEqual([path, 200])
    expect(await answer.text()).toContain('<h1><label for="domain">Check a domain</label></h1>')
  }
  expect(await textOf(service, "/robots.txt")).toContain("Disallow: /check/\n")
  const other = await startTestService()
  for (const path of ["/check", "/check/example.com"])
    expect((await fetch(`${other.url}${path}`, html)).status).toBe(404)
})

test("the landing page leads to the portal's sign-up where everyone may sign up, and to the operator's own page before that", async () => {
  const link = async (file: Record<string, unknown>) => {
    const [, href = null] =
      /<a class="button primary" href="([^"]+)">Sign up/.exec(
        await textOf(await startTestService({ file })),
      ) ?? []
    return href
  }
  const open = { sign_up: { mode: "open" }, smtp: "smtp://127.0.0.1:1", mail_from: "a@acme.example" }
  expect(await link(open)).toBe("/portal/sign-up")
  expect(await link({ ...open, sign_up_url: "https://acme.example/" })).toBe("https://acme.example/")
  expect(await link({ ...open, sign_up: { mode: "invite" } })).toBeNull()
  expect(await link({ ...open, no_portal: true })).toBeNull()
  // Without mail nobody could confirm an address.
  expect(await link({ sign_up: { mode: "open" } })).toBeNull()
})

test("the landing page says on the card of another plan than that of sign-up how one gets it", async () => {
  const file = {
    ...{ sign_up: { mode: "open", plan: "free" }, smtp: "smtp://127.0.0.1:1", mail_from: "a@acme.example" },
    ...{ plans: { free: { price: "Free" }, pro: { price: "€29 a month" } }, contact: "help@acme.example" },
  }
  const cards = async (given: object) =>
    [
      ...(await textOf(await startTestService({ file: { ...file, ...given } }))).matchAll(
        /<li class="plan box">(.*?)<\/li>\s*(?=<li class="plan box">|<\/ul>\s*<\/section>)/gs,
      ),
    ].map(([, card = ""]) => card)
  const [free = "", pro = ""] = await cards({})
  expect(free).toContain('aria-label="Sign up for Free">Sign up</a>')
  // Once is enough.
  expect(free.match(/Free<\/(?:h3|p)>/g)).toEqual(["Free</h3>"])
  expect(pro).toContain("Start with Free</a>")
  expect(pro).toContain('Then ask <a href="mailto:help@acme.example">the operator</a> for Pro.')
  expect(pro).not.toContain("Sign up")
  // The operator's own page may offer all plans.
  const [, own = ""] = await cards({ sign_up_url: "https://acme.example/" })
  expect(own).toContain('href="https://acme.example/" aria-label="Sign up for Pro">Sign up</a>')
})

test("the landing page has the audit first in its category", async () => {
  const text = await textOf(await startTestService())
  const [, first = ""] = /id="category-mail".*?<a class="title" href="([^"]+)"/s.exec(text) ?? []
  expect(first).toBe("/apis/mailaudit")
})

test.each([
  ["sign_up_url", "javascript:alert(1)"],
  ["terms_url", "/terms"],
  ["privacy_url", "https://user:pw@acme.example/"],
  ["contact", "javascript:alert(1)"],
  ["contact", "a@b@c"],
  ["contact", "a b@acme.example"],
])("the landing page does not start with %s = %s", async (setting, value) => {
  await expect(startTestService({ file: { [setting]: value } })).rejects.toThrow("must be an")
})

const dir = tempDir()
const logo = join(dir, "logo.svg")
const favicon = join(dir, "favicon.png")
writeFileSync(
  logo,
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>\n',
)
const png = new Uint8Array(64)
png.set([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
])
writeFileSync(favicon, png)

test("the operator's name and pictures are in pages, documents and MCP, which do not say penknife", async () => {
  const service = await startTestService({
    flags: { title: "Acme & Co", logo, favicon, publicUrl: "https://api.acme.example" },
  })
  const openapi = JSON.parse(await textOf(service, "/openapi.json"))
  expect(openapi.info).toMatchObject({
    title: "Acme & Co",
    "x-logo": { url: expect.stringMatching(/^https:\/\/api\.acme\.example\/assets\/logo-\w+\.svg$/) },
  })
  expect(await textOf(service, "/llms.txt")).toStartWith("# Acme & Co\n")
  expect(JSON.parse(await textOf(service, "/", {})).data.name).toBe("Acme & Co")
  // No page that customers read names the program.
  const paths = "/ /docs /docs/mcp /apis/hmac /apis/messageauth /docs/graphql /portal /llms.txt /openapi.json"
  for (const path of paths.split(" "))
    expect([
      path,
      (await textOf(service, path)).replaceAll(/urn:penknife:|\/penknife-\w+\.css/g, "").includes("penknife"),
    ]).toEqual([path, false])
  for (const path of ["/", "/docs", "/apis/hmac", "/docs/graphql", "/console", "/portal"]) {
    const text = await textOf(service, path)
    expect([path, text.includes("Acme &amp; Co"), /<img src="\/assets\/logo-\w+\.svg"/.test(text)]).toEqual([
      path,
      true,
      true,
    ])
    expect(text).toMatch(/<link rel="icon" href="\/assets\/icon-\w+\.png">/)
    expect([path, /<title>[^<]*penknife/.test(text)]).toEqual([path, false])
  }
  const { key } = await service.createKey("pro")
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
  const headers = {
    ...{ "x-api-key": key, "content-type": "application/json" },
    accept: "application/json, text/event-stream",
  }
  const greeting = await fetch(
    `${service.url}/mcp`,
    postWith({ jsonrpc: "2.0", id: 1, method: "initialize", params }, { headers }),
  )
  const said = await greeting.text()
  expect(said).toContain('"name":"acme-co","title":"Acme & Co"')
  expect(said).toContain("The tools of Acme & Co. ")
  expect(JSON.parse(await textOf(service, "/admin/openapi.json")).info.title).toBe("Acme & Co admin API")
  const message = "From: ann@good.example\r\n\r\nHello\r\n"
  const checked = await readAnswer(service.fetch("/v1/messageauth", postWith({ message }, { key })))
  expect(checked.data).toMatchObject({
    authentication_results: expect.stringMatching(/^api\.acme\.example;\r\n dkim=none/),
  })
})

test("the operator's name and pictures are sent as what they are, and an SVG that is opened by itself runs and loads nothing", async () => {
  const service = await startTestService({ flags: { logo, favicon } })
  const [path = ""] = /\/assets\/logo-\w+\.svg/.exec(await textOf(service)) ?? []
  const picture = await fetch(service.url + path)
  expect(Object.fromEntries(picture.headers)).toMatchObject({
    "content-type": "image/svg+xml",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
  })
  const icon = await fetch(`${service.url}/favicon.ico`)
  expect([icon.headers.get("content-type"), (await icon.bytes()).length]).toEqual(["image/png", 64])
  expect(icon.headers.get("content-security-policy")).toContain("sandbox")
})

test("the operator's name and pictures must be pictures", async () => {
  const wrong = join(dir, "wrong.svg")
  writeFileSync(wrong, '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')
  await expect(startTestService({ flags: { logo: wrong } })).rejects.toThrow("must not have a script")
})

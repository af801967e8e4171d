import { expect, test } from "bun:test"
import { createMemoryLog } from "../../test/support/log.ts"
import { loadConfig } from "../config/load.ts"
import { createLog } from "../ports/log.ts"
import { StoreUnavailable } from "../store/store.ts"
import { createHotConfig } from "./hot-config.ts"

function setUp() {
  const log = createMemoryLog()
  const configOf = (text: string | null) =>
    loadConfig({
      flags: {},
      env: {},
      file: { name: "p", text: text ?? "", values: JSON.parse(text ?? "{}") },
    })
  const hot = createHotConfig({
    running: configOf("{}"),
    source: { read: configOf, readText: () => '{"max_calls": 7}', replaceText() {}, requireReplaceable() {} },
    log: createLog((line) => void log.write(line)),
    onTaken() {},
  })
  return { hot, logged: log.text }
}

test("a reload while the store does not answer is a line of the log: SIGHUP does not end the service", async () => {
  const { hot, logged } = setUp()
  hot.start(() => Promise.reject(new StoreUnavailable("The database does not answer.")))
  await hot.reloadLogged()
  expect(logged()).toContain("configuration not changed; the old one stays")
  expect(logged()).toContain("The database does not answer.")
})

test("a reload before the service can take a configuration over is refused with what to do", async () => {
  const { hot, logged } = setUp()
  await hot.reloadLogged()
  expect(logged()).toContain("This service is starting. Try again in a moment.")
  let isTaken = false
  hot.start(async () => () => {
    isTaken = true
  })
  await hot.reloadLogged()
  expect(isTaken).toBe(true)
  expect(logged()).toContain("configuration changed")
})

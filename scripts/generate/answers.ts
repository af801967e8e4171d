import { startMock } from "../../src/app/mock.ts"
import { loadConfig } from "../../src/config/load.ts"
import { toLayout } from "./layout.ts"

/** A service that the curl commands of the documentation are run against. */
interface AnsweringService {
  readonly url: string
  stop(): Promise<void>
}

/** A shell example, and the JSON answer below it if the page shows one. */
const example = /(```sh\n((?:(?!```).)*)```)(?:(\n```json\n).*?```)?/gs

/** Starts the test double in this process, which answers the same on every run. */
export const startAnswering = (): Promise<AnsweringService> =>
  startMock(loadConfig({ flags: { port: "0" }, env: {}, file: null }))

/**
 * Runs the curl commands of a page in their order on a fresh service, and returns the page with the answers to them.
 * @throws Error for a command that is not answered with a status below 300
 */
export async function fillAnswers(page: string, { url }: AnsweringService): Promise<string> {
  await fetch(`${url}/_mock/reset`, { method: "POST" })
  let result = ""
  let end = 0
  for (const match of page.matchAll(example)) {
    const [, shell, commands = "", opening] = match
    let answer = ""
    for (const command of curlCommands(commands)) answer = await run(command, url)
    if (opening === undefined) continue
    result += `${page.slice(end, match.index)}${shell}${opening}${toLayout(JSON.parse(answer))}\n\`\`\``
    end = match.index + match[0].length
  }
  return result + page.slice(end)
}

/** The commands of a shell example that call a service on this machine. */
function curlCommands(shell: string): string[] {
  const lines = shell.replaceAll("\\\n", " ").split("\n")
  return lines.filter((line) => /^curl .*http:\/\/(localhost|127\.0\.0\.1):/.test(line))
}

async function run(command: string, serviceUrl: string): Promise<string> {
  const { url, ...request } = readCurl(command)
  const { pathname, search } = new URL(url)
  const answer = await fetch(`${serviceUrl}${pathname}${search}`, request)
  const text = await answer.text()
  if (answer.status >= 300) throw new Error(`'${command}' is answered ${answer.status}: ${text}`)
  return text
}

/**
 * Reads the few options that the documentation uses. `$KEY` is a key with premium fields, `$ADMIN_KEY` an admin key.
 * @throws Error for any other option
 */
function readCurl(command: string): { url: string; method: string; headers: Headers; body?: string } {
  const [, ...words] = shellWords(command)
  const headers = new Headers()
  let [url, method, body]: (string | undefined)[] = []
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const value = word.startsWith("-") ? words.shift() : undefined
    if (word === "-H") headers.append(...readHeader(value ?? ""))
    else if (word === "-X") method = value
    else if (word === "-d") body = value
    else if (word.startsWith("http")) url = word
    else throw new Error(`'${word}' in '${command}' cannot be read.`)
  }
  if (url === undefined) throw new Error(`'${command}' has no URL.`)
  return {
    url,
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers,
    ...(body !== undefined && { body }),
  }
}

function readHeader(text: string): [name: string, value: string] {
  const [name = "", value = ""] = text.split(": ")
  return [name, value.replace("$ADMIN_KEY", "mock-admin").replace("$KEY", "mock-pro")]
}

/** The words of a command: quotes are taken off, and a backslash outside single quotes takes the next character unchanged. */
function shellWords(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g) ?? []
  return words.map((word) =>
    word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (_quoted, single, double, escaped) => {
      return single ?? double?.replace(/\\(["\\$])/g, "$1") ?? escaped
    }),
  )
}

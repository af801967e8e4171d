// Runs the table of behaviours with penknife/mock, in Node or Bun. Prints a line for each; ends with 1 if one differs.
import { readFileSync } from "node:fs"
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { isDeepStrictEqual } from "node:util"
import { startMock } from "penknife/mock"

const { start, behaviours } = JSON.parse(readFileSync(new URL("../behaviours.json", import.meta.url), "utf8"))
const language = process.versions.bun ? "Bun" : "Node"
let failed = 0
const shared = await startMock({ ...toOptions(start), webhook: process.env.RECEIVER })
for (const { name, steps } of behaviours) {
  await shared.reset()
  const problems = await runSteps(steps)
  if (problems.length > 0) failed++
  console.log([`${problems.length > 0 ? "not ok" : "ok"} ${name}`, ...problems].join("\n"))
}
await shared.stop()
console.log(`${behaviours.length - failed} of ${behaviours.length} behaviours are the same in ${language}`)
process.exitCode = failed > 0 ? 1 : 0

async function runSteps(steps) {
  const mocks = { shared }
  const problems = []
  for (const [index, step] of steps.entries()) {
    if (step.in === "session") mocks.session ??= await startMock({ shared: shared.url })
    const found = await tryStep(mocks, step)
    problems.push(...found.map((problem) => `   step ${index + 1}, ${step.do}: ${problem}`))
  }
  await mocks.session?.stop()
  await mocks.started?.stop()
  return problems
}

async function tryStep(mocks, step) {
  let result
  try {
    result = await run(mocks, step)
  } catch (thrown) {
    if (step.refused === undefined) return [`was refused: ${thrown}`]
    return differences({ contains: step.refused }, thrown.message, "message")
  }
  if (step.refused !== undefined) return ["was not refused"]
  return step.gives === undefined ? [] : differences(step.gives, result, "")
}

async function run(mocks, step) {
  const mock = mocks[step.in ?? "shared"]
  if (step.do === "call") return call(mock, step.with)
  if (step.do !== "start") return mock[toCamelCase(step.do)](step.with)
  const started = await startMock(toOptions(step.with))
  await mocks.started?.stop()
  mocks.started = started
  return started
}

/** An HTTP call as a program under test makes it. Node's `fetch` cannot be given a certificate authority. */
function call(mock, { method = "GET", path, key = mock.key, headers = {}, body }) {
  const url = new URL(mock.url + path)
  const send = url.protocol === "https:" ? requestHttps : requestHttp
  const all = { ...(key !== null && { "x-api-key": key }), ...headers }
  const given = { ...all, ...(body && { "content-type": "application/json" }) }
  return new Promise((resolve) => {
    const isBroken = () => resolve({ broken: true })
    const trust = mock.ca === null ? {} : { ca: mock.ca }
    const request = send(url, { method, headers: given, agent: false, ...trust }, (answer) => {
      const chunks = []
      answer.on("data", (chunk) => chunks.push(chunk))
      answer.on("error", isBroken)
      answer.on("end", () => resolve(toResult(answer, Buffer.concat(chunks).toString("utf8"))))
    })
    request.on("error", isBroken)
    request.end(body && JSON.stringify(body))
  })
}

function toResult({ statusCode, headers }, text) {
  const result = { status: statusCode, text, headers }
  try {
    return { ...result, body: JSON.parse(text) }
  } catch {
    return result
  }
}

/** Where a value lacks what is expected. Objects may have more members, arrays may not. */
function differences(expected, actual, path) {
  if (expected?.contains) {
    const missing = expected.contains.filter((text) => !(typeof actual === "string" && actual.includes(text)))
    return missing.map((text) => `${path} lacks '${text}': ${JSON.stringify(actual)}`)
  }
  if (isObject(expected) && isObject(actual)) {
    const entries = Object.entries(expected)
    return entries.flatMap(([name, value]) =>
      differences(value, Object.hasOwn(actual, name) ? actual[name] : "nothing", `${path}.${name}`),
    )
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((value, index) => differences(value, actual[index], `${path}[${index}]`))
  }
  const isSame = isDeepStrictEqual(expected, actual)
  return isSame ? [] : [`${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`]
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function toOptions(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [toCamelCase(name), value]))
}

function toCamelCase(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
}

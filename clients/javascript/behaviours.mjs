// Runs the table of behaviours with penknife/mock, in Node or Bun. Prints a line for each; ends with 1 if one differs.
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { startMock } from "penknife/mock"

const { start, behaviours } = JSON.parse(readFileSync(new URL("../behaviours.json", import.meta.url), "utf8"))
const language = process.versions.bun ? "Bun" : "Node"
let failed = 0
const options = Object.entries(start).map(([name, value]) => [toCamelCase(name), value])
const shared = await startMock({ ...Object.fromEntries(options), webhook: process.env.RECEIVER })
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
  let session = null
  const problems = []
  for (const [index, step] of steps.entries()) {
    if (step.in === "session") session ??= await startMock({ shared: shared.url })
    const found = await tryStep(step.in === "session" ? session : shared, step)
    problems.push(...found.map((problem) => `   step ${index + 1}, ${step.do}: ${problem}`))
  }
  await session?.stop()
  return problems
}

async function tryStep(mock, step) {
  let result
  try {
    result = await (step.do === "call" ? call(mock, step.with) : mock[toCamelCase(step.do)](step.with))
  } catch (thrown) {
    if (step.refused === undefined) return [`was refused: ${thrown}`]
    return differences({ contains: step.refused }, thrown.message, "message")
  }
  if (step.refused !== undefined) return ["was not refused"]
  return step.gives === undefined ? [] : differences(step.gives, result, "")
}

/** An HTTP call as a program under test makes it. */
async function call(mock, { method = "GET", path, key = mock.key, headers = {}, body }) {
  const all = { ...(key !== null && { "x-api-key": key }), ...headers }
  const init = { method, headers: { ...all, ...(body && { "content-type": "application/json" }) } }
  try {
    const answer = await fetch(mock.url + path, { ...init, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    const result = { status: answer.status, text, headers: Object.fromEntries(answer.headers) }
    try {
      return { ...result, body: JSON.parse(text) }
    } catch {
      return result
    }
  } catch {
    return { broken: true }
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

function toCamelCase(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
}

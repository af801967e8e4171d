/** The steps of action.yml, run as GitHub's runner does, with a stand-in for npm and without the cache. */
import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { startDnsServer } from "../support/dns-server.ts"
import { tempDir } from "../support/temp.ts"
import { hasTurn } from "../support/turns.ts"
import { binary } from "./support.ts"

interface Step {
  readonly id: string
  readonly if?: string
  readonly uses?: string
  readonly shell?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

type Values = Readonly<Record<string, string>>

const dir = tempDir()
const root = join(import.meta.dir, "../..")
const action = Bun.YAML.parse(readFileSync(join(root, "action.yml"), "utf8")) as {
  inputs: Readonly<Record<string, { default: string }>>
  outputs: Readonly<Record<string, { value: string }>>
  runs: { steps: readonly Step[] }
}

/** Notes its arguments and puts the built package where npm would. */
const npm = `#!/bin/sh
printf '%s\\n' "$@" > "${dir}/npm-arguments"
mkdir -p "$3/node_modules"
cp -r "${root}/dist/package" "$3/node_modules/penknife"
ln -s "${root}/node_modules/bun" "$3/node_modules/bun"
`

/** Runs the steps; returns the outputs of the action, and which steps ran. Throws with the output of a step that fails. */
async function runAction(given: Values, cacheHit = false, more: Values = {}) {
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default])
  const inputs: Values = { ...Object.fromEntries(defaults), ...given }
  const steps: Record<string, Values> = {}
  const ran: string[] = []
  const lookUp = (path: string) => {
    const [, id = "", , name = ""] = path.split(".")
    return path.startsWith("inputs.") ? (inputs[id] ?? "") : (steps[id]?.[name] ?? "")
  }
  const fill = (text: string) =>
    String(text).replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, path: string) => lookUp(path))
  const holds = (condition: string) => {
    const [filled] = [condition.replace(/(?:inputs|steps)\.[\w.-]+/g, (path) => JSON.stringify(lookUp(path)))]
    return new Function(`return ${filled}`)() as boolean
  }

  for (const { id, if: condition = "true", uses, run = "", env = {} } of action.runs.steps) {
    if (!holds(condition)) continue
    ran.push(id)
    if (uses) {
      steps[id] = { "cache-hit": String(cacheHit) }
      continue
    }
    const output = join(dir, "output")
    rmSync(output, { force: true })
    const filled = Object.entries(env).map(([name, value]) => [name, fill(value)])
    const child = Bun.spawn(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd: dir,
      stdout: "pipe",
      stderr: "pipe",
      env: {
        ...process.env,
        npm_command: "exec",
        PATH: `${join(dir, "bin")}${delimiter}${process.env.PATH}`,
        RUNNER_TEMP: dir,
        GITHUB_ACTION_PATH: root,
        GITHUB_OUTPUT: output,
        ...more,
        ...Object.fromEntries(filled),
      },
    })
    // The streams end with the step, though the test double runs on.
    const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
    if (code !== 0) throw new Error(`${id}: ${out}${err}`)
    steps[id] = await readOutputs(output)
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value)])
  return { ran, steps, outputs: Object.fromEntries(outputs) as Values }
}

async function readOutputs(file: string): Promise<Values> {
  if (!(await Bun.file(file).exists())) return {}
  const lines = readFileSync(file, "utf8").trim().split("\n")
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  )
}

/** The plan of the key, by the answer to a call. Ends the test double. */
async function planOf({ url, key = "", pid }: Values) {
  const answer = await fetch(`${url}/v1/usage`, { headers: { "x-api-key": key } })
  process.kill(Number(pid), "SIGTERM")
  return answer.headers.get("x-api-current-plan")
}

mkdirSync(join(dir, "bin"))
writeFileSync(join(dir, "bin/npm"), npm, { mode: 0o755 })

test("the action runs a given executable and installs nothing", async () => {
  symlinkSync(binary, join(dir, "penknife"))
  const { ran, outputs } = await runAction({ executable: "./penknife", plan: "free" })
  expect(ran).toEqual(["start"])
  expect(readFileSync(outputs.log ?? "", "utf8")).toBe("")
  expect(await planOf(outputs)).toBe("free")
})

test.if(hasTurn(0, 2))(
  "the action installs the npm package in its own version, and takes it from the cache the next time",
  async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const first = await runAction({})
    expect(first.ran).toEqual(["package", "cache", "install", "start"])
    // Under npm it would end with the step that started it.
    if (process.platform === "linux")
      expect(readFileSync(`/proc/${first.outputs.pid}/environ`, "utf8")).not.toContain("npm_")
    expect(await planOf(first.outputs)).toBe("pro")
    const folder = first.steps.package?.folder ?? ""
    const given = readFileSync(join(dir, "npm-arguments"), "utf8").trim().split("\n")
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund"]
    expect(given).toEqual(["install", "--prefix", folder, ...flags, `penknife@${version}`])
    const second = await runAction({}, true)
    expect(second.ran).toEqual(["package", "cache", "start"])
    expect(second.steps.package).toEqual(first.steps.package ?? {})
    expect(await planOf(second.outputs)).toBe("pro")
  },
)

test.if(hasTurn(1, 2))(
  "the action has another cache for another package, and for another content of a file",
  async () => {
    const file = join(dir, "penknife.tgz")
    const keyOf = async (name: string) => {
      const { steps, outputs } = await runAction({ package: name })
      await planOf(outputs)
      return [steps.package?.["cache-key"], steps.package?.package]
    }
    writeFileSync(file, "one")
    const one = await keyOf("./penknife.tgz")
    writeFileSync(file, "two")
    const two = await keyOf("./penknife.tgz")
    const other = await keyOf("penknife@0.0.1")
    expect(new Set([one[0], two[0], other[0]]).size).toBe(3)
    expect([one[1], other[1]]).toEqual([file, "penknife@0.0.1"])
    expect(one[0]).toStartWith(`penknife-${process.platform}-${process.arch}-`)
  },
)

test("the action audits the mail of domains instead, shows the report and fails below the wanted grade", async () => {
  const server = await startDnsServer({
    "firm.example": [{ MX: [10, "mx.firm.example"] }, { TXT: "v=spf1 mx -all" }],
    "mx.firm.example": [{ A: "198.51.100.25" }],
    "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=none; rua=mailto:d@firm.example" }],
    "open.example": [{ TXT: "v=spf1 +all" }],
  })
  const summary = join(dir, "summary.md")
  const more = {
    ...{ PENKNIFE_DNS_SERVER: server.address, PENKNIFE_NO_OUTBOUND: "true" },
    GITHUB_STEP_SUMMARY: summary,
  }
  const inputs = { executable: binary, "audit-mail": "firm.example\n  open.example", "fail-below": "F" }
  const { ran, outputs } = await runAction(inputs, false, more)
  expect(ran).toEqual(["audit"])
  expect(outputs.grade).toBe("F")
  expect(readFileSync(summary, "utf8")).toMatch(
    /^```text\nfirm\.example {2}grade [B-F], .*```text\nopen\.example {2}grade F, /s,
  )
  const failing = runAction({ ...inputs, "fail-below": "A" }, false, more)
  await expect(failing).rejects.toThrow("open.example has grade F, which is below A")
  const wrong = runAction({ ...inputs, "audit-mail": "--json" }, false, more)
  await expect(wrong).rejects.toThrow("The 'domain' parameter must be")
  await server.stop()
})

test("the action fails with the log when the test double does not start", async () => {
  await expect(runAction({ executable: binary, plan: "gold" })).rejects.toThrow("--plan must be one of")
  await expect(runAction({ executable: "./gone" })).rejects.toThrow("gone cannot be run")
})

test("no step depends on the kind of runner", () => {
  for (const { id, shell, uses, run = "" } of action.runs.steps) {
    expect([id, uses ?? shell]).toEqual([id, uses ?? "bash"])
    // Named pipes, background jobs, and backslashes of an expression in the script do not work on Windows.
    expect([id, run]).toEqual([id, expect.not.stringMatching(/mkfifo|&\s*$|\$\{\{|\/dev\/|\.exe/m)])
  }
})

/** Commands of the executable: standard input, keys, a terminal, and completion in real shells. */
import { expect, test } from "bun:test"
import { statSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { runProgram } from "../support/run-program.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { binary, run, runJson, serve } from "./support.ts"

const dir = tempDir()

test("the executable has at most 170 MB with all its libraries and lists", () =>
  expect(statSync(binary).size).toBeLessThan(170_000_000))

test("a key on standard input is found and revoked, by a command that a running service answers", async () => {
  const { db, key } = await seedOne(dir)
  const admin = await runJson("admin-key", "create", "--name", "cli", "--db", db)
  const server = await serve(db)
  const env = { ...process.env, PENKNIFE_ADMIN_KEY: admin.key, PENKNIFE_SERVER: server.url }
  for (const command of ["find", "revoke"]) {
    const stdin = new Blob([key])
    const child = Bun.spawn([binary, "key", command, "--json"], { stdin, stdout: "pipe", env })
    const shown = await child.stdout.json()
    expect([await child.exited, shown.prefix, shown.revoked !== null]).toEqual([
      ...[0, key.slice(0, 9)],
      command === "revoke",
    ])
  }
  expect(await server.stop()).toBe(0)
  expect(await server.stderr).not.toContain(admin.key)
})

test.if(process.platform === "linux")("output that a full disk does not take is a failure", async () => {
  const { db } = await seedOne(dir)
  const child = Bun.spawn([binary, "account", "list", "--db", db], {
    stdout: Bun.file("/dev/full"),
    stderr: "pipe",
  })
  const full = "penknife: the output could not be written, since the disk is full.\n"
  expect([await child.stderr.text(), await child.exited]).toEqual([full, 1])
})

test.if(process.platform === "linux")("output that a disk takes only in part is a failure", async () => {
  const file = join(dir, "cut")
  // Without the signal of the file size limit, the write itself fails.
  const shell = `trap '' XFSZ; ulimit -f 2; exec ${binary} serve --help > ${file}`
  const child = Bun.spawn(["sh", "-c", shell], { stderr: "pipe" })
  const [err, code] = await Promise.all([child.stderr.text(), child.exited])
  expect(statSync(file).size).toBeGreaterThan(0)
  const cut = expect.stringMatching(/^penknife: the output could not be written \(EFBIG/)
  expect([err, code]).toEqual([cut, 1])
})

test.if(process.platform !== "win32")("a reader that leaves early is no failure", async () => {
  const child = Bun.spawn(["sh", "-c", `{ ${binary} openapi; echo $? >&2; } | head -c 10`], {
    stdout: "pipe",
    stderr: "pipe",
  })
  expect([await child.stdout.text(), await child.stderr.text()]).toEqual([
    expect.stringMatching(/^.{10}$/s),
    "0\n",
  ])
})

test.if(process.platform !== "win32")(
  "on a terminal a final change is asked for, and a key is not shown",
  async () => {
    const db = join(dir, "terminal.db")
    const { id } = await runJson("account", "create", "--name", "Ann", "--db", db)
    const issued = await runJson("key", "create", "--account", id, "--db", db)
    const declined = await onTerminal(["key", "revoke", issued.id, "--db", db], "[y/N]", "n")
    expect([declined.code, declined.screen.includes("Nothing was changed.")]).toEqual([1, true])
    const done = await onTerminal(["key", "revoke", issued.id, "--db", db], "[y/N]", "y")
    expect([done.code, done.screen.includes("this cannot be undone")]).toEqual([0, true])
    const found = await onTerminal(["key", "find", "--db", db], "not shown", issued.key)
    expect([found.code, found.screen.includes(issued.id)]).toEqual([0, true])
    expect(found.screen).not.toContain(issued.key.slice(0, 12))
    expect((await onTerminal(["account", "list", "--db", db], "", "")).screen).toContain("\u001b[1mid ")
  },
)

/** Runs a command on a terminal, and types an answer and Enter when the question is on it. */
async function onTerminal(argv: readonly string[], question: string, answer: string) {
  let screen = ""
  let isAnswered = answer === ""
  const decoder = new TextDecoder()
  const child = Bun.spawn([binary, ...argv], {
    env: { ...process.env, TERM: "xterm", NO_COLOR: "" },
    terminal: {
      cols: 100,
      rows: 24,
      data(terminal, data) {
        screen += decoder.decode(data, { stream: true })
        if (isAnswered || !screen.includes(question)) return
        isAnswered = true
        terminal.write(`${answer}\r`)
      },
    },
  })
  return { code: await child.exited, screen }
}

const shells = {
  bash: (script: string, words: string) => `
source '${script}'
COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _penknife
printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: (script: string, words: string) => `
source '${script}'
complete -C "${words.replace(/ ''$/, " ")}" | string split -f1 \\t`,
  zsh: (script: string, words: string) => `
autoload -Uz compinit; compinit -u -d '${script}.dump'
_describe() { local -a described; described=("\${(@P)2}"); print -l -- "\${(@)described%%:*}" }
_files() { ls -d -- "\${words[CURRENT]}"* }
source '${script}'
words=(${words}); CURRENT=$#words; _penknife`,
} as const

for (const [shell, wrap] of Object.entries(shells)) {
  const program = Bun.which(shell)
  test.if(program !== null)(`${shell} completes commands, options, choices and files`, async () => {
    const script = join(dir, `completion.${shell}`)
    writeFileSync(script, (await run(["completion", shell])).out)
    const complete = async (words: string) => {
      const env = { ...process.env, HOME: dir, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` }
      const command = [program ?? shell, "-c", wrap(script, words)]
      const { out, err } = await runProgram(command, { cwd: dir, env })
      expect({ words, err }).toEqual({ words, err: "" })
      return out.split("\n").filter(Boolean).sort()
    }
    expect(await complete("penknife acc")).toEqual(["account"])
    expect(await complete("penknife account re")).toEqual(["rename", "renew", "reopen"])
    expect(await complete("penknife config re")).toEqual(["reload"])
    expect(await complete("penknife key create --allow-")).toEqual(["--allow-api", "--allow-ip"])
    expect(await complete("penknife completion ''")).toEqual(["bash", "fish", "zsh"])
    expect(await complete("penknife serve --log-format ''")).toEqual(["auto", "json", "pretty"])
    writeFileSync(join(dir, "a backup.db"), "")
    expect(await complete(`penknife restore a`)).toEqual(["a backup.db"])
  })
  if (program === null) console.error(`!! LEFT OUT: completion in ${shell}, which is not installed`)
}

/** The executable: the same commands on a data file and on a running service, and completion in real shells. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { binary, run, runJson, serve } from "./support.ts"

const dir = tempDir()
setDefaultTimeout(300_000)

/** Names in braces are ids and texts that earlier commands printed; `< {KEY}` sends one to standard input. */
const script = `
plan list
plan list --json
admin-key list
account create --name Ann --plan pro --external-id cust-1 --metadata {"team":"blue"} --json
account create --name Bob
account create --name Ann --plan gold
account create --name Other --external-id cust-1
account list
account list --json
account list --plan pro --wide
account list --limit 1 --json
account list --search bo --no-closed
account show {ACC} --json
account show acc_9
account rename {ACC} Anna
account set-plan {ACC} starter
account update {ACC} --event key.created --external-id '' --json
account update {ACC}
account grant {ACC} 500
account renew {ACC}
key create --account {ACC} --name ci --allow-api hmac --rate-limit 60 --expires 2099-01-01 --json
key list
key list --account {ACC} --json
key show {KEYID}
key update {KEYID} --name build --allow-ip 10.0.0.0/8 --json
key update {KEYID} --allow-api hmca
key find < {KEY}
key find < pk-nonsense
key rotate {KEYID} --grace 24h --json
key find --json < {KEY}
key disable {KEYID}
key enable {KEYID}
account set-webhook {ACC} http://127.0.0.1:9/hook --json
account webhook {ACC}
account set-webhook {ACC} https://10.0.0.1/hook
account set-webhook {ACC} --off
notices
notices --log --json
key revoke --json < {KEY}
key revoke {KEYID}
admin-key create --name billing --may accounts.read --json
admin-key create --name wrong --may accounts.wirte
account close {ACC}
account close {ACC}
account reopen {ACC} --json
account list --after nonsense
audit --json
audit export
audit
`

test("the same script gives the same output on a data file and on a running service", async () => {
  const lines = script.trim().split("\n")
  expect(lines.length).toBeGreaterThan(40)
  const onFile = join(dir, "file.db")
  await runJson("account", "create", "--name", "first", "--db", onFile)
  await runJson("admin-key", "create", "--name", "cli", "--db", onFile)
  const first = await play(lines, ["--db", onFile], {})

  const served = join(dir, "served.db")
  await runJson("account", "create", "--name", "first", "--db", served)
  const { key } = await runJson("admin-key", "create", "--name", "cli", "--db", served)
  const server = await serve(served)
  const env = { PENKNIFE_ADMIN_KEY: key, PENKNIFE_SERVER: server.url }
  const second = await play(lines, [], env)

  for (const [index, line] of lines.entries())
    expect({ line, ...second[index] }).toEqual({ line, ...first[index] })
  expect(first.filter(({ code }) => code === 0).length).toBeGreaterThan(30)
  expect(first.filter(({ code }) => code === 1).length).toBeGreaterThan(5)
  expect(await server.stop()).toBe(0)
  expect(await server.stderr).not.toContain(key)
})

/** Runs each line in turn, and gives what it printed with ids, times and secrets made equal. */
async function play(lines: readonly string[], flags: readonly string[], env: Record<string, string>) {
  const known = new Map<string, string>()
  const results: { code: number; out: string; err: string }[] = []
  for (const line of lines) {
    const filled = line.replace(/\{([A-Z]+)\}/g, (_, name: string) => known.get(name) ?? "unknown")
    const [command = "", input = ""] = filled.split(" < ")
    const argv = command.split(" ").map((word) => (word === "''" ? "" : word))
    const result = await runWith([...argv, ...flags], env, input)
    if (line.startsWith("account create") && !known.has("ACC")) known.set("ACC", JSON.parse(result.out).id)
    if (line.startsWith("key create")) {
      const { id, key } = JSON.parse(result.out)
      known.set("KEYID", id).set("KEY", key)
    }
    results.push({ code: result.code, out: mask(result.out), err: mask(result.err) })
  }
  return results
}

async function runWith(argv: readonly string[], env: Record<string, string>, input: string) {
  const child = Bun.spawn([binary, ...argv], {
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...env },
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

/** Ids, times, secrets, and who did it from where. */
function mask(text: string): string {
  return (
    text
      .replace(/\b(acc|key|adm|aud|msg|req)_\w{16,}/g, "$1_ID")
      .replace(/pka?-[\w-]+/g, "KEY")
      .replace(/whsec_[\w+/=]+/g, "SECRET")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME")
      .replace(/--after \S+/, "--after CURSOR")
      .replace(/^at +actor .*$/gm, "NAMES")
      // Only a service always has its configuration file.
      .replace(" A plan of the service's configuration file is known only with --config FILE.", "")
      .replace(/"(actor|actor_name|source|request_id)":"[^"]*"/g, '"$1":"WHO"')
      .replace(/(cli:\S+|admin-key:\S+) +\S+ +(\w+\.\w+ .*?) +\S+$/gm, "WHO $2 WHERE")
  )
}

test("a wrong key, an API key and a revoked key are told apart", async () => {
  const db = join(dir, "keys.db")
  const { id } = await runJson("account", "create", "--name", "Ann", "--db", db)
  const { key: apiKey } = await runJson("key", "create", "--account", id, "--db", db)
  const admin = await runJson("admin-key", "create", "--name", "a", "--may", "accounts.read", "--db", db)
  const server = await serve(db)
  const as = (key: string, ...argv: string[]) =>
    run([...argv, "--server", server.url], { PENKNIFE_ADMIN_KEY: key })
  expect(await as(admin.key, "account", "show", id)).toMatchObject({ code: 0 })
  const refused = await as(admin.key, "key", "list")
  expect([refused.code, refused.err.includes("'keys.read'")]).toEqual([1, true])
  const wrongKind = await as(apiKey, "account", "list")
  expect([wrongKind.code, wrongKind.err.includes("API key")]).toEqual([1, true])
  expect(await as(`${admin.key}x`, "account", "list")).toMatchObject({ code: 1, out: "" })
  await runJson("admin-key", "revoke", admin.id, "--db", db)
  expect(await as(admin.key, "account", "list")).toMatchObject({ code: 1, out: "" })
  for (const { err } of [refused, wrongKind]) expect(err).not.toContain(admin.key)
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
    const list = await onTerminal(["account", "list", "--db", db], "", "")
    expect(list.screen).toContain("\u001b[1mid ")
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
      const child = Bun.spawn([program ?? shell, "-c", wrap(script, words)], {
        stdout: "pipe",
        stderr: "pipe",
        cwd: dir,
        env: { ...process.env, HOME: dir, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` },
      })
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      expect({ words, err }).toEqual({ words, err: "" })
      return out.split("\n").filter(Boolean).sort()
    }
    expect(await complete("penknife acc")).toEqual(["account"])
    expect(await complete("penknife account re")).toEqual(["rename", "renew", "reopen"])
    expect(await complete("penknife key create --allow-")).toEqual(["--allow-api", "--allow-ip"])
    expect(await complete("penknife completion ''")).toEqual(["bash", "fish", "zsh"])
    expect(await complete("penknife serve --log-format ''")).toEqual(["auto", "json", "pretty"])
    writeFileSync(join(dir, "a backup.db"), "")
    expect(await complete(`penknife restore a`)).toEqual(["a backup.db"])
  })
  if (program === null) console.error(`!! LEFT OUT: completion in ${shell}, which is not installed`)
}

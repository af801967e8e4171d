/** The programs that run `clients/behaviours.json` and the examples with the client of each language. */
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { mockWebhookSecret } from "../../src/mock/webhook-secret.ts"

/** A program that tries a client. It ends with 0 when all that it tried was as expected. */
interface ClientRun {
  readonly name: string
  readonly command: readonly [program: string, ...args: string[]]
  /** The folder to run it in, from the root of the repository. */
  readonly folder: string
  /** A command that succeeds where it can run. */
  readonly needs: readonly [program: string, ...args: string[]]
  /** How to get what it needs. */
  readonly install: string
  /** The output of a run that skipped nothing. */
  readonly prints: RegExp
}

const root = join(import.meta.dir, "../..")
const junit = "/usr/share/java/junit-platform-console-standalone.jar"
/** Runs a script of the shell with a new folder `$out`, which is removed afterwards. */
const inShell = (script: string) =>
  ["sh", "-c", `out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT && ${script}`] as const

/** The needs of the runs, and how to get them. */
const bun = { needs: [process.execPath, "--version"], install: "Install Bun." } as const
const node = { needs: ["node", "--version"], install: "Install Node 20 or newer." } as const
const python = {
  needs: ["python3", "--version"],
  install: "Install Python, such as Debian's python3.",
} as const
const pytest = {
  needs: ["python3", "-m", "pytest", "--version"],
  install: "Install pytest, such as Debian's python3-pytest.",
} as const
const go = {
  needs: ["go", "version"],
  install: "Install Go 1.19 or newer, such as Debian's golang-go.",
} as const
const jdk = {
  needs: ["javac", "-version"],
  install: "Install a JDK of 11 or newer, such as Debian's default-jdk-headless.",
} as const
const jdkAndJunit = {
  needs: ["sh", "-c", `javac -version && test -f ${junit}`],
  install: "Install a JDK and JUnit 5: Debian's default-jdk-headless and junit5.",
} as const

const goTest = ["go", "test", "-count=1", "-v", "./..."] as const
/** Compiles a test with the client, and runs it. */
const junitOf = (test: string, expected: "" | "! ") =>
  inShell(
    `javac -d "$out" -cp ${junit} ../../clients/java/penknife/PenknifeMock.java ${test}.java && ` +
      `${expected}java -jar ${junit} -cp "$out" --scan-classpath --disable-banner --details=summary`,
  )
const javaTable = inShell(
  'javac -Xlint:all -Werror -d "$out" penknife/*.java && java -cp "$out" penknife.Behaviours',
)

/** The runs that are part of `bun run check`. */
export const checkedRuns: readonly ClientRun[] = [
  { ...bun, ...tableRun("Bun", "javascript", [process.execPath, "behaviours.mjs"]) },
  { ...node, ...tableRun("Node", "javascript", ["node", "behaviours.mjs"]) },
  { ...python, ...tableRun("Python", "python", ["python3", "-B", "behaviours.py"]) },
  {
    ...pytest,
    name: "the example for pytest",
    command: ["python3", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
    folder: "examples/python",
    prints: /^2 passed/m,
  },
]

/** The runs that need more than most machines have. */
export const otherRuns: readonly ClientRun[] = [
  { ...go, ...tableRun("Go", "go", goTest) },
  {
    ...go,
    name: "the example for go test",
    command: goTest,
    folder: "examples/go",
    prints: /(?:^--- PASS: Test[\s\S]*){2}^PASS$/m,
  },
  { ...jdk, ...tableRun("Java", "java", javaTable) },
  {
    ...jdkAndJunit,
    name: "the example for JUnit",
    command: junitOf("RetryTest", ""),
    folder: "examples/java",
    prints: /\b2 tests successful/,
  },
  {
    ...pytest,
    name: "a passing and a failing verify under pytest",
    command: inShell("! python3 -B -m pytest -q -p no:cacheprovider -p penknife_mock test_verify.py"),
    folder: "scripts/clients",
    prints: /^E +#1 GET \/v1\/bluetoothlookup[\s\S]*^1 failed, 1 passed/m,
  },
  {
    ...jdkAndJunit,
    name: "a passing and a failing verify under JUnit",
    command: junitOf("VerifyTest", "! "),
    folder: "scripts/clients",
    prints: /^#1 GET \/v1\/bluetoothlookup[\s\S]*\b1 tests successful[\s\S]*\b1 tests failed/m,
  },
]

function tableRun(language: string, folder: string, command: ClientRun["command"]) {
  const prints = new RegExp(`^(\\d+) of \\1 behaviours are the same in ${language}$`, "m")
  return { name: `behaviours in ${language}`, command, folder: `clients/${folder}`, prints }
}

/** Whether this machine has what a run needs. */
export function canRun({ needs }: ClientRun): boolean {
  if (Bun.which(needs[0]) === null) return false
  return Bun.spawnSync([...needs], { stdio: ["ignore", "ignore", "ignore"] }).success
}

/**
 * Runs one with an executable of penknife and a receiver of webhooks, which refuses a wrong signature. Returns null if it went
 * well, else its exit code and what it printed.
 */
export async function runClient({ command, folder, prints }: ClientRun, executable: string) {
  const receiver = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: receive })
  const child = Bun.spawn([...command], {
    cwd: join(root, folder),
    stdout: "pipe",
    stderr: "pipe",
    env: {
      ...process.env,
      NO_COLOR: "1",
      PENKNIFE_BIN: executable,
      PYTHONPATH: join(root, "clients/python"),
      RECEIVER: receiver.url.href,
    },
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  await receiver.stop(true)
  return code === 0 && prints.test(out) ? null : { code, text: out + err }
}

async function receive(request: Request): Promise<Response> {
  const body = await request.text()
  try {
    new Webhook(mockWebhookSecret).verify(body, Object.fromEntries(request.headers))
    return new Response(null, { status: 204 })
  } catch (thrown) {
    return new Response(String(thrown), { status: 401 })
  }
}

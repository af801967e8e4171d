/** The name of this machine. */
export const hostName = (): string => nodeOs().hostname()

/** The person or program that runs a command, for the audit log: the system's user and the name of this machine. */
export function currentOperator() {
  return { user: userName(), host: nodeOs().hostname() }
}

/** Asks `id`, since Bun's `userInfo` believes the environment. In a container the user's number may have no name. */
function userName(): string {
  if (process.getuid === undefined) return nodeOs().userInfo().username
  const id = Bun.which("id")
  const { stdout } = id === null ? { stdout: "" } : Bun.spawnSync([id, "-un"], { stderr: "ignore" })
  return stdout.toString().trim() || `uid ${process.getuid()}`
}

/** Returns `node:os`, loaded when it is first needed: it lists the processors, which would take a twentieth of each start. */
export const nodeOs = () => process.getBuiltinModule("node:os")

/** Frees the memory of values that are no longer used. It blocks the process, for longer the more is in use: call it seldom. */
export function collectGarbage(): void {
  Bun.gc(true)
}

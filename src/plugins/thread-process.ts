/**
 * What an API must not do to the process that its thread is in, as Node has it for threads
 * (https://nodejs.org/api/worker_threads.html#class-worker): another working directory would move the files of the service.
 */
const ofWholeProcess = [
  "abort",
  "chdir",
  "initgroups",
  "setegid",
  "seteuid",
  "setgid",
  "setgroups",
  "setuid",
  "umask",
] as const

/** Makes these functions of `process` throw. */
export function protectProcess(target: object): void {
  for (const name of ofWholeProcess) {
    const value = () => {
      throw new Error(`process.${name}() is not for an API: it would change the whole service`)
    }
    Object.defineProperty(target, name, { value })
  }
}

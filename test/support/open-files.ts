import { fstatSync, readdirSync } from "node:fs"

/** The files and sockets that this process has open, each by its device and inode. */
export function openFiles(): ReadonlySet<string> {
  const open = new Set<string>()
  for (const descriptor of readdirSync("/dev/fd")) {
    try {
      const { dev, ino } = fstatSync(Number(descriptor))
      open.add(`${dev} ${ino}`)
    } catch (thrown) {
      // That of the list itself is closed by now.
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EBADF")) throw thrown
    }
  }
  return open
}

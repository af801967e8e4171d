import { expect } from "bun:test"
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { runProgram } from "./run-program.ts"
import { tempDir } from "./temp.ts"

export const root = join(import.meta.dir, "../..")

/** Not part of a copy: it has no git and no executable, and shares the packages. */
const left = [".git", "dist", "node_modules"]

/** A copy of the project in which the steps of a page are followed. */
export function copyProject(): string {
  const copy = tempDir()
  for (const name of readdirSync(root))
    if (!left.includes(name)) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** The test files that match a pattern, but those that need the executable and those that follow a page. */
export function testsThat(reads: RegExp): readonly string[] {
  const files = [...new Glob("{src,test}/**/*.test.ts").scanSync(root)].sort()
  return files
    .filter(
      (file) =>
        !/^test\/(?:binary\/|adding-)/.test(file) && reads.test(readFileSync(join(root, file), "utf8")),
    )
    .map((file) => `./${file}`)
}

/** Runs a command in the copy, which must end with 0, and returns its output. Tests there try what a commit tries. */
export async function runIn(copy: string, command: readonly string[]): Promise<string> {
  const { out, err, code } = await runProgram(command, {
    cwd: copy,
    env: { PENKNIFE_TEST_TURN: "0", ...process.env },
  })
  const text = out + err
  const failures = text.split("\n").filter((line) => /^\(fail\)|^error:/.test(line))
  expect({ code, failures: code === 0 ? [] : failures, text: code === 0 ? "" : text.slice(-4_000) }).toEqual({
    code: 0,
    failures: [],
    text: "",
  })
  return text
}

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "./temp.ts"

/**
 * Checks OpenAPI documents against the recommended rules of Redocly.
 * @returns every problem, warnings too
 */
export async function lintOpenApi(...texts: readonly string[]): Promise<readonly unknown[]> {
  const dir = tempDir()
  const files = texts.map((text, index) => {
    const file = join(dir, `${index}.json`)
    writeFileSync(file, text)
    return file
  })
  const cli = join(import.meta.dir, "../../node_modules/@redocly/cli/bin/cli.js")
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" }
  const command = [process.execPath, cli, "lint", "--extends=recommended", "--format=json", ...files]
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", env, cwd: tempDir() })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  // One JSON text per document, one after the other.
  const reports = out.split(/(?<=^\})(?=\{)/m).map((text) => JSON.parse(text) as { problems: unknown[] })
  if (reports.length !== files.length) throw new Error(`not every document was checked: ${err}`)
  return reports.flatMap(({ problems }) => problems)
}

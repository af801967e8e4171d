import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "./temp.ts"

/**
 * Checks an OpenAPI document against the recommended rules of Redocly.
 * @returns every problem, warnings too
 */
export async function lintOpenApi(text: string): Promise<readonly unknown[]> {
  const file = join(tempDir(), "openapi.json")
  writeFileSync(file, text)
  const cli = join(import.meta.dir, "../../node_modules/@redocly/cli/bin/cli.js")
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", CI: "true" }
  const command = [process.execPath, cli, "lint", "--extends=recommended", "--format=json", file]
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", env, cwd: tempDir() })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (out === "") throw new Error(`the document was not checked: ${err}`)
  return (JSON.parse(out) as { problems: unknown[] }).problems
}

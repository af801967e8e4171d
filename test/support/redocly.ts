import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "./temp.ts"

/** Checks an OpenAPI document with the recommended rules of Redocly, and gives what they find. */
export async function lintOpenApi(text: string): Promise<{ code: number; err: string; found: unknown }> {
  const file = join(tempDir(), "openapi.json")
  writeFileSync(file, text)
  const cli = join(import.meta.dir, "../../node_modules/@redocly/cli/bin/cli.js")
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    CI: "true",
  }
  const command = [process.execPath, cli, "lint", "--extends=recommended", "--format=json", file]
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", env, cwd: tempDir() })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, err: code === 0 ? "" : err, found: JSON.parse(out) }
}

/** Packs the executables for downloads, with their licences and checksums. */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zipSync } from "fflate"
import { packTar } from "modern-tar"

/** Fixed times, so that the same files make the same archive. A zip has local times, from 1980 on. */
const tarTime = new Date("1980-01-01T00:00:00Z")
const zipTime = new Date(1980, 0, 1)

/**
 * Makes `penknife-<target>.tar.gz` in a folder from each `penknife-<target>` there, a zip for Windows, and `SHA256SUMS` of all.
 * @param texts files that go into every archive, by name
 */
export async function makeArchives(
  folder: string,
  targets: readonly string[],
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  const names: string[] = []
  for (const target of targets) {
    const isWindows = target.startsWith("windows")
    const top = `penknife-${target}`
    const built = isWindows ? `${top}.exe` : top
    const executable = readFileSync(join(folder, built))
    const archive = isWindows ? `${top}.zip` : `${top}.tar.gz`
    writeFileSync(
      join(folder, archive),
      isWindows ? zip(top, executable, texts) : await tar(top, executable, texts),
    )
    names.push(built, archive)
  }
  const sums = names.map((name) => `${digestOf(join(folder, name))}  ${name}\n`)
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""))
}

type Texts = Readonly<Record<string, string>>

async function tar(top: string, executable: Uint8Array, texts: Texts): Promise<Uint8Array> {
  const entry = (name: string, body: Uint8Array, mode: number) => ({
    header: { name: `${top}/${name}`, size: body.byteLength, mode, mtime: tarTime },
    body,
  })
  const packed = await packTar([
    entry("penknife", executable, 0o755),
    ...Object.entries(texts).map(([name, text]) => entry(name, Buffer.from(text), 0o644)),
  ])
  return Bun.gzipSync(new Uint8Array(packed), { library: "libdeflate", level: 6 })
}

function zip(top: string, executable: Uint8Array, texts: Texts): Uint8Array {
  const files = Object.entries(texts).map(([name, text]) => [`${top}/${name}`, Buffer.from(text)] as const)
  return zipSync({ [`${top}/penknife.exe`]: executable, ...Object.fromEntries(files) }, { mtime: zipTime })
}

function digestOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex")
}

/**
 * The first seed of a commit: 31 bits of its hash, so that every commit tries other seeds and can be tried again. Without a
 * repository it is 1.
 */
export async function seedOfCommit(): Promise<number> {
  const { exitCode, stdout } = await Bun.$`git rev-parse HEAD`
    .cwd(import.meta.dir)
    .quiet()
    .nothrow()
  return exitCode === 0 ? Number.parseInt(stdout.toString().slice(0, 8), 16) >>> 1 : 1
}

/** Compiles a program of this folder as `scripts/build.ts` compiles penknife, so that like is compared with like. */
export async function compile(entry: string, outfile: string): Promise<void> {
  const child = Bun.spawn(
    [
      process.execPath,
      "build",
      "--compile",
      "--bytecode",
      "--minify-whitespace",
      "--minify-syntax",
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      `--outfile=${outfile}`,
      entry,
    ],
    { stdout: "ignore", stderr: "pipe" },
  )
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${entry} does not compile: ${errors}`)
}

/** For `bun --preload`: prints each module that is loaded when the process is asked to stop. */
process.once("SIGTERM", () => {
  for (const file of Object.keys(require.cache)) process.stderr.write(`loaded ${file}\n`)
})

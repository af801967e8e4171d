/** For `bun --preload`: prints the name of each file of the stores when it is loaded. */
import { plugin } from "bun"

plugin({
  name: "print loaded files",
  setup(build) {
    build.onLoad({ filter: /\/src\/store\/.*\.ts$/ }, async ({ path }) => {
      process.stderr.write(`loaded ${path}\n`)
      return { contents: await Bun.file(path).text(), loader: "ts" }
    })
  },
})

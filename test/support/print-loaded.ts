/**
 * For `bun --preload`: prints the name of each file of the stores, the administration, the ways in, of traces and of pino when it
 * is loaded.
 */
import { plugin } from "bun"

plugin({
  name: "print loaded files",
  setup(build) {
    build.onLoad({ filter: /\/src\/(?:store|admin|surfaces)\/.*\.ts$/ }, async ({ path }) => {
      process.stderr.write(`loaded ${path}\n`)
      return { contents: await Bun.file(path).text(), loader: "ts" }
    })
    build.onLoad(
      { filter: /\/src\/ports\/tracing\/.*\.ts$|\/@opentelemetry\/.*\.m?js$|\/node_modules\/pino\/.*\.js$/ },
      async ({ path }) => {
        process.stderr.write(`loaded ${path}\n`)
        return { contents: await Bun.file(path).text(), loader: path.endsWith(".ts") ? "ts" : "js" }
      },
    )
  },
})

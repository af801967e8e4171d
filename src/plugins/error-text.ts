import { dirname, join } from "node:path"
import { PluginRefused } from "./plugin-refused.ts"

/** The error that Bun throws for a file that it cannot read as a program. */
interface BuildMessageLike {
  readonly message: string
  readonly position: { readonly file: string; readonly line: number; readonly column: number } | null
}

/** Bun's messages for a package that it does not find: in a compiled program, in another one, and for `require`. */
const packageNotFound =
  /(?:Could not resolve: "|Cannot find (?:package|module) ')(?!node:|bun:)([^'"./][^'"]*)['"]/

/** Why a file could not be loaded, with the place where that is known. */
export function describeLoadError(thrown: unknown, file: string): string {
  // Bun collects several mistakes of a file in one error.
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown
  const name = first instanceof Error ? packageNotFound.exec(first.message)?.[1] : undefined
  if (name !== undefined)
    return `${file} imports the package '${name}', which is not found by its name. Bundle it: bun build SOURCE.ts --target=bun --external penknife/plugin --outfile ${dirname(file)}/index.js`
  if (isBuildMessage(first)) {
    const { message, position } = first
    return position
      ? `${position.file}:${position.line}:${position.column}: ${message}`
      : `${file}: ${message}`
  }
  if (first instanceof PluginRefused) return first.message
  return `${file} cannot be loaded: ${describeThrown(first)}`
}

/** Anything thrown as text, with where it was thrown. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it threw ${show(thrown)} instead of an error`
  return `${thrown.name}: ${thrown.message}${placeOf(thrown)}`
}

/** The same without the message, which may quote what a client sent. */
export function describeKind(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it threw a ${typeof thrown} instead of an error`
  const { name } = thrown.constructor
  return `it threw ${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}${placeOf(thrown)}`
}

/** The files of this program when it runs from its sources. */
const sources = join(import.meta.dir, "..")

function placeOf({ stack = "", message }: Error): string {
  // The message is cut off first, since its lines may look like frames.
  const frames = stack.slice(message === "" ? 0 : stack.indexOf(message) + message.length)
  const places = [...frames.matchAll(/\(?((?:\/|[A-Z]:)[^\s()]*:\d+:\d+)\)?/g)].map(([, place = ""]) => place)
  // The operator cannot change the places in this program.
  const place = places.find((one) => !one.startsWith(sources) && !one.startsWith("/$bunfs/"))
  return place === undefined ? "" : ` (${place})`
}

function isBuildMessage(thrown: unknown): thrown is BuildMessageLike {
  return thrown instanceof Error && "position" in thrown && thrown.name !== "Error"
}

function show(thrown: unknown): string {
  try {
    return JSON.stringify(thrown)?.slice(0, 200) ?? String(thrown)
  } catch {
    return `a ${typeof thrown}`
  }
}

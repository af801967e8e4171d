import type { CodeCall } from "./code-call.ts"
import { toCurl } from "./curl.ts"
import { toGo } from "./go.ts"
import { toJavaScript } from "./javascript.ts"
import { toPython } from "./python.ts"

/** A language that calls are shown in. */
interface CodeLanguage {
  readonly id: string
  readonly name: string
  /** Writes a call, ready to run, with the key in it. */
  readonly write: (call: CodeCall) => string
}

/** The languages that calls are shown in, the shortest first. Documentation and the portal's playground use the same. */
export const codeLanguages: readonly CodeLanguage[] = [
  { id: "curl", name: "curl", write: toCurl },
  { id: "javascript", name: "JavaScript", write: toJavaScript },
  { id: "python", name: "Python", write: toPython },
  { id: "go", name: "Go", write: toGo },
]

import type { JsonObject } from "./json-object.ts"

type Components = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>

/** The components that some paths refer to, also by way of other components. Security schemes are named, not referred to, and stay. */
export function usedComponents(paths: JsonObject, components: Components): Components {
  const used = new Set<string>()
  const waiting: unknown[] = [paths]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue
    for (const [name, child] of Object.entries(value)) {
      if (name !== "$ref" || typeof child !== "string") waiting.push(child)
      else if (!used.has(child)) {
        used.add(child)
        const [kind = "", component = ""] = child.replace("#/components/", "").split("/")
        waiting.push(components[kind]?.[component])
      }
    }
  }
  const kept = Object.entries(components).map(([kind, members]) => {
    const isUsed = (name: string) => kind === "securitySchemes" || used.has(`#/components/${kind}/${name}`)
    return [kind, Object.fromEntries(Object.entries(members).filter(([name]) => isUsed(name)))]
  })
  return Object.fromEntries(kept)
}

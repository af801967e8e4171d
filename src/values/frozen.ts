import { once } from "./once.ts"

/**
 * A frozen copy of an object. Each member is frozen, with everything in it, when it is first read: a start defines many APIs and
 * reads few of their schemas and examples.
 */
export function frozenWhenRead<T extends object>(object: T): T {
  const members = Object.entries(object).map(([name, value]) => {
    const isObject = typeof value === "object" && value !== null
    return [name, { enumerable: true, ...(isObject ? { get: () => deepFreeze(value) } : { value }) }] as const
  })
  return frozenObject<T>(Object.fromEntries(members))
}

/** Freezes a value and everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  return value
}

/**
 * A frozen copy of an object with another value of one member. The others are not read, as by a spread.
 * @example const late = withMember(api, "run", async (input, context) => (await load()).run(input, context))
 */
export function withMember<T extends object, Name extends keyof T>(object: T, name: Name, value: T[Name]): T {
  const members = Object.getOwnPropertyDescriptors(object)
  return frozenObject<T>({ ...members, [name]: { value, enumerable: true } })
}

/** Like {@link withMember}, with a value that is made when it is first read. */
export function madeWhenRead<T extends object, Name extends keyof T>(
  object: T,
  name: Name,
  make: () => T[Name],
): T {
  const members = Object.getOwnPropertyDescriptors(object)
  return frozenObject<T>({ ...members, [name]: { get: once(() => deepFreeze(make())), enumerable: true } })
}

function frozenObject<T extends object>(members: PropertyDescriptorMap): T {
  const object: T = Object.create(Object.prototype, members)
  return Object.freeze(object)
}

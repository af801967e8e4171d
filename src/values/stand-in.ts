/**
 * Stands for an object that may be another one at each use, so that what is made once works with all of them. Methods may be
 * taken off it. Members that are plain objects are followed in the same way; others are those of the moment when they are read.
 * @param shape an object with the same members, which is not used otherwise
 * @param use works with the object that is meant at present
 */
export function standIn<T extends object>(shape: T, use: <R>(work: (present: object) => R) => R): T {
  const handler: ProxyHandler<T> & { readonly use: Use } = { get: getOf, use }
  return new Proxy(shape, handler)
}

type Use = <R>(work: (present: object) => R) => R

function getOf(this: { readonly use: Use }, shape: object, name: PropertyKey): unknown {
  const { use } = this
  const known: unknown = Reflect.get(shape, name)
  if (typeof known === "function")
    return (...given: unknown[]) =>
      use((present) => Reflect.apply(Reflect.get(present, name), present, given))
  if (known instanceof Object && Object.getPrototypeOf(known) === Object.prototype)
    return standIn(known, (work) => use((present) => work(Reflect.get(present, name))))
  return use((present) => Reflect.get(present, name))
}

/** Makes an object of `base` with some members of its own. A spread would take methods off, which a stand-in makes one by one. */
export function override<T extends object>(base: T, own: Partial<T>): T {
  return Object.setPrototypeOf(own, base)
}

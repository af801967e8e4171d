/**
 * Stands for an object that may be another one at each use, so that what is made once works with all of them. Methods may be
 * taken off it. Members that are plain objects are followed in the same way; others are those of the moment when they are read.
 * @param shape an object with the same members, which is not used otherwise
 * @param use works with the object that is meant at present
 * @param own members that stay those of the stand-in; of an object that is followed, it has some of the members
 */
export function standIn<T extends object>(shape: T, use: Use, own?: Own<T>): T {
  const handler: ProxyHandler<T> & Handler = { get: getOf, use, own }
  return new Proxy(shape, handler)
}

type Own<T> = { readonly [K in keyof T]?: T[K] | Partial<T[K]> }
type Handler = { readonly use: Use; readonly own: object | undefined }

type Use = <R>(work: (present: object) => R) => R

function getOf(this: Handler, shape: object, name: PropertyKey): unknown {
  const { use, own } = this
  const known: unknown = Reflect.get(shape, name)
  const kept: unknown = own && Object.hasOwn(own, name) ? Reflect.get(own, name) : undefined
  if (kept !== undefined && !isFollowed(known)) return kept
  if (typeof known === "function")
    return (...given: unknown[]) =>
      use((present) => Reflect.apply(Reflect.get(present, name), present, given))
  if (isFollowed(known))
    return standIn(known, (work) => use((present) => work(Reflect.get(present, name))), kept ?? undefined)
  return use((present) => Reflect.get(present, name))
}

function isFollowed(known: unknown): known is object {
  return known instanceof Object && Object.getPrototypeOf(known) === Object.prototype
}

/** Makes an object of `base` with some members of its own. A spread would take methods off, which a stand-in makes one by one. */
export function override<T extends object>(base: T, own: Partial<T>): T {
  return Object.setPrototypeOf(own, base)
}

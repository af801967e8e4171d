/**
 * Reads each property of `Promise` once. JavaScriptCore adds such a property to the object when it is first read, and then
 * discards all compiled code that awaits promises: the whole pipeline, which takes hundreds of milliseconds of
 * processor time to compile again. Call it at the start, before anything is compiled.
 */
export function readPromiseProperties(): void {
  for (const builtIn of [Promise, Promise.prototype]) Object.getOwnPropertyDescriptors(builtIn)
}

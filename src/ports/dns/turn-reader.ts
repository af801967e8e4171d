import type { Timer } from "../../apis/contract.ts"

/** Work in steps of a few milliseconds each, which ends with a result. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Starts to read a message of so many bytes. */
export type WhenRead = (bytes: number, reading: () => Steps<void>) => void

/** A message of this size takes up to a millisecond to read, one of 64 KiB with thousands of records 15. */
const smallBytes = 4_096
/** Records that one step reads, in one millisecond; in five when its code runs for the first time. */
const recordsPerStep = 100

/**
 * Returns a function that reads a message: at once if it is small, else one step in each turn of the event loop, and one message
 * after the other. Whoever runs a DNS server could otherwise hold up all other work with many large ones at a time.
 */
export function createTurnReader(timer: Pick<Timer, "turn">): WhenRead {
  const waiting: (() => Steps<void>)[] = []
  let isReading = false
  return (bytes, reading) => {
    if (bytes <= smallBytes) return runSteps(reading())
    waiting.push(reading)
    if (!isReading) void readAll()
  }

  /** Never rejects: each reader handles what it throws. */
  async function readAll(): Promise<void> {
    isReading = true
    for (let reading = waiting.shift(); reading; reading = waiting.shift()) {
      const steps = reading()
      for (let isDone = false; !isDone; await timer.turn()) isDone = steps.next().done === true
    }
    isReading = false
  }
}

/** Takes all steps at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Makes a value of each record, in steps. */
export function* mapInSteps<From, To>(records: readonly From[], toValue: (record: From) => To): Steps<To[]> {
  const values: To[] = []
  for (const record of records) {
    values.push(toValue(record))
    if (values.length % recordsPerStep === 0) yield
  }
  return values
}

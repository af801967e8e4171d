import type { Timer } from "../../apis/contract.ts"

/** A message of this size takes up to a millisecond to read, one of 64 KiB with thousands of records 15. */
const smallBytes = 4_096

/**
 * Returns a function that calls `read` for a message of so many bytes: at once if it is small, else one in each turn of the event
 * loop, in the order in which they came. Whoever runs a DNS server could otherwise hold up all other work with many at a time.
 */
export function createTurnReader(timer: Pick<Timer, "turn">): (bytes: number, read: () => void) => void {
  const waiting: (() => void)[] = []
  let isReading = false
  return (bytes, read) => {
    if (bytes <= smallBytes) return read()
    waiting.push(read)
    if (!isReading) void readAll()
  }

  async function readAll(): Promise<void> {
    isReading = true
    for (let read = waiting.shift(); read; read = waiting.shift()) {
      read()
      await timer.turn()
    }
    isReading = false
  }
}

/** The part of autocannon 9 that is used here. The package has no types. */
declare module "autocannon" {
  interface Request {
    method: string
    path: string
    headers: Record<string, string>
    body?: string
  }
  interface Result {
    /** Seconds. */
    duration: number
    requests: { total: number }
    /** Whole milliseconds. */
    latency: { p50: number; p99: number }
    "4xx": number
    "5xx": number
    errors: number
    timeouts: number
  }
  export default function autocannon(options: {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    timeout: number
    requests: Request[]
  }): Promise<Result>
}

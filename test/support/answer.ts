/** The envelope as a client reads it. */
export interface Answer {
  readonly status: string
  readonly error: string | null
  readonly data: Record<string, unknown> | null
}

/** Reads a JSON envelope. */
export async function readAnswer(response: Response | Promise<Response>): Promise<Answer> {
  return (await (await response).json()) as Answer
}

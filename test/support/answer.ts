/** The envelope as a client reads it. */
export interface Answer {
  readonly status: string
  readonly error: string | null
  readonly data: Record<string, unknown> | null
}

/** Reads a JSON envelope. */
export const readAnswer = async (response: Response | Promise<Response>): Promise<Answer> =>
  (await (await response).json()) as Answer

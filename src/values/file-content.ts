/** The bytes of an open file. */
export interface FileContent {
  /** The bytes from its beginning to its end, so many at a time that memory holds them. They are read when they are taken. */
  readonly chunks: AsyncIterable<Uint8Array>
  close(): Promise<void>
}

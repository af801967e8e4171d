/** The part of dns-packet that the tests use, since the package has no types. Offsets are those of RDLENGTH. */
declare module "dns-packet" {
  export interface RecordCodec<Data> {
    encode(data: Data): Buffer
    decode(message: Buffer, offset: number): Data
  }
  export const a: RecordCodec<string>
  export const aaaa: RecordCodec<string>
  /** Encoding changes the array, and does not refuse strings over 255 bytes. */
  export const txt: RecordCodec<Buffer[]>
  export const mx: RecordCodec<{ preference: number; exchange: string }>
  export const ptr: RecordCodec<string>
  export const cname: RecordCodec<string>
  type Times = Record<"serial" | "refresh" | "retry" | "expire" | "minimum", number>
  export const soa: RecordCodec<{ mname: string; rname: string } & Times>
}

import { crc32, deflateSync } from "node:zlib"

/** The dark modules of a code, by row and column. */
type Modules = readonly (readonly boolean[])[]

/** The width of a module in pixels, if the page does not set a size for the picture. */
const defaultScale = 8

/** Draws a code as SVG, with a white border of `border` modules. */
export function toSvg(modules: Modules, border: number): string {
  const side = modules.length + 2 * border
  const dark = modules.flatMap((row, y) =>
    runsOf(row).map(([x, length]) => `M${x + border} ${y + border}h${length}v1h-${length}z`),
  )
  const pixels = side * defaultScale
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">`,
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${dark.join("")}"/></svg>`,
  ].join("")
}

/** The runs of dark modules in a row: where each begins and how long it is. */
function runsOf(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = []
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1)
    if (!isDark) continue
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  }
  return runs
}

/** Draws a code as PNG (RFC 2083) with one bit a pixel, in base64. A module has `scale` × `scale` pixels. */
export function toPng(modules: Modules, border: number, scale: number): string {
  const side = (modules.length + 2 * border) * scale
  const white = Buffer.alloc(1 + Math.ceil(side / 8), 0xff)
  // Each row begins with its filter: 0, none.
  white[0] = 0
  const rows = modules.map((row) => {
    const bytes = Buffer.from(white)
    for (const [x, length] of runsOf(row))
      for (let pixel = (x + border) * scale; pixel < (x + length + border) * scale; pixel++) {
        const place = 1 + (pixel >> 3)
        bytes[place] = (bytes[place] ?? 0) & ~(0x80 >> (pixel & 7))
      }
    return bytes
  })
  const edge = Array<Buffer>(border).fill(white)
  const lines = [...edge, ...rows, ...edge].flatMap((row) => Array<Buffer>(scale).fill(row))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // One bit a pixel, 0 is black.
  header[8] = 1
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    toChunk("IHDR", header),
    toChunk("IDAT", deflateSync(Buffer.concat(lines))),
    toChunk("IEND", Buffer.alloc(0)),
  ]).toString("base64")
}

/** A part of a PNG: its length, its name, its data and their checksum. */
function toChunk(name: string, data: Buffer): Buffer {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  const named = Buffer.concat([Buffer.from(name, "latin1"), data])
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

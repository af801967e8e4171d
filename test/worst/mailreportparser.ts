import { deflateRawSync, gzipSync } from "node:zlib"
import type { WorstInputs } from "../support/worst-inputs.ts"

const maxCharacters = 1_400_000
const packed = (text: string) => gzipSync(text).toString("base64")
const fill = (piece: string, length: number) => piece.repeat(Math.floor(length / piece.length))
const record =
  "<record><row><source_ip>192.0.2.1</source_ip><count>1</count><policy_evaluated><disposition>none</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated></row><identifiers><header_from>a.test</header_from></identifiers><auth_results><spf><domain>a.test</domain><result>fail</result></spf></auth_results></record>"
const report = (records: string) => `<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">${records}</feedback>`
const most = 4_194_304 - 100
const mostJson = 1_000_000 - 100
const addresses = Array.from({ length: 14_000 }, (_, index) =>
  record.replace("192.0.2.1", `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`),
).join("")
const failure = '{"result-type":"certificate-expired","failed-session-count":1},'
const tls = (policies: string) => `{"policies":[${policies}]}`

/** A ZIP archive of one file that is packed by Deflate. */
function zip(content: Buffer, saysBytes = content.length): string {
  const data = deflateRawSync(content)
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(8, 4)
  fields.writeUInt32LE(data.length, 14)
  fields.writeUInt32LE(saysBytes, 18)
  fields.writeUInt16LE(1, 22)
  const name = Buffer.from("r")
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, name, data])
  const entry = Buffer.concat([Buffer.from("PK\x01\x02\x14\0", "latin1"), fields, Buffer.alloc(14), name])
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", "latin1")
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(entry.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, entry, end]).toString("base64")
}

/** Bombs, and the largest and slowest reports. */
export const worst: WorstInputs = {
  "gzip of 200 MB": { report: gzipSync(Buffer.alloc(200_000_000)).toString("base64") },
  "ZIP of 200 MB": { report: zip(Buffer.alloc(200_000_000)) },
  "ZIP of 200 MB that says 1,000 bytes": { report: zip(Buffer.alloc(200_000_000), 1_000) },
  "a ZIP directory of 65,535 lies": {
    report: Buffer.from(
      `PK\x01\x02${"\0".repeat(1_000_000)}PK\x05\x06\0\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0`,
      "latin1",
    ).toString("base64"),
  },
  "records of different addresses": { report: packed(report(addresses).slice(0, most)) },
  "as many records as fit": { report: packed(report(fill(record, most))) },
  "empty records": { report: packed(report(fill("<record/>", most))) },
  "records with one wrong element each": { report: packed(report(fill("<record><x/></record>", most))) },
  "elements in one record": { report: packed(report(`<record>${fill("<dkim/>", most)}</record>`)) },
  "nested elements": { report: packed(fill("<feedback>", most)) },
  attributes: {
    report: packed(`<feedback ${Array.from({ length: 200_000 }, (_, at) => `a${at}="1"`).join(" ")}/>`),
  },
  "a long text": { report: packed(report(`<version>${fill("1", most - 200)}</version>`)) },
  "references to characters": { report: packed(report(`<version>${fill("&#49;", most - 200)}</version>`)) },
  comments: { report: packed(report(fill("<!---->", most))) },
  "entities of entities": {
    report: `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><feedback>&b;</feedback>`,
  },
  "an unfinished document type": { report: fill("<!DOCTYPE a [", maxCharacters) },
  "TLS policies": { report: packed(tls(fill("{},", mostJson).slice(0, -1))) },
  "failures of TLS": { report: packed(tls(`{"failure-details":[${fill(failure, mostJson).slice(0, -1)}]}`)) },
  "nested lists": { report: packed(`{"policies":${"[".repeat(999_000)}`) },
  "base64 with blanks": { report: fill("A ", maxCharacters) },
  blanks: { report: fill(" ", maxCharacters) },
}

/** The two that take longest. */
export const inCheck = ["empty records", "TLS policies"]

import { asRead, barcodes, type Case, drawn } from "./barcodegenerator.ts"
import { debianVersion, defineOracle, MissingTool, run } from "./oracle.ts"

const tool = "zbarimg"
/** How many programs run at once. */
const atOnce = 4

async function read(test: Case): Promise<string | null> {
  const picture = await drawn(test)
  if (!picture) return null
  const { code, out } = await run([tool, "--raw", "--quiet", "--nodbus", "--oneshot", "-"], picture.png)
  return code === 0 ? out.trimEnd().replaceAll("\u001d", "") : null
}

export const oracle = defineOracle<Case, string | null>({
  api: "barcodegenerator",
  against: tool,
  cases: 2_000,
  // The kinds that zbarimg reads, in the form in which it gives them.
  generate: barcodes([
    ...(["ean13", "ean8", "upca", "upce", "isbn", "issn", "ismn", "ean14", "sscc18", "itf14"] as const),
    ...(["gs1_128", "code39", "codabar", "interleaved2of5", "databar_omni", "databar_expanded"] as const),
  ]),
  async version() {
    if (Bun.which(tool) === null) throw new MissingTool(tool, "apt-get install zbar-tools")
    return debianVersion("zbar-tools")
  },
  async ours(test) {
    const picture = await drawn(test)
    return picture && asRead(test.kind, picture.encoded).trimEnd()
  },
  async theirs(tests) {
    const answers: (string | null)[] = []
    for (let start = 0; start < tests.length; start += atOnce)
      answers.push(...(await Promise.all(tests.slice(start, start + atOnce).map(read))))
    return answers
  },
  known: [],
})

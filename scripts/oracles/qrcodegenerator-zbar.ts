import { debianVersion, defineOracle, MissingTool, run } from "./oracle.ts"
import { type Case, codes, drawn } from "./qrcodegenerator.ts"

const tool = "zbarimg"
/** How many programs run at once. */
const atOnce = 4

async function read(test: Case): Promise<string | null> {
  const { png } = await drawn(test)
  // QR codes alone, since large ones have lines that look like bars; as bytes, since zbarimg would guess their encoding.
  const { code, out } = await run(
    [tool, "--raw", "--quiet", "--nodbus", "-Sdisable", "-Sqrcode.enable", "-Sbinary", "-"],
    png,
  )
  return code === 0 ? out : null
}

export const oracle = defineOracle<Case, string | null>({
  api: "qrcodegenerator",
  against: tool,
  cases: 2_500,
  generate: codes,
  async version() {
    if (Bun.which(tool) === null) throw new MissingTool(tool, "apt-get install zbar-tools")
    return debianVersion("zbar-tools")
  },
  ours: async ({ text }) => text,
  async theirs(tests) {
    const answers: (string | null)[] = []
    for (let start = 0; start < tests.length; start += atOnce)
      answers.push(...(await Promise.all(tests.slice(start, start + atOnce).map(read))))
    return answers
  },
  known: [],
})

import { Argument, type Command } from "commander"
import bash from "./completion/bash.txt" with { type: "text" }
import fish from "./completion/fish.txt" with { type: "text" }
import zsh from "./completion/zsh.txt" with { type: "text" }
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { suggest } from "./suggest.ts"

/** `completion`: a script that makes a shell complete commands. The script asks the hidden command `complete` at each use. */
export function addCompletion(program: Command, { terminal }: CliParts): void {
  program
    .command("completion")
    .description("Print a script that makes a shell complete the commands of penknife.")
    .addArgument(new Argument("<SHELL>", "the shell").choices(shells))
    .addHelpText(
      "after",
      example("penknife completion bash > ~/.local/share/bash-completion/completions/penknife"),
    )
    .action((shell: Shell) => terminal.out(completionScripts[shell]))

  program
    .command("complete", { hidden: true })
    .description("Print what can follow the words of a command line; for the scripts of 'completion'.")
    .argument("[WORDS...]", "the words after the program's name; the last one is not complete")
    .action((words: readonly string[]) => {
      for (const { text, help } of suggest(program, words)) terminal.out(`${text}\t${help}\n`)
    })
}

const shells = ["bash", "zsh", "fish"] as const

type Shell = (typeof shells)[number]

/** The script of each shell. It calls the program again for every completion, so that it stays right when penknife is updated. */
const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }

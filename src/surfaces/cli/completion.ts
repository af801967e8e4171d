import { Argument, type Command } from "commander"
import { completionScripts, type Shell, shells } from "./completion-scripts.ts"
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

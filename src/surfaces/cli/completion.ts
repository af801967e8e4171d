import { Argument, type Command, type Option } from "commander"
import bash from "./completion/bash.txt" with { type: "text" }
import fish from "./completion/fish.txt" with { type: "text" }
import zsh from "./completion/zsh.txt" with { type: "text" }
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"

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

/** One continuation of a command line. */
interface Suggestion {
  readonly text: string
  readonly help: string
}

/** A special continuation, which the scripts in `completion/` know: the shell completes file names. */
const filesMark = ":files"

/** The words that can replace the last word: commands, options and choices. */
function suggest(program: Command, words: readonly string[]): readonly Suggestion[] {
  const start: Place = { command: program, option: null, given: 0, isLiteral: false }
  const place = words.slice(0, -1).reduce(after, start)
  return suggestAt(place, words.at(-1) ?? "").filter(({ text }) => text !== "")
}

/** The state after the words of a command line. */
interface Place {
  readonly command: Command
  /** The option whose value comes next. */
  readonly option: Option | null
  /** How many arguments were given. */
  readonly given: number
  /** After `--` there are no options. */
  readonly isLiteral: boolean
}

function after(place: Place, word: string): Place {
  const { command, option, given, isLiteral } = place
  // Bash treats "=" as a separate word.
  if (option) return word === "=" ? place : { ...place, option: null }
  if (!isLiteral && word === "--") return { ...place, isLiteral: true }
  if (!isLiteral && word.startsWith("-")) {
    const found = optionsOf(command).find(({ long, short }) => long === word || short === word)
    return { ...place, option: found && (found.required || found.optional) ? found : null }
  }
  const below = isLiteral || given > 0 ? undefined : commandsOf(command).find((one) => one.name() === word)
  if (!below) return { ...place, given: given + 1 }
  // A command follows "help".
  return below.name() === "help" ? place : { ...place, command: below }
}

function suggestAt({ command, option, given, isLiteral }: Place, word: string): readonly Suggestion[] {
  if (option) return valuesOf(option.argChoices, option.flags, word === "=" ? "" : word)
  if (!isLiteral && word.startsWith("-")) return optionsStartingWith(command, word)
  const argument = command.registeredArguments[given]
  const values = argument ? valuesOf(argument.argChoices, argument.name(), word) : []
  const below = given > 0 || isLiteral ? [] : commandsOf(command)
  const commands = below
    .filter((one) => one.name().startsWith(word))
    .map((one) => ({ text: one.name(), help: one.summary() || one.description() }))
  return [...commands, ...values]
}

/** Also handles a word such as `--log-level=de`. */
function optionsStartingWith(command: Command, word: string): readonly Suggestion[] {
  const [name = "", value] = word.split("=", 2)
  const options = optionsOf(command)
  if (value === undefined)
    return options
      .filter(({ long }) => long?.startsWith(word))
      .map(({ long, description }) => ({ text: long ?? "", help: description }))
  const option = options.find(({ long }) => long === name)
  const values = option ? valuesOf(option.argChoices, "", value) : []
  return values.map(({ text, help }) => ({ text: `${name}=${text}`, help }))
}

function valuesOf(choices: readonly string[] | undefined, flags: string, word: string) {
  if (choices) return choices.filter((text) => text.startsWith(word)).map((text) => ({ text, help: "" }))
  return /FILE/.test(flags) ? [{ text: filesMark, help: "" }] : []
}

function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command)
}

function commandsOf(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command)
}

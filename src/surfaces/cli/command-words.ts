import type { Command } from "commander"

/** Whether a word does not ask for help. */
export const isNotHelp = (word: string): boolean => word !== "--help" && word !== "-h"

/**
 * Whether the words before the first option are a command and arguments that it takes. If not, commander would show the nearest
 * command's help.
 */
export function isKnown(argv: readonly string[], program: Command): boolean {
  const { command, rest } = findCommand(argv, program)
  return rest[0] === "help" || takes(command, rest)
}

/** The command that words name, and the words after it. */
function findCommand(argv: readonly string[], program: Command) {
  const words = argv.filter(isNotHelp)
  let command = program
  for (const [index, word] of words.entries()) {
    const next = command.commands.find((one) => one.name() === word)
    if (!next) return { command, rest: words.slice(index) }
    command = next
  }
  return { command, rest: [] }
}

function takes({ registeredArguments }: Command, words: readonly string[]): boolean {
  const firstOption = words.findIndex((word) => word.startsWith("-"))
  const count = firstOption < 0 ? words.length : firstOption
  return count <= registeredArguments.length || registeredArguments.at(-1)?.variadic === true
}

/**
 * A hint for words that were refused.
 * @param code commander's code of the refusal
 * @param apis ids of APIs: people write one without `call`
 */
export function hintAfter(code: string, argv: readonly string[], program: Command, apis: readonly string[]) {
  const { command, rest } = findCommand(argv, program)
  const [word = ""] = rest
  if (code === "commander.unknownCommand") {
    if (command === program && apis.includes(word)) return `(to run this API: penknife call ${word})`
    return `(to see the commands: ${pathOf(command)} --help)`
  }
  if (code === "commander.excessArguments" && command.parent?.name() === "call" && word !== "help") {
    const parameter = command.options.find(({ flags }) => flags.endsWith(" <value>"))
    if (parameter) return `(write parameters as options: ${pathOf(command)} ${parameter.flags})`
  }
  return "(add --help for help)"
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

import type { Command } from "commander"

/** Help texts of commands that only contain other commands. */
const groupDescriptions: Readonly<Record<string, string>> = {
  account: "Create and manage accounts.",
  key: "Create and manage API keys. A key's text is shown only once, when it is created.",
  "admin-key": "Create and manage keys of the admin API, which --server needs.",
  people: "Add and manage colleagues, who sign in to the console under their own names.",
  invitation: "List invitations, and take them back. 'invite' makes one.",
  history: "Show calls, errors and credits by time.",
  plan: "Show plans and prices.",
  backups: "Make, check and download backups in the directory that the service is set to use.",
  webhook: "Receive webhooks.",
  config: "Check, show and compare configurations.",
}

/** The command with these words, with the commands above it. Makes those that are missing. */
export function findOrAdd(program: Command, words: readonly string[]): Command {
  return words.reduce((above, word) => {
    const found = above.commands.find((command) => command.name() === word)
    if (found) return found
    const made = above.command(word)
    const description = groupDescriptions[word]
    return above === program && description ? made.description(description) : made
  }, program)
}

import { Argument, type Command } from "commander"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { filesMark, suggest } from "./suggest.ts"

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

const bash = `# Completion of penknife for bash: put it where bash-completion finds it, or
#   source <(penknife completion bash)
_penknife() {
  local cur=\${COMP_WORDS[COMP_CWORD]} program=\${COMP_WORDS[0]/#\\~/$HOME} line name
  COMPREPLY=()
  [[ $cur == "=" ]] && cur=
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    if [[ $line == "${filesMark}" ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$cur")
    else
      COMPREPLY+=("$line")
    fi
  done < <("$program" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _penknife penknife
`

const zsh = `#compdef penknife
# Completion of penknife for zsh: put it as _penknife into a folder of $fpath, or
#   source <(penknife completion zsh)
_penknife() {
  local line files
  local -a found
  while IFS= read -r line; do
    if [[ \${line%%$'\\t'*} == "${filesMark}" ]]; then
      files=1
    else
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <("\${(Q)words[1]}" complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe penknife found
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _penknife ]]; then _penknife; else compdef _penknife penknife; fi
`

const fish = `# Completion of penknife for fish: put it into ~/.config/fish/completions/penknife.fish, or
#   penknife completion fish | source
function __penknife_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    if string match -q -- "${filesMark}*" $line
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c penknife -f -a '(__penknife_complete)'
`

/** The script of each shell. It calls the program again for every completion, so that it stays right when penknife is updated. */
const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }

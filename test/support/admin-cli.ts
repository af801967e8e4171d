import { expect } from "bun:test"
import type { HttpClient, HttpReply, HttpRequest } from "../../src/ports/http-client.ts"
import type { StandardInput } from "../../src/ports/standard-input.ts"
import { type CliTestOptions, runCliForTest } from "./cli.ts"

/** Runs a command line, written as in a shell. */
export function runLine(line: string, options?: CliTestOptions) {
  const argv = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "")
  return runCliForTest(argv, options)
}

/** Runs a command line with `--json` and reads what it prints. */
export async function runLineJson(line: string, options?: CliTestOptions) {
  const { code, out, err } = await runLine(`${line} --json`, options)
  expect({ line, code, err }).toEqual({ line, code: 0, err: "" })
  return JSON.parse(out)
}

/** A program that sends a text and ends. */
export const piped = (text: string): StandardInput => ({
  isTerminal: false,
  read: async () => text,
  ask: () => Promise.reject(new Error("nobody is there")),
})

/** A person with these answers, and the questions that were asked. */
export function person(...answers: (string | null)[]) {
  const questions: { question: string; hidden: boolean }[] = []
  const standardInput: StandardInput = {
    isTerminal: true,
    read: () => Promise.reject(new Error("a person types no end of file")),
    async ask(question, { hidden }) {
      questions.push({ question, hidden })
      return answers.shift() ?? null
    },
  }
  return { standardInput, questions }
}

/** An HTTP client with these answers, errors included, and the requests that it got. */
export function scripted(...answers: (Partial<HttpReply> | Error)[]) {
  const requests: HttpRequest[] = []
  const httpClient: HttpClient = {
    async send(request) {
      requests.push(request)
      const answer = answers.shift()
      if (!answer) throw new Error("no answer is left")
      if (answer instanceof Error) throw answer
      return { status: 200, headers: new Headers(), text: "{}", ...answer }
    },
    async open(request) {
      const { status, headers, text } = await httpClient.send(request)
      return { status, headers, pieces: new Blob([text]).stream() }
    },
  }
  return { httpClient, requests }
}

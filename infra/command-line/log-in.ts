/**
 * `launch-data ingest chat --login`: signs in to the chat service. A person types the answers, such as a
 * code, at the terminal.
 */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { type ChatPrompts, logInToChats } from '../../ingest/main.ts'
import type { Config } from '../config.ts'
import { OperationError } from '../errors.ts'

export async function runLogIn(config: Config, signal: AbortSignal): Promise<void> {
  if (!process.stdin.isTTY)
    throw new OperationError(
      'program_failed',
      'signing in asks for a code, but this command does not run in a terminal. Run it in a terminal',
    )
  const terminal = openTerminal(signal)
  try {
    await logInToChats(config, terminal.prompts, signal)
  } finally {
    terminal.close()
  }
}

function openTerminal(signal: AbortSignal): Readonly<{ prompts: ChatPrompts; close: () => void }> {
  let isHidden = false
  // Hides the characters that the person types as the answer to a secret question.
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) process.stdout.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  const ask = async (question: string) => (await lines.question(question, { signal })).trim()
  return {
    prompts: {
      ask,
      async askSecret(question) {
        process.stdout.write(question)
        isHidden = true
        try {
          return await lines.question('', { signal })
        } finally {
          isHidden = false
          process.stdout.write('\n')
        }
      },
      say: (text) => void process.stdout.write(`${text}\n`),
    },
    close: () => lines.close(),
  }
}

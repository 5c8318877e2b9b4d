/**
 * Prints the first comment of the started program if its arguments contain `--help`, and ends the process. The
 * scripts in `package.json` load this file before their program, so no program needs code for its help. It is
 * JavaScript, because worker threads load it before they can load TypeScript.
 */
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const [, programPath = '', ...words] = process.argv
if (isMainThread && (words.includes('--help') || words.includes('-h'))) {
  process.stdout.write(`${firstComment(readFileSync(programPath, 'utf8'))}\n`)
  process.exit(0)
}

/** Returns the text of the first comment of a source file, without the characters that mark the comment. */
function firstComment(source) {
  const [, comment = ''] = /\/\*\*(.*?)\*\//s.exec(source) ?? []
  return comment.replaceAll(/^ *\* ?/gm, '').trim()
}

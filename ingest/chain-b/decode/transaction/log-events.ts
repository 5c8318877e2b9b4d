import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import type { RawEvent } from '../decoded-event.ts'
import { roleOf } from '../programs.ts'

const dataStart = 'Program data: '

/**
 * Matches `Program <id> invoke [<depth>]`. A program cannot forge this line, because its own lines begin with `Program log: ` or `Program
 * data: `.
 */
const invocation = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[\d+\]$/
const ending = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) (?:success$|failed: )/

/**
 * Returns the events in the log lines of a transaction, in order. A line with an event does not name the
 * program that emitted it. So the program is taken from the innermost call that is still running.
 * - `truncated`: the node cut the log, so events may be missing.
 * - `unbalanced`: starts and ends of calls do not match, so the programs of the lines are unknown.
 */
export function logEvents(lines: readonly string[]): readonly RawEvent[] | 'truncated' | 'unbalanced' {
  const stack: string[] = []
  const events: RawEvent[] = []
  for (const line of lines) {
    if (line === 'Log truncated') return 'truncated'
    if (line.startsWith(dataStart)) {
      const role = roleOf(stack.at(-1) ?? '')
      if (role?.is === 'program') events.push(eventIn(line, role.program))
      continue
    }
    const called = invocation.exec(line)?.[1]
    if (called !== undefined) stack.push(called)
    else if (!endsLast(line, stack)) return 'unbalanced'
  }
  return stack.length === 0 ? events : 'unbalanced'
}

const eventIn = (line: string, program: RawEvent['program']): RawEvent => ({
  program,
  payload: viewed(Buffer.from(line.slice(dataStart.length), 'base64')),
})

/** Removes the innermost call from the stack if the line ends it. Returns false if the line ends another call. */
function endsLast(line: string, stack: string[]): boolean {
  const ended = ending.exec(line)?.[1]
  return ended === undefined || stack.pop() === ended
}

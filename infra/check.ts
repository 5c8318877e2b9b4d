/** The result of one check of `launch-data doctor`. */
import { isOperationError } from './errors.ts'

export type Check = Readonly<{
  name: string
  /** `off`: the checked thing is not configured. `says` then names what the service uses instead. */
  state: 'ok' | 'wrong' | 'off'
  says: string
  /** What the operator should do if the state is `wrong`, otherwise null. */
  toDo: string | null
}>

/** The maximum duration of a check, and of each request that it sends, in milliseconds. */
export const answerMsMax = 5_000

export const ok = (name: string, says: string): Check => ({ name, state: 'ok', says, toDo: null })
export const off = (name: string, says: string): Check => ({ name, state: 'off', says, toDo: null })
export const wrong = (name: string, says: string, toDo: string): Check => ({ name, state: 'wrong', says, toDo })

/**
 * Runs a check. If the check throws, the result is `wrong`, with the error as its reason. `where` names the checked
 * server.
 */
export async function examine(
  { name, where, toDo }: Readonly<{ name: string; where?: string; toDo: string }>,
  look: () => Promise<Check>,
): Promise<Check> {
  try {
    return await withinTime(look())
  } catch (error) {
    return wrong(name, where === undefined ? reasonOf(error) : `${where}: ${reasonOf(error)}`, toDo)
  }
}

/**
 * Returns the first line of the error's message together with the message of its innermost cause. For
 * example, the message `fetch failed` alone does not show that the connection was refused.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = firstLine(error.message)
  if (isOperationError(error)) return said
  let cause: unknown = error.cause
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  const inner = cause instanceof Error ? firstLine(cause.message || (cause as NodeJS.ErrnoException).code || '') : ''
  return inner === '' || said.includes(inner) ? said : `${said}: ${inner}`
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError(`no answer in ${answerMsMax / 1000} s`)), answerMsMax)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

export const isOk = (check: Check): boolean => check.state !== 'wrong'

export const listed = (names: readonly string[]): string => names.join(', ')

const words = { ok: 'ok', off: '-', wrong: 'WRONG' } as const

/** Returns one line for each check, and a line with the number of faults. */
export function textOfChecks(checks: readonly Check[]): string {
  const nameWidth = Math.max(...checks.map(({ name }) => name.length)) + 2
  const lines = checks.map(({ name, state, says, toDo }) => {
    const todo = toDo === null ? '' : `. TO DO: ${toDo}`
    return `${words[state].padEnd(7)}${name.padEnd(nameWidth)}${says}${todo}`
  })
  const wrongCount = checks.filter((check) => !isOk(check)).length
  const verdict = wrongCount === 0 ? 'Nothing is wrong.' : `${wrongCount} of ${checks.length} checks need attention.`
  return `${[...lines, verdict].join('\n')}\n`
}

import assert from 'node:assert/strict'
import { type MeasuredBranch, type Measuring, measureBranches } from './measure-branches.ts'

/** If `BRANCHES` is `all`, the count of each branch is printed. */
const { BRANCHES: shown } = process.env

/**
 * Fails if the tests never take one of the branches of the files. A test that recomputes results checks only
 * the branches that are taken. `untaken` lists the source lines of branches that no input can take.
 */
export async function expectAllTaken({
  untaken = [],
  ...measuring
}: Measuring & Readonly<{ untaken?: readonly string[] }>): Promise<void> {
  const branches = await measureBranches(measuring)
  if (shown === 'all') process.stdout.write(`${branches.map(textOf).join('\n')}\n`)
  checkTaken(branches, untaken)
}

export function checkTaken(branches: readonly MeasuredBranch[], untaken: readonly string[]): void {
  const missed = branches.filter(({ count }) => count === 0)
  assert.deepEqual(missed.filter(({ source }) => !untaken.includes(source)).map(textOf), [])
  assert.deepEqual(
    untaken.filter((line) => !missed.some(({ source }) => source === line)),
    [],
    'these lines have no branch that was never taken',
  )
}

const textOf = ({ file, line, what, count, source }: MeasuredBranch): string =>
  `${file}:${line} [${what}] taken ${count} times: ${source}`

import assert from 'node:assert/strict'
import { type MeasuredBranch, type Measuring, measureBranches } from './measure-branches.ts'

/** With `BRANCHES=all`, prints the count of each branch. */
const { BRANCHES: shown } = process.env

/** Fails with each branch of the files that the tests never took. So a test that compares with a recount compares every branch. */
export async function expectAllTaken(measuring: Measuring): Promise<void> {
  const branches = await measureBranches(measuring)
  if (shown === 'all') process.stdout.write(`${branches.map(textOf).join('\n')}\n`)
  assert.deepEqual(branches.filter(({ count }) => count === 0).map(textOf), [])
}

const textOf = ({ file, line, what, count, source }: MeasuredBranch): string =>
  `${file}:${line} [${what}] taken ${count} times: ${source}`

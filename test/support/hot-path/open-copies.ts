import { expect } from 'chai'
import fc from 'fast-check'
import type { Copy, CopyRows } from '../../../processors/chain-b/copies/copy-rows.ts'

type CopyRowsModule = typeof import('../../../processors/chain-b/copies/copy-rows.ts')

export const hexOf = (number: number, bytes: number) => `0x${number.toString(16).padStart(2 * bytes, 'ab')}` as const

/** The plain form of a copy: what the rows must give back. */
type Plain = Pick<Copy, 'wallet' | 'txHash' | 'atMs' | 'heldRaw' | 'isHit' | 'entryPx'>

const plainOf = ({ wallet, txHash, atMs, heldRaw, isHit, entryPx }: Copy): Plain => ({
  ...{ wallet, txHash, atMs, heldRaw, isHit, entryPx },
})

/** Rows and the plain list of copies that they must equal. */
type Both = { readonly its: CopyRowsModule; readonly rows: CopyRows; readonly plain: Plain[]; number: number }
type Step = (both: Both) => void

const add =
  (wallet: number, hashBytes: number): Step =>
  (both) => {
    const names = { wallet: hexOf(wallet, 32), txHash: hexOf(both.number, hashBytes) }
    const numbers = { atMs: 1_788_000_000_000 + both.number, heldRaw: both.number / 7, isHit: both.number % 2 }
    Object.assign(both.its.addRow(both.rows, names), numbers)
    both.plain.push({ ...names, ...numbers, entryPx: Number.NaN })
  }

const write =
  (at: number, heldRaw: number): Step =>
  ({ its: { copyAt }, rows, plain }) => {
    const [copy, its] = [copyAt(rows, at), plain[at]]
    expect(copy === undefined).to.equal(its === undefined)
    if (copy && its) copy.heldRaw = its.heldRaw = copy.entryPx = its.entryPx = heldRaw
  }

const close: Step = ({ its, rows, plain }) => {
  if (plain.shift()) its.removeOldest(rows)
}

const free: Step = ({ its, rows }) => {
  its.dropClosed(rows)
  expect(rows.closed).to.equal(0)
}

const steps = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.nat(3), fc.constantFrom(32, 64)).map(([wallet, bytes]) => add(wallet, bytes)) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(20), fc.double()).map(([at, heldRaw]) => write(at, heldRaw)) },
  { weight: 3, arbitrary: fc.constant(close) },
  { weight: 1, arbitrary: fc.constant(free) },
)

/**
 * Compares the rows with a plain list of copies. Returns the largest numbers of open copies, and of closed copies
 * whose rows were still in the arrays.
 */
export function comparePlainCopies(its: CopyRowsModule): Readonly<{ mostOpen: number; mostClosed: number }> {
  let [mostOpen, mostClosed] = [0, 0]
  fc.assert(
    fc.property(fc.array(steps, { minLength: 100, maxLength: 250 }), (drawn) => {
      const both: Both = { its, rows: its.noCopies(), plain: [], number: 0 }
      const { rows, plain } = both
      for (const step of drawn) {
        both.number++
        step(both)
        expect([...its.openCopies(rows)].map(plainOf)).to.deep.equal(plain)
        mostOpen = Math.max(mostOpen, its.openCount(rows))
        mostClosed = Math.max(mostClosed, rows.closed)
      }
      for (const wallet of [0, 1, 2, 3, 4].map((number) => hexOf(number, 32)))
        expect(its.copiesBy(rows, wallet).map(plainOf)).to.deep.equal(plain.filter((copy) => copy.wallet === wallet))
    }),
    { numRuns: 30 },
  )
  return { mostOpen, mostClosed }
}

import { expect } from 'chai'
import fc from 'fast-check'
import {
  addRow,
  type Copy,
  type CopyRows,
  copiesBy,
  copyAt,
  dropClosed,
  noCopies,
  openCopies,
  openCount,
  removeOldest,
} from '../../../../processors/chain-b/copies/copy-rows.ts'
import { stateBytesOf } from '../../../../processors/runtime/state-packer.ts'
import type { Address, TxHash } from '../../../../schemas/units.ts'

const hexOf = (number: number, bytes: number) => `0x${number.toString(16).padStart(2 * bytes, 'ab')}` as const

/** The plain form of a copy: what the rows must give back. */
type Plain = { wallet: Address; txHash: TxHash; atMs: number; heldRaw: number; isHit: number }

const plainOf = ({ wallet, txHash, atMs, heldRaw, isHit }: Copy): Plain => ({ wallet, txHash, atMs, heldRaw, isHit })

/** Rows and the plain list of copies that they must equal. */
type Both = { rows: CopyRows; plain: Plain[]; number: number }
type Step = (both: Both) => void

const add =
  (wallet: number, hashBytes: number): Step =>
  (both) => {
    const names = { wallet: hexOf(wallet, 32), txHash: hexOf(both.number, hashBytes) }
    const numbers = { atMs: 1_788_000_000_000 + both.number, heldRaw: both.number / 7, isHit: both.number % 2 }
    Object.assign(addRow(both.rows, names), numbers)
    both.plain.push({ ...names, ...numbers })
  }

const write =
  (at: number, heldRaw: number): Step =>
  ({ rows, plain }) => {
    const [copy, its] = [copyAt(rows, at), plain[at]]
    expect(copy === undefined).to.equal(its === undefined)
    if (copy && its) copy.heldRaw = its.heldRaw = heldRaw
  }

const close: Step = ({ rows, plain }) => {
  if (plain.shift()) removeOldest(rows)
}

const free: Step = ({ rows }) => {
  dropClosed(rows)
  expect(rows.closed).to.equal(0)
}

const steps = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.nat(3), fc.constantFrom(32, 64)).map(([wallet, bytes]) => add(wallet, bytes)) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(20), fc.double()).map(([at, heldRaw]) => write(at, heldRaw)) },
  { weight: 3, arbitrary: fc.constant(close) },
  { weight: 1, arbitrary: fc.constant(free) },
)

describe('the rows of open copies', () => {
  it('are a plain list of copies, however they are added, written, closed and freed', () => {
    let [mostOpen, mostClosed] = [0, 0]
    fc.assert(
      fc.property(fc.array(steps, { minLength: 100, maxLength: 250 }), (drawn) => {
        const both: Both = { rows: noCopies(), plain: [], number: 0 }
        for (const step of drawn) {
          both.number++
          step(both)
          expect([...openCopies(both.rows)].map(plainOf)).to.deep.equal(both.plain)
          mostOpen = Math.max(mostOpen, openCount(both.rows))
          mostClosed = Math.max(mostClosed, both.rows.closed)
        }
        for (const wallet of [0, 1, 2, 3, 4].map((its) => hexOf(its, 32)))
          expect(copiesBy(both.rows, wallet).map(plainOf)).to.deep.equal(
            both.plain.filter((its) => its.wallet === wallet),
          )
      }),
      { numRuns: 30 },
    )
    expect(mostOpen, 'the rows never grew').to.be.above(20)
    expect(mostClosed, 'no closed copy stayed in the rows').to.be.above(4)
  })

  it('begin without any value, also in a row that a closed copy has left', () => {
    const rows = noCopies()
    for (let number = 0; number < 40; number++) {
      const copy = addRow(rows, { wallet: hexOf(1, 32), txHash: hexOf(number, 64) })
      expect([copy.isHit, copy.entryPx, copy.exit, copy.saleAfterSec]).to.deep.equal([NaN, NaN, NaN, NaN])
      Object.assign(copy, { isHit: 1, entryPx: 2, exit: 3, saleAfterSec: 4 })
      if (number > 2) removeOldest(rows)
    }
  })

  it('hold few closed copies, and none after they are freed', () => {
    const rows = noCopies()
    for (let number = 0; number < 400; number++) {
      addRow(rows, { wallet: hexOf(number, 32), txHash: hexOf(number, 64) })
      if (number >= 100) removeOldest(rows)
      expect(rows.closed).to.be.below(35)
    }
    dropClosed(rows)
    expect([rows.closed, rows.count, rows.numbers.length, rows.names.length / 97]).to.deep.equal([
      0,
      100,
      100 * 23,
      100,
    ])
  })

  it('take less than 300 bytes a copy in a snapshot', () => {
    const rows = noCopies()
    for (let number = 0; number < 100; number++) addRow(rows, { wallet: hexOf(1, 32), txHash: hexOf(number, 64) })
    dropClosed(rows)
    expect(stateBytesOf(rows).length).to.be.below(100 * 300)
  })

  it('refuse names that do not fit, because a cut name would be another wallet or transaction', () => {
    const [wallet, txHash] = [hexOf(1, 32), hexOf(2, 64)]
    expect(() => addRow(noCopies(), { wallet: hexOf(1, 31), txHash })).to.throw('the address of a wallet has 31 bytes')
    expect(() => addRow(noCopies(), { wallet, txHash: hexOf(2, 65) })).to.throw('a signature has 65 bytes')
  })
})

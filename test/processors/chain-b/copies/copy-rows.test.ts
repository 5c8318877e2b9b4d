import { expect } from 'chai'
import * as rowsModule from '../../../../processors/chain-b/copies/copy-rows.ts'
import { stateBytesOf } from '../../../../processors/runtime/state-packer.ts'
import { comparePlainCopies, hexOf } from '../../../support/hot-path/open-copies.ts'

const { addRow, dropClosed, noCopies, removeOldest } = rowsModule

describe('the rows of open copies', () => {
  it('are a plain list of copies, however they are added, written, closed and freed', () => {
    const { mostOpen, mostClosed } = comparePlainCopies(rowsModule)
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
      expect(rows.closed).to.be.below(60)
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

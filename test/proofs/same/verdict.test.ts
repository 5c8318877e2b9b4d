import { expect } from 'chai'
import { compareItems } from './verdict.ts'

const itemsOf = (...texts: readonly string[]) =>
  texts.map((text, at) => ({ name: `item ${at}`, bytes: Buffer.from(text) }))

const differenceOf = async (old: readonly string[], now: readonly string[], mayGoOn = false) => {
  const verdict = await compareItems('items', { old: itemsOf(...old), now: itemsOf(...now) }, { mayGoOn })
  expect(verdict.old === verdict.now, 'the hashes say the same').to.equal(
    verdict.difference === null || old.length === 0,
  )
  return verdict.difference
}

describe('a comparison of items', () => {
  it('finds equal bytes equal', async () => {
    expect(await differenceOf(['a', 'bc'], ['a', 'bc'])).to.equal(null)
  })

  it('names the first item and byte that differ', async () => {
    expect(await differenceOf(['a', 'bcd', 'e'], ['a', 'bxd', 'y'])).to.match(/^item 1 differs at byte 1: /)
    expect(await differenceOf(['a', 'bc'], ['a', 'bcd'])).to.match(/^item 1 differs at byte 2: /)
  })

  it('does not take the end of one item for the beginning of the next', async () => {
    expect(await differenceOf(['ab', 'c'], ['a', 'bc'])).to.match(/^item 0 /)
  })

  it('sees what is missing, and what is there too much unless it may go on', async () => {
    expect(await differenceOf(['a', 'b'], ['a'])).to.equal('item 1 is missing')
    expect(await differenceOf(['a'], ['a', 'b'])).to.equal('item 1 is not in the old')
    expect(await differenceOf(['a'], ['a', 'b'], true)).to.equal(null)
  })

  it('proves nothing where there is nothing', async () => {
    expect(await differenceOf([], [])).to.equal('there is nothing to compare')
  })
})

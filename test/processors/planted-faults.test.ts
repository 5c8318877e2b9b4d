/**
 * Plants mistakes that are typical of columns, rings and reused places, one at a time, and checks that the property
 * tests of the hot path find each of them. `infra/docs/hot-path.md` describes the columns.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { compareCachedTexts } from '../support/hot-path/cached-texts.ts'
import { importWith } from '../support/hot-path/import-with.ts'
import { comparePlainCopies } from '../support/hot-path/open-copies.ts'
import { comparePlainBuys } from '../support/hot-path/recent-buys.ts'
import { compareWindows } from '../support/hot-path/swap-window.ts'

const buys = 'processors/chain-a/calls/buys.ts'
const copies = 'processors/chain-b/copies/copy-rows.ts'
const window = 'processors/chain-a/bursts/window.ts'
const texts = 'infra/codec/avro/text-cache.ts'

const compareOf = {
  [buys]: comparePlainBuys,
  [copies]: comparePlainCopies,
  [window]: compareWindows,
  [texts]: compareCachedTexts,
} as const

/** The mistake, the file with the mistake, and the change. */
type Case = readonly [name: string, file: keyof typeof compareOf, text: string, instead: string]

const cases: readonly Case[] = [
  // Wrong carries.
  ['the high half of an amount is lost', buys, 'ethWei >> 64n', '0n'],
  ['the high half of an amount carries one bit too many', buys, '<< 64n)', '<< 65n)'],
  [
    'a swap leaves the net amount of the window incompletely',
    window,
    'window.netWei -= ethWei',
    'window.netWei -= ethWei - 1n',
  ],
  ['a swap that leaves the last part stays in its sum', window, 'window.recentNetWei -= ethWei', ''],
  // Full arrays.
  [
    'a full array of buys does not grow',
    buys,
    'index * rowBytes === buys.rows.length',
    'index * rowBytes > buys.rows.length',
  ],
  ['a full array of traders does not grow', buys, 'from >= buys.traders.length', 'from > buys.traders.length'],
  [
    'a full array of copies does not grow',
    copies,
    'rows.count * nameBytes === rows.names.length',
    'rows.count * nameBytes > rows.names.length',
  ],
  ['an array grows without its rows', copies, 'rows.numbers.set(numbers)', ''],
  // Reused indices and places.
  ['an index counts the rows of closed copies', copies, 'new Row(rows, rows.closed + index)', 'new Row(rows, index)'],
  [
    'freed rows still count as closed',
    copies,
    'count * nameBytes)\n  rows.count -= closed\n  rows.closed = 0',
    'count * nameBytes)\n  rows.count -= closed',
  ],
  ['names are not moved with their numbers', copies, 'names.copyWithin(0, closed * nameBytes)', ''],
  ['a new row has no empty values', copies, 'rows.numbers.fill(Number.NaN,', 'rows.numbers.fill(0,'],
  [
    'all wallets are one',
    copies,
    'isHexAt(rows.names, at * nameBytes, wallet)',
    "isHexAt(rows.names, at * nameBytes, '0x')",
  ],
  ['the index of the last part is not moved with its swaps', window, 'window.firstRecent -= stale', ''],
  ['the index of the window is not moved with its swaps', window, 'window.first = 0', ''],
  ['deleted buys are still counted', buys, 'buys.count -= index', ''],
  ['the traders are not moved with their buys', buys, 'cut(buys.traders, index * traderBytes,', 'cut(buys.traders, 0,'],
  ['a place in the cache gives the text of other bytes', texts, ' && this.#holds(slot * slotBytes, view, start)', ''],
  ['a place in the cache gives a text of another length', texts, ' && this.#lengths[slot] === length', ''],
  // Limits of windows.
  ['a swap of exactly a window ago stays', window, '<= atMs - windowMs', '< atMs - windowMs'],
  ['a buy of exactly the memory ago stays', buys, 'atMsOf(buys, index) <= atMs', 'atMsOf(buys, index) < atMs'],
]

describe('a mistake in the hot path', () => {
  // A found mistake needs no smaller example.
  const settings = fc.readConfigureGlobal()
  before(() => fc.configureGlobal({ ...settings, endOnFailure: true }))
  after(() => fc.configureGlobal(settings))

  for (const [name, file, text, instead] of cases)
    it(`is found: ${name}`, async () => {
      const module = await importWith<never>(file, { text, instead })
      expect(() => compareOf[file](module)).to.throw()
    })

  for (const [file, compare] of Object.entries(compareOf))
    it(`is not found where none is, although the module is imported in the same way: ${file}`, async () => {
      const text = cases.find(([, its]) => its === file)?.[2] as string
      const module = await importWith<never>(file, { text, instead: text })
      expect(() => compare(module)).to.not.throw()
    })
})

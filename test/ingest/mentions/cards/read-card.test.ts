import { expect } from 'chai'
import fc from 'fast-check'
import { namedAddresses } from '../../../../ingest/mentions/addresses/named-addresses.ts'
import { plainTextOf } from '../../../../ingest/mentions/addresses/plain-text.ts'
import { withoutPoolHolders } from '../../../../ingest/mentions/cards/pool-holders.ts'
import { readCard, type ScannerCard } from '../../../../ingest/mentions/cards/read-card.ts'
import { cardReadings } from '../../../../schemas/calls/facts.ts'
import { postOf, type SampleCard, sampleCard, sampleCards } from '../chat-samples.ts'

const read = (text: string, posterName: string | null = null) => readCard(plainTextOf(text).text, posterName)

/** The fields that the service reads from a scanner's card. The recorded samples have more fields. */
const names = [...cardReadings.map(({ name }) => name), 'sniperPctAtLaunch', 'bundlePctAtLaunch'] as const
const recordedOf = ({ parsed }: SampleCard) => Object.fromEntries(names.map((name) => [name, parsed[name] ?? null]))
const withoutMcap = (card: ScannerCard | null) =>
  Object.fromEntries(names.map((name) => [name, card === null ? null : card[name]]))

const mcapUsdOf: Readonly<Record<string, number | null>> = {
  'phanes-2024-12-31-a': 10_300,
  'rick-2024-12-31-a': 30_400,
  'rick-evm-2025-12-a': 155_000,
  'rick-discord-2026-08-a': 816_000,
  'soul-early-2026-09-08-a': 44_400,
  'soul-early-2026-09-08-b': 42_800,
  'soul-early-doom': 24_440,
  'soul-whale-meow': 452_198,
  'soul-whale-again': 428_395,
  'phanes-2026-a': 106_910,
  'phanes-2026-b': 54_900,
  'trench-007dog': null,
  'gemtools-scarlett': 144_000,
  'soul-direct-template': null,
  'phanes-2025-12-blank-rows': 7_700,
  'phanes-2025-12-blank-rows-bsc': 18_400,
  'phanes-2025-06-fresh': 19_800,
  'phanes-2025-01-pool-first': 2_910_000,
  'rick-2025-signs': 142_000,
  'rick-2025-signs-three': 142_000,
  'rick-2025-bundles-held': 142_000,
  'rick-2025-bundled-held': 142_000,
  'rick-2025-bundle-count': 142_000,
  'rick-2025-pool-first': 142_000,
}
/**
 * The first two samples are posts of the same channels that are not cards. The third sample has values, but
 * no text.
 */
const noCards = ['soul-update', 'soul-stats-2026-09-08', 'phanes-2025-fields']
const cards = sampleCards
  .filter(({ id }) => !noCards.includes(id))
  .map((sample) => ({
    ...sample,
    text: withoutPoolHolders(postOf(sample), namedAddresses({ ...postOf(sample), buttons: [] })),
  }))

describe('a recorded card', () => {
  for (const sample of cards)
    it(`reads as recorded: ${sample.id}`, () => {
      const card = read(sample.text)
      // The recorded result lacks the share of snipers at launch, which is the value before the arrow.
      const besides = sample.id === 'soul-early-doom' ? { sniperPctAtLaunch: 0.01 } : {}
      expect(withoutMcap(card)).to.deep.equal({ ...recordedOf(sample), ...besides })
      expect(card).to.include({ bot: sample.bot, mcapUsd: mcapUsdOf[sample.id] })
    })

  for (const id of noCards)
    it(`is none: ${id}`, () => {
      expect(read(sampleCard(id).text)).to.equal(null)
    })

  it('of 2025 has an unknown value where it says so', () => {
    const text =
      'x ($X)\n📊 Token Stats\n ├ MC: ?\n🔒 Security\n ├ Top 10: 58%\n ├ TH: 36.1|3.5|3.1|3.0|2.3\n ├ Dev Sold: ?\n └ Dex Paid: 🔴'
    expect(read(text)).to.include({ bot: 'phanes', top10Pct: 0.58, topHolder1Pct: 0.361, mcapUsd: null, holders: null })
  })
})

const treeGlyphs = ['├', '└', '┗', '┣', '╰', '╠', '┠─', '⎬', '‣', '│', '•', '-', '']
const emoji = ['💊', '🟧', '👁️', '🛠️', '🐳', '', '❤️‍🔥', '🅑']
const bold = ['', '*', '**', '__', '`']
const translations = ['', ' (капитализация)', ' (市值)', ' (القيمة)', ' (valor de mercado)']
const sentences = ['Новый токен в тренде', '新趋势代币', 'عملة جديدة', 'Nueva moneda en tendencia', '']
const invisible = ['\u200b', '\u200e', '\u200f', '\u2060', '\ufeff', '\u00ad']

/** Matches a label that is separated from its value only by two or more spaces. */
const blankRow = /^([A-Za-z0-9]+(?: [A-Za-z0-9]+)?) {2,}(?=\S)/u
const isHeading = (line: string): boolean => !/[:：[]/.test(line)

type Look = Readonly<Record<'glyph' | 'sign' | 'mark' | 'colon' | 'blanks' | 'behind' | 'sentence', string>>
const anyLook: fc.Arbitrary<Look> = fc.record({
  glyph: fc.constantFrom(...treeGlyphs),
  sign: fc.constantFrom(...emoji),
  mark: fc.constantFrom(...bold),
  colon: fc.constantFrom(':', '：', ' :', ' ：', ': '),
  blanks: fc.constantFrom('  ', '   ', '       ', '\t\t', '\u00a0\u00a0'),
  behind: fc.constantFrom(...translations),
  sentence: fc.constantFrom(...sentences),
})

/** Returns the row in another style, with the same label and value. */
function varied(line: string, { glyph, sign, mark, colon, blanks, behind, sentence }: Look): string {
  const bare = line.replace(/^[\s├└┗┣╰╠┠─⎬‣│•-]+/u, '')
  const marked = bare.replace(blankRow, (_, words: string) => `${mark}${words}${behind}${mark}${blanks}`)
  if (marked !== bare) return `${glyph} ${sign} ${sentence} ${marked}`
  if (isHeading(line)) return `${glyph} ${sign} ${bare}`
  const label = /(\/?[A-Za-z][A-Za-z0-9]*(?: [A-Za-z0-9]+){0,2})\s*[:：]/u
  const dressed = bare.replace(label, (_, words: string) => `${mark}${words}${mark}${behind}${colon}`)
  return `${glyph} ${sign} ${sentence} ${dressed}`
}

const withInvisible = (text: string, places: readonly (readonly [number, string])[]): string => {
  const characters = [...text]
  for (const [at, character] of places) characters.splice(at % (characters.length + 1), 0, character)
  return characters.join('')
}

describe('a varied card', () => {
  for (const sample of cards)
    it(`reads as the recorded one: ${sample.id}`, () => {
      const lines = sample.text.split('\n')
      const expected = read(sample.text)
      const variations = fc.record({
        order: fc.shuffledSubarray([...lines.keys()], { minLength: lines.length }),
        looks: fc.array(anyLook, { minLength: lines.length, maxLength: lines.length }),
        hidden: fc.array(fc.tuple(fc.nat(2_000), fc.constantFrom(...invisible)), { maxLength: 40 }),
        between: fc.constantFrom(...sentences),
      })
      fc.assert(
        fc.property(variations, ({ order, looks, hidden, between }) => {
          const rows = order.map((at) => varied(lines[at]!, looks[at]!))
          expect(read(withInvisible([between, ...rows, between].join('\n'), hidden))).to.deep.equal(expected)
        }),
        { numRuns: 150 },
      )
    })

  for (const sample of cards)
    it(`without some rows says the same or nothing, never another value: ${sample.id}`, () => {
      const lines = sample.text.split('\n')
      const whole = read(sample.text)
      fc.assert(
        fc.property(fc.subarray(lines), (left) => {
          const card = read(left.join('\n'))
          if (card === null || card.bot === 'unknown') return
          for (const name of [...names, 'mcapUsd'] as const) expect(card[name]).to.be.oneOf([whole?.[name], null])
        }),
        { numRuns: 300 },
      )
    })
})

describe('a row that is absent', () => {
  const table: readonly Readonly<[string, RegExp, readonly (keyof ScannerCard)[]]>[] = [
    ['phanes-2024-12-31-a', /Top 10/, ['top10Pct', 'holders']],
    ['phanes-2024-12-31-a', /TH:/, ['topHolder1Pct']],
    ['phanes-2026-a', /Sniped/, ['sniperPct']],
    ['phanes-2026-a', /HLD/, ['holders']],
    ['rick-evm-2025-12-a', /TH:/, ['top10Pct', 'topHolder1Pct']],
    ['rick-evm-2025-12-a', /Fresh/, ['fresh1d', 'fresh7d']],
    ['soul-early-doom', /Bundles/, ['bundlers', 'bundlePct', 'bundlePctAtLaunch']],
    ['soul-early-doom', /Snipers/, ['snipers', 'sniperPct', 'sniperPctAtLaunch']],
    ['soul-early-doom', /Dev:/, ['devLeftPct']],
    ['soul-early-doom', /MC:/, ['mcapUsd']],
    ['trench-007dog', /Held/, ['bundlePct']],
    ['gemtools-scarlett', /Snipers/, ['snipers']],
    ['phanes-2025-12-blank-rows', /MC /, ['mcapUsd']],
    ['phanes-2025-12-blank-rows', /Top 10/, ['top10Pct', 'holders']],
    ['phanes-2025-12-blank-rows', /TH /, ['topHolder1Pct']],
    ['phanes-2025-12-blank-rows', /Fresh/, ['fresh1d', 'fresh7d']],
    ['phanes-2025-06-fresh', /Freshies/, ['fresh1d', 'fresh7d']],
    ['rick-2025-signs', /🎯/u, ['bundlePct', 'sniperPct', 'devLeftPct']],
    ['rick-2025-bundles-held', /held/, ['bundlePct']],
    ['rick-2025-bundled-held', /Held/, ['bundlePct', 'bundlePctAtLaunch']],
    ['rick-2025-bundle-count', /bundles/, ['bundlers', 'bundlePct']],
  ]
  for (const [id, row, absent] of table)
    it(`is unknown and leaves the others: ${id} without ${row.source}`, () => {
      const { text } = sampleCard(id)
      const left = text.split('\n').filter((line) => !row.test(line))
      const nothing = Object.fromEntries(absent.map((name) => [name, null]))
      expect(read(left.join('\n'))).to.deep.equal({ ...read(text), ...nothing })
    })
})

describe('a value', () => {
  const soul = (rows: string) => read(`Age: 1m\nVol: $1\nLiq: $1\nMade: 3\n${rows}`)
  const table: readonly Readonly<[string, Partial<ScannerCard>]>[] = [
    ['MC: $1,234,567', { mcapUsd: 1_234_567 }],
    ['MC: $1.5M', { mcapUsd: 1_500_000 }],
    ['MC: 2 B', { mcapUsd: 2e9 }],
    ['MC: 30k', { mcapUsd: 30_000 }],
    ['MC: ?', { mcapUsd: null }],
    ['MC: N/A', { mcapUsd: null }],
    ['MC: -5K', { mcapUsd: null }],
    ['MC: 19%', { mcapUsd: null }],
    ['MC: about $5K', { mcapUsd: null }],
    ['MC: 1,5', { mcapUsd: null }],
    ['MC: 12,34', { mcapUsd: null }],
    ['MC: 5x', { mcapUsd: null }],
    ['MC: $', { mcapUsd: null }],
    [`MC: ${'9'.repeat(16)}`, { mcapUsd: null }],
    ['ATH MC: $9M', { mcapUsd: 9_000_000 }],
    ['XMC: $9M', { mcapUsd: null }],
    ['MC (now): $9M', { mcapUsd: 9_000_000 }],
    ['MC∶ $9M', { mcapUsd: 9_000_000 }],
    ['Hodls: 1,210', { holders: 1_210 }],
    ['Hodls: 12.5', { holders: null }],
    ['Hodls: 1.5K', { holders: 1_500 }],
    ['Hodls: 2147483647', { holders: 2_147_483_647 }],
    ['Hodls: 2147483648', { holders: null }],
    ['Bundles: 2 • 150.5% → 0.25%', { bundlers: 2, bundlePctAtLaunch: 1.505, bundlePct: 0.0025 }],
    ['Bundles: 2 • 7% -> 1%', { bundlePctAtLaunch: 0.07, bundlePct: 0.01 }],
    ['Bundles: 2 • 7% ⇨ 1%', { bundlePctAtLaunch: 0.07, bundlePct: 0.01 }],
    ['Bundles: 2 • 7%', { bundlers: 2, bundlePctAtLaunch: null, bundlePct: 0.07 }],
    ['Bundles: 2 • 7% → ?', { bundlePctAtLaunch: 0.07, bundlePct: null }],
    ['Bundles: 2 • ? → 1%', { bundlePctAtLaunch: null, bundlePct: 0.01 }],
    ['Bundles: ? • 7% → 1%', { bundlers: null, bundlePctAtLaunch: 0.07, bundlePct: 0.01 }],
    ['Bundles: 2', { bundlers: 2, bundlePctAtLaunch: null, bundlePct: null }],
    ['Dev: 0 SOL | ?', { devLeftPct: null }],
    ['Dev: 3 SOL ┣ Bundled: 6%', { devLeftPct: null }],
    ['Dev (разработчик): 3 SOL | 1.5K%', { devLeftPct: 15 }],
  ]
  for (const [rows, expected] of table)
    it(`is read from ${rows.slice(0, 40)}`, () => {
      expect(soul(rows)).to.include({ bot: 'soul', ...expected })
    })

  for (const [bot, sign] of [
    ['rick', 'FDV: $9K\nHits: 3\nComments: 4'],
    ['gemtools', 'GTscore: 5\nTop20: 9%\nInsiders: 3'],
    ['soul', 'Hodls: 7\nFake: 0\nMade: 3'],
    ['trenchscanner', 'Total Bundles: 7\nTotal Created: 5\nTotal SOL Spent: 3'],
  ] as const)
    it(`is not read from a row without a colon on a card of ${bot}, whose rows all have one`, () => {
      const card = read(sign)
      expect(card?.bot).to.equal(bot)
      for (const row of [
        'Fresh 1D   12%',
        'Fresh 7D   12%',
        '├ Total 71',
        'Snipers    5',
        'Holders    71',
        'Dev    3%',
        'Current Held Percentage    3%',
      ])
        expect(read(`${sign}\n${row}`), row).to.deep.equal(card)
    })

  const phanes = (rows: string) => read(`Sup: 1B/1B\nVol: $1\nLP: $1\n${rows}`)
  const ofPhanes: readonly Readonly<[string, Partial<ScannerCard>]>[] = [
    ['Top 10    23% | 71', { top10Pct: 0.23, holders: 71 }],
    ['Top 10    23% | 71 (total)', { top10Pct: 0.23, holders: 71 }],
    ['Top 10    23% | 71 (fresh)', { top10Pct: 0.23, holders: null }],
    ['Top 10    23% | 71%', { top10Pct: 0.23, holders: null }],
    ['Top 10    23% | -71', { holders: null }],
    ['├ Top 10 23% | 71', { top10Pct: 0.23, holders: 71 }],
    ['└ MC $9.1K', { mcapUsd: 9_100 }],
    ['└ 💊 **MC** $9.1K', { mcapUsd: 9_100 }],
    ['MC\t\t$9.1K', { mcapUsd: 9_100 }],
    ['MC $9.1K', { mcapUsd: null }],
    ['MC    about $9.1K', { mcapUsd: null }],
    ['MC    -5K', { mcapUsd: null }],
    ['XMC    $9.1K', { mcapUsd: null }],
    ['MC    $9M\nMC: $9.1K', { mcapUsd: 9_100 }],
    ['Fresh     8.5% 1D | 13% 7D', { fresh1d: 0.085, fresh7d: 0.13 }],
    ['Fresh     13% 7D', { fresh1d: null, fresh7d: 0.13 }],
    ['Freshies: 8.5% 1d', { fresh1d: 0.085, fresh7d: null }],
    ['Freshies: 8.5% 10D | 13% 17D', { fresh1d: null, fresh7d: null }],
    ['Freshies: 4/19', { fresh1d: null, fresh7d: null }],
    ['Dev Sold: 🔴 (2.3% left)', { devLeftPct: 0.023 }],
    ['Dev Sold  🔴 2.3% left', { devLeftPct: 0.023 }],
    ['Dev Sold: 🔴 (2.3% leftover)', { devLeftPct: null }],
    ['Dev Sold: 🟢', { devLeftPct: null }],
    ['Dev Toks  46 / 4 (8.7%)', { devLeftPct: null }],
    ['Bundled [51% (2.3% left)]', { bundlePct: 0.023 }],
    ['Bundle: 51% (2.3% left)', { bundlePct: 0.023 }],
    ['Bundle: 51%', { bundlePct: null }],
    ['Bundled [51%]', { bundlePct: 0.51 }],
  ]
  for (const [rows, expected] of ofPhanes)
    it(`of a row without colons is read from ${rows.replaceAll('\n', ' / ')}`, () => {
      expect(phanes(rows)).to.include({ bot: 'phanes', ...expected })
    })

  const rick = (rows: string) => read(`FDV: $9K\nHits: 1\nComments: 2\n${rows}`)
  const ofRick: readonly Readonly<[string, Partial<ScannerCard>]>[] = [
    ['↳ 📦 6% 👻 9% 🎯 7% 🧑‍💻 0%', { bundlePct: 0.06, sniperPct: 0.07, devLeftPct: 0 }],
    ['👨‍💻 **1.5%** 🎯 `7 %` 📦  6%', { bundlePct: 0.06, sniperPct: 0.07, devLeftPct: 0.015 }],
    ['↳ 📦 6% 👻 9%', { bundlePct: 0.06, sniperPct: null, devLeftPct: null }],
    ['↳ 📦 ? 👻 9% 🎯 7%', { bundlePct: null, sniperPct: 0.07 }],
    ['🎯 7%', { sniperPct: null }],
    ['🧰 More: 🫧 🎨 📦\n🎯 7% of something', { bundlePct: null, sniperPct: null }],
    ['📦 3 bundles, 9%', { bundlers: 3, bundlePct: 0.09 }],
    ['📦 1 bundle 9.5%', { bundlers: 1, bundlePct: 0.095 }],
    ['📦 1 bundle, **10%** with **19.5** SOL', { bundlers: 1, bundlePct: 0.1, bundlePctAtLaunch: null }],
    ['📦 **12** Bundles ⋅ **9%**', { bundlers: 12, bundlePct: 0.09 }],
    ['📦 3 bundles', { bundlers: null, bundlePct: null }],
    ['Bundles held: 11%', { bundlers: null, bundlePct: 0.11 }],
    ['Bundled: 45% ・ Held: 1%', { bundlePct: 0.01, bundlePctAtLaunch: 0.45 }],
    ['Bundled: 45%', { bundlePct: null, bundlePctAtLaunch: 0.45 }],
    ['Held: 1%', { bundlePct: null }],
  ]
  for (const [rows, expected] of ofRick)
    it(`of bundles is read from ${rows.replaceAll('\n', ' / ')}`, () => {
      expect(rick(rows)).to.include({ bot: 'rick', ...expected })
    })

  it('of all bundles counts where the card does not say which still hold', () => {
    const card = read('Total Bundles: 7\nTotal Percentage Bundled: 43.2%\nCurrent Token Held %: 12')
    expect(card).to.include({ bot: 'trenchscanner', bundlers: 7, bundlePctAtLaunch: 0.432, bundlePct: 0.12 })
  })
})

describe('the card of no known layout', () => {
  const nothing = Object.fromEntries([...names, 'mcapUsd'].map((name) => [name, null]))

  it('is kept as unknown, without values', () => {
    const card = read('$CAT\nMarket Cap: $30K\nLiq: $5K\nVol: $9K\nHolders: 30')
    expect(card).to.deep.equal({ bot: 'unknown', ...nothing })
  })

  it('of a known bot is kept as unknown', () => {
    expect(read('a layout of tomorrow', 'Phanes_Bot')).to.deep.equal({ bot: 'unknown', ...nothing })
  })

  it('is none where a person writes two of the labels', () => {
    expect(read('sending this\nMC: 30K\nLiq: 5K')).to.equal(null)
    expect(read('sending this\nFDV: 30K\nLiq: 5K')).to.equal(null)
  })

  it('is none where it is the place of a card to come', () => {
    expect(read('⏳ Loading bundle data...', 'TrenchScannerBot')).to.equal(null)
    expect(read('Analyzing, please wait', 'phanes_bot')).to.equal(null)
  })

  it('is none where a person lists values in wide blanks', () => {
    expect(read('my picks\nMC    30K\nLiq   5K\nVol   9K')).to.equal(null)
  })

  it('of a known bot has its layout though few of its rows are there', () => {
    expect(read('FDV: 30K', 'RickBurpBot')).to.include({ bot: 'rick', mcapUsd: 30_000 })
  })
})

import { expect } from 'chai'
import fc from 'fast-check'
import { grades } from '../../../../processors/calls/grades/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import type { ScannerGrade } from '../../../../schemas/calls/derived.ts'
import { gradeTable } from '../../../../schemas/calls/grades.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../../../schemas/chain-b/stage.ts'
import { buildCard } from '../../../support/builders/build-cards.ts'
import { second, testStartAtMs, testToken } from '../../../support/builders/build-facts.ts'

const { cardMs } = gradeTable

type Card = ReturnType<typeof buildCard>

const openDriver = () => createTestDriver({ stage: chainAStage, processors: [grades] })
type Driver = ReturnType<typeof openDriver>

function tell(driver: Driver, atMs: number, ...cards: readonly Card[]): readonly ScannerGrade[] {
  for (const card of cards) driver.answer(testToken, card)
  return driver.tick(atMs).map(({ record }) => record.data as ScannerGrade)
}

describe('grades of scanner cards', () => {
  it('are published at the first card, with what it tells and what that costs', () => {
    const card = buildCard({ postedAtMs: second(10), bot: 'phanes', top10Pct: 0.31, holders: 500 })
    expect(tell(openDriver(), second(12), card)).to.deep.equal([
      {
        gradedSinceMs: second(10),
        lastCardAtMs: second(10),
        grade: 'A',
        score: 85,
        top10Pct: 0.31,
        topHolder1Pct: null,
        snipers: null,
        sniperPct: null,
        bundlers: null,
        bundlePct: null,
        devLeftPct: null,
        fresh1d: null,
        fresh7d: null,
        holders: 500,
        penalties: [{ field: 'top10Pct', value: 0.31, limit: 0.3, points: 15 }],
        bots: ['phanes'],
        cards: 1,
      },
    ])
  })

  it('are those of chain B as well', () => {
    const driver = createTestDriver({ stage: chainBStage, processors: [grades] })
    driver.answer('So11111111111111111111111111111111111111112', buildCard({ holders: 3 }))
    expect(driver.tick(second(2)).map(({ record }) => record.type)).to.deep.equal(['ScannerGrade'])
  })

  it('take the most cautious reading across bots, named in order', () => {
    const driver = openDriver()
    tell(driver, second(1), buildCard({ post: 1, bot: 'rick', top10Pct: 0.2, holders: 90 }))
    const [grade] = tell(driver, second(2), buildCard({ post: 2, bot: 'phanes', top10Pct: 0.5, holders: 400 }))
    expect(grade).to.deep.include({ top10Pct: 0.5, holders: 90, bots: ['phanes', 'rick'], cards: 2, score: 71 })
  })

  it('replace a card of a bot by its next one, and by an edit of it', () => {
    const driver = openDriver()
    tell(driver, second(1), buildCard({ post: 1, top10Pct: 0.5 }))
    const [next] = tell(driver, second(61), buildCard({ post: 2, postedAtMs: second(60), top10Pct: 0.3 }))
    expect(next).to.deep.include({ top10Pct: 0.3, cards: 1, gradedSinceMs: second(0), lastCardAtMs: second(60) })
    const edit = buildCard({ post: 1, editedAtMs: second(70), top10Pct: 0.1 })
    expect(tell(driver, second(71), edit)[0]).to.deep.include({ top10Pct: 0.1, lastCardAtMs: second(70) })
  })

  const countsForNothing: readonly (readonly [string, Partial<Card['data']>])[] = [
    ['a card that tells nothing that is graded', { post: 2, postedAtMs: second(60), bundlePctAtLaunch: 0.4 }],
    ['an edit that leaves nothing to read', { editedAtMs: second(60) }],
    ['a card that was read again', { top10Pct: 0.4 }],
    [
      'an older card of the bot that was read late',
      { post: 9, postedAtMs: second(-60), seenAtMs: second(50), top10Pct: 0.9 },
    ],
    ['a card of the same second from a chat that sorts before', { chat: '099', post: 9, top10Pct: 0.9 }],
  ]
  for (const [what, fields] of countsForNothing)
    it(`are not changed by ${what}`, () => {
      const driver = openDriver()
      tell(driver, second(1), buildCard({ top10Pct: 0.4 }))
      expect(tell(driver, second(61), buildCard(fields))).to.deep.equal([])
    })

  it('count a version that a later parser reads otherwise', () => {
    const driver = openDriver()
    tell(driver, second(1), buildCard({ top10Pct: 0.4 }))
    expect(tell(driver, second(2), buildCard({ top10Pct: 0.4, holders: 20, parserVersion: 2 }))[0]).to.include({
      holders: 20,
    })
  })

  it('do not count a card that was 48 h old when it was read', () => {
    const late = (ageMs: number) => buildCard({ holders: 1, seenAtMs: testStartAtMs + ageMs })
    expect(tell(openDriver(), testStartAtMs + cardMs, late(cardMs))).to.deep.equal([])
    expect(tell(openDriver(), testStartAtMs + cardMs - 1, late(cardMs - 1))).to.have.length(1)
  })

  //  rick    0 h ├──────────────── 48 h ┤
  //  phanes       10 h ├──────────────── 48 h ┤          ← the row ends
  //  rick                                        60 h ├  ← another row
  it('change when a card is 48 h old, and end with the last card', () => {
    const hour = (hours: number) => second(hours * 3600)
    const driver = openDriver()
    tell(driver, hour(0), buildCard({ post: 1, bot: 'rick', top10Pct: 0.5 }))
    tell(driver, hour(10), buildCard({ post: 2, bot: 'phanes', postedAtMs: hour(10), top10Pct: 0.3 }))
    expect(tell(driver, hour(48))).to.deep.equal([])
    expect(tell(driver, hour(48) + 1)).to.have.length(1)
    expect(driver.outputs().at(-1)?.record.data).to.deep.include({
      gradedSinceMs: hour(0),
      lastCardAtMs: hour(10),
      top10Pct: 0.3,
      bots: ['phanes'],
      cards: 1,
    })
    expect(tell(driver, hour(59))).to.deep.equal([])
    expect(driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
    const [grade] = tell(driver, hour(61), buildCard({ post: 3, postedAtMs: hour(60), holders: 100 }))
    expect(grade).to.deep.include({ gradedSinceMs: hour(60), top10Pct: null, holders: 100, cards: 1 })
  })

  it('stay when a card was renewed before it ran out', () => {
    const driver = openDriver()
    tell(driver, second(1), buildCard({ top10Pct: 0.5 }))
    tell(driver, second(61), buildCard({ editedAtMs: second(60), top10Pct: 0.5 }))
    expect(tell(driver, second(1) + cardMs)).to.deep.equal([])
    expect(driver.counts().tokens).to.equal(1)
  })

  it('count the cards of 32 bots and not of the next', () => {
    const driver = openDriver()
    for (let bot = 0; bot < 32; bot++)
      expect(tell(driver, second(1), buildCard({ bot: `bot${bot}`, holders: 900 }))).to.have.length(1)
    expect(tell(driver, second(1), buildCard({ bot: 'bot32', holders: 1 }))).to.deep.equal([])
    expect(tell(driver, second(3), buildCard({ bot: 'bot31', postedAtMs: second(2), holders: 1 }))[0]).to.include({
      holders: 1,
      cards: 32,
    })
  })

  const card = fc
    .record({
      bot: fc.constantFrom('rick', 'phanes', 'soul'),
      chat: fc.constantFrom('1', '2'),
      post: fc.integer({ min: 1, max: 3 }),
      postedAtMs: fc.integer({ min: 0, max: 5 }).map(second),
      editSec: fc.option(fc.integer({ min: 6, max: 9 }), { nil: null }),
    })
    .map(({ editSec, ...fields }) => {
      const editedAtMs = editSec === null ? null : second(editSec)
      // The version determines the fields of a card, because the same version must always have the same
      // content.
      const shown = (editedAtMs ?? fields.postedAtMs) - testStartAtMs
      const draw = shown / 1000 + fields.post * 10 + Number(fields.chat) * 40 + fields.bot.length
      return buildCard({ ...fields, editedAtMs, top10Pct: (draw % 17) / 17, holders: draw % 3 === 0 ? null : draw })
    })

  it('end the same in whatever order cards are read, and after a restart', () => {
    fc.assert(
      fc.property(fc.array(card, { minLength: 1, maxLength: 12 }), fc.nat(), (cards, seed) => {
        const shuffled = [...cards].sort((one, other) => rank(one, seed) - rank(other, seed))
        const straight = openDriver()
        tell(straight, second(10), ...cards)
        const restarted = openDriver()
        for (const each of shuffled) {
          tell(restarted, second(10), each)
          restarted.restart()
        }
        const lastOf = (driver: Driver) => ({
          ...(driver.outputs().at(-1)?.record.data as ScannerGrade),
          gradedSinceMs: 0,
        })
        expect(lastOf(restarted)).to.deep.equal(lastOf(straight))
      }),
    )
  })
})

const rank = ({ data }: Card, seed: number): number =>
  ((data.post * 31 + data.postedAtMs + Number(data.chat)) * (seed + 7)) % 101

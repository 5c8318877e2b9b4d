import { expect } from 'chai'
import { pino } from 'pino'
import { OperationError, type OperationErrorCode } from '../../../infra/errors.ts'
import { answerTo } from '../../../ingest/lookups/answer.ts'
import { createPriceLookup } from '../../../ingest/prices/price-lookup.ts'
import { createPriceSource, type FoundPrice, noPrice, type PriceSource } from '../../../ingest/prices/price-source.ts'
import type { PriceAnswered } from '../../../schemas/calls/facts.ts'
import { tooOld } from '../../../schemas/calls/facts.ts'
import { buildHash, testStartAtMs, testToken } from '../../support/builders/build-facts.ts'

const never = new AbortController().signal
const market = buildHash(0xb0)
const found = (px: number): FoundPrice => ({ px, source: 'pool', mcapUsd: null, change1h: null })
const refuses: PriceSource = async () => {
  throw new RangeError('must not be asked')
}

describe('the lookup of prices', () => {
  type Asking = { ageMs: number; knowsPast: boolean; limitMs: number; usefulMs: number; nowMs: () => number }

  async function answerOf(source: PriceSource, options: Readonly<Partial<Asking>> = {}): Promise<PriceAnswered> {
    const { ageMs = 1000, usefulMs = 300_000, ...rest } = options
    const { nowMs = () => testStartAtMs + ageMs } = options
    const data = {
      questionId: `${testToken}:${testStartAtMs}`,
      revision: 3,
      atMs: testStartAtMs,
      market,
      isInUsd: true,
      usefulMs,
    }
    const lookup = createPriceLookup(source, rest)
    const question = { lookup, partition: 0, key: testToken, seenAtMs: nowMs(), data }
    const answering = { nowMs, logger: pino({ level: 'silent' }), delay: async () => {}, signal: never }
    const answer = await answerTo(question, { ...answering, questionAgeMsMax: 24.5 * 3_600_000 })
    return answer?.data as PriceAnswered
  }

  it('asks about the token and the market of the question', async () => {
    const asked: unknown[] = []
    const answer = await answerOf(async (question) => {
      asked.push(question)
      return found(2)
    })
    const told = { token: testToken, market, atMs: testStartAtMs, isInUsd: true, isUrgent: false }
    expect(asked).to.deep.equal([told])
    expect(answer).to.deep.equal({
      questionId: `${testToken}:${testStartAtMs}`,
      ...{ revision: 3, price: found(2), failure: null, isWithoutPrice: false, answeredAtMs: testStartAtMs + 1000 },
    })
  })

  it('names its questions by the token and their instant, as a withdrawn row does', () => {
    const { questionIdOf } = createPriceLookup(refuses)
    expect(questionIdOf({ recordType: 'PriceAsked', atMs: 5 }, testToken)).to.equal(`${testToken}:5`)
  })

  it('asks nobody what a price was more than five minutes ago', async () => {
    expect((await answerOf(async () => found(2), { ageMs: 300_000 })).price?.px).to.equal(2)
    expect(await answerOf(refuses, { ageMs: 300_001 })).to.include({ price: null, failure: tooOld })
  })

  it('says the same of what is too old for any lookup', async () => {
    expect((await answerOf(refuses, { ageMs: 25 * 3_600_000 })).failure).to.equal(tooOld)
  })

  for (const [what, usefulMs] of [
    ['at a post', 15_000],
    ['at a mark of a score', 60_000],
  ] as const)
    it(`asks nobody what a price was ${what} more than ${usefulMs / 1000} seconds ago, and asks before samples`, async () => {
      let isFirst: boolean | undefined
      const source: PriceSource = async ({ isUrgent }) => {
        isFirst = isUrgent
        return found(2)
      }
      expect((await answerOf(source, { usefulMs, ageMs: usefulMs })).price?.px).to.equal(2)
      expect(isFirst).to.equal(true)
      expect(await answerOf(refuses, { usefulMs, ageMs: usefulMs + 1 })).to.include({ price: null, failure: tooOld })
    })

  it('is told when the price was told, however long that took', async () => {
    let nowMs = testStartAtMs + 100
    const takesTime: PriceSource = async () => {
      nowMs += 2_500
      return found(2)
    }
    expect((await answerOf(takesTime, { nowMs: () => nowMs })).answeredAtMs).to.equal(testStartAtMs + 2_600)
  })

  it('asks a source that knows the past whatever the age', async () => {
    expect((await answerOf(async () => found(2), { knowsPast: true, ageMs: 20 * 3_600_000 })).failure).to.equal(null)
  })

  const hangs: PriceSource = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const failing = (code: OperationErrorCode): PriceSource => {
    return async () => Promise.reject(new OperationError(code, code))
  }
  const nobody = createPriceSource({ readMarket: failing('provider_failed'), aggregator: null })
  const noMarket: PriceSource = (question, signal) => nobody({ ...question, market: null }, signal)
  /**
   * An outage must not count as the death of a token. So only answers about the token itself count. The last
   * value of each row is true for such an answer.
   */
  const failures: readonly (readonly [string, PriceSource, string, boolean])[] = [
    ['it is told that there is no price', async () => Promise.reject(noPrice('none')), 'none', true],
    ['it is told a price of 0', async () => found(0), 'the price is not above 0', true],
    ['it is told a price below 0', async () => found(-1), 'the price is not above 0', true],
    ['it is told no number', async () => found(Number.NaN), 'the price is not a number', false],
    ['it is told no end', async () => found(Number.POSITIVE_INFINITY), 'the price is not a number', false],
    ['the provider fails', failing('provider_failed'), 'provider_failed', false],
    ['the node is away', failing('node_unreachable'), 'node_unreachable', false],
    ['the node contradicts itself', failing('node_inconsistent'), 'node_inconsistent', false],
    ['the node refuses', failing('node_refused'), 'node_refused', false],
    ['nobody answers', hangs, 'no price was found within 10 ms', false],
    ['nobody is there to ask', noMarket, 'no price aggregator is configured (PRICE_AGGREGATOR_URL)', false],
    ['the reader has a bug', async () => Promise.reject(new RangeError('secret')), 'the reader failed', false],
  ]
  for (const [what, source, failure, isWithoutPrice] of failures)
    it(`says ${isWithoutPrice ? 'that there is no price' : 'nothing of the token'} where ${what}`, async () => {
      const answer = await answerOf(source, { limitMs: 10 })
      expect(answer).to.include({ price: null, failure, isWithoutPrice })
    })

  it('says nothing of the token where it is too old to be asked', async () => {
    const said = [await answerOf(refuses, { ageMs: 300_001 }), await answerOf(refuses, { ageMs: 25 * 3_600_000 })]
    for (const answer of said) expect(answer).to.include({ failure: tooOld, isWithoutPrice: false })
  })

  it('asks a failing source once: the next sample asks again', async () => {
    let count = 0
    const answer = await answerOf(async () => {
      count++
      throw new OperationError('node_unreachable', 'the node is away')
    })
    expect([count, answer.failure]).to.deep.equal([1, 'the node is away'])
  })
})

describe('the source of prices', () => {
  const question = { token: testToken, atMs: testStartAtMs }
  const aggregator: PriceSource = async () => ({ ...found(7), source: 'aggregator' })

  it('is the own node where a market is known', async () => {
    const readPrice = createPriceSource({
      readMarket: async (asked) => found(asked.market === market ? 2 : 3),
      aggregator,
    })
    expect((await readPrice({ ...question, market }, never)).px).to.equal(2)
  })

  it('is not the aggregator where the node found nothing in the market', async () => {
    const readMarket = async () => {
      throw noPrice('the pool is empty')
    }
    const readPrice = createPriceSource({ readMarket, aggregator })
    expect(await readPrice({ ...question, market }, never).catch((error: Error) => error.message)).to.equal(
      'the pool is empty',
    )
  })

  it('is the aggregator where no market is known, and nobody without one', async () => {
    const ask = (to: PriceSource | null) =>
      createPriceSource({ readMarket: refuses, aggregator: to })({ ...question, market: null }, never)
    expect((await ask(aggregator)).px).to.equal(7)
    expect(await ask(null).catch((error: Error) => error.message)).to.equal(
      'no price aggregator is configured (PRICE_AGGREGATOR_URL)',
    )
  })
})

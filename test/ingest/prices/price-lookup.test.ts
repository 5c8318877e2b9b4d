import { expect } from 'chai'
import { pino } from 'pino'
import { OperationError } from '../../../infra/errors.ts'
import { answerTo } from '../../../ingest/lookups/answer.ts'
import { createPriceLookup, priceAgeMsMax } from '../../../ingest/prices/price-lookup.ts'
import { createPriceSource, type FoundPrice, type PriceSource } from '../../../ingest/prices/price-source.ts'
import type { PriceAnswered } from '../../../schemas/calls/facts.ts'
import { tooOld } from '../../../schemas/calls/facts.ts'
import { buildHash, testStartAtMs, testToken } from '../../support/build-facts.ts'

const never = new AbortController().signal
const market = buildHash(0xb0)
const found = (px: number): FoundPrice => ({ px, source: 'pool', mcapUsd: null, change1h: null })
const refuses: PriceSource = async () => {
  throw new RangeError('must not be asked')
}

describe('the lookup of prices', () => {
  async function answerOf(
    source: PriceSource,
    options: Readonly<{ ageMs?: number; ageMsMax?: number; limitMs?: number }> = {},
  ): Promise<PriceAnswered> {
    const { ageMs = 1000, ...rest } = options
    const nowMs = () => testStartAtMs + ageMs
    const asked = {
      questionId: `${testToken}:${testStartAtMs}`,
      revision: 3,
      atMs: testStartAtMs,
      market,
      isInUsd: true,
    }
    const lookup = createPriceLookup(source, rest)
    const question = { lookup, partition: 0, key: testToken, seenAtMs: nowMs(), asked }
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
    expect(asked).to.deep.equal([{ token: testToken, market, atMs: testStartAtMs, isInUsd: true }])
    expect(answer).to.deep.equal({
      questionId: `${testToken}:${testStartAtMs}`,
      ...{ revision: 3, price: found(2), failure: null, answeredAtMs: testStartAtMs + 1000 },
    })
  })

  it('names its questions by the token and their instant, as a withdrawn row does', () => {
    const { questionIdOf } = createPriceLookup(refuses)
    expect(questionIdOf({ recordType: 'PriceAsked', atMs: 5 }, testToken)).to.equal(`${testToken}:5`)
  })

  it('asks nobody what a price was more than five minutes ago', async () => {
    const options = { ageMsMax: priceAgeMsMax }
    expect((await answerOf(async () => found(2), { ...options, ageMs: 300_000 })).price?.px).to.equal(2)
    expect(await answerOf(refuses, { ...options, ageMs: 300_001 })).to.include({ price: null, failure: tooOld })
  })

  it('says the same of what is too old for any lookup', async () => {
    expect((await answerOf(refuses, { ageMs: 25 * 3_600_000 })).failure).to.equal(tooOld)
  })

  it('asks a source that knows the past whatever the age', async () => {
    expect((await answerOf(async () => found(2), { ageMs: 20 * 3_600_000 })).failure).to.equal(null)
  })

  for (const px of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    it(`takes ${px} for no price`, async () => {
      expect(await answerOf(async () => found(px))).to.include({ price: null, failure: 'the price is not above 0' })
    })

  it('does not wait for a source that hangs', async () => {
    const hangs: PriceSource = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    expect((await answerOf(hangs, { limitMs: 10 })).failure).to.equal('no price within 10 ms')
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
      throw new OperationError('node_refused', 'the pool is empty')
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
    expect(await ask(null).catch((error: Error) => error.message)).to.equal('no source')
  })
})

import { expect } from 'chai'
import fc from 'fast-check'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import { second } from '../../../support/build-facts.ts'
import { recount, recountBuyers, recountPrecall, recountScore } from '../../../support/oracle/calls.ts'
import { type Delivery, delivery, factsOf, senderOf, tell, trading } from './random-calls.ts'

type Of<Type extends ChainADerived['type']> = Extract<ChainADerived, { type: Type }>

function dataOf<Type extends ChainADerived['type']>(told: ReturnType<typeof tell>, type: Type): Of<Type>['data'][] {
  return told.flatMap(({ record }) => (record.type === type ? [record.data as Of<Type>['data']] : []))
}

/** Doubles may be summed in another order. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => {
      if (typeof each === 'bigint') return `${each}`
      return typeof each === 'number' && !Number.isInteger(each) ? Number(each.toPrecision(9)) : each
    }),
  )

const types = ['Precall', 'PrecallSendersAsked', 'PrecallBuyers', 'CallScored'] as const
const contentOf = (told: ReturnType<typeof tell>) =>
  types.map((type) => told.filter(({ record }) => record.type === type).map(({ record }) => record))

const prompt: Delivery = { tickMs: 20_000, delayMs: 0, isRestarted: false }
const postSec = fc.integer({ min: 0, max: 9000 })

describe('what is said of a post', () => {
  it('is what a slow recount says', () => {
    let scores = 0
    fc.assert(
      fc.property(trading, postSec, (drawn, atSec) => {
        const facts = factsOf(drawn)
        const told = tell(facts, second(atSec), prompt)
        const counted = recount(facts)
        const [{ postedAtMs, chat, post, chatName, poster, tokenCount, ...score }] = dataOf(told, 'CallScored') as [
          Of<'CallScored'>['data'],
        ]
        expect({ postedAtMs, chat, post }).to.deep.equal({ postedAtMs: second(atSec), chat: '100', post: 1 })
        expect(rounded(score)).to.deep.equal(rounded(recountScore(counted, postedAtMs)))
        if (score.unscored === null) scores++
        const precall = recountPrecall(counted, postedAtMs)
        expect(rounded(dataOf(told, 'Precall'))).to.deep.equal(rounded(precall === null ? [] : [precall]))
        const buyers = dataOf(told, 'PrecallBuyers').map(({ flags, postedAtMs: _, ...rest }) => rest)
        expect(buyers).to.deep.equal(precall === null ? [] : [recountBuyers(counted, postedAtMs, senderOf)])
      }),
      { numRuns: 100 },
    )
    expect(scores).to.be.greaterThan(20)
  })

  it('does not depend on when it became known, up to 15 minutes after it, nor on ticks and restarts', () => {
    fc.assert(
      fc.property(trading, postSec, delivery, (drawn, atSec, drawnDelivery) => {
        const facts = factsOf(drawn)
        const expected = contentOf(tell(facts, second(atSec), prompt))
        expect(contentOf(tell(facts, second(atSec), drawnDelivery))).to.deep.equal(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('is never said before a tick has passed the post', () => {
    fc.assert(
      fc.property(trading, postSec, delivery, (drawn, atSec, drawnDelivery) => {
        const told = tell(factsOf(drawn), second(atSec), drawnDelivery)
        const ofPost = told.filter(({ record }) => record.type === 'Call' || types.some((type) => type === record.type))
        expect(ofPost.every(({ tickAtMs }) => tickAtMs > second(atSec))).to.equal(true)
      }),
      { numRuns: 20 },
    )
  })
})

import { expect } from 'chai'
import { createNamingLimit, type NamingLimit } from '../../../ingest/mentions/naming-limit.ts'
import { namingLimits } from '../../../schemas/calls/rules.ts'

const hourMs = 3_600_000

type Named = Readonly<{
  chat?: string
  poster?: string | null
  postedAtMs?: number
  token: string
  isTracked?: boolean
}>

const admits = (limit: NamingLimit, { token, isTracked = false, ...place }: Named): boolean =>
  limit.admits({ chat: 'chat', poster: 'poster', postedAtMs: 0, ...place }, { token, isTracked })

/** Names new tokens until one is not admitted, and returns the number of admitted ones. */
function admittedOf(limit: NamingLimit, named: Omit<Named, 'token'>): number {
  for (let count = 0; count < 1000; count++) if (!admits(limit, { ...named, token: `${count}` })) return count
  return expect.fail('there is no limit')
}

describe('the limit of named tokens', () => {
  for (const kind of ['tracked', 'untracked'] as const) {
    const isTracked = kind === 'tracked'
    const { ofPoster, ofChat } = namingLimits[kind]

    it(`is one of each poster and one of the chat in an hour, of ${kind} tokens`, () => {
      expect(admittedOf(createNamingLimit(), { isTracked })).to.equal(ofPoster)
      expect(admittedOf(createNamingLimit(), { isTracked, poster: null })).to.equal(ofChat)
      const limit = createNamingLimit()
      const admitted = Array.from({ length: 2 * ofChat }, (_, index) =>
        admits(limit, { isTracked, token: `${index}`, poster: `poster ${index % 4}` }),
      )
      expect(admitted.filter(Boolean)).to.have.lengthOf(ofChat)
    })
  }

  it('is not reached by tokens that were named before in the chat', () => {
    const limit = createNamingLimit()
    admittedOf(limit, {})
    expect(admits(limit, { token: '3' })).to.equal(true)
    expect(admits(limit, { token: '3', poster: 'another' })).to.equal(true)
    expect(admittedOf(limit, { poster: 'another' }), 'the named tokens do not count').to.equal(
      2 * namingLimits.untracked.ofPoster,
    )
  })

  it('is one of its own for each chat, kind of token and hour', () => {
    const limit = createNamingLimit()
    const { ofPoster } = namingLimits.untracked
    expect(admittedOf(limit, {})).to.equal(ofPoster)
    expect(admittedOf(limit, { postedAtMs: hourMs - 1 })).to.equal(ofPoster)
    expect(admits(limit, { token: 'new', postedAtMs: hourMs - 1 })).to.equal(false)
    expect(admittedOf(limit, { postedAtMs: hourMs })).to.equal(ofPoster)
    expect(admittedOf(limit, { chat: 'another' })).to.equal(ofPoster)
    expect(admittedOf(limit, { isTracked: true })).to.equal(namingLimits.tracked.ofPoster)
  })

  it('is remembered for twenty-four hours with posts', () => {
    const limit = createNamingLimit()
    admittedOf(limit, {})
    const nameIn = (hour: number) => admits(limit, { token: 'new', postedAtMs: hour * hourMs })
    for (let hour = 1; hour < 24; hour++) nameIn(hour)
    expect(nameIn(0)).to.equal(false)
    nameIn(24)
    expect(nameIn(0)).to.equal(true)
  })
})

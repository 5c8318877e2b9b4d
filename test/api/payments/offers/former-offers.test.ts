import { expect } from 'chai'
import { createFormerOffers } from '../../../../api/payments/offers/former-offers.ts'

describe('the offers of the last minutes', () => {
  const offer = (text: string) => ({ text })
  let clock: { atMs: number }
  let offers: ReturnType<typeof createFormerOffers<{ text: string }>>

  beforeEach(() => {
    clock = { atMs: 1_000_000 }
    offers = createFormerOffers(() => clock.atMs)
  })
  const kept = (priceUsdMicros = 1) => offers.of(priceUsdMicros).map(({ text }) => text)

  it('are kept by price, the latest first, each once', () => {
    for (const text of ['a', 'b', 'a']) offers.note(1, offer(text))
    offers.note(2, offer('c'))
    expect([kept(1), kept(2), kept(3)]).to.deep.equal([['a', 'b'], ['c'], []])
  })

  it('are forgotten five minutes after they were last shown', () => {
    offers.note(1, offer('a'))
    offers.note(1, offer('b'))
    clock.atMs += 200_000
    offers.note(1, offer('a'))
    clock.atMs += 100_000
    expect(kept()).to.deep.equal(['a', 'b'])
    clock.atMs += 1
    expect(kept()).to.deep.equal(['a'])
    clock.atMs += 200_000
    expect(kept()).to.deep.equal([])
  })

  it('are at most 256', () => {
    for (let index = 0; index < 300; index++) offers.note(1, offer(String(index)))
    expect(kept()).to.have.length(256)
    expect(kept()[0]).to.equal('299')
  })
})

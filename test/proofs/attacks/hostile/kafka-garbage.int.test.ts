/** `npm run attacks -- kafka-garbage` prints the figures of each case. */
import { expect } from 'chai'
import { quick, sendGarbage } from './kafka-garbage.ts'

describe('a peer that answers our Kafka client with garbage', () => {
  it('fails as a broker that is named, takes little memory, and is asked again', async () => {
    const cases = await sendGarbage('ask')
    expect(cases.filter(({ isGood }) => !isGood)).to.deep.equal([])
  }).timeout(240_000)

  it('fails the opening of the log as a broker that is away', async () => {
    const cases = await sendGarbage('open', quick)
    expect(cases.filter(({ isGood }) => !isGood)).to.deep.equal([])
  }).timeout(240_000)
})

/** `npm run attacks -- still-readers` prints the figures of more clients. */
import { expect } from 'chai'
import { isUnhurtBy, sufferStillness } from './still-readers.ts'

describe('clients of the stream that never read', () => {
  it('lose their place and all that the system holds for them, and nobody else misses a burst', async () => {
    const stillness = { still: 10, waking: 3, reading: 5 }
    const suffered = await sufferStillness(stillness)
    expect(suffered).to.deep.include({ whole: 5, wokenWell: 3, held: 0, refused: [] })
    expect(isUnhurtBy(stillness, suffered)).to.equal(true)
  })
})

/** `npm run attacks -- half-heads` prints the figures of more newcomers. */
import { expect } from 'chai'
import { sendHalfHeads } from './half-heads.ts'

describe('sixteen addresses that fill their places with half heads', () => {
  it('keep no newcomer elsewhere out, whether it sends its head at once or in two parts', async () => {
    const served = await sendHalfHeads({ addresses: 16, connections: 256, newcomers: 20 })
    expect(served).to.include({ atOnce: 10, inParts: 10 })
    expect(served.held).to.be.greaterThan(1_000)
  })
})

import { expect } from 'chai'
import { stormKinds } from './storm-kinds.ts'
import { attackByStorms } from './storms.ts'

describe('honest purchases beside storms at their address', function () {
  this.timeout(300_000)
  // A purchase waits at most some seconds for its turn. Other tests can take the processor for longer.
  this.retries(2)

  it('all succeed, whether the storm forges payments, has no money or asks for prices', async () => {
    const kinds = stormKinds.filter(({ name }) => /quotes|six buyers’ names, 100|ever new penniless payers/.test(name))
    const said: string[] = []
    const isGood = await attackByStorms({ kinds, crowds: [1], each: 3, say: (line) => said.push(line) })
    expect([kinds.length, isGood], said.join('\n')).to.deep.equal([3, true])
  })

  it('all succeed behind one proxy too, and who makes up addresses is asked about no more often', async () => {
    const kinds = stormKinds.filter(({ name }) => name === 'ever new penniless payers, 20/s')
    const said: string[] = []
    const say = (line: string) => said.push(line)
    const isGood = await attackByStorms({ kinds, crowds: [1], each: 16, isProxied: true, say })
    expect([kinds.length, isGood], said.join('\n')).to.deep.equal([1, true])
  })
})

import type { FacilitatorClient } from '@x402/core/server'
import type { SupportedResponse } from '@x402/core/types'
import { expect } from 'chai'
import { createEvmNetwork } from '../../../../api/payments/evm/network.ts'
import { createFacilitatorLink } from '../../../../api/payments/facilitator/facilitator-link.ts'

const [base, other] = ['eip155:8453', 'eip155:84532'] as const
const payTo = `0x${'ab'.repeat(20)}`
const networks = [base, other].map((network) => createEvmNetwork({ network, payTo, rpcUrl: 'http://127.0.0.1:1' }))
const kindsOf = (...names: readonly (typeof base | typeof other)[]): SupportedResponse => ({
  kinds: names.map((network) => ({ x402Version: 2, scheme: 'exact', network })),
  extensions: [],
  signers: {},
})

describe('the link to facilitators', () => {
  let answer: SupportedResponse
  let said: object[]
  const facilitator: FacilitatorClient = {
    verify: async () => expect.fail(),
    settle: async () => expect.fail(),
    getSupported: async () => answer,
  }
  const say = (context: object) => void said.push(context)
  const open = () =>
    createFacilitatorLink({
      facilitators: [facilitator],
      networks,
      nowMs: () => 0,
      logger: { info: () => {}, warn: say as never },
    })

  beforeEach(() => {
    answer = kindsOf(base, other)
    said = []
  })

  it('takes a facilitator that supports nothing for one that is away, and comes back with it', async () => {
    const link = open()
    await link.refresh()
    answer = kindsOf()
    await link.refresh()
    expect(link.current()).to.equal(null)
    answer = kindsOf(base)
    await link.refresh()
    expect(link.current()?.networks.map(({ network }) => network)).to.deep.equal([base])
  })

  it('starts with a facilitator that supports nothing', async () => {
    answer = kindsOf()
    const link = open()
    await link.refresh()
    expect(link.current()).to.equal(null)
  })

  it('says once which networks nobody serves, and again when they change', async () => {
    answer = kindsOf(base)
    const link = open()
    for (let time = 0; time < 3; time++) await link.refresh()
    expect(said).to.deep.equal([{ networks: [other] }])
    answer = kindsOf(base, other)
    await link.refresh()
    answer = kindsOf(base)
    await link.refresh()
    expect(said).to.have.length(2)
  })
})

import type { FacilitatorClient } from '@x402/core/server'
import {
  FacilitatorResponseError,
  FacilitatorTimeoutError,
  type PaymentPayload,
  type PaymentRequirements,
  type SupportedResponse,
} from '@x402/core/types'
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

const requirements: PaymentRequirements = {
  ...{ scheme: 'exact', network: base, asset: payTo, amount: '1', payTo, maxTimeoutSeconds: 60, extra: {} },
}
const payment: PaymentPayload = { x402Version: 2, accepted: requirements, payload: {} }

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

  describe('to one that is late', () => {
    /** The calls of `getSupported` that have no answer yet, oldest first. */
    let questions: { resolve: (answer: SupportedResponse) => void; reject: (error: Error) => void }[]
    const late: FacilitatorClient = {
      verify: async () => ({ isValid: true }),
      settle: async () => expect.fail(),
      getSupported: () => new Promise((resolve, reject) => void questions.push({ resolve, reject })),
    }
    const clients = { first: late, second: facilitator }
    const connect = async (names: readonly (keyof typeof clients)[] = ['first']) => {
      const link = createFacilitatorLink({
        facilitators: names.map((name) => clients[name]),
        networks,
        nowMs: () => 0,
        logger: { info: () => {}, warn: (context: unknown, text?: string) => say({ said: text ?? context }) },
        untilLate: turn,
      })
      const first = link.refresh()
      questions[0]?.resolve(kindsOf(base))
      await first
      said = []
      return link
    }
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    const gone = [
      { said: 'no facilitator answers. The service takes no payments until one answers. Check X402_FACILITATOR_URL' },
    ]

    beforeEach(() => {
      questions = []
    })

    it('goes on with what it offers, whoever asks for a price meanwhile, and asks one question at a time', async () => {
      const link = await connect()
      await link.refresh()
      await link.refresh()
      link.doubt()
      await turn()
      expect([link.current() !== null, questions.length]).to.deep.equal([true, 2])
      questions[1]?.resolve(kindsOf(other))
      await turn()
      expect(link.current()?.networks.map(({ network }) => network)).to.deep.equal([other])
      await link.refresh()
      expect(questions).to.have.length(3)
    })

    for (const [name, error] of [
      ['it has not answered for long', new FacilitatorTimeoutError('supported', 30_000)],
      ['it fails in the end', new TypeError('fetch failed')],
    ] as const)
      it(`is closed when ${name}, and opens again with its next answer`, async () => {
        const link = await connect()
        await link.refresh()
        questions[1]?.reject(error)
        await turn()
        // After a lost connection, the link calls `getSupported` one more time.
        questions[2]?.reject(error)
        await turn()
        expect([link.current(), said]).to.deep.equal([null, gone])
        const opened = link.refresh()
        questions.at(-1)?.resolve(kindsOf(base))
        await opened
        expect(link.current()).to.not.equal(null)
      })

    it('stays open when it answers about a payment meanwhile', async () => {
      const link = await connect()
      await link.refresh()
      await link.current()?.server.verifyPayment(payment, requirements)
      questions[1]?.reject(new FacilitatorTimeoutError('supported', 30_000))
      await turn()
      expect([link.current() !== null, said]).to.deep.equal([true, []])
      // The answer about the payment came before this call of `getSupported`. So the answer does not show
      // that the facilitator is available now.
      await link.refresh()
      questions[2]?.reject(new FacilitatorTimeoutError('supported', 30_000))
      await turn()
      expect(link.current()).to.equal(null)
    })

    it('stays open when it says that it is asked too often', async () => {
      const link = await connect()
      const asked = link.refresh()
      questions[1]?.reject(new FacilitatorResponseError('Facilitator supported failed (429)'))
      await asked
      expect([link.current() !== null, questions.length]).to.deep.equal([true, 2])
    })

    it('is closed by its lie, whatever it answers then', async () => {
      const link = await connect()
      await link.refresh()
      link.distrust(late)
      questions[1]?.resolve(kindsOf(base))
      await turn()
      expect(link.current()).to.equal(null)
    })

    it('is not waited for where another one answers', async () => {
      answer = kindsOf(other)
      const link = await connect(['first', 'second'])
      expect(link.current()?.networks.map(({ network }) => network)).to.deep.equal([base, other])
      await link.refresh()
      expect(link.current()?.networks.map(({ network }) => network)).to.deep.equal([other])
    })
  })

  describe('to one that lied', () => {
    const clientOf = (...supported: readonly (typeof base | typeof other)[]): FacilitatorClient => ({
      ...facilitator,
      getSupported: async () => kindsOf(...supported),
    })
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    const openTo = async (facilitators: readonly FacilitatorClient[]) => {
      const logger = { info: () => {}, warn: () => {} }
      const link = createFacilitatorLink({ facilitators, networks, nowMs: () => 0, logger })
      await link.refresh()
      return link
    }

    it('is closed for good, and whatever it says', async () => {
      const liar = clientOf(base)
      const link = await openTo([liar])
      link.distrust(liar)
      expect(link.current()).to.equal(null)
      await turn()
      await link.refresh()
      expect(link.current()).to.equal(null)
    })

    it('goes on through those that are left', async () => {
      const [liar, honest] = [clientOf(base, other), clientOf(base)]
      const link = await openTo([liar, honest])
      expect([base, other].map((name) => link.current()?.settledBy(name))).to.deep.equal([liar, liar])
      link.distrust(liar)
      await turn()
      expect([base, other].map((name) => link.current()?.settledBy(name))).to.deep.equal([honest, undefined])
      link.distrust(liar)
      expect(link.current(), 'when it is told so again').to.not.equal(null)
    })

    it('says who settles on a network: the first that does', async () => {
      const [first, second] = [clientOf(other), clientOf(base, other)]
      const link = await openTo([first, second])
      expect([base, other].map((name) => link.current()?.settledBy(name))).to.deep.equal([second, first])
    })
  })
})

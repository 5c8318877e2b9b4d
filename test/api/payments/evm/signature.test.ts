import { expect } from 'chai'
import { type Hex, serializeErc6492Signature } from 'viem'
import { type Authorization, createSignerCheck, isPossibleSignature } from '../../../../api/payments/evm/signature.ts'
import { startFacilitatorDouble } from '../../../support/payments/facilitator-double.ts'
import { createTestClock, memoryLog, openPaidService, signFor } from '../../../support/payments/paid-service.ts'

const stablecoin = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2' } as const

describe('a signature', () => {
  let signature: string
  let authorization: Authorization
  const other = `0x${'12'.repeat(64)}1b`

  before(async () => {
    const double = await startFacilitatorDouble()
    const clock = createTestClock()
    const { gate } = await openPaidService(double, { log: memoryLog(clock), clock })
    const signed = (await signFor(gate)).payload as { signature: string; authorization: Authorization }
    signature = signed.signature
    authorization = signed.authorization
    await gate.close()
    await double.stop()
  })

  const half = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0'
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
  const one = '1'.padStart(64, '0')
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['of the least numbers', `${one}${one}1b`, true],
    ['with s of half the order', `${one}${half}1c`, true],
    ['with s above it', `${one}${half.slice(0, -1)}11b`, false],
    ['with r below the order', `${order.slice(0, -1)}0${one}1B`, true],
    ['with r of the order', `${order}${one}1b`, false],
    ['with r of zero', `${'0'.repeat(64)}${one}1b`, false],
    ['with s of zero', `${one}${'0'.repeat(64)}1b`, false],
    ['with v of 0', `${one}${one}00`, false],
    ['with v of 1', `${one}${one}01`, false],
    ['with v of 29', `${one}${one}1d`, false],
  ]
  for (const [name, digits, isPossible] of cases)
    it(`${name} ${isPossible ? 'could' : 'can never'} be one to the token`, () => {
      expect(isPossibleSignature(`0x${digits}`)).to.equal(isPossible)
    })

  it('of another length could be one of a contract, and one in a wrapper that cannot be read never', () => {
    const wrapped = serializeErc6492Signature({ address: `0x${'fa'.repeat(20)}`, data: '0x01', signature: '0x02' })
    const highS = serializeErc6492Signature({
      ...{ address: `0x${'fa'.repeat(20)}`, data: '0x01' },
      signature: `0x${one}${order}1b`,
    })
    const cases: readonly (readonly [Hex, boolean])[] = [
      ['0x01', true],
      [`0x${'12'.repeat(64)}`, true],
      [`0x${'12'.repeat(66)}`, true],
      [wrapped, true],
      [`0x${wrapped.slice(64 + 2)}`, false],
      [highS, false],
    ]
    expect(cases.map(([text]) => isPossibleSignature(text))).to.deep.equal(cases.map(([, isPossible]) => isPossible))
  })

  type Call = Readonly<{ to: Hex; gas: bigint; data: Hex }>

  const checkWith = (
    getCode: (at: { address: Hex }) => Promise<Hex | undefined>,
    answer: (call: Call) => unknown = () => expect.fail(),
  ) => {
    const asked: Hex[] = []
    const getCodeOnce = async (at: { address: Hex }) => {
      asked.push(at.address)
      return getCode(at)
    }
    const node = { getCode: getCodeOnce, call: ({ to, gas, data }: Call) => answer({ to, gas, data }) }
    return { asked, check: createSignerCheck(node as never, { chainId: 8453, stablecoin }) }
  }

  it('of the payer is known without asking the node', async () => {
    const { asked, check } = checkWith(async () => undefined)
    expect([await check(signature, authorization), asked]).to.deep.equal(['payer', []])
  })

  it('of somebody else is known, and the node is asked once for each payer', async () => {
    const { asked, check } = checkWith(async () => undefined)
    for (let turn = 0; turn < 3; turn++) expect(await check(other, authorization)).to.equal('other')
    expect(await check(signature, { ...authorization, value: '10001' })).to.equal('other')
    expect(asked).to.deep.equal([authorization.from.toLowerCase()])
  })

  const contract = async (): Promise<Hex> => '0x60'
  const magic = `0x1626ba7e${'0'.repeat(56)}`
  for (const [name, answer, signer] of [
    ["that takes it is the payer's", async () => ({ data: magic }), 'payer'],
    ['that does not is of somebody else', async () => ({ data: `0xffffffff${'0'.repeat(56)}` }), 'other'],
    ['that answers nothing is of somebody else', async () => ({ data: undefined }), 'other'],
    ['that fails is left to the facilitator', () => Promise.reject(new TypeError('reverted')), 'unknown'],
  ] as const)
    for (const text of [other, '0x1234'])
      it(`of ${text.length / 2 - 1} bytes under the name of a contract ${name}`, async () => {
        const calls: Call[] = []
        const { check } = checkWith(contract, (call) => {
          calls.push(call)
          return answer()
        })
        expect(await check(text, authorization)).to.equal(signer)
        expect(calls.map(({ to, gas }) => [to, gas])).to.deep.equal([[authorization.from.toLowerCase(), 500_000n]])
        expect(calls[0]?.data).to.include(text.slice(2))
      })

  it('that only a contract could take is of somebody else where there is none, unless it deploys one', async () => {
    const { asked, check } = checkWith(async () => undefined)
    const wrap = (address: Hex, data: Hex) => serializeErc6492Signature({ address, data, signature: '0x1234' })
    for (let turn = 0; turn < 2; turn++) {
      expect(await check('0x1234', authorization)).to.equal('other')
      expect(await check(wrap(`0x${'fa'.repeat(20)}`, '0x01'), authorization)).to.equal('unknown')
      expect(await check(wrap(`0x${'fa'.repeat(20)}`, '0x'), authorization), 'calls nothing').to.equal('other')
      expect(await check(wrap(`0x${'0'.repeat(40)}`, '0x01'), authorization), 'calls nobody').to.equal('other')
    }
    expect(asked, 'once for all of them').to.have.length(1)
  })

  it('of a contract that was just deployed is asked about at once', async () => {
    const chain: { code?: Hex } = {}
    const { check } = checkWith(
      async () => chain.code,
      async () => ({ data: magic }),
    )
    const wrapped = serializeErc6492Signature({ address: `0x${'fa'.repeat(20)}`, data: '0x01', signature: '0x1234' })
    expect(await check(wrapped, authorization)).to.equal('unknown')
    chain.code = '0x60'
    expect(await check('0x1234', authorization)).to.equal('payer')
  })

  it('is left to the facilitator when the node fails, and is asked about again', async () => {
    const node = { isDown: true }
    const { check } = checkWith(async () => {
      if (node.isDown) throw new TypeError('the node is away')
      return undefined
    })
    expect(await check(other, authorization)).to.equal('unknown')
    node.isDown = false
    expect(await check(other, authorization)).to.equal('other')
  })

  it('makes at most four questions at once to the node', async () => {
    let answer = () => {}
    const answered = new Promise<undefined>((resolve) => {
      answer = () => resolve(undefined)
    })
    const { asked, check } = checkWith(() => answered)
    const payers = Array.from({ length: 7 }, (_, index) => `0x${String(index + 1).repeat(40)}`)
    const verdicts = payers.map((from) => check(other, { ...authorization, from }))
    const unanswered = await Promise.race(verdicts)
    while (asked.length < 4) await new Promise((resolve) => setImmediate(resolve))
    answer()
    expect(unanswered).to.equal('unknown')
    expect((await Promise.all(verdicts)).sort()).to.deep.equal([...Array(4).fill('other'), ...Array(3).fill('unknown')])
    expect(asked).to.have.length(4)
  })
})

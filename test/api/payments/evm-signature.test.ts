import { expect } from 'chai'
import type { Hex } from 'viem'
import { type Authorization, createSignerCheck, isPossibleSignature } from '../../../api/payments/evm-signature.ts'
import { startFacilitatorDouble } from '../../support/facilitator-double.ts'
import { createTestClock, memoryLog, openPaidService, signFor } from '../../support/paid-service.ts'

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

  /** A node where these addresses have code. */
  const checkWith = (getCode: (at: { address: Hex }) => Promise<Hex | undefined>) => {
    const asked: Hex[] = []
    const getCodeOnce = async (at: { address: Hex }) => {
      asked.push(at.address)
      return getCode(at)
    }
    return { asked, check: createSignerCheck({ getCode: getCodeOnce as never }, { chainId: 8453, stablecoin }) }
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

  it('under the name of a contract is left to the facilitator', async () => {
    const { check } = checkWith(async () => '0x60')
    expect(await check(other, authorization)).to.equal('unknown')
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

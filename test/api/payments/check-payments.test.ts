import { expect } from 'chai'
import {
  decodeFunctionData,
  domainSeparator,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  parseAbi,
} from 'viem'
import { checkPayments } from '../../../api/payments/check-payments.ts'
import type { Check } from '../../../infra/check.ts'
import { readConfig } from '../../../infra/config.ts'
import { type RpcDouble, startRpcDouble } from '../../ingest/chain-a/rpc-double.ts'
import { type GuardedFacilitator, startGuardedFacilitator } from '../../support/payments/guarded-facilitator.ts'

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const seller = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const tokenAbi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function name() view returns (string)',
  'function version() view returns (string)',
])

describe('the check of payments', () => {
  let node: RpcDouble
  let chain: { id: number; headAtMs: number; name: string; version: string; refused: string | null }
  let first: GuardedFacilitator
  let second: GuardedFacilitator

  const answerOf = (data: Hex): Hex => {
    const { id, name, version } = chain
    switch (decodeFunctionData({ abi: tokenAbi, data }).functionName) {
      case 'name':
        return encodeFunctionResult({ abi: tokenAbi, functionName: 'name', result: name })
      case 'version':
        return encodeFunctionResult({ abi: tokenAbi, functionName: 'version', result: version })
      default:
        return encodeAbiParameters(
          [{ type: 'bytes32' }],
          [domainSeparator({ domain: { name, version, chainId: id, verifyingContract: usdc } })],
        )
    }
  }
  before(async () => {
    first = await startGuardedFacilitator('X-API-Key')
    second = await startGuardedFacilitator('Authorization')
    node = await startRpcDouble((method, params) => {
      if (method === chain.refused) return { error: { code: -32_601, message: `no ${method} here` } }
      if (method === 'eth_chainId') return { result: `0x${chain.id.toString(16)}` }
      if (method === 'eth_call') return { result: answerOf((params[0] as unknown as { data: Hex }).data) }
      return { result: { number: '0x10', timestamp: `0x${Math.floor(chain.headAtMs / 1000).toString(16)}` } }
    })
  })
  beforeEach(() => {
    chain = { id: 8453, headAtMs: Date.now(), name: 'USD Coin', version: '2', refused: null }
    for (const { wants, networks } of [first, second]) {
      Object.assign(wants, { paths: [], value: '' })
      networks.splice(0, networks.length, 'eip155:8453')
    }
  })
  after(async () => {
    await Promise.all([first?.stop(), second?.stop(), node?.stop()])
  })

  const examined = async (
    environment: Readonly<Record<string, string>> = {},
    asksAll = true,
  ): Promise<readonly Check[]> =>
    Promise.all(
      checkPayments(
        readConfig({
          ...{ X402_FACILITATOR_URL: first.url, X402_PAY_TO_EVM: seller, X402_EVM_RPC_URL: node.url },
          ...environment,
        }),
        { asksAll },
      ),
    )
  const wrongOf = async (environment?: Readonly<Record<string, string>>) => {
    const wrong = (await examined(environment)).filter(({ state }) => state === 'wrong')
    return wrong.map(({ name, says, toDo }) => `${name}: ${says}. ${toDo}`)
  }

  it('finds nothing wrong where everything fits', async () => {
    const found = await examined()
    expect(found.map(({ name, state }) => `${name} ${state}`)).to.deep.equal([
      ...['facilitator ok', 'pay-to address ok', 'payment node ok', 'payment token ok'],
    ])
    expect(found.at(-1)?.says).to.equal(`${usdc} signs as USD Coin, version 2`)
  })

  for (const path of ['/supported', '/verify'])
    it(`sees that our credentials are not taken at ${path}, and shows none`, async () => {
      Object.assign(first.wants, { paths: [path], value: 'right' })
      const auth = 'X-API-Key: a-wrong-one'
      const [found, ...others] = await wrongOf({ X402_FACILITATOR_AUTH: auth })
      expect(found).to.match(/^facilitator: 127\.0\.0\.1:\d+ refuses our credentials\. correct X402_FACILITATOR_AUTH$/)
      expect(others).to.deep.equal([])
      expect(await wrongOf({ X402_FACILITATOR_AUTH: 'X-API-Key: right' })).to.deep.equal([])
    })

  for (const path of ['/supported', '/verify'])
    it(`reports that credentials are required at ${path} and none are configured`, async () => {
      Object.assign(first.wants, { paths: [path], value: 'right' })
      const [found, ...others] = await wrongOf()
      expect(found).to.match(/^facilitator: 127\.0\.0\.1:\d+ requires credentials\. set X402_FACILITATOR_AUTH$/)
      expect(others).to.deep.equal([])
    })

  it('at a start sends no payment to a facilitator without credentials', async () => {
    Object.assign(first.wants, { paths: ['/verify'], value: 'right' })
    first.asked.length = 0
    await examined({}, false)
    expect(first.asked).to.deep.equal(['/supported none'])
    await examined({ X402_FACILITATOR_AUTH: 'X-API-Key: right' }, false)
    expect(first.asked.slice(1)).to.deep.equal(['/supported right', '/verify right'])
  })

  it('reports credentials that are sent unencrypted', async () => {
    // The address 0.0.0.0 reaches this machine, but is not a loopback address by name.
    const url = `${first.url.replace('127.0.0.1', '0.0.0.0')}`
    const [found] = await wrongOf({ X402_FACILITATOR_URL: url, X402_FACILITATOR_AUTH: 'X-API-Key: right' })
    expect(found).to.match(/unencrypted\. set its https URL/)
    expect(await wrongOf({ X402_FACILITATOR_URL: url })).to.deep.equal([])
  })

  it('wants one of several facilitators to serve the network, and names those that do not answer', async () => {
    const both = { X402_FACILITATOR_URL: `${first.url},${second.url}` }
    first.networks.splice(0, 1, 'solana:1')
    expect(await wrongOf(both)).to.deep.equal([])
    expect((await examined(both)).map(({ name }) => name).slice(0, 3)).to.deep.equal([
      ...['facilitator 1', 'facilitator 2', 'payment networks'],
    ])
    second.networks.splice(0, 1)
    expect((await wrongOf(both)).map((text) => text.split('.')[0])).to.deep.equal([
      'payment networks: no reachable facilitator settles on eip155:8453',
    ])
    const [down] = await wrongOf({ X402_FACILITATOR_URL: `http://127.0.0.1:9,${first.url}` })
    expect(down).to.match(/^facilitator 1: 127\.0\.0\.1:9/)
  })

  for (const [change, name] of [
    [{ name: 'USDC' }, 'USDC, version 2'],
    [{ version: '1' }, 'USD Coin, version 1'],
  ] as const)
    it(`sees a token that signs as ${name}`, async () => {
      Object.assign(chain, change)
      const [found, ...others] = await wrongOf()
      expect(found).to.contain(
        `payment token: the token ${usdc} signs as ${name}, but our offers name USD Coin, version 2`,
      )
      expect(others).to.deep.equal([])
    })

  const ofNode = 'check that the node runs, or correct X402_EVM_RPC_URL'
  for (const [method, name, toDo] of [
    ['eth_chainId', 'payment node', ofNode],
    ['eth_getBlockByNumber', 'payment node', ofNode],
    [
      'eth_call',
      'payment token',
      'check that X402_EVM_RPC_URL is a node of that chain. If it is, update the service: this version has a wrong name for the token',
    ],
  ] as const)
    it(`names the check, the node and what to do if the node refuses ${method}`, async () => {
      chain.refused = method
      const wrong = (await examined()).filter(({ state }) => state === 'wrong')
      expect(wrong.map((check) => [check.name, check.toDo])).to.deep.equal([[name, toDo]])
      const { host } = new URL(node.url)
      expect(wrong[0]?.says.startsWith(`${host}: `), wrong[0]?.says).to.equal(true)
      expect(wrong[0]?.says).to.contain(method)
    })

  for (const [ageMs, expected] of [
    [60_000, null],
    [120_000, /the newest block of .* is 1\d\d s old/],
    [-15_000, null],
    [-60_000, /the newest block is (59|60|61) s ahead of this machine's clock/],
  ] as const)
    it(`${expected === null ? 'takes' : 'sees'} a newest block of ${-ageMs / 1000} s from now`, async () => {
      chain.headAtMs = Date.now() - ageMs
      const found = await wrongOf()
      expect(found).to.have.length(expected === null ? 0 : 1)
      if (expected) expect(found[0]).to.match(expected)
    })

  it('sees a node of another chain', async () => {
    chain.id = 1
    expect((await wrongOf())[0]).to.match(/payment node: .* is on eip155:1, but payments are on eip155:8453/)
  })

  for (const [payTo, expected] of [
    [seller.toLowerCase(), null],
    [seller.replace('3C44', '3c44'), 'the checksum of'],
    [`0x${'0'.repeat(40)}`, 'is the zero address'],
    [usdc, 'is the token itself'],
  ] as const)
    it(`${expected === null ? 'takes' : 'does not take'} ${payTo} for the seller`, async () => {
      const found = await wrongOf({ X402_PAY_TO_EVM: payTo })
      expect(found).to.have.length(expected === null ? 0 : 1)
      if (expected !== null) expect(found[0]).to.contain('pay-to address').and.to.contain(expected)
    })
})

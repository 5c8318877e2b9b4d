import { expect } from 'chai'
import { createPaymentClock, type PaymentClock } from '../../../api/payments/clock.ts'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import { type RpcDouble, startRpcDouble } from '../../ingest/chain-a/rpc-double.ts'
import { sellerAddress } from '../../support/payments/paid-service.ts'
import { svmSeller } from '../../support/payments/svm-payments.ts'

const [evm, solana] = ['eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp']
const sysvarClock = 'SysvarC1ock11111111111111111111111111111111'

describe("this machine's clock beside the payment chains", () => {
  let node: RpcDouble
  /** The time of each chain's newest block. Null if the node does not answer. */
  let heads: { evmMs: number | null; solanaMs: number | null }
  let nowMs: number
  let said: string[]
  let clock: PaymentClock
  let networks: readonly PaymentNetwork[]

  const clockAccount = (atMs: number) => {
    const data = Buffer.alloc(40)
    data.writeBigInt64LE(BigInt(atMs) / 1000n, 32)
    const account = { lamports: 1, owner: 'Sysvar1111111111111111111111111111111111111', executable: false, space: 40 }
    return { context: { slot: 1 }, value: { ...account, rentEpoch: 0, data: [data.toString('base64'), 'base64'] } }
  }

  before(async () => {
    node = await startRpcDouble((method, params) => {
      const atMs = method === 'eth_getBlockByNumber' ? heads.evmMs : heads.solanaMs
      if (atMs === null) return { error: { code: -32_000, message: 'away' } }
      if (method === 'eth_getBlockByNumber')
        return { result: { number: '0x10', timestamp: `0x${(atMs / 1000).toString(16)}` } }
      return { result: String(params[0]) === sysvarClock ? clockAccount(atMs) : null }
    })
    networks = [
      createEvmNetwork({ network: 'eip155:8453', payTo: sellerAddress, rpcUrl: node.url }),
      await createSvmNetwork({ payTo: svmSeller, rpcUrl: node.url, nowMs: () => nowMs }),
    ]
  })
  beforeEach(() => {
    nowMs = 1_700_000_000_000
    heads = { evmMs: nowMs, solanaMs: nowMs }
    said = []
    const note = (level: string) => (fields: object, text: string) =>
      void said.push(`${level} ${JSON.stringify(fields)} ${text}`)
    const logger = { info: note('info'), warn: note('warn') } as never
    clock = createPaymentClock({ networks, nowMs: () => nowMs, logger })
  })
  after(() => node.stop())

  const differences = () => clock.differences().map(({ network, aheadSec }) => [network, aheadSec])
  const runAMinuteLater = async () => {
    nowMs += 60_000
    if (heads.solanaMs !== null) heads.solanaMs = nowMs
    await clock.run()
  }

  for (const [name, key] of [
    [evm, 'evmMs'],
    [solana, 'solanaMs'],
  ] as const)
    for (const [aheadSec, isWrong] of [
      [3_600, true],
      [31, true],
      [30, false],
      [0, false],
      [-90, false],
      [-91, true],
    ] as const)
      it(`${isWrong ? 'is wrong' : 'is right'} where ${name} is ${aheadSec} s ahead`, async () => {
        heads[key] = nowMs + aheadSec * 1000
        await clock.run()
        expect(differences()).to.deep.equal(isWrong ? [[name, aheadSec]] : [])
        expect(said).to.have.length(isWrong ? 1 : 0)
      })

  it('is told of once when it goes wrong and once when it is right again', async () => {
    heads.evmMs = nowMs + 3_600_000
    await clock.run()
    await runAMinuteLater()
    heads.evmMs = nowMs + 60_000
    await runAMinuteLater()
    expect(said).to.have.length(2)
    expect(said[0]).to.match(/^warn .*"aheadSec":3600.* is 3600 s ahead of this machine's clock\. .*Set the clock/)
    expect(said[1]).to.match(/^info .* agree again$/)
    expect(differences()).to.deep.equal([])
  })

  it('says that the node may not follow where the chain is behind', async () => {
    heads.solanaMs = nowMs - 200_000
    await clock.run()
    expect(said.join()).to.match(/newest block of the payment chain is 200 s old .* choose another node/)
  })

  it('is asked about once a minute, and soon after it was set back', async () => {
    const times = async (stepMs: number) => {
      node.calls.length = 0
      nowMs += stepMs
      await clock.run()
      return node.calls.length
    }
    expect(await times(0)).to.equal(2)
    expect([await times(59_999), await times(1), await times(-3_600_000)]).to.deep.equal([0, 2, 2])
  })

  it('stays as it was known while a node is away', async () => {
    heads.evmMs = nowMs + 3_600_000
    await clock.run()
    heads = { evmMs: null, solanaMs: null }
    await runAMinuteLater()
    expect(differences()).to.deep.equal([[evm, 3_600]])
  })

  it('is not compared with a local chain, which makes blocks only on demand', async () => {
    const options = { payTo: sellerAddress, rpcUrl: node.url, isLocal: true }
    expect(createEvmNetwork({ network: 'eip155:8453', ...options }).headAtMs).to.equal(undefined)
    const local = await createSvmNetwork({ ...options, payTo: svmSeller, nowMs: () => nowMs })
    expect(local.headAtMs).to.equal(undefined)
  })
})

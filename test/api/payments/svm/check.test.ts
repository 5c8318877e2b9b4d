import { expect } from 'chai'
import { checkPayments } from '../../../../api/payments/check-payments.ts'
import { checkSvmNode, checkSvmPayTo } from '../../../../api/payments/svm/check.ts'
import { svmNetwork, svmTokenProgram } from '../../../../api/payments/svm/names.ts'
import { tokenAccountOf } from '../../../../api/payments/svm/token-account.ts'
import type { Check } from '../../../../infra/check.ts'
import { readConfig } from '../../../../infra/config.ts'
import { type RpcDouble, startRpcDouble } from '../../../ingest/chain-a/rpc-double.ts'
import { type GuardedFacilitator, startGuardedFacilitator } from '../../../support/payments/guarded-facilitator.ts'
import { svmSeller } from '../../../support/payments/svm-payments.ts'

describe('the check of payments on Solana', () => {
  let node: RpcDouble
  let facilitator: GuardedFacilitator
  let chain: { genesis: string; account: { owner: string; state: number } | null; lists: boolean }

  before(async () => {
    facilitator = await startGuardedFacilitator('Authorization')
    const account = await tokenAccountOf(svmSeller)
    node = await startRpcDouble((method, params) => {
      if (method === 'getGenesisHash') return { result: chain.genesis }
      if (method === 'getSignaturesForAddress')
        return chain.lists ? { result: [] } : { error: { code: -32011, message: 'no history here' } }
      const found = params[0] === account ? chain.account : null
      const data = Buffer.alloc(165)
      data[108] = found?.state ?? 0
      const value = found && { ...held, owner: found.owner, data: [data.toString('base64'), 'base64'] }
      return { result: { context: { slot: 1 }, value } }
    })
  })
  const held = { executable: false, lamports: 2_039_280, rentEpoch: 0, space: 165 }
  beforeEach(() => {
    chain = { genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpAAAAAAAAAAAA', account: null, lists: true }
    chain.account = { owner: svmTokenProgram, state: 1 }
    facilitator.networks.splice(0, facilitator.networks.length, 'eip155:8453', svmNetwork)
  })
  after(() => Promise.all([node?.stop(), facilitator?.stop()]))

  const account = () => ({ rpcUrl: node.url, payTo: svmSeller })
  const said = ({ state, says, toDo }: Check) => `${state}: ${says}. ${toDo}`

  it('finds a node of Solana, and the account that takes USDC', async () => {
    expect(said(await checkSvmNode(account()))).to.match(/^ok: 127\.0\.0\.1:\d+ is on solana:5eykt/)
    expect(said(await checkSvmPayTo(account()))).to.equal(
      `ok: ${svmSeller} takes USDC in ${await tokenAccountOf(svmSeller)}. null`,
    )
  })

  it('sees a node of another network, and one that cannot list transactions', async () => {
    chain.genesis = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'
    expect(said(await checkSvmNode(account()))).to.match(/^wrong: .* is not on solana:5eykt.*correct X402_SVM_RPC_URL$/)
    chain.genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpAAAAAAAAAAAA'
    chain.lists = false
    expect(said(await checkSvmNode(account()))).to.match(/^wrong: .*lists transactions by address, or correct X402/)
  })

  for (const [name, found] of [
    ['has no USDC account', null],
    ['has one that is frozen', { owner: svmTokenProgram, state: 2 }],
    ['has something else there', { owner: '11111111111111111111111111111111', state: 1 }],
  ] as const)
    it(`says that every buyer is refused where the seller ${name}`, async () => {
      chain.account = found
      expect(said(await checkSvmPayTo(account()))).to.match(
        /^wrong: .*every payment is refused\. send some USDC to HN7c.*or correct X402_PAY_TO_SVM$/,
      )
    })

  it('is made when the configuration sells on Solana, whose facilitator has to serve it', async () => {
    const evm = {
      X402_FACILITATOR_URL: facilitator.url,
      ...{ X402_PAY_TO_EVM: `0x${'ab'.repeat(20)}`, X402_EVM_RPC_URL: 'http://127.0.0.1:9' },
    }
    const both = { ...evm, X402_PAY_TO_SVM: svmSeller, X402_SVM_RPC_URL: node.url }
    const examine = async (environment: Record<string, string>) => {
      const found = await Promise.all(checkPayments(readConfig(environment), { asksAll: false }))
      return new Map(found.map((check) => [check.name, check]))
    }
    const names = ['Solana payment node', 'Solana pay-to account']
    const checks = await examine(both)
    expect([...names, 'facilitator'].map((name) => checks.get(name)?.state)).to.deep.equal(['ok', 'ok', 'ok'])
    expect([...(await examine(evm)).keys()]).to.not.include.members(names)
    facilitator.networks.pop()
    expect((await examine(both)).get('facilitator')?.says).to.contain(`not on ${svmNetwork}`)
    expect((await examine(evm)).get('facilitator')?.state).to.equal('ok')
  })
})

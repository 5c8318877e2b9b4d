import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'
import { svmTokenProgram } from '../../../api/payments/svm/names.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import { sellerAddress } from '../../support/payments/paid-service.ts'
import { makeTransaction, signerOfSeed, svmSeller, toSvmPayload } from '../../support/payments/svm-payments.ts'
import { payer, purchaseWorld } from './purchase-world.ts'

describe('whether a payer has the money of a payment', () => {
  const world = purchaseWorld()
  let server: Server
  let rpcUrl: string
  /** The balance with which the node answers. Null if the node answers with an error. */
  let balance: bigint | null
  const solana = (amount: bigint) => {
    const data = Buffer.alloc(165)
    data.writeBigUInt64LE(amount, 64)
    const account = { lamports: 1, owner: svmTokenProgram, executable: false, rentEpoch: 0, space: 165 }
    return {
      context: { slot: 1 },
      value: amount === 0n ? null : { ...account, data: [data.toString('base64'), 'base64'] },
    }
  }

  before(async () => {
    server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const { id, method } = JSON.parse(text)
      response.setHeader('content-type', 'application/json')
      const said = balance ?? 0n
      const result = method === 'eth_call' ? `0x${said.toString(16).padStart(64, '0')}` : solana(said)
      response.statusCode = balance === null ? 500 : 200
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => void server.close())

  const ofEvm = async (): Promise<readonly [PaymentNetwork, never]> => {
    const payload = JSON.parse(Buffer.from(world.payWith({}, { from: payer }).header, 'base64').toString())
    return [createEvmNetwork({ network: 'eip155:8453', payTo: sellerAddress, rpcUrl }), payload as never]
  }
  const ofSolana = async (): Promise<readonly [PaymentNetwork, never]> => {
    const payload = toSvmPayload(await makeTransaction({ payer: await signerOfSeed('a payer') }))
    return [await createSvmNetwork({ payTo: svmSeller, rpcUrl, nowMs: Date.now }), payload as never]
  }
  for (const [name, payment] of [
    ['an EVM chain', ofEvm],
    ['Solana', ofSolana],
  ] as const)
    for (const [amount, expected] of [
      [10_000n, true],
      [9_999n, false],
      [0n, false],
    ] as const)
      it(`is asked of a node of ${name}: ${amount} of 10000`, async () => {
        balance = amount
        const [network, payload] = await payment()
        expect(await network.hasFunds?.(payload)).to.equal(expected)
        balance = null
        const failure = await network.hasFunds?.(payload).then(
          () => 'answered',
          () => 'failed',
        )
        expect(failure).to.equal('failed')
      })
})

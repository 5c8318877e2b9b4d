import { address, createSolanaRpc, getBase64Encoder, getTransactionDecoder } from '@solana/kit'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { expect } from 'chai'
import { svmNetwork, svmUsdc } from '../../../../api/payments/svm/names.ts'
import { solanaSigner } from '../../../../infra/development/payments/solana-dollar.ts'
import { type LocalSolana, startLocalSolana } from '../../../../infra/development/payments/start-local-solana.ts'

describe('the local Solana chain', () => {
  let chain: LocalSolana
  let node: ReturnType<typeof createSolanaRpc>

  before(async () => {
    chain = await startLocalSolana(1_000_000_000n)
    node = createSolanaRpc(chain.rpcUrl)
  })
  after(() => chain?.stop())

  /** Returns a transaction that the buyer and the fee payer have signed. */
  const signed = async (amount = '10000') => {
    const extra = { feePayer: chain.feePayer.address as string }
    const terms = { scheme: 'exact', network: svmNetwork, asset: svmUsdc, amount, payTo: chain.payTo }
    const client = new ExactSvmScheme(await solanaSigner('buyer'), { rpcUrl: chain.rpcUrl })
    const { payload } = await client.createPaymentPayload(2, { ...terms, maxTimeoutSeconds: 120, extra })
    const facilitator = toFacilitatorSvmSigner(chain.feePayer, { defaultRpcUrl: chain.rpcUrl })
    return (await facilitator.signTransaction(String(payload.transaction), chain.feePayer.address, svmNetwork)) as never
  }
  const send = (wire: never) => node.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()
  const simulate = async (wire: never) =>
    (await node.simulateTransaction(wire, { encoding: 'base64' }).send()).value.err
  const failure = (sent: Promise<unknown>) => sent.then(String, (error: Error) => `${error.message} ${error.cause}`)

  it('moves the dollar by the token program, lists the transaction and says when it is final', async () => {
    const wire = await signed()
    expect(await simulate(wire)).to.equal(null)
    const signature = await send(wire)
    expect(await chain.usdcBalanceOf(chain.payTo)).to.equal(10_000n)
    expect(await chain.usdcBalanceOf(chain.buyer)).to.equal(999_990_000n)
    const commitments = async () => {
      const { value } = await node.getSignatureStatuses([signature]).send()
      const listed = await node.getSignaturesForAddress(address(chain.buyer), { commitment: 'finalized' }).send()
      return [value[0]?.confirmationStatus, value[0]?.err, listed.length]
    }
    expect(await commitments()).to.deep.equal(['confirmed', null, 0])
    await chain.advance(13_000)
    expect(await commitments()).to.deep.equal(['finalized', null, 1])
    const options = { encoding: 'base64', maxSupportedTransactionVersion: 0, commitment: 'confirmed' } as const
    const found = await node.getTransaction(signature, options).send()
    const bytesOf = (text: string) => getTransactionDecoder().decode(getBase64Encoder().encode(text)).messageBytes
    expect(bytesOf(found?.transaction[0] ?? '')).to.deep.equal(bytesOf(wire))
  })

  it('takes a message once', async () => {
    const before = await chain.usdcBalanceOf(chain.payTo)
    const wire = await signed()
    const signature = await send(wire)
    expect(await send(wire)).to.equal(signature)
    expect(await simulate(wire)).to.equal('AlreadyProcessed')
    expect(await chain.usdcBalanceOf(chain.payTo)).to.equal(before + 10_000n)
  })

  it('takes no transaction whose blockhash is older than a minute', async () => {
    const wire = await signed()
    const { blockhash } = (await node.getLatestBlockhash().send()).value
    await chain.advance(59_000)
    expect(await simulate(wire)).to.equal(null)
    await chain.advance(3_000)
    expect(await simulate(wire)).to.equal('BlockhashNotFound')
    expect(await failure(send(wire))).to.match(/blockhash/i)
    expect((await node.isBlockhashValid(blockhash).send()).value).to.equal(false)
  })

  it('takes no transaction that its accounts do not pay for or did not sign', async () => {
    const before = await chain.usdcBalanceOf(chain.payTo)
    expect(JSON.stringify(await simulate(await signed('99999999999')))).to.contain('insufficient funds')
    const wire = Buffer.from(await signed(), 'base64')
    wire.fill(9, 65, 70)
    expect(await failure(send(wire.toString('base64') as never))).to.match(/signature/i)
    expect(await chain.usdcBalanceOf(chain.payTo)).to.equal(before)
  })

  it('survives hundreds of transactions, which kill a process that only loads litesvm', async () => {
    const before = await chain.usdcBalanceOf(chain.payTo)
    for (let round = 0; round < 10; round++)
      await Promise.all((await Promise.all(Array.from({ length: 20 }, () => signed('1')))).map(send))
    expect(await chain.usdcBalanceOf(chain.payTo)).to.equal(before + 200n)
  })
})

import { expect } from 'chai'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import { toBase58 } from '../../../infra/base58.ts'
import { svmSeller } from '../../support/payments/svm-payments.ts'
import { type PlainServer, sendText, startPlainServer } from '../../support/sockets/plain-server.ts'

const evm = (rpcUrl: string) => createEvmNetwork({ network: 'eip155:8453', payTo: `0x${'ab'.repeat(20)}`, rpcUrl })
const svm = (rpcUrl: string) => createSvmNetwork({ payTo: svmSeller, rpcUrl, nowMs: () => 0 })

describe('the name of a transaction', () => {
  const hash = 'aB'.repeat(32)
  for (const [name, isOne, text] of [
    ['32 bytes in hexadecimal', true, `0x${hash}`],
    ['31 bytes', false, `0x${hash.slice(2)}`],
    ['33 bytes', false, `0x${hash}00`],
    ['a digit too many', false, `0x${hash}0`],
    ['no 0x', false, hash],
    ['another digit', false, `0x${hash.slice(1)}g`],
    ['a line break behind it', false, `0x${hash}\n`],
    ['a header in it', false, 'aa\r\nX-Evil: 1'],
    ['nothing', false, ''],
  ] as const)
    it(`on an EVM chain ${isOne ? 'is' : 'is not'} ${name}`, () => {
      expect(evm('http://127.0.0.1:1').isTransaction(text)).to.equal(isOne)
    })

  const signature = toBase58(Buffer.alloc(64, 7))
  for (const [name, isOne, text] of [
    ['64 bytes in base58', true, signature],
    ['64 bytes of zero', true, '1'.repeat(64)],
    ['63 bytes', false, toBase58(Buffer.alloc(63, 7))],
    ['65 bytes', false, toBase58(Buffer.alloc(65, 7))],
    ['a letter that base58 does not have', false, `${signature.slice(1)}0`],
    ['a line break behind it', false, `${signature}\n`],
    ['a megabyte', false, '1'.repeat(1_000_000)],
    ['nothing', false, ''],
  ] as const)
    it(`on Solana ${isOne ? 'is' : 'is not'} ${name}`, async () => {
      expect((await svm('http://127.0.0.1:1')).isTransaction(text)).to.equal(isOne)
    })
})

describe('a node of payments', () => {
  let server: PlainServer
  let sent: Promise<number>[]
  afterEach(() => server.stop())

  const paymentOf = {
    evm: ['eip155:8453', `0x${'a5'.repeat(20)}`, `0x${'c5'.repeat(20)}`, `0x${'e5'.repeat(32)}`],
    solana: ['solana:5', 'mint', svmSeller, svmSeller, 'ab'.repeat(32)],
  }
  const ask = (network: PaymentNetwork, kind: keyof typeof paymentOf) =>
    network.probe({ paymentId: paymentOf[kind].join('|'), usdMicros: 1, validBeforeMs: 0 }).then(
      () => 'answered',
      () => 'failed',
    )
  const open = { evm: async (url: string) => evm(url), solana: svm }

  for (const kind of ['evm', 'solana'] as const) {
    it(`is read up to a bound: ${kind}`, async () => {
      sent = []
      server = await startPlainServer((_, response) => void sent.push(sendText(response)))
      expect(await ask(await open[kind](server.url), kind)).to.equal('failed')
      for (const bytes of await Promise.all(sent)) expect(bytes).to.be.lessThan(64 * 1_048_576)
    })

    it(`sends nobody elsewhere: ${kind}`, async () => {
      const heard: string[] = []
      const other = await startPlainServer((request, response) => {
        heard.push(String(request.url))
        response.end()
      })
      server = await startPlainServer((_, response) => response.writeHead(307, { location: other.url }).end())
      expect(await ask(await open[kind](server.url), kind)).to.equal('failed')
      expect(heard).to.deep.equal([])
      await other.stop()
    })
  }
})

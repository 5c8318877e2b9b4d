/**
 * A facilitator and a node in their own process. The facilitator checks signatures. Every payer has money,
 * unless a request says that the payer is penniless. Each answer takes some time, as on the internet.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentPayload } from '@x402/core/types'
import { createEvmNetwork, paymentNetwork } from '../../../api/payments/evm/network.ts'
import { svmNetwork, svmTokenProgram } from '../../../api/payments/svm/names.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import { tokenAccountOf } from '../../../api/payments/svm/token-account.ts'
import { toBase58 } from '../../../infra/base58.ts'
import { sellerAddress } from '../../support/payments/paid-service.ts'
import { svmFeePayer, svmSeller } from '../../support/payments/svm-payments.ts'

const penniless = new Set<string>()
const asked = { count: 0, atOnce: 0, atOnceMax: 0 }
let answerMs = 20

const rpcUrl = 'http://127.0.0.1:1'
const networks = [
  createEvmNetwork({ network: paymentNetwork, payTo: sellerAddress, rpcUrl }),
  await createSvmNetwork({ payTo: svmSeller, rpcUrl, nowMs: Date.now }),
]

async function verify(payload: PaymentPayload): Promise<object> {
  const network = networks.find((each) => each.network === payload.accepted.network)
  const identity = network?.identify(payload)
  if (!network || !identity || 'refusal' in identity) return { isValid: false, invalidReason: 'invalid_payload' }
  const { payer } = identity
  // No payer here is a contract, so another signer is a forger.
  const signer = (await network.signerOf?.(payload)) ?? 'payer'
  if (signer !== 'payer') return { isValid: false, invalidReason: network.codes.signature, payer }
  return penniless.has(payer.toLowerCase())
    ? { isValid: false, invalidReason: 'insufficient_funds', payer }
    : { isValid: true, payer }
}

async function verifySlowly(payload: PaymentPayload): Promise<object> {
  asked.count += 1
  asked.atOnce += 1
  asked.atOnceMax = Math.max(asked.atOnceMax, asked.atOnce)
  try {
    const [verdict] = await Promise.all([verify(payload), sleep(answerMs)])
    return verdict
  } finally {
    asked.atOnce -= 1
  }
}

/** Notes a penniless payer by address in lower case, and on Solana also by token account. */
async function notePenniless(payer: string): Promise<void> {
  penniless.add(payer.toLowerCase())
  if (!payer.startsWith('0x')) penniless.add(await tokenAccountOf(payer))
}

/**
 * Returns the answer of the simulated node. No address is a contract. Only penniless payers have no balance.
 */
function resultOf({ method, params }: Readonly<{ method: string; params: readonly unknown[] }>): unknown {
  const [asked] = params
  if (method === 'eth_call') {
    const payer = `0x${(asked as Readonly<{ data: string }>).data.slice(-40)}`
    return `0x${(penniless.has(payer) ? '' : '1000000').padStart(64, '0')}`
  }
  if (method !== 'getAccountInfo') return '0x'
  const data = Buffer.alloc(165)
  data.writeBigUInt64LE(penniless.has(String(asked)) ? 0n : 1_000_000n, 64)
  const account = { lamports: 1, owner: svmTokenProgram, executable: false, rentEpoch: 0, space: 165 }
  return { context: { slot: 1 }, value: { ...account, data: [data.toString('base64'), 'base64'] } }
}

const someTransaction = (network: string): string =>
  network === svmNetwork ? toBase58(randomBytes(64)) : `0x${randomBytes(32).toString('hex')}`

/** The counts since the last call. */
function takeAsked(): object {
  const { count, atOnceMax } = asked
  Object.assign(asked, { count: 0, atOnceMax: asked.atOnce })
  return { count, atOnceMax }
}

async function answerTo(request: IncomingMessage): Promise<object> {
  const body = JSON.parse((await textOf(request)) || '{}')
  switch (request.url) {
    case '/supported':
      return {
        kinds: [
          { x402Version: 2, scheme: 'exact', network: paymentNetwork },
          { x402Version: 2, scheme: 'exact', network: svmNetwork, extra: { feePayer: svmFeePayer } },
        ],
        ...{ extensions: [], signers: {} },
      }
    case '/verify':
      return verifySlowly(body.paymentPayload)
    case '/settle':
      await sleep(answerMs)
      return {
        success: true,
        transaction: someTransaction(body.paymentPayload.accepted.network),
        network: body.paymentPayload.accepted.network,
      }
    case '/tell':
      for (const payer of body.penniless ?? []) await notePenniless(payer)
      answerMs = body.answerMs ?? answerMs
      return takeAsked()
    default:
      return { jsonrpc: '2.0', id: body.id, result: resultOf(body) }
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const server = createServer((request, response) => {
  void answerTo(request).then((answer) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
}).listen(0, '127.0.0.1', () => console.log(`LISTENING ${(server.address() as AddressInfo).port}`))

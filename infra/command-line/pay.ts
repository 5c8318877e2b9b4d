/** Buys one answer as any client would, with the official x402 client, and shows what passes between the two. */
import { decodePaymentRequiredHeader, decodePaymentResponseHeader, decodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localKeyOf, localNetwork } from '../development/payments/local-dollar.ts'
import { OperationError } from '../errors.ts'

export type PayOptions = Readonly<{
  baseUrl: string
  /** Path and query of a paid route: `/v1/rh/bursts/live?tier=all`. */
  path: string
  /** Print the whole body instead of its beginning. */
  isFull: boolean
  /** Spend real money: only with a private key, and only when asked for. */
  isReal: boolean
  privateKey: string | null
  print: (text: string) => void
}>

const linesMax = 60

/**
 * Without `isReal` it pays with the public development key, and only a service that says its money is local. Fails with
 * `config_invalid` before anything is signed, with `payment_failed` when the service does not answer 200.
 */
export async function runPay(options: PayOptions): Promise<void> {
  const account = privateKeyToAccount(await keyFor(options))
  const client = new x402Client().register(localNetwork, new ExactEvmScheme(account))
  const pay = wrapFetchWithPayment(showing(options.print), client)
  const response = await pay(new URL(options.path, options.baseUrl)).catch((cause: unknown) => {
    throw new OperationError('payment_failed', `no answer from ${options.baseUrl}`, { cause })
  })
  options.print(shortened(pretty(await response.text()), options.isFull))
  if (response.status !== 200)
    throw new OperationError('payment_failed', `the service answered ${response.status}`, {
      context: { path: options.path },
    })
}

async function keyFor({ baseUrl, isReal, privateKey }: PayOptions): Promise<Hex> {
  if (isReal) {
    if (privateKey !== null) return privateKey as Hex
    throw new OperationError('config_invalid', '--real spends the money of PAY_PRIVATE_KEY, which is not set')
  }
  if (!(await isPaidInLocalMoney(baseUrl)))
    throw new OperationError(
      'config_invalid',
      'this service takes real money: set PAY_PRIVATE_KEY and pass --real to spend it',
      { context: { baseUrl } },
    )
  return localKeyOf('buyer')
}

/** The service says so at `/`, for every network that it takes. */
async function isPaidInLocalMoney(baseUrl: string): Promise<boolean> {
  try {
    const info: unknown = await (await fetch(new URL('./', baseUrl))).json()
    const { networks } = (info as { payments: { networks: readonly { network: string; isLocal: boolean }[] } }).payments
    return networks.length > 0 && networks.every(({ network, isLocal }) => network === localNetwork && isLocal === true)
  } catch (cause) {
    throw new OperationError('payment_failed', `no service of ours answers at ${baseUrl}`, { cause })
  }
}

/** A fetch that prints each request and each answer, without what could be spent. */
function showing(print: (text: string) => void): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const signed = request.headers.get('payment-signature')
    print(`> ${request.method} ${request.url}`)
    if (signed !== null) print(`> PAYMENT-SIGNATURE ${pretty(JSON.stringify(withoutSignature(signed)))}`)
    const response = await fetch(request)
    print(`< ${response.status} ${response.statusText}`)
    const required = response.headers.get('payment-required')
    if (required !== null) print(`< PAYMENT-REQUIRED ${pretty(JSON.stringify(decodePaymentRequiredHeader(required)))}`)
    const receipt = response.headers.get('payment-response')
    if (receipt !== null) print(`< PAYMENT-RESPONSE ${pretty(JSON.stringify(decodePaymentResponseHeader(receipt)))}`)
    return response
  }
}

/** What the payment says, in words: who pays how much to whom. */
function withoutSignature(header: string): object {
  const { accepted, payload } = decodePaymentSignatureHeader(header)
  const { from } = payload.authorization as { from: string }
  const { network, asset, amount, payTo } = accepted
  return { network, asset, amount, payer: from, payTo }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function shortened(text: string, isFull: boolean): string {
  const lines = text.split('\n')
  if (isFull || lines.length <= linesMax) return text
  return [...lines.slice(0, linesMax), `… ${lines.length - linesMax} more lines; --full prints them`].join('\n')
}

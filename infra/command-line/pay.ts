/** Buys one answer of the API with the client for buyers, and prints the requests and answers. */
import { decodePaymentRequiredHeader, decodePaymentResponseHeader, decodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { openBuyer } from '../../api/client/open-buyer.ts'
import { isOperationError, OperationError } from '../errors.ts'
import { bodyText, paymentText, priceText, receiptText, refusalText } from './pay-text.ts'
import { type NetworkName, networkOf, openWallet, type Wallet, type WalletOptions } from './wallet.ts'

export type PayOptions = Readonly<{
  baseUrl: string
  /** Path and query of a paid route: `/v1/rh/bursts/live?tier=all`. */
  path: string
  /** Whether to print the whole body. Otherwise only the first rows are printed. */
  isFull: boolean
  /** Whether to print the 402, the payment and the receipt as JSON. */
  isVerbose: boolean
  network: NetworkName
  /** Whether to spend real money (`--real`). Spending also needs a private key. */
  isReal: boolean
  wallet: WalletOptions
  print: (text: string) => void
}>

/** The most that one call may cost, in USDC. The dearest route costs half of it. */
const priceUsdcMax = 1

/**
 * Buys the answer of one paid route. Without `isReal`, the buyer signs with the public development key, and
 * pays only a service that reports worthless local money. Throws `config_invalid`, without signing, if no
 * wallet fits the service. Throws `payment_failed` if the service cannot be reached or the status of its
 * answer is not 200.
 */
export async function runPay(options: PayOptions): Promise<void> {
  const { baseUrl, path, print } = options
  const wallet = await walletFor(options)
  const limits = { perCallUsdc: priceUsdcMax, perDayUsdc: priceUsdcMax }
  const buying = { baseUrl, limits, wallet: wallet.buyer, fetch: showing(wallet, options) }
  const { buyer } = await openBuyer(buying, new AbortController().signal)
  const outcome = await buyer.buy(path).catch((cause: unknown) => {
    if (!isOperationError(cause, 'service_unreachable')) throw cause
    const { message } = cause
    throw new OperationError('payment_failed', message, { cause })
  })
  if (outcome.kind === 'open')
    throw new OperationError(
      'payment_failed',
      'the payment was sent several times, and no answer came. It may have been charged one time. Look for the transfer on the chain',
      { context: { path, purchase: outcome.name }, cause: outcome.cause },
    )
  print(bodyText(outcome.text, options.isFull))
  if (outcome.kind === 'refused')
    throw new OperationError(
      'payment_failed',
      `the service answered with status ${outcome.status}. The printed answer says why`,
      { context: { path } },
    )
}

async function walletFor({ baseUrl, network, isReal, wallet }: PayOptions): Promise<Wallet> {
  const key = network === 'evm' ? 'PAY_PRIVATE_KEY' : 'PAY_PRIVATE_KEY_SVM'
  if (isReal) {
    if (wallet.privateKey !== null) return openWallet(network, wallet)
    throw new OperationError(
      'config_invalid',
      `--real needs ${key}, which is not set. Set it to the private key of the wallet that pays`,
    )
  }
  const taken = await takenOn(baseUrl, networkOf[network])
  if (taken === undefined)
    throw new OperationError(
      'config_invalid',
      `this service takes no payments on ${networkOf[network]}. Choose another --network`,
      {
        context: { baseUrl },
      },
    )
  if (taken.isLocal !== true)
    throw new OperationError(
      'config_invalid',
      `this service takes real money. To spend real money, set ${key} and pass --real`,
      {
        context: { baseUrl },
      },
    )
  return openWallet(network, { privateKey: null, rpcUrl: taken.localRpcUrl })
}

type Taken = Readonly<{ network: string; isLocal: boolean; localRpcUrl: string | null }>

/**
 * Returns the service's entry for a payment network. The service lists the networks on which it takes
 * payments at `/`.
 */
async function takenOn(baseUrl: string, network: string): Promise<Taken | undefined> {
  try {
    const info: unknown = await (await fetch(new URL('./', baseUrl))).json()
    const { networks } = (info as { payments: { networks: readonly Taken[] } }).payments
    return networks.find((taken) => taken.network === network)
  } catch (cause) {
    throw new OperationError(
      'payment_failed',
      `no Launch Data Service answers at ${baseUrl}. Start the service, or correct --url`,
      { cause },
    )
  }
}

/**
 * A `fetch` that prints each request and each answer. It leaves out the signatures, because anyone could collect the
 * payment with a signature.
 */
function showing(
  { address }: Wallet,
  { network, isVerbose, print }: Pick<PayOptions, 'network' | 'isVerbose' | 'print'>,
): typeof fetch {
  const show = (line: string, parts: readonly Part[]) => {
    const texts = isVerbose ? [] : parts.map(({ text }) => text)
    print([line, ...texts].join(': '))
    if (isVerbose)
      for (const { header, value } of parts) print(`${line[0]} ${header} ${JSON.stringify(value, null, 2)}`)
  }
  return async (input, init) => {
    const request = new Request(input, init)
    show(`> ${request.method} ${request.url}`, requestParts(request.headers, address))
    const response = await fetch(request)
    const explain = request.headers.has('payment-signature')
      ? refusalText
      : (required: PaymentRequired) => priceText(required, networkOf[network])
    show(`< ${response.status} ${response.statusText}`, responseParts(response.headers, explain))
    return response
  }
}

/** A decoded header of a payment: as it was sent, and as a text for people. */
type Part = Readonly<{ header: string; value: object; text: string }>

/** The payment of a request without its signature: the network, the amount, the payer and the receiver. */
function requestParts(headers: Headers, payer: string): readonly Part[] {
  const signed = headers.get('payment-signature')
  if (signed === null) return []
  const { network, asset, amount, payTo } = decodePaymentSignatureHeader(signed).accepted
  const value = { network, asset, amount, payer, payTo }
  return [{ header: 'PAYMENT-SIGNATURE', value, text: paymentText(value, payer) }]
}

/** Decodes the payment headers of a response. `explain` returns the text for the header of a 402. */
function responseParts(headers: Headers, explain: (required: PaymentRequired) => string): readonly Part[] {
  const [required, receipt] = [headers.get('payment-required'), headers.get('payment-response')]
  const parts: Part[] = []
  if (required !== null) {
    const value = decodePaymentRequiredHeader(required)
    parts.push({ header: 'PAYMENT-REQUIRED', value, text: explain(value) })
  }
  if (receipt !== null) {
    const value = decodePaymentResponseHeader(receipt)
    parts.push({ header: 'PAYMENT-RESPONSE', value, text: receiptText(value) })
  }
  return parts
}

/**
 * Runs a facilitator (the server that verifies and settles payments) over HTTP that fails on command, with
 * its own simulated chain. On that chain, an authorization moves money at most one time, and only with its
 * payer's signature. This is true whatever the facilitator answers.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, recoverTypedDataAddress } from 'viem'
import type { ChainFinding, ProbedPayment } from '../../../api/payments/payment-network.ts'

/** The fault of one call. In a fault with `…AfterBroadcast`, the money moves before the fault. */
export type Fault =
  | 'ok'
  | 'drop'
  | 'dropAfterBroadcast'
  | 'garbage'
  | 'garbageAfterBroadcast'
  | 'status500'
  /** The answer that real facilitators give to an unexpected request. */
  | 'unexpected'
  | 'error500'
  | 'status503'
  | 'refuse'
  | 'refuseAfterBroadcast'
  | 'pending'
  | 'pendingAfterBroadcast'
  | 'hang'
  | 'hangAfterBroadcast'
  /** Confirms a settlement that was already made. */
  | 'again'
  /** Answers when `release` is called. */
  | 'wait'

export type FacilitatorDouble = Readonly<{
  url: string
  verifyFaults: Fault[]
  settleFaults: Fault[]
  /**
   * The faults of payments that are not signed by their payer. If there is no fault, such a payment is
   * refused.
   */
  forgeryFaults: Fault[]
  calls: { verify: number; settle: number; supported: number }
  /** The transfers on the chain, by `payer|nonce`. */
  transfers: ReadonlyMap<string, string>
  probe: (payment: ProbedPayment) => Promise<ChainFinding>
  /** If `isDown` is true, the chain does not answer. */
  chain: { isDown: boolean; nowMs: (() => number) | null }
  release: () => void
  /** Sends the transfers of refused settlements. */
  sendLate: () => void
  /** If the value is false, the server breaks every connection. */
  reachable: { value: boolean }
  stop: () => Promise<void>
}>

type Body = Readonly<{ paymentPayload: { payload: Signed } }>

type Signed = Readonly<{
  signature: Hex
  authorization: Readonly<{ from: Hex; to: Hex; value: string; validAfter: string; validBefore: string; nonce: Hex }>
}>

export async function startFacilitatorDouble(): Promise<FacilitatorDouble> {
  const transfers = new Map<string, string>()
  const verifyFaults: Fault[] = []
  const settleFaults: Fault[] = []
  const forgeryFaults: Fault[] = []
  const calls = { verify: 0, settle: 0, supported: 0 }
  const chain: FacilitatorDouble['chain'] = { isDown: false, nowMs: null }
  const reachable = { value: true }
  let waiting: (() => void)[] = []
  const refusedKeys: string[] = []

  const broadcast = (key: string): string => {
    const transaction = `0x${(transfers.size + 1).toString(16).padStart(64, '0')}`
    transfers.set(key, transaction)
    return transaction
  }

  const verify = (key: string) =>
    transfers.has(key) ? { isValid: false, invalidReason: 'invalid_exact_evm_nonce_already_used' } : { isValid: true }

  const refuseUnsigned = (isVerify: boolean) => {
    const reason = 'invalid_exact_evm_payload_signature'
    return isVerify
      ? { isValid: false, invalidReason: reason }
      : { success: false, errorReason: reason, transaction: '', network: 'eip155:8453' }
  }

  const settle = (key: string, fault: Fault) => {
    const network = 'eip155:8453'
    const failed = (errorReason: string, transaction = '') => ({ success: false, errorReason, transaction, network })
    if (fault === 'pending') return failed('settlement_pending', `0x${'e'.repeat(64)}`)
    if (fault === 'refuse') {
      refusedKeys.push(key)
      return failed('invalid_exact_evm_insufficient_balance')
    }
    const before = transfers.get(key)
    if (before !== undefined && fault === 'again') return { success: true, transaction: before, network }
    if (before !== undefined) return failed('invalid_exact_evm_nonce_already_used')
    const transaction = broadcast(key)
    if (fault === 'pendingAfterBroadcast') return failed('settlement_pending', transaction)
    if (fault === 'refuseAfterBroadcast') return failed('invalid_exact_evm_insufficient_balance')
    return { success: true, transaction, network }
  }

  /** Returns the body as an object. `cut`: the connection ends. `silence`: there is no answer. */
  const answerTo = (isVerify: boolean, key: string, fault: Fault): unknown => {
    if (fault in before) return before[fault as keyof typeof before]
    if (isVerify && fault === 'refuse')
      return { isValid: false, invalidReason: 'invalid_exact_evm_insufficient_balance' }
    const body = isVerify ? verify(key) : settle(key, fault)
    return fault in after ? after[fault as keyof typeof after] : body
  }

  const nextFault = (isVerify: boolean): Fault => {
    calls[isVerify ? 'verify' : 'settle'] += 1
    return (isVerify ? verifyFaults : settleFaults).shift() ?? 'ok'
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!reachable.value) return void request.socket.destroy()
    if (request.url === '/supported') return sendText(response, 200, supportedText())
    await answerAbout(request, response)
  }

  const supportedText = (): string => {
    calls.supported += 1
    return JSON.stringify(supported)
  }

  const answerAbout = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isVerify = request.url === '/verify'
    const asked = nextFault(isVerify)
    const signed = (await readJson(request)).paymentPayload.payload
    const isSigned = await isSignedByPayer(signed)
    const fault = isSigned ? asked : (forgeryFaults.shift() ?? asked)
    if (fault === 'wait') await new Promise<void>((resolve) => waiting.push(resolve))
    const body = isSigned || fault in before ? answerTo(isVerify, keyOf(signed), fault) : refuseUnsigned(isVerify)
    if (body === 'cut') return void request.socket.destroy()
    if (body === 'silence') return
    sendText(response, statusOf[fault] ?? 200, JSON.stringify(body))
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    verifyFaults,
    settleFaults,
    forgeryFaults,
    calls,
    transfers,
    chain,
    reachable,
    probe: async ({ paymentId, validBeforeMs }) => {
      if (chain.isDown) throw new TypeError('the chain cannot be asked')
      const [, , payer, nonce] = paymentId.split('|')
      const transaction = transfers.get(`${payer}|${nonce}`)
      if (transaction !== undefined) return { kind: 'paid', transaction }
      return { kind: chain.nowMs && chain.nowMs() > validBeforeMs ? 'expired' : 'unpaid' }
    },
    sendLate: () => {
      for (const key of refusedKeys.splice(0)) broadcast(key)
    },
    release: () => {
      for (const resolve of waiting) resolve()
      waiting = []
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Answers without the call. */
const before = {
  drop: 'cut',
  hang: 'silence',
  garbage: '<html>not what was asked</html>',
  status500: 'internal',
  status503: 'no backend',
  error500: { error: 'TypeError' },
  unexpected: { isValid: false, invalidReason: 'unexpected_verify_error', payer: '' },
} as const
const statusOf: Partial<Record<Fault, number>> = { status500: 500, error500: 500, status503: 503 }

/** The answers for faults that happen after the call was executed. */
const after = { dropAfterBroadcast: 'cut', hangAfterBroadcast: 'silence', garbageAfterBroadcast: null } as const

const supported = {
  kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
  extensions: [],
  signers: {},
}

const keyOf = ({ authorization: { from, nonce } }: Signed): string => `${from}|${nonce}`.toLowerCase()

const transferTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

const lowestHighS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1n

/**
 * Checks a signature as the token does. For each r there are two valid signatures, and the token accepts only
 * the one with the low s.
 */
async function isSignedByPayer({ signature, authorization }: Signed): Promise<boolean> {
  if (BigInt(`0x${signature.slice(66, 130)}`) >= lowestHighS) return false
  const { value, validAfter, validBefore } = authorization
  const signer = await recoverTypedDataAddress({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: 8453,
      verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    },
    types: transferTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
    signature,
  }).catch(() => null)
  return signer?.toLowerCase() === authorization.from.toLowerCase()
}

async function readJson(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString()) as Body
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(text)
}

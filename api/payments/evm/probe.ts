/**
 * Searches the chain for a payment. The receipt must contain the token's `AuthorizationUsed` event and, right after it, the transfer to the
 * seller. The contract's `authorizationState` is no proof, because cancelling an authorization also sets this state.
 */
import {
  type Address,
  erc20Abi,
  type Hex,
  type Log,
  type PublicClient,
  parseAbiItem,
  parseEventLogs,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { type ChainFinding, type ProbedPayment, validityMsMax } from '../payment-network.ts'

const authorizationUsed = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)')

/** The maximum number of blocks in one search. Public nodes refuse wider ranges. A payment is valid for a few hundred blocks. */
const blockRangeMax = 2_000n
/** The maximum by which the chain's clock may be behind this machine's clock, in ms. */
const clockSlackMs = 120_000
/**
 * The time from the end of a payment's validity until the payment counts as expired, in ms. The transfer may
 * still appear in this time, because the asked node may lack the newest blocks or a reorg may replace blocks.
 */
const certainMs = 60_000

/** Whether a text has the form of a transaction hash. Nodes and facilitators may answer with any text. */
export const isTransactionHash = (text: string): boolean => /^0x[0-9a-fA-F]{64}$/.test(text)

type Receiver = Readonly<{ asset: Address; payTo: string }>

export function createEvmProbe(
  client: PublicClient,
  receiver: Receiver,
): (payment: ProbedPayment) => Promise<ChainFinding> {
  return async (payment) => {
    const [, , payer, nonce] = payment.paymentId.split('|') as [string, string, Address, Hex]
    const expected = { ...receiver, payer, nonce, usdMicros: payment.usdMicros }
    const reported = payment.transaction ?? null
    if (reported !== null && (await isPayment(client, reported as Hex, expected)))
      return { kind: 'paid', transaction: reported }
    const head = await client.getBlock()
    let fromBlock = await blockBefore(client, payment.validBeforeMs - validityMsMax - clockSlackMs, head)
    while (fromBlock <= head.number) {
      const toBlock = smaller(fromBlock + blockRangeMax - 1n, head.number)
      const used = await client.getLogs({
        address: receiver.asset,
        event: authorizationUsed,
        args: { authorizer: payer, nonce },
        fromBlock,
        toBlock,
      })
      const transaction = await firstPaying(client, used, expected)
      if (transaction !== null) return { kind: 'paid', transaction }
      const last = toBlock === head.number ? head : await client.getBlock({ blockNumber: toBlock })
      // A block after `validBefore` cannot contain the transfer.
      if (Number(last.timestamp) * 1000 > payment.validBeforeMs + certainMs) return { kind: 'expired' }
      fromBlock = toBlock + 1n
    }
    return { kind: 'unpaid' }
  }
}

type Expected = Receiver & Readonly<{ payer: string; nonce: string; usdMicros: number }>

/** Checks the transaction that the facilitator reported. This takes one call, while a search of the chain takes many. */
async function isPayment(client: PublicClient, hash: Hex, expected: Expected): Promise<boolean> {
  const receipt = await client.getTransactionReceipt({ hash }).catch((error) => {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  })
  return receipt !== null && hasPayment(receipt, expected)
}

async function firstPaying(client: PublicClient, used: readonly Log[], expected: Expected): Promise<string | null> {
  for (const { transactionHash } of used) {
    if (transactionHash === null) continue
    if (!isTransactionHash(transactionHash)) throw new TypeError('the node returned an invalid transaction id')
    if (hasPayment(await client.getTransactionReceipt({ hash: transactionHash }), expected)) return transactionHash
  }
  return null
}

/**
 * Whether the transaction made the payment: the log after the use of its nonce is the transfer to the seller. The token
 * writes these two logs one after the other. A transfer anywhere else in the transaction is no proof. Its payer can sign
 * several messages with one nonce, use the nonces of many payments to send nothing, and add one transfer to the seller.
 * Any message with the nonce is a payment if it moves the price, because the token accepts only one of them.
 */
function hasPayment({ status, logs }: TransactionReceipt, expected: Expected): boolean {
  const { asset, payTo, payer, nonce, usdMicros } = expected
  if (status !== 'success') return false
  const ofToken = logs.filter((log) => isSame(log.address, asset))
  const paying = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: ofToken }).filter(
    ({ args }) => isSame(args.from, payer) && isSame(args.to, payTo) && args.value >= BigInt(usdMicros),
  )
  const places = new Set(paying.map(({ logIndex }) => logIndex))
  return parseEventLogs({ abi: [authorizationUsed], logs: ofToken }).some(
    ({ args, logIndex }) => isSame(args.authorizer, payer) && isSame(args.nonce, nonce) && places.has(logIndex + 1),
  )
}

/**
 * Finds a block no later than `atMs` by steps back from the newest block. Each step is four times as long as
 * the previous step. So even an instant that is days ago takes few calls.
 */
async function blockBefore(
  client: PublicClient,
  atMs: number,
  head: Readonly<{ number: bigint; timestamp: bigint }>,
): Promise<bigint> {
  let block = head
  for (let step = 64n; block.number > 0n && Number(block.timestamp) * 1000 > atMs; step *= 4n)
    block = await client.getBlock({ blockNumber: block.number > step ? block.number - step : 0n })
  return block.number
}

const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()
const smaller = (left: bigint, right: bigint): bigint => (left < right ? left : right)

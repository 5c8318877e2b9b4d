/**
 * A simulated EVM chain with a block every two seconds. An authorization moves money only one time, only
 * within its validity, and only with the payer's signature. The service reads the chain with its own probe.
 */
import { hash } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { encodeEventTopics, erc20Abi, type Hex, type PublicClient, pad, parseAbiItem, toHex } from 'viem'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { createEvmProbe } from '../../../api/payments/evm/probe.ts'
import { type ChainDouble, priceUsdMicros, type Transfer } from './chain-double.ts'
import type { Time } from './virtual-time.ts'

type Authorization = Readonly<Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore', string> & { nonce: Hex }>
type Signed = Readonly<{ signature: Hex; authorization: Authorization }>

const network = 'eip155:8453' as const
const payTo = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const buyer: Hex = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const other: Hex = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const blockMs = 2_000
const blocksBefore = 3_000

/** Reads payments as the service does, without a node. */
const evm = createEvmNetwork({ network, payTo, rpcUrl: 'http://127.0.0.1:1', isLocal: true })

/** `aheadMs` is how far the chain's clock is ahead of the service's clock. */
export function createEvmDouble(time: Time, { aheadMs }: Readonly<{ aheadMs: number }>): ChainDouble {
  const transfers: Transfer[] = []
  const node = { isDown: false, behindMs: 0 }
  const firstBlockAtMs = time.nowMs() - blocksBefore * blockMs
  let nonces = 0
  let sent = 0

  const blockAt = (atMs: number) => Math.floor((atMs - firstBlockAtMs) / blockMs)
  const timestampOf = (block: number) => Math.floor((firstBlockAtMs + block * blockMs + aheadMs) / 1000)
  const includedIn = (transfer: Transfer) => blockAt(transfer.atMs)

  const refusalOf = (payload: PaymentPayload, atMs: number): string | null => {
    const { authorization, signature } = payload.payload as Signed
    const atSec = Math.floor((atMs + aheadMs) / 1000)
    if (signature.toLowerCase() !== signatureOf(authorization)) return 'invalid_exact_evm_payload_signature'
    if (Number(authorization.validBefore) <= atSec) return 'invalid_exact_evm_payload_authorization_valid_before'
    if (Number(authorization.validAfter) >= atSec) return 'invalid_exact_evm_payload_authorization_valid_after'
    return transfers.some(({ payment }) => payment === evmIdentityOf(payload))
      ? 'invalid_exact_evm_nonce_already_used'
      : null
  }
  const mine = async (payload: PaymentPayload, transaction: string, how: Parameters<ChainDouble['broadcast']>[1]) => {
    await time.sleep(how.afterMs)
    await time.sleep(blockMs - ((time.nowMs() - firstBlockAtMs) % blockMs))
    if (refusalOf(payload, time.nowMs()) !== null) return null
    transfers.push({ payment: evmIdentityOf(payload), transaction, atMs: time.nowMs(), handedAtMs: how.handedAtMs })
    return transaction
  }
  const client = playedNode({
    node,
    head: () => blockAt(time.nowMs() - node.behindMs),
    timestampOf,
    transfers: () => transfers.map((transfer) => ({ ...transfer, block: includedIn(transfer) })),
  })
  return {
    network: {
      ...evm,
      signerOf: async (payload) => {
        const { authorization, signature } = payload.payload as Signed
        return signature.toLowerCase() === signatureOf(authorization) ? 'payer' : 'other'
      },
      probe: createEvmProbe(client, { asset: evm.asset as Hex, payTo }),
    },
    kind: { x402Version: 2, scheme: 'exact', network },
    sign: (accepted, validSec) => {
      const nowSec = Math.floor(time.nowMs() / 1000)
      const authorization: Authorization = {
        ...{ from: buyer, to: payTo, value: accepted.amount },
        ...{ validAfter: String(nowSec - 600), validBefore: String(nowSec + validSec) },
        nonce: pad(toHex(++nonces), { size: 32 }),
      }
      const payload = { signature: signatureOf(authorization), authorization }
      return { x402Version: 2, resource: { url: 'https://data.example/bought' }, accepted, payload }
    },
    respell,
    forge: forgeEvm,
    identityOf: evmIdentityOf,
    refusalOf,
    broadcast: (payload, how) => {
      const transaction = pad(toHex(++sent), { size: 32 })
      return { transaction, moved: mine(payload, transaction, how) }
    },
    transfers,
    node,
  }
}

export const evmIdentityOf = (payload: PaymentPayload): string => {
  const { from, nonce } = (payload.payload as Signed).authorization
  return `${from}|${nonce}`.toLowerCase()
}

/** Returns a hash in the form of a signature. A real signature would take a thousand times as long. */
function signatureOf({ from, to, value, validAfter, validBefore, nonce }: Authorization): Hex {
  const digest = (salt: string) =>
    hash('sha256', [salt, from, to, value, validAfter, validBefore, nonce].join('|').toLowerCase()).slice(2)
  return `0x00${digest('r')}00${digest('s')}1b`
}

function respell(payload: PaymentPayload): PaymentPayload {
  const { signature, authorization } = payload.payload as Signed
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
  const { from, nonce, ...rest } = authorization
  return {
    ...payload,
    payload: { authorization: { nonce: upper(nonce), ...rest, from: upper(from) }, signature: upper(signature) },
  }
}

export function forgeEvm(payload: PaymentPayload): readonly PaymentPayload[] {
  const { authorization } = payload.payload as Signed
  const validBefore = String(Number(authorization.validBefore) - 1)
  return [
    { signature: `0x${'12'.repeat(64)}1b` },
    { authorization: { ...authorization, validBefore } },
    { authorization: { ...authorization, from: other } },
  ].map((change) => ({ ...payload, payload: { ...payload.payload, ...change } }))
}

type Played = Readonly<{
  node: ChainDouble['node']
  head: () => number
  timestampOf: (block: number) => number
  transfers: () => readonly (Transfer & Readonly<{ block: number }>)[]
}>

/** Answers the calls of the probe as a node does. */
function playedNode({ node, head, timestampOf, transfers }: Played): PublicClient {
  const answer = <Answer>(found: () => Answer): Promise<Answer> =>
    node.isDown ? Promise.reject(new TypeError('the node is away')) : Promise.resolve().then(found)
  const client = {
    getBlock: ({ blockNumber = BigInt(head()) } = {}) =>
      answer(() => ({ number: blockNumber, timestamp: BigInt(timestampOf(Number(blockNumber))) })),
    getLogs: ({ args, fromBlock, toBlock }: LogsAsked) =>
      answer(() =>
        transfers()
          .filter(({ payment }) => payment === `${args.authorizer}|${args.nonce}`.toLowerCase())
          .filter(({ block }) => block >= fromBlock && block <= toBlock)
          .map(({ transaction }) => ({ transactionHash: transaction })),
      ),
    getTransactionReceipt: ({ hash: of }: Readonly<{ hash: Hex }>) =>
      answer(() => ({
        status: 'success',
        logs: transfers()
          .filter(({ transaction }) => transaction === of)
          .flatMap(({ payment }) => logsOf(payment)),
      })),
  }
  return client as unknown as PublicClient
}

type LogsAsked = Readonly<{
  args: Readonly<{ authorizer: string; nonce: string }>
  fromBlock: bigint
  toBlock: bigint
}>

const authorizationUsed = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)')
const [useIndex, transferIndex] = [6, 7]

/** Returns the two logs of the token. All transfers move the same price from one buyer to one seller. */
function logsOf(payment: string) {
  const [authorizer, nonce] = payment.split('|') as [Hex, Hex]
  return [
    {
      ...{ address: evm.asset, data: '0x', logIndex: useIndex },
      topics: encodeEventTopics({ abi: [authorizationUsed], args: { authorizer, nonce } }),
    },
    {
      ...{ address: evm.asset, data: pad(toHex(priceUsdMicros), { size: 32 }), logIndex: transferIndex },
      topics: encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: buyer, to: payTo } }),
    },
  ]
}

/**
 * A simulated Solana chain. A message moves money only one time, only while its blockhash is less than a
 * minute old, and only with the payer's signature. The other bytes of the transaction do not matter. The
 * service reads transactions and the chain with its own code.
 */
import { createPrivateKey, hash, sign as signBytes } from 'node:crypto'
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { createSvmNetwork, rememberedMs } from '../../../api/payments/svm/network.ts'
import { createSvmProbe } from '../../../api/payments/svm/probe.ts'
import { toBase58 } from '../../../infra/base58.ts'
import {
  dollarAccountOf,
  localSolanaNetwork,
  solanaDollarMint,
  solanaSigner,
  tokenProgram,
} from '../../../infra/development/payments/solana-dollar.ts'
import type { ChainDouble, Transfer } from './chain-double.ts'
import type { Time } from './virtual-time.ts'

const slotMs = 400
const blockhashMs = 150 * slotMs
/** The time from a block until the block is final, in milliseconds. */
const finalMs = 32 * slotMs

const buyer = (await solanaSigner('buyer')).address
const feePayer = (await solanaSigner('facilitator')).address
const payTo = (await solanaSigner('payTo')).address
const accounts = { from: await dollarAccountOf(buyer), to: await dollarAccountOf(payTo) }
const buyerSeed = hash('sha256', 'local dollar buyer', 'buffer')
const buyerKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), buyerSeed]),
  format: 'der',
  type: 'pkcs8',
})

type Sent = { transaction: string; wire: string; atMs: number | null }

export async function createSvmDouble(time: Time): Promise<ChainDouble> {
  const network = await createSvmNetwork({ payTo, rpcUrl: 'http://127.0.0.1:1', nowMs: time.nowMs, isLocal: true })
  const startMs = time.nowMs()
  const transfers: Transfer[] = []
  const node = { isDown: false, behindMs: 0 }
  const blockhashAtMs = new Map<string, number>()
  const sent = new Map<string, Sent>()

  const refusalOf = (payload: PaymentPayload, atMs: number): string | null => {
    const { lifetime, isSigned } = read(payload)
    if (!isSigned) return 'invalid_exact_svm_payload_signature_invalid'
    const age = atMs - (blockhashAtMs.get(lifetime) ?? Number.NEGATIVE_INFINITY)
    // A transaction that is already on the chain is not refused. It can be simulated again, and a further
    // settlement returns the same transaction.
    return age < blockhashMs ? null : 'invalid_exact_svm_transaction_simulation_failed'
  }
  const land = async (payload: PaymentPayload, entry: Sent, how: Parameters<ChainDouble['broadcast']>[1]) => {
    await time.sleep(how.afterMs + slotMs)
    if (entry.atMs !== null) return entry.transaction
    if (refusalOf(payload, time.nowMs()) !== null) return null
    entry.atMs = time.nowMs()
    const { transaction, atMs } = entry
    transfers.push({ payment: svmIdentityOf(payload), transaction, atMs, handedAtMs: how.handedAtMs })
    return transaction
  }
  const played = playedNode({
    ...{ node, startMs, nowMs: time.nowMs, blockhashAtMs },
    landed: () => [...sent.values()].flatMap((each) => (each.atMs === null ? [] : [{ ...each, atMs: each.atMs }])),
  })
  return {
    network: { ...network, probe: createSvmProbe(played, { rememberedMs, nowMs: time.nowMs }) },
    kind: { x402Version: 2, scheme: 'exact', network: localSolanaNetwork, extra: { feePayer } },
    sign: (accepted, validSec) => {
      const lifetime = toBase58(hash('sha256', `blockhash ${blockhashAtMs.size} ${time.nowMs()}`, 'buffer'))
      blockhashAtMs.set(lifetime, time.nowMs() - blockhashMs + Math.min(validSec * 1000, blockhashMs))
      return toPayload(accepted, signed(transferOf(accepted, lifetime)))
    },
    respell: respellSvm,
    forge: forgeSvm,
    identityOf: svmIdentityOf,
    refusalOf,
    broadcast: (payload, how) => {
      const key = svmIdentityOf(payload)
      // The fee payer's signature depends only on the message.
      const transaction = toBase58(hash('sha512', `fee payer ${key}`, 'buffer'))
      const entry = sent.get(key) ?? { transaction, wire: wireOf(payload), atMs: null }
      sent.set(key, entry)
      return { transaction, moved: land(payload, entry, how) }
    },
    transfers,
    node,
  }
}

type Landed = Readonly<{ transaction: string; wire: string; atMs: number }>

type Played = Readonly<{
  node: ChainDouble['node']
  startMs: number
  nowMs: () => number
  blockhashAtMs: ReadonlyMap<string, number>
  landed: () => readonly Landed[]
}>

/** Answers the calls of the probe as a node does. */
function playedNode({ node, startMs, nowMs, blockhashAtMs, landed }: Played): Parameters<typeof createSvmProbe>[0] {
  const answer = <Answer>(found: () => Answer) => ({
    send: async () => {
      if (node.isDown) throw new TypeError('the node is away')
      return found()
    },
  })
  const seenAtMs = (commitment: string) => nowMs() - node.behindMs - (commitment === 'finalized' ? finalMs : 0)
  const slotOf = (atMs: number) => BigInt(Math.floor((atMs - startMs) / slotMs) + 1_000_000)
  const inSec = (atMs: number) => BigInt(Math.floor(atMs / 1000))
  const calls = {
    getSignaturesForAddress: (_: Address, { commitment, minContextSlot = 0n }: Listing) =>
      answer(() => {
        const atMs = seenAtMs(commitment)
        if (slotOf(atMs) < minContextSlot) throw new TypeError('the node is behind')
        return landed()
          .filter((each) => each.atMs <= atMs)
          .sort((left, right) => right.atMs - left.atMs)
          .map((each) => ({ signature: each.transaction, err: null, blockTime: inSec(each.atMs) }))
      }),
    getTransaction: (signature: string) =>
      answer(() => {
        const found = landed().find(({ transaction }) => transaction === signature)
        return found === undefined ? null : { transaction: [found.wire] }
      }),
    isBlockhashValid: (blockhash: string, { commitment }: Listing) =>
      answer(() => {
        const atMs = seenAtMs(commitment)
        const value = atMs - (blockhashAtMs.get(blockhash) ?? 0) < blockhashMs
        return { context: { slot: slotOf(atMs) }, value }
      }),
    getBlockTime: (slot: bigint) => answer(() => inSec(startMs + Number(slot - 1_000_000n) * slotMs)),
  }
  return calls as unknown as Parameters<typeof createSvmProbe>[0]
}

type Listing = Readonly<{ commitment: string; minContextSlot?: bigint }>

let memos = 0

function transferOf(accepted: PaymentRequirements, lifetime: string): Transaction {
  const amount = Buffer.alloc(8)
  amount.writeBigUInt64LE(BigInt(accepted.amount))
  const computeBudget = address('ComputeBudget111111111111111111111111111111')
  const instructions: readonly Instruction[] = [
    { programAddress: computeBudget, data: Uint8Array.from([2, 32, 78, 0, 0]) },
    { programAddress: computeBudget, data: Uint8Array.from([3, 1, 0, 0, 0, 0, 0, 0, 0]) },
    {
      programAddress: tokenProgram,
      accounts: [
        { address: accounts.from, role: AccountRole.WRITABLE },
        { address: solanaDollarMint, role: AccountRole.READONLY },
        { address: accounts.to, role: AccountRole.WRITABLE },
        { address: buyer, role: AccountRole.READONLY_SIGNER },
      ],
      data: Uint8Array.from([12, ...amount, 6]),
    },
    {
      programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
      data: Buffer.from(String(++memos).padStart(32, '0')),
    },
  ]
  return pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(feePayer, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: lifetime as Blockhash, lastValidBlockHeight: 1_000n },
        message,
      ),
    (message) => compileTransaction(message),
  )
}

function signed(transaction: Transaction): Transaction {
  const signature = signBytes(null, Uint8Array.from(transaction.messageBytes), buyerKey)
  return withSignatures(transaction, { [buyer]: Uint8Array.from(signature) })
}

const withSignatures = (transaction: Transaction, signatures: Readonly<Record<string, Uint8Array>>): Transaction => ({
  ...transaction,
  signatures: { ...transaction.signatures, ...(signatures as Record<Address, SignatureBytes>) },
})

const toPayload = (accepted: PaymentRequirements, transaction: Transaction): PaymentPayload => ({
  ...{ x402Version: 2, resource: { url: 'https://data.example/bought' }, accepted },
  payload: { transaction: getBase64EncodedWireTransaction(transaction) },
})

const wireOf = (payload: PaymentPayload): string => String(payload.payload.transaction)

const decode = (payload: PaymentPayload): Transaction =>
  getTransactionDecoder().decode(getBase64Encoder().encode(wireOf(payload)))

export const svmIdentityOf = (payload: PaymentPayload): string =>
  hash('sha256', Uint8Array.from(decode(payload).messageBytes), 'hex')

/** The parts of a payment that the chain checks. */
function read(payload: PaymentPayload): Readonly<{ lifetime: string; isSigned: boolean }> {
  const transaction = decode(payload)
  const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes) as Readonly<{
    lifetimeToken: string
  }>
  const right = signed(transaction).signatures[buyer]
  const isSigned = Buffer.compare(right ?? Buffer.alloc(0), transaction.signatures[buyer] ?? Buffer.alloc(0)) === 0
  return { lifetime: lifetimeToken, isSigned }
}

/** In a payment, the fee payer's signature is empty. Other bytes in its place do not change the payment. */
export const respellSvm = (payload: PaymentPayload): PaymentPayload =>
  toPayload(payload.accepted, withSignatures(decode(payload), { [feePayer]: new Uint8Array(64).fill(7) }))

export function forgeSvm(payload: PaymentPayload): readonly PaymentPayload[] {
  const transaction = decode(payload)
  const signature = transaction.signatures[buyer] ?? new Uint8Array(64)
  const { lifetime } = read(payload)
  return [
    withSignatures(transaction, { [buyer]: new Uint8Array(64).fill(9) }),
    withSignatures(transferOf(payload.accepted, lifetime), { [buyer]: signature }),
  ].map((forged) => toPayload(payload.accepted, forged))
}

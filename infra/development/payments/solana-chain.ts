/**
 * A local Solana chain inside the current process: litesvm with the real token programs. The slot is computed
 * from the clock. The process must do no other work, for the reason given in `solana-node.js`.
 */
import {
  type Address,
  type Blockhash,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Lamports,
  type Signature,
  type Transaction,
} from '@solana/kit'
import { OperationError } from '../../errors.ts'
import { blockhashSlots, createSolanaHistory, type Landed } from './solana-history.ts'

export type SolanaChain = Readonly<{
  slot: () => number
  /** The time of a slot, in Unix seconds. */
  timeOf: (slot: number) => number
  latestBlockhash: () => Readonly<{ blockhash: Blockhash; lastValidBlockHeight: number }>
  isBlockhashValid: (blockhash: string) => boolean
  account: (address: string) => SolanaAccount | null
  setAccount: (address: Address, account: Pick<SolanaAccount, 'owner' | 'data'>) => void
  airdrop: (address: Address, lamports: bigint) => void
  /**
   * Simulates a transaction that is given in base64, without checking its signatures. Returns the failure as text, or
   * null if the transaction would succeed.
   */
  simulate: (wire: string) => string | null
  /**
   * Executes a transaction that is given in base64. Fails with a RangeError if no block would include the transaction.
   */
  send: (wire: string) => Signature
  find: (signature: string) => Landed | undefined
  landedOf: (account: string) => readonly Landed[]
  /** Moves the time of the chain forward by this duration. */
  advance: (durationMs: number) => void
}>

type SolanaAccount = Readonly<{ owner: Address; data: Uint8Array; lamports: bigint }>

const slotMs = 400
/**
 * The minimum number of slots between two new blockhashes. The interval saves memory, because each valid
 * blockhash takes some.
 */
const blockhashEverySlots = 5
const firstSlot = 1_000

/** Starts a chain. Fails with `dependency_missing` if litesvm, a native package, cannot be loaded. */
export async function startSolanaChain(nowMs: () => number = Date.now): Promise<SolanaChain> {
  const { LiteSVM, FailedTransactionMetadata } = await loadLitesvm()
  // This file itself checks blockhashes and refuses duplicates. litesvm would accept only its newest blockhash, and would keep every
  // transaction in memory.
  const vm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)
  const history = createSolanaHistory()
  const startedAtMs = nowMs()
  let aheadMs = 0
  let latest = { blockhash: vm.latestBlockhash(), slot: Number.NEGATIVE_INFINITY }

  const slot = () => firstSlot + Math.floor((nowMs() + aheadMs - startedAtMs) / slotMs)
  const refused = (transaction: Transaction, { blockhash }: Message): string | null => {
    if (!history.isValid(blockhash, slot())) return 'BlockhashNotFound'
    return history.hasMessage(bytesOf(transaction)) ? 'AlreadyProcessed' : null
  }
  return {
    slot,
    timeOf: (of) => Math.floor((startedAtMs + (of - firstSlot) * slotMs) / 1000),
    latestBlockhash: () => {
      if (slot() - latest.slot >= blockhashEverySlots) {
        vm.expireBlockhash()
        latest = { blockhash: vm.latestBlockhash(), slot: slot() }
        history.issue(latest.blockhash, latest.slot)
      }
      return { blockhash: latest.blockhash, lastValidBlockHeight: latest.slot + blockhashSlots }
    },
    isBlockhashValid: (blockhash) => history.isValid(blockhash, slot()),
    account: (address) => {
      const found = vm.getAccount(address as Address)
      return found.exists
        ? { owner: found.programAddress, data: new Uint8Array(found.data), lamports: found.lamports }
        : null
    },
    setAccount: (address, { owner, data }) => {
      const space = BigInt(data.length)
      const lamports = vm.minimumBalanceForRentExemption(space) as Lamports
      vm.setAccount({ address, programAddress: owner, data, lamports, space, executable: false })
    },
    airdrop: (address, lamports) => void vm.airdrop(address, lamports as Lamports),
    simulate: (wire) => {
      const transaction = decode(wire)
      const refusal = refused(transaction, readMessage(transaction))
      if (refusal !== null) return refusal
      const result = run(() => vm.withSigverify(false).simulateTransaction(transaction))
      return result instanceof FailedTransactionMetadata ? result.toString() : null
    },
    send: (wire) => {
      const transaction = decode(wire)
      const message = readMessage(transaction)
      const signature = getSignatureFromTransaction(transaction)
      if (history.find(signature)) return signature
      const refusal = refused(transaction, message)
      if (refusal !== null) throw new RangeError(refusal)
      const result = run(() => vm.withSigverify(true).sendTransaction(transaction))
      const failure = result instanceof FailedTransactionMetadata ? result.toString() : null
      if (failure?.includes('SignatureFailure')) throw new RangeError('SignatureFailure')
      history.add(bytesOf(transaction), {
        ...{ signature, slot: slot(), failure, wire },
        accounts: new Set(message.accounts),
      })
      return signature
    },
    find: history.find,
    landedOf: history.of,
    advance: (durationMs) => {
      aheadMs += durationMs
    },
  }
}

async function loadLitesvm(): Promise<typeof import('litesvm')> {
  try {
    return await import('litesvm')
  } catch (cause) {
    throw new OperationError(
      'dependency_missing',
      'the local Solana chain needs the npm package litesvm. Install it with "npm ci"',
      {
        cause,
        context: { platform: `${process.platform}-${process.arch}` },
      },
    )
  }
}

type Message = Readonly<{ blockhash: string; accounts: readonly Address[] }>

const decode = (wire: string): Transaction => getTransactionDecoder().decode(getBase64Encoder().encode(wire))

function readMessage({ messageBytes }: Transaction): Message {
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  return { blockhash: message.lifetimeToken ?? '', accounts: message.staticAccounts }
}

const bytesOf = ({ messageBytes }: Transaction): Uint8Array => Uint8Array.from(messageBytes)

let dividend = 5.5

/**
 * Runs a transaction, and then computes one remainder that has no other use. On x64, the programs of litesvm
 * leave all registers of the legacy floating-point unit in use. Node computes remainders in that unit. The
 * first remainder after a transaction is wrong, but computing it frees the registers.
 */
function run<Result>(transaction: () => Result): Result {
  const result = transaction()
  dividend = (dividend % 7.75) + 1.25
  if (Number.isNaN(dividend)) dividend = 5.5
  return result
}

/** The real local chains for the proof: their facilitator, their nodes, and their transfers at the end. */
import { address, createKeyPairSignerFromBytes, createSolanaRpc, getBase58Encoder, type Signature } from '@solana/kit'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, SupportedKind } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { createPublicClient, type Hex, http, parseAbiItem } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../api/payments/facilitator/http-facilitator.ts'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import { localSolanaNetwork as svmNetwork } from '../../../infra/development/payments/solana-dollar.ts'
import type { LocalPayments } from '../../../infra/development/payments/start-local-payments.ts'
import type { ChainDouble, Transfer } from './chain-double.ts'
import { evmIdentityOf, forgeEvm } from './evm-double.ts'
import { forgeSvm, respellSvm, svmIdentityOf } from './svm-double.ts'
import type { Time } from './virtual-time.ts'

const evmNetwork = 'eip155:8453' as const

/** Opens the chains for one run. Each run counts only the transfers of its own payments. */
export type LocalChains = (time: Time) => Promise<readonly ChainDouble[]>

export async function openLocalChains(payments: LocalPayments): Promise<LocalChains> {
  const { payTo, rpcUrl, facilitatorUrl, buyerPrivateKey, solana } = payments
  const facilitator = createHttpFacilitator({ url: facilitatorUrl, settleTimeoutMs: 60_000 })
  const { kinds } = await facilitator.getSupported()
  const kindOf = (network: string) => kinds.find((kind) => kind.network === network) as SupportedKind
  const account = privateKeyToAccount(buyerPrivateKey)
  const evm = {
    ...{ facilitator, kind: kindOf(evmNetwork), identityOf: evmIdentityOf, forge: forgeEvm, respell: respellEvm },
    client: new x402Client().register(evmNetwork, new ExactEvmScheme(account)),
    transactionsOf: evmReader(rpcUrl),
  }
  const evmChain = (time: Time) =>
    localChain(time, createEvmNetwork({ network: evmNetwork, payTo, rpcUrl, isLocal: true }), evm)
  if (solana === null) return async (time) => [evmChain(time)]
  const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(solana.buyerPrivateKey))
  const svm = {
    ...{ facilitator, kind: kindOf(svmNetwork), identityOf: svmIdentityOf, forge: forgeSvm, respell: respellSvm },
    client: new x402Client().register(svmNetwork, new ExactSvmScheme(signer, { rpcUrl: solana.rpcUrl })),
    transactionsOf: svmReader(solana.rpcUrl, solana.buyer),
  }
  return async (time) => {
    // The network compares the time at which it first saw a payment with the chain's time. The local chain
    // runs on the real clock, so the network gets the real clock too.
    const options = { payTo: solana.payTo, rpcUrl: solana.rpcUrl, nowMs: Date.now, isLocal: true }
    return [evmChain(time), localChain(time, await createSvmNetwork(options), svm)]
  }
}

type Parts = Readonly<{
  facilitator: FacilitatorClient
  client: x402Client
  kind: SupportedKind
  /** All transactions that moved the money of this payment. */
  transactionsOf: (payload: PaymentPayload) => Promise<readonly string[]>
}> &
  Pick<ChainDouble, 'identityOf' | 'forge' | 'respell'>

function localChain(time: Time, network: PaymentNetwork, parts: Parts): ChainDouble {
  const { facilitator, client, kind, identityOf, forge, respell, transactionsOf } = parts
  const node = { isDown: false, behindMs: 0 }
  const transfers: Transfer[] = []
  const signed: PaymentPayload[] = []
  const movedBy = new Map<string, number>()
  return {
    network: {
      ...network,
      probe: async (payment) => {
        if (node.isDown) throw new TypeError('the node is away')
        return network.probe(payment)
      },
    },
    ...{ kind, identityOf, forge, respell, transfers, node },
    sign: async (accepted, validSec) => {
      const accepts = [{ ...accepted, maxTimeoutSeconds: validSec }]
      const resource = { url: 'https://data.example/bought' }
      const payload = { ...(await client.createPaymentPayload({ x402Version: 2, resource, accepts })), accepted }
      signed.push(payload)
      return payload
    },
    refusalOf: async (payload) => {
      const { isValid, invalidReason = 'invalid' } = await facilitator.verify(payload, payload.accepted)
      return isValid ? null : invalidReason
    },
    broadcast: (payload, { afterMs, handedAtMs }) => {
      const settle = async () => {
        await time.sleep(afterMs)
        const { success, transaction } = await facilitator.settle(payload, payload.accepted)
        if (!success) return null
        movedBy.set(identityOf(payload), handedAtMs)
        return transaction
      }
      return { transaction: '', moved: settle().catch(() => null) }
    },
    look: async () => {
      transfers.length = 0
      for (const payload of signed)
        for (const transaction of await transactionsOf(payload)) {
          const payment = identityOf(payload)
          // A transfer always comes after its settle request. If the time of the request is unknown, the time
          // of the transfer is unknown too.
          const handedAtMs = movedBy.get(payment)
          transfers.push({
            payment,
            transaction,
            atMs: handedAtMs ?? 0,
            handedAtMs: handedAtMs ?? Number.POSITIVE_INFINITY,
          })
        }
    },
  }
}

function respellEvm(payload: PaymentPayload): PaymentPayload {
  const { signature, authorization } = payload.payload as Readonly<{ signature: Hex; authorization: { nonce: Hex } }>
  const { nonce, ...rest } = authorization
  return { ...payload, payload: { authorization: { nonce: `0x${nonce.slice(2).toUpperCase()}`, ...rest }, signature } }
}

const authorizationUsed = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)')

function evmReader(rpcUrl: string): Parts['transactionsOf'] {
  const node = createPublicClient({ transport: http(rpcUrl) })
  return async (payload) => {
    const { from, nonce } = (payload.payload as Readonly<{ authorization: { from: Hex; nonce: Hex } }>).authorization
    const args = { authorizer: from, nonce }
    const logs = await node.getLogs({ event: authorizationUsed, args, fromBlock: 0n, toBlock: 'latest' })
    return logs.map(({ transactionHash }) => transactionHash)
  }
}

function svmReader(rpcUrl: string, buyer: string): Parts['transactionsOf'] {
  const node = createSolanaRpc(rpcUrl)
  const paymentOf = new Map<Signature, string>()
  const config = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const
  return async (payload) => {
    const listed = await node.getSignaturesForAddress(address(buyer), { commitment: 'confirmed' }).send()
    for (const { signature, err } of listed) {
      if (err !== null || paymentOf.has(signature)) continue
      const found = await node.getTransaction(signature, config).send()
      if (found === null) continue
      const wire = { ...payload, payload: { transaction: found.transaction[0] } }
      paymentOf.set(signature, svmIdentityOf(wire))
    }
    return [...paymentOf].filter(([, payment]) => payment === svmIdentityOf(payload)).map(([signature]) => signature)
  }
}

/** Payments by EIP-3009 `transferWithAuthorization` in a USD stablecoin with six decimals. */
import { hash } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { erc20Abi, getAddress } from 'viem'
import { z } from 'zod'
import type { PayloadRefusal, PaymentIdentity, PaymentNetwork } from '../payment-network.ts'
import { createEvmNode } from './node.ts'
import { createEvmProbe, isTransactionHash } from './probe.ts'
import { createSignerCheck, isPossibleSignature, type Stablecoin } from './signature.ts'

/** Base, because USDC is cheapest to move on Base, and every facilitator settles on Base. */
export const paymentNetwork = 'eip155:8453'

export type EvmNetworkOptions = Readonly<{
  network: `eip155:${number}`
  payTo: string
  /** The URL of a node of the chain. The service searches this node for transfers whose outcome the facilitator did not report. */
  rpcUrl: string
  isLocal?: boolean
  /** Default: USDC on Base. */
  stablecoin?: Stablecoin
}>

export const usdcOnBase: Stablecoin = {
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  name: 'USD Coin',
  version: '2',
}

export function createEvmNetwork(options: EvmNetworkOptions): PaymentNetwork {
  const { network, rpcUrl, isLocal = false, stablecoin = usdcOnBase } = options
  const payTo = getAddress(options.payTo)
  const node = createEvmNode(rpcUrl, { timeoutMs: 3_000, retryCount: 1 })
  const quick = createEvmNode(rpcUrl, { timeoutMs: 1_500, retryCount: 0 })
  const judgeSigner = createSignerCheck(node, { chainId: Number(network.split(':')[1]), stablecoin })
  return {
    network,
    asset: stablecoin.address,
    payTo,
    isLocal,
    localRpcUrl: isLocal ? rpcUrl : null,
    scheme: new ExactEvmScheme(),
    codes: { amount: 'invalid_exact_evm_authorization_value', signature: 'invalid_exact_evm_signature' },
    isTransaction: isTransactionHash,
    priceOf: (usdMicros) => ({
      asset: stablecoin.address,
      amount: String(usdMicros),
      extra: { name: stablecoin.name, version: stablecoin.version },
    }),
    identify: (payload) => {
      const transfer = readTransfer(payload, { payTo, stablecoin })
      return 'refusal' in transfer ? transfer : identityOf(transfer, network, stablecoin)
    },
    signerOf: async (payload) => {
      const transfer = readTransfer(payload, { payTo, stablecoin })
      return 'refusal' in transfer ? 'other' : judgeSigner(transfer.signature, transfer.authorization)
    },
    hasFunds: async (payload) => {
      const transfer = readTransfer(payload, { payTo, stablecoin })
      if ('refusal' in transfer) return false
      const { from, value } = transfer.authorization
      const [address, args] = [stablecoin.address, [getAddress(from)]] as const
      return (await quick.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args })) >= BigInt(value)
    },
    ...(!isLocal && { headAtMs: async () => Number((await quick.getBlock()).timestamp) * 1000 }),
    probe: createEvmProbe(node, { asset: stablecoin.address, payTo }),
  }
}

const hexBytes = (count: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${count * 2}}$`))
const uint256End = 2n ** 256n
/** A decimal number of at most 256 bits. A larger number makes facilitators fail. */
const uint256 = z
  .string()
  .refine((text) => /^(0|[1-9]\d{0,77})$/.test(text) && (text.length < 78 || BigInt(text) < uint256End))

/**
 * The maximum length of a signature in bytes. A key signs with 65 bytes. A contract wallet signs with any
 * number of bytes. With ERC-6492, the bytes that deploy the contract come first.
 */
const signatureBytesMax = 4_096

/**
 * The shape of an authorization by a key or a contract wallet. Payments by permit2 are not accepted. Extra
 * fields are refused, because a facilitator could read them and settle a payment other than the one that was
 * checked.
 */
const transferSchema = z.strictObject({
  signature: z.string().regex(new RegExp(`^0x(?:[0-9a-fA-F]{2}){1,${signatureBytesMax}}$`)),
  authorization: z.strictObject({
    from: hexBytes(20),
    to: hexBytes(20),
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: hexBytes(32),
  }),
})

type Transfer = z.infer<typeof transferSchema>

function readTransfer(
  payload: PaymentPayload,
  offer: Readonly<{ payTo: string; stablecoin: Stablecoin }>,
): Transfer | PayloadRefusal {
  const parsed = transferSchema.safeParse(payload.payload)
  if (!parsed.success) return { refusal: 'unsupported_payload_type' }
  if (payload.accepted.asset.toLowerCase() !== offer.stablecoin.address.toLowerCase())
    return { refusal: 'asset_mismatch' }
  if (parsed.data.authorization.to.toLowerCase() !== offer.payTo.toLowerCase()) return { refusal: 'recipient_mismatch' }
  return isPossibleSignature(parsed.data.signature) ? parsed.data : { refusal: 'invalid_exact_evm_signature' }
}

function identityOf({ authorization, signature }: Transfer, network: string, stablecoin: Stablecoin): PaymentIdentity {
  return {
    paymentId: [network, stablecoin.address, authorization.from, authorization.nonce].join('|').toLowerCase(),
    payer: authorization.from,
    usdMicros: Number(authorization.value),
    validAfterMs: Number(authorization.validAfter) * 1000,
    validBeforeMs: Number(authorization.validBefore) * 1000,
    signedHash: hashSigned({ authorization, signature }),
    signatureHash: hash('sha256', signature.toLowerCase(), 'base64url'),
  }
}

/** Hash of all signed fields and the signature, in lower case. */
function hashSigned({ authorization, signature }: Transfer): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signed = [from, to, value, validAfter, validBefore, nonce, signature].join('|').toLowerCase()
  return hash('sha256', signed, 'base64url')
}

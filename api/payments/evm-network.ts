/** Payments by EIP-3009 `transferWithAuthorization` in a USD stablecoin of six decimals. */
import type { PaymentPayload } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { type Address, createPublicClient, getAddress, http, recoverAddress } from 'viem'
import { z } from 'zod'
import { createAuthorizationDigest } from './authorization-digest.ts'
import { createEvmProbe } from './evm-probe.ts'
import type { PaymentIdentity, PaymentNetwork, PaymentRefusal } from './payment-network.ts'

export type EvmNetworkOptions = Readonly<{
  /** `eip155:<chain id>`. */
  network: `eip155:${number}`
  payTo: string
  /** A node of that chain, to look for transfers whose outcome the facilitator did not tell. */
  rpcUrl: string
  isLocal?: boolean
  /** Default: USDC on Base. */
  stablecoin?: Stablecoin
}>

/** Name and version are those of the token's EIP-712 domain: a wrong one makes every signature invalid. */
type Stablecoin = Readonly<{ address: Address; name: string; version: string }>

const usdcOnBase: Stablecoin = {
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  name: 'USD Coin',
  version: '2',
}

export function createEvmNetwork(options: EvmNetworkOptions): PaymentNetwork {
  const { network, rpcUrl, isLocal = false, stablecoin = usdcOnBase } = options
  const payTo = getAddress(options.payTo)
  const chainId = Number(network.slice('eip155:'.length))
  const digestOf = createAuthorizationDigest({ ...stablecoin, chainId })
  return {
    network,
    asset: stablecoin.address,
    payTo,
    isLocal,
    scheme: new ExactEvmScheme(),
    priceOf: (usdMicros) => ({
      asset: stablecoin.address,
      amount: String(usdMicros),
      extra: { name: stablecoin.name, version: stablecoin.version },
    }),
    identify: async (payload) => {
      const transfer = readTransfer(payload, { payTo, stablecoin })
      if ('refusal' in transfer) return transfer
      if (!(await isSignedBy(transfer, digestOf))) return { refusal: 'invalid_signature' }
      return identityOf(transfer, network, stablecoin)
    },
    probe: createEvmProbe(createPublicClient({ transport: http(rpcUrl, { timeout: 3_000, retryCount: 1 }) }), {
      asset: stablecoin.address,
      payTo,
    }),
  }
}

const hexBytes = (count: number) =>
  z.templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${count * 2}}$`))])
const wholeNumber = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)

/** The shape of an authorization by a plain account; permit2 and contract wallets are not taken. */
const transferSchema = z.object({
  signature: hexBytes(65),
  authorization: z.object({
    from: hexBytes(20),
    to: hexBytes(20),
    value: wholeNumber,
    validAfter: wholeNumber,
    validBefore: wholeNumber,
    nonce: hexBytes(32),
  }),
})

type Transfer = z.infer<typeof transferSchema>

function readTransfer(
  payload: PaymentPayload,
  offer: Readonly<{ payTo: string; stablecoin: Stablecoin }>,
): Transfer | PaymentRefusal {
  const parsed = transferSchema.safeParse(payload.payload)
  if (!parsed.success) return { refusal: 'unsupported_payload_type' }
  if (payload.accepted.asset.toLowerCase() !== offer.stablecoin.address.toLowerCase())
    return { refusal: 'asset_mismatch' }
  if (parsed.data.authorization.to.toLowerCase() !== offer.payTo.toLowerCase()) return { refusal: 'recipient_mismatch' }
  return parsed.data
}

async function isSignedBy(
  { authorization, signature }: Transfer,
  digestOf: ReturnType<typeof createAuthorizationDigest>,
): Promise<boolean> {
  try {
    const hash = digestOf(authorization)
    const signer = await recoverAddress({ hash, signature: signature as `0x${string}` })
    return signer.toLowerCase() === authorization.from.toLowerCase()
  } catch {
    // Bytes that are no signature of anybody.
    return false
  }
}

function identityOf({ authorization }: Transfer, network: string, stablecoin: Stablecoin): PaymentIdentity {
  return {
    paymentId: [network, stablecoin.address, authorization.from, authorization.nonce].join('|').toLowerCase(),
    payer: getAddress(authorization.from),
    validBeforeMs: Number(authorization.validBefore) * 1000,
  }
}

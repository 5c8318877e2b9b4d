/** The wallet of a buyer: a signer that the caller hands in, and the official x402 scheme that signs with it. */
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentRequired, PaymentRequirements, SchemeNetworkClient } from '@x402/core/types'
import type { ClientEvmSigner } from '@x402/evm'
import { appendPaymentIdentifierToExtensions, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier'
import { x402Client } from '@x402/fetch'
import type { ClientSvmSigner } from '@x402/svm'

type AnyWallet = Readonly<{
  /** The address of the token to pay with, on a chain whose USDC x402 does not know. Default: the network's USDC. */
  asset?: string
}>

export type BuyerWallet =
  | (Readonly<{
      /** Base. */
      network: 'evm'
      /** For example an account of viem. */
      signer: ClientEvmSigner
    }> &
      AnyWallet)
  | (Readonly<{
      network: 'solana'
      /** For example a key pair signer of @solana/kit. */
      signer: ClientSvmSigner
      /** The URL of a Solana node. Default: a public node. */
      rpcUrl?: string
    }> &
      AnyWallet)

/** The x402 names of the networks on which a wallet pays. */
const networkOf = { evm: 'eip155:8453', solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' } as const

export type Payer = Readonly<{
  network: (typeof networkOf)[keyof typeof networkOf]
  /** Whether the asset is USDC, or the token that the caller named. */
  isMoney: (asset: string) => boolean
  /** Signs one offer of the 402 for a purchase with this name, and returns the PAYMENT-SIGNATURE header. */
  sign: (required: PaymentRequired, offer: PaymentRequirements, name: string) => Promise<string>
}>

/** Loads only the packages of the wallet's network. */
export async function openPayer(wallet: BuyerWallet): Promise<Payer> {
  const network = networkOf[wallet.network]
  const scheme = await schemeOf(wallet)
  // The limits of this client replace the limit of the official client, which is 1 USD per payment.
  const client = new x402Client().register(network, scheme).setSpendControls(false)
  const isNamed = (asset: string) => wallet.asset?.toLowerCase() === asset.toLowerCase()
  return {
    network,
    isMoney: (asset) => isNamed(asset) || scheme.findDefaultAsset?.(asset, network)?.symbol === 'USDC',
    async sign({ x402Version, resource, extensions = {} }, offer, name) {
      // Other extensions of the service are left out, because a scheme may sign further permissions for them.
      const { [PAYMENT_IDENTIFIER]: identifier } = extensions
      const named = identifier === undefined ? {} : { [PAYMENT_IDENTIFIER]: structuredClone(identifier) }
      const payment = await client.createPaymentPayload({
        ...{ x402Version, resource, accepts: [offer] },
        extensions: appendPaymentIdentifierToExtensions(named, name),
      })
      return encodePaymentSignatureHeader(payment)
    },
  }
}

async function schemeOf(wallet: BuyerWallet): Promise<SchemeNetworkClient> {
  if (wallet.network === 'evm') {
    const { ExactEvmScheme } = await import('@x402/evm/exact/client')
    return new ExactEvmScheme(wallet.signer)
  }
  const { ExactSvmScheme } = await import('@x402/svm/exact/client')
  const { rpcUrl } = wallet
  return new ExactSvmScheme(wallet.signer, rpcUrl === undefined ? {} : { rpcUrl })
}

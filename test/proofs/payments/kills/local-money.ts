/**
 * Creates the buyer and the settings for payments on the local chains. They run outside of the killed
 * service.
 */
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'
import type { LocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import type { Money } from './kill-service.ts'

/** The money on the EVM chain, and on Solana if it runs. The service accepts both. */
export async function localMoney(payments: LocalPayments): Promise<Readonly<Record<string, Money>>> {
  const { buyerPrivateKey, facilitatorUrl, payTo, rpcUrl, usdcBalanceOf, solana } = payments
  const environment = {
    ...{ X402_PAY_TO_EVM: payTo, X402_EVM_RPC_URL: rpcUrl },
    ...(solana === null ? {} : { X402_PAY_TO_SVM: solana.payTo, X402_SVM_RPC_URL: solana.rpcUrl }),
  }
  const evm = new x402Client()
    .register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(buyerPrivateKey)))
    .setSpendControls(false)
  const money = {
    EVM: { environment, facilitatorUrl, sign: signerOf(evm), earned: () => usdcBalanceOf(payTo) },
  }
  if (solana === null) return money
  const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(solana.buyerPrivateKey))
  const svm = new x402Client()
    .register('solana:*', new ExactSvmScheme(signer, { rpcUrl: solana.rpcUrl }))
    .setSpendControls(false)
  const earned = () => solana.usdcBalanceOf(solana.payTo)
  return { ...money, Solana: { environment, facilitatorUrl, sign: signerOf(svm), earned } }
}

const signerOf = (client: x402Client) => async (required: string) =>
  encodePaymentSignatureHeader(await client.createPaymentPayload(decodePaymentRequiredHeader(required)))

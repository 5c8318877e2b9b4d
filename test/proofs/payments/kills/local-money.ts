/** Money on a local chain, outside of the service that is killed. */
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import type { LocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import type { Money } from './kill-service.ts'

export function moneyOf(payments: LocalPayments): Money {
  const { buyerPrivateKey, facilitatorUrl, payTo, rpcUrl, usdcBalanceOf } = payments
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(buyerPrivateKey)))
  return {
    environment: { X402_PAY_TO_EVM: payTo, X402_EVM_RPC_URL: rpcUrl },
    facilitatorUrl,
    sign: async (required) =>
      encodePaymentSignatureHeader(await client.createPaymentPayload(decodePaymentRequiredHeader(required))),
    earned: () => usdcBalanceOf(payTo),
  }
}

import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import type { LocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import type { PaidFetch } from './buy-answers.ts'

/** Returns a `fetch` that signs a payment of the local dollar after a 402. */
export function payer(payments: Pick<LocalPayments, 'buyerPrivateKey'>): PaidFetch {
  const account = privateKeyToAccount(payments.buyerPrivateKey)
  return wrapFetchWithPayment(fetch, new x402Client().register('eip155:8453', new ExactEvmScheme(account)))
}

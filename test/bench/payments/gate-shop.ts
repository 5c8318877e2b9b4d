/**
 * Opens a payment gate with a ledger on the embedded log. The facilitator runs in this process and accepts
 * every payment.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FacilitatorClient } from '@x402/core/server'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { topics } from '../../../schemas/topics.ts'
import { sellerAddress } from '../../support/payments/paid-service.ts'

export type Shop = Readonly<{ gate: PaymentGate; ledger: PaymentLedger; close: () => Promise<void> }>

export const network = 'eip155:8453'

/** An answer of about the size of a page of bursts. */
export const answer = Buffer.from(
  JSON.stringify({ rows: Array.from({ length: 100 }, (_, row) => ({ row, pad: 'x'.repeat(180) })) }),
)

export const createNetwork = () => createEvmNetwork({ network, payTo: sellerAddress, rpcUrl: 'http://127.0.0.1:1' })

export async function openShop(dataDir: string): Promise<Shop> {
  const open = await openLog({ dataDir, nowMs: Date.now })
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, open.registry)
  const ledger = await openPaymentLedger({ log: open.log, codec, nowMs: Date.now })
  const quiet = () => {}
  const gate = await createPaymentGate({
    facilitators: [agreeable()],
    networks: [createNetwork()],
    ledger,
    publicBaseUrl: 'http://127.0.0.1',
    nowMs: Date.now,
    sleep: (durationMs) => sleep(durationMs),
    logger: { info: quiet, warn: quiet, error: quiet },
  })
  return {
    gate,
    ledger,
    close: async () => {
      await gate.close()
      await open.close()
    },
  }
}

/** Makes a facilitator that accepts every payment at once. */
export const agreeable = (settled = { count: 0 }): FacilitatorClient => ({
  verify: async () => ({ isValid: true, payer: sellerAddress }),
  settle: async () => ({
    success: true,
    transaction: `0x${(settled.count++).toString(16).padStart(64, '0')}`,
    network,
    payer: sellerAddress,
  }),
  getSupported: async () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }),
})

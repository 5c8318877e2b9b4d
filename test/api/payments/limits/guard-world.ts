/** A guard for each test of a `describe`, with what it asked. */

import type { Verification } from '../../../../api/payments/facilitator/verification.ts'
import { createForgeryGuard } from '../../../../api/payments/limits/forgery-guard.ts'
import type { Client } from '../../../../api/payments/limits/own-limit.ts'
import type { Signer } from '../../../../api/payments/payment-network.ts'

export const valid: Verification = { kind: 'valid' }
export const refused: Verification = { kind: 'refused', reason: 'invalid_exact_evm_signature' }

export function guardWorld(hasBought: (payer: string) => boolean) {
  const make = () => {
    const clock = { atMs: 1_000_000 }
    return { clock, guard: createForgeryGuard(() => clock.atMs, hasBought), recovered: 0, asked: 0 }
  }
  const world = make()
  beforeEach(() => {
    Object.assign(world, make())
  })
  const pay = async (client: Client, verification: Verification, signer: Signer = 'payer') => {
    const verdict = await world.guard.verify(client, {
      signer: async () => {
        world.recovered += 1
        return signer
      },
      verify: async () => {
        world.asked += 1
        return verification
      },
    })
    return verdict.kind
  }
  const payOften = async (times: number, ...payment: Parameters<typeof pay>) => {
    const kinds: string[] = []
    for (let turn = 0; turn < times; turn++) kinds.push(await pay(...payment))
    return kinds
  }
  return Object.assign(world, { pay, payOften })
}

/**
 * Makes a guard against forged payments for each test of a `describe`. Counts the requests that the guard
 * sends to the facilitator.
 */
import { setImmediate } from 'node:timers/promises'
import type { Verification } from '../../../../api/payments/facilitator/verification.ts'
import type { Client } from '../../../../api/payments/limits/client.ts'
import { createForgeryGuard } from '../../../../api/payments/limits/forgery-guard.ts'
import type { Signer } from '../../../../api/payments/payment-network.ts'

export const valid: Verification = { kind: 'valid' }
export const refused: Verification = { kind: 'refused', reason: 'invalid_exact_evm_signature' }

/** A sleep moves the clock on. */
export function createSleepingClock() {
  const clock = { atMs: 1_000_000 }
  const sleep = async (durationMs: number) => {
    await setImmediate()
    clock.atMs += durationMs
  }
  return { clock, sleep, nowMs: () => clock.atMs }
}

/** Returns an answer (`answered`) that resolves only when the test calls `give`. */
export function createSlowAnswer() {
  let give = () => {}
  const answered = new Promise<void>((resolve) => {
    give = resolve
  })
  return { answered, give }
}

export function guardWorld(hasBought: (payer: string) => boolean) {
  const make = () => {
    const { clock, ...times } = createSleepingClock()
    return { clock, guard: createForgeryGuard({ ...times, hasBought }), recovered: 0, asked: 0, askedAtOnce: 0 }
  }
  const world = make()
  beforeEach(() => {
    Object.assign(world, make())
  })
  /**
   * Returns the guard's decision about a payment. The facilitator answers only after `answered` has resolved.
   */
  const paySlowly = async (
    client: Client,
    {
      verification = valid,
      signer = 'payer' as Signer | null,
      answered = Promise.resolve(),
      hasFunds = null as (() => Promise<boolean>) | null,
    },
  ) => {
    const verdict = await world.guard.verify(client, {
      hasFunds,
      isGone: () => false,
      signer:
        signer &&
        (async () => {
          world.recovered += 1
          return signer
        }),
      verify: async () => {
        world.asked += 1
        world.askedAtOnce += 1
        await answered
        world.askedAtOnce -= 1
        return verification
      },
    })
    return verdict.kind
  }
  const pay = (client: Client, verification: Verification, signer: Signer | null = 'payer') =>
    paySlowly(client, { verification, signer })
  const payOften = async (times: number, ...payment: Parameters<typeof pay>) => {
    const kinds: string[] = []
    for (let turn = 0; turn < times; turn++) kinds.push(await pay(...payment))
    return kinds
  }
  return Object.assign(world, { pay, payOften, paySlowly })
}
